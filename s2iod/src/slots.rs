//! Frame memory: slots of one size, carved out of slabs, and which of them are free.

use std::ops::Range;

use lro::Pool;

use crate::dma::{PAGE, Slab};
use crate::error::Error;
use crate::platform::Platform;

/// The largest slab that is asked of the system; larger ones may not be contiguous anywhere.
const MAX_SLAB: usize = 4 << 20;

/// Slots by number, from 0.
pub struct Slots {
    slabs: Vec<Slab>,
    /// Bytes of a slot, a power of two.
    size: usize,
    /// Slots of a slab, as a power of two.
    per_slab: u32,
    free: Vec<u32>,
}

impl Slots {
    /// `count` slots of at least `size` bytes, all free.
    ///
    /// # Errors
    ///
    /// The system has no such memory.
    pub fn new(platform: &mut impl Platform, count: u32, size: usize) -> Result<Self, Error> {
        let size = size.next_power_of_two().clamp(64, MAX_SLAB);
        let per_slab = (MAX_SLAB / size).ilog2();
        let mut slabs = Vec::new();
        let mut left = count as usize;
        while left > 0 {
            let slots = left.min(1 << per_slab);
            let bytes = (slots * size).next_multiple_of(PAGE);
            slabs.push(platform.slab(bytes).map_err(Error::platform("allocate frame memory"))?);
            left -= slots;
        }
        // Taken from the end: slot 0 first.
        Ok(Self { slabs, size, per_slab, free: (0..count).rev().collect() })
    }

    /// A slot that nobody uses, and where the card finds it.
    pub fn take(&mut self) -> Option<(u32, u64)> {
        let slot = self.free.pop()?;
        let (slab, range) = self.place(slot)?;
        Some((slot, slab.bus(range.start)))
    }

    /// How many slots nobody uses.
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// Copies a frame into a slot; `false` if it is longer.
    pub fn copy_in(&self, slot: u32, frame: &[u8]) -> bool {
        frame.len() <= self.size && self.place(slot).is_some_and(|(slab, range)| slab.copy_in(range.start, frame))
    }

    fn place(&self, slot: u32) -> Option<(&Slab, Range<usize>)> {
        let start = (slot as usize & ((1 << self.per_slab) - 1)) * self.size;
        Some((self.slabs.get((slot >> self.per_slab) as usize)?, start..start + self.size))
    }
}

impl Pool for Slots {
    #[inline]
    fn bytes(&self, slot: u32) -> &[u8] {
        self.place(slot).and_then(|(slab, range)| slab.bytes(range)).unwrap_or_default()
    }

    #[inline]
    fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }
}
