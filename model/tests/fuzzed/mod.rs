//! What bytes mean to the fuzz targets: streams of accesses to the card, and of messages to its server.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

pub mod card;
pub mod client;
#[path = "../common/mod.rs"]
mod common;
#[path = "../vfio_client/mod.rs"]
mod vfio_client;

/// Takes bytes off the front; there are zeros behind the end.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn u8(&mut self) -> u8 {
        let (byte, rest) = self.0.split_first().map_or((0, self.0), |(byte, rest)| (*byte, rest));
        self.0 = rest;
        byte
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes([self.u8(), self.u8()])
    }

    pub fn u64(&mut self) -> u64 {
        (0..8).fold(0, |word, byte| word | u64::from(self.u8()) << (8 * byte))
    }

    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        bytes
    }
}
