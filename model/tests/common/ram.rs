//! Host memory in one piece, which the card may touch and nothing around it.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use model::{MasterAbort, Memory};

use super::BASE;

/// Memory that can remember which writes were made.
pub struct Ram {
    bytes: Vec<u8>,
    writes: Option<Vec<(u64, usize)>>,
}

impl Ram {
    pub fn new() -> Self {
        Self { bytes: vec![0; 0xB0_0000], writes: None }
    }

    /// Remembers writes from now on.
    pub fn record(&mut self) {
        self.writes = Some(Vec::new());
    }

    /// The writes since `record`: where, and how many bytes.
    pub fn recorded(&self) -> &[(u64, usize)] {
        self.writes.as_deref().unwrap()
    }

    fn range(&self, bus: u64, length: usize) -> Result<std::ops::Range<usize>, MasterAbort> {
        let start = bus.checked_sub(BASE).and_then(|start| usize::try_from(start).ok()).ok_or(MasterAbort { bus })?;
        let end = start.checked_add(length).filter(|end| *end <= self.bytes.len()).ok_or(MasterAbort { bus })?;
        Ok(start..end)
    }

    pub fn bytes(&self, bus: u64, length: usize) -> &[u8] {
        &self.bytes[self.range(bus, length).unwrap()]
    }

    pub fn word(&self, bus: u64) -> u64 {
        u64::from_le_bytes(self.bytes(bus, 8).try_into().unwrap())
    }

    pub fn put(&mut self, bus: u64, bytes: &[u8]) {
        let range = self.range(bus, bytes.len()).unwrap();
        self.bytes[range].copy_from_slice(bytes);
    }

    pub fn put_word(&mut self, bus: u64, word: u64) {
        self.put(bus, &word.to_le_bytes());
    }
}

impl Memory for Ram {
    fn read(&mut self, bus: u64, into: &mut [u8]) -> Result<(), MasterAbort> {
        let range = self.range(bus, into.len())?;
        into.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, bus: u64, from: &[u8]) -> Result<(), MasterAbort> {
        let range = self.range(bus, from.len())?;
        if let Some(writes) = &mut self.writes {
            writes.push((bus, from.len()));
        }
        self.bytes[range].copy_from_slice(from);
        Ok(())
    }
}
