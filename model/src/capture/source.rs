//! The bytes of a capture file, taken record by record.

use std::io::{BufReader, Read};

use super::error::{Problem, Record};

/// The byte order of a file's fields; pcapng's can change with each section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Endian {
    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(super) fn i64(self, bytes: [u8; 8]) -> i64 {
        match self {
            Self::Little => i64::from_le_bytes(bytes),
            Self::Big => i64::from_be_bytes(bytes),
        }
    }
}

/// A file and the record being read from it.
pub(super) struct Source {
    file: BufReader<Box<dyn Read>>,
    record: Vec<u8>,
    start: u64,
}

impl Source {
    pub(super) fn new(file: Box<dyn Read>) -> Self {
        Self { file: BufReader::with_capacity(1 << 16, file), record: Vec::new(), start: 0 }
    }

    /// The record so far.
    pub(super) fn record(&self) -> &[u8] {
        &self.record
    }

    /// Four bytes of the record; zero where it does not reach.
    pub(super) fn word(&self, offset: usize) -> [u8; 4] {
        let rest = self.record.get(offset..).and_then(<[u8]>::first_chunk);
        rest.copied().unwrap_or_default()
    }

    /// Where the record begins.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    fn offset(&self) -> u64 {
        self.start + self.record.len() as u64
    }

    /// Begins the next record and reads its first `length` bytes; false at the end of the file.
    pub(super) fn begin(&mut self, length: usize, as_what: Record) -> Result<bool, Problem> {
        self.start = self.offset();
        self.record.clear();
        let whole = self.fill(length)?;
        if !whole && !self.record.is_empty() {
            return Err(self.cut(as_what));
        }
        Ok(whole)
    }

    /// Reads on until the record has `length` bytes.
    pub(super) fn extend(&mut self, length: usize, as_what: Record) -> Result<(), Problem> {
        if self.fill(length)? { Ok(()) } else { Err(self.cut(as_what)) }
    }

    /// Memory grows with the bytes that are there, not with the length a header claims.
    fn fill(&mut self, length: usize) -> Result<bool, Problem> {
        let missing = length.saturating_sub(self.record.len()) as u64;
        let offset = self.offset();
        let got = (&mut self.file)
            .take(missing)
            .read_to_end(&mut self.record)
            .map_err(|error| Problem::Read { offset, error })?;
        Ok(got as u64 == missing)
    }

    fn cut(&self, record: Record) -> Problem {
        Problem::Cut { record, offset: self.offset() }
    }
}
