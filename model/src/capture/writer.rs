//! Writing a capture, so that a whole file appears under its name or none at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempPath;

use super::error::{Error, Problem};
use super::{MAX_PACKET, Resolution};

const LINKTYPE_ETHERNET: u32 = 1;

/// A pcap file of Ethernet frames in the making.
///
/// The packets go to a temporary file in the same folder, which takes the file's name in
/// [`finish`](Self::finish). A writer that is dropped before leaves nothing, and a file that had
/// the name stays as it was. A pipe, a device or `/dev/stdout` is written to directly.
pub struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    /// The temporary file's name and the one it will take; none when writing directly.
    rename: Option<(TempPath, PathBuf)>,
    resolution: Resolution,
    packets: u64,
}

impl Writer {
    /// Begins a capture that will stand at `path`, with timestamps of this resolution.
    ///
    /// # Errors
    /// The file or its folder does not exist, or may not be written.
    pub fn create(path: impl AsRef<Path>, resolution: Resolution) -> Result<Self, Error> {
        let path = path.as_ref();
        let (file, rename) = open(path).map_err(|error| Error::new(path, Problem::Create(error)))?;
        let mut writer = Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 16, file),
            rename,
            resolution,
            packets: 0,
        };
        writer.put(&file_header(resolution))?;
        Ok(writer)
    }

    /// Appends a frame that had `original_length` bytes on the wire, of which `data` were captured.
    ///
    /// # Errors
    /// The frame is longer than [`MAX_PACKET`], its time is past 2106, or the file cannot be
    /// written (no space left, closed pipe).
    pub fn write(&mut self, time: Duration, original_length: u32, data: &[u8]) -> Result<(), Error> {
        let packet = self.packets + 1;
        let fail = |problem| Err(Error::new(&self.path, problem));
        let Ok(seconds) = u32::try_from(time.as_secs()) else {
            let seconds = time.as_secs();
            return fail(Problem::Time { packet, seconds });
        };
        let length = match u32::try_from(data.len()) {
            Ok(length) if data.len() <= MAX_PACKET => length,
            _ => {
                let length = data.len();
                return fail(Problem::TooLong { packet, length });
            }
        };
        let fraction = match self.resolution {
            Resolution::Micro => time.subsec_micros(),
            Resolution::Nano => time.subsec_nanos(),
        };
        let header = [seconds, fraction, length, original_length];
        self.put(header.map(u32::to_le_bytes).as_flattened())?;
        self.put(data)?;
        self.packets = packet;
        Ok(())
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// The last bytes cannot be written, or the file cannot take its name; nothing is left then.
    pub fn finish(mut self) -> Result<(), Error> {
        let written = self.file.flush();
        written.map_err(|error| Error::new(&self.path, Problem::Write(error)))?;
        if let Some((temporary, target)) = self.rename {
            let renamed = temporary.persist(target);
            renamed.map_err(|error| Error::new(&self.path, Problem::Create(error.error)))?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| Error::new(&self.path, Problem::Write(error)))
    }
}

fn file_header(resolution: Resolution) -> [u8; 24] {
    let magic: u32 = match resolution {
        Resolution::Micro => 0xa1b2_c3d4,
        Resolution::Nano => 0xa1b2_3c4d,
    };
    let version = 4 << 16 | 2;
    let snap_length = MAX_PACKET as u32;
    let mut header = [0; 24];
    let words = [magic, version, 0, 0, snap_length, LINKTYPE_ETHERNET];
    for (bytes, word) in header.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    header
}

type Opened = (File, Option<(TempPath, PathBuf)>);

/// Opens the existing file first: that asks the system whether it may be written, and tells a
/// regular file, which a finished capture replaces, from everything else, which is written to.
fn open(path: &Path) -> io::Result<Opened> {
    match OpenOptions::new().append(true).open(path) {
        Ok(file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() || is_descriptor(path) {
                return Ok((file, None));
            }
            temporary(fs::canonicalize(path)?, Some(metadata.permissions()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => temporary(path.to_owned(), None),
        Err(error) => Err(error),
    }
}

/// Names of descriptors that are open already. A regular file behind one is the caller's: it is
/// appended to, never replaced.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|prefix| path.starts_with(prefix))
}

/// A temporary file beside `target`, with the permissions that `target` has or would get.
fn temporary(target: PathBuf, permissions: Option<Permissions>) -> io::Result<Opened> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (file, name) = tempfile::Builder::new()
        .prefix(".capture-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?
        .into_parts();
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    Ok((file, Some((name, target))))
}
