//! Reading a capture: which of the two formats it is, and its packets one by one.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::{Error, Problem, Record};
use super::source::Source;
use super::{Packet, Resolution, pcap, pcapng};

/// The packets of a pcap or pcapng file, in its order.
///
/// Memory does not grow with the file. After an error the iterator ends.
pub struct Reader {
    path: PathBuf,
    source: Source,
    format: Format,
    packets: u64,
    ended: bool,
}

enum Format {
    Pcap(pcap::Header),
    Pcapng(pcapng::Section),
}

impl Reader {
    /// Opens the capture at `path` and reads its header.
    ///
    /// # Errors
    /// The file is missing, unreadable, empty, no capture, or (pcap) not of Ethernet frames.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::new(path, Problem::Open(error)))?;
        Self::new(path, file)
    }

    /// Begins to read a capture from `bytes`; errors will call it `name`.
    ///
    /// # Errors
    ///
    /// The bytes are empty, cannot be read, are no capture, or (pcap) not one of Ethernet frames.
    pub fn new(name: impl AsRef<Path>, bytes: impl Read + 'static) -> Result<Self, Error> {
        let path = name.as_ref();
        let mut source = Source::new(Box::new(bytes));
        let format = begin(&mut source).map_err(|problem| Error::new(path, problem))?;
        Ok(Self { path: path.to_owned(), source, format, packets: 0, ended: false })
    }

    /// The resolution that keeps the file's timestamps: its own for pcap, nanoseconds for pcapng,
    /// where each interface has its own.
    #[must_use]
    pub fn resolution(&self) -> Resolution {
        match &self.format {
            Format::Pcap(header) => header.resolution(),
            Format::Pcapng(_) => Resolution::Nano,
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Packet, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match &mut self.format {
            Format::Pcap(header) => header.next(&mut self.source, self.packets),
            Format::Pcapng(section) => section.next(&mut self.source, self.packets),
        };
        self.ended = !matches!(next, Ok(Some(_)));
        self.packets += 1;
        next.map_err(|problem| Error::new(&self.path, problem)).transpose()
    }
}

/// Tells the format by the file's first four bytes.
fn begin(source: &mut Source) -> Result<Format, Problem> {
    match source.begin(4, Record::FileHeader) {
        Ok(true) => {}
        Ok(false) => return Err(Problem::Empty),
        Err(Problem::Cut { .. }) => return Err(Problem::NotCapture),
        Err(problem) => return Err(problem),
    }
    if source.record() == pcapng::MAGIC {
        pcapng::Section::begin(source).map(Format::Pcapng)
    } else {
        pcap::Header::begin(source).map(Format::Pcap)
    }
}
