//! Owns the guest's file system: an archive that the kernel unpacks into memory.

/// A cpio archive in the making, of the format that kernels read.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const DIRECTORY: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_777;

impl Archive {
    /// Adds a directory; those above it must be there already.
    pub fn directory(&mut self, path: &str) {
        self.entry(path, DIRECTORY, &[]);
    }

    /// Adds a file that can be executed.
    pub fn file(&mut self, path: &str, bytes: &[u8]) {
        self.entry(path, PROGRAM, bytes);
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        self.entry(path, LINK, target.as_bytes());
    }

    /// The whole archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    /// A header of 13 numbers in hexadecimal, the name, and the contents, each padded to words of 4 bytes.
    fn entry(&mut self, path: &str, mode: u32, bytes: &[u8]) {
        self.entries += 1;
        let (length, name) = (bytes.len() as u32, path.len() as u32 + 1);
        let fields = [self.entries, mode, 0, 0, 1, 0, length, 0, 0, 0, 0, name, 0];
        self.bytes.extend(b"070701");
        self.bytes.extend(fields.iter().flat_map(|field| format!("{field:08x}").into_bytes()));
        self.bytes.extend(path.bytes().chain([0]));
        self.pad();
        self.bytes.extend(bytes);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_its_header_its_name_and_its_contents_on_word_boundaries() {
        let mut archive = Archive::default();
        archive.file("init", b"abcde");
        let bytes = archive.finish();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[6 + 6 * 8..][..8], b"00000005", "the length");
        assert_eq!(&bytes[6 + 11 * 8..][..8], b"00000005", "the name's, with its zero");
        assert_eq!(&bytes[110..115], b"init\0");
        assert_eq!(&bytes[116..124], b"abcde\0\0\0");
        assert_eq!(&bytes[124..130], b"070701");
        assert!(bytes.ends_with(b"TRAILER!!!\0\0\0\0") && bytes.len().is_multiple_of(4));
    }
}
