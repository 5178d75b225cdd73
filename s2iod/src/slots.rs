//! Frame memory: slots of one size, carved out of slabs, and which of them are free.
//!
//! Slots can be exchanged for longer ones while frames lie in some: those stay until they are released, and for each of
//! them one of the new ones has to wait, so that there are never more frames than slots.

use std::ops::Range;

use lro::Pool;

use crate::dma::{PAGE, Slab};
use crate::error::Error;
use crate::platform::Platform;

/// Bytes of the shortest slot, as a power of two.
const LEAST: u32 = 6;
/// The largest slab that is asked of the system, as a power of two; larger ones may not be contiguous anywhere.
const MAX_SLAB: u32 = 22;
/// A slot's number is its size, above its index among those of its size.
const INDEX_BITS: u32 = 24;

/// Slots of one size.
struct Region {
    slabs: Vec<Slab>,
    /// Bytes of a slot, as a power of two.
    shift: u32,
    /// Slots of a slab, as a power of two.
    per_slab: u32,
}

/// Slots that are not handed out any more.
struct Retired {
    region: Region,
    /// Those that were not released.
    taken: u32,
}

/// Slots by number.
pub struct Slots {
    current: Region,
    /// Shorter ones, each there until its last slot is released.
    retired: Vec<Retired>,
    count: u32,
    /// Of the current ones.
    free: Vec<u32>,
    /// Of the current ones; each waits for the release of a retired one.
    waiting: Vec<u32>,
}

impl Slots {
    /// `count` slots of at least `size` bytes, all free.
    ///
    /// # Errors
    ///
    /// The system has no such memory.
    pub fn new(platform: &mut impl Platform, count: u32, size: usize) -> Result<Self, Error> {
        let current = Region::new(platform, count, size)?;
        // Taken from the end: slot 0 first.
        let free = (0..count).rev().map(|index| current.number(index)).collect();
        Ok(Self { current, retired: Vec::new(), count, free, waiting: Vec::new() })
    }

    /// Hands out slots of at least `size` bytes from now on.
    ///
    /// # Errors
    ///
    /// The system has no such memory; everything is as before then.
    pub fn lengthen(&mut self, platform: &mut impl Platform, size: usize) -> Result<(), Error> {
        if shift_of(size) <= self.current.shift {
            return Ok(());
        }
        let longer = Region::new(platform, self.count, size)?;
        let region = std::mem::replace(&mut self.current, longer);
        let taken = self.count.saturating_sub((self.free.len() + self.waiting.len()) as u32);
        if taken > 0 {
            self.retired.push(Retired { region, taken });
        }
        let taken: u32 = self.retired.iter().map(|retired| retired.taken).sum();
        let available = self.count.saturating_sub(taken);
        self.free.clear();
        self.free.extend((0..available).rev().map(|index| self.current.number(index)));
        self.waiting = (available..self.count).map(|index| self.current.number(index)).collect();
        Ok(())
    }

    /// A slot that nobody uses, and where the card finds it.
    #[inline]
    pub fn take(&mut self) -> Option<(u32, u64)> {
        let slot = self.free.pop()?;
        let (slab, range) = self.current.place(slot)?;
        Some((slot, slab.bus(range.start)))
    }

    /// How many slots nobody uses.
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// Copies a frame into a slot; `false` if it is longer.
    pub fn copy_in(&self, slot: u32, frame: &[u8]) -> bool {
        self.place(slot).is_some_and(|(slab, range)| frame.len() <= range.len() && slab.copy_in(range.start, frame))
    }

    #[inline]
    fn place(&self, slot: u32) -> Option<(&Slab, Range<usize>)> {
        if self.current.holds(slot) {
            return self.current.place(slot);
        }
        let retired = self.retired.iter().find(|retired| retired.region.holds(slot))?;
        retired.region.place(slot)
    }

    #[cold]
    fn release_retired(&mut self, slot: u32) {
        if let Some(retired) = self.retired.iter_mut().find(|retired| retired.region.holds(slot)) {
            retired.taken = retired.taken.saturating_sub(1);
            self.free.extend(self.waiting.pop());
        }
        self.retired.retain(|retired| retired.taken > 0);
    }
}

impl Region {
    fn new(platform: &mut impl Platform, count: u32, size: usize) -> Result<Self, Error> {
        let shift = shift_of(size);
        let mut slabs = Vec::new();
        let mut left = count as usize;
        while left > 0 {
            let slots = left.min(1 << (MAX_SLAB - shift));
            let bytes = (slots << shift).next_multiple_of(PAGE);
            slabs.push(platform.slab(bytes).map_err(Error::platform("allocate frame memory"))?);
            left -= slots;
        }
        Ok(Self { slabs, shift, per_slab: MAX_SLAB - shift })
    }

    fn number(&self, index: u32) -> u32 {
        self.shift << INDEX_BITS | index
    }

    #[inline]
    fn holds(&self, slot: u32) -> bool {
        slot >> INDEX_BITS == self.shift
    }

    #[inline]
    fn place(&self, slot: u32) -> Option<(&Slab, Range<usize>)> {
        let index = slot & ((1 << INDEX_BITS) - 1);
        let start = (index as usize & ((1 << self.per_slab) - 1)) << self.shift;
        Some((self.slabs.get((index >> self.per_slab) as usize)?, start..start + (1 << self.shift)))
    }
}

/// The power of two that holds `size` bytes.
fn shift_of(size: usize) -> u32 {
    size.next_power_of_two().ilog2().clamp(LEAST, MAX_SLAB)
}

impl Pool for Slots {
    #[inline]
    fn bytes(&self, slot: u32) -> &[u8] {
        self.place(slot).and_then(|(slab, range)| slab.bytes(range)).unwrap_or_default()
    }

    #[inline]
    fn release(&mut self, slot: u32) {
        if self.current.holds(slot) {
            self.free.push(slot);
        } else {
            self.release_retired(slot);
        }
    }
}
