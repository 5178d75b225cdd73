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
/// How many sizes of slots there are.
const SIZES: usize = (MAX_SLAB - LEAST) as usize + 1;
/// A slot's number is its size, above its index among those of its size.
const INDEX_BITS: u32 = 24;

/// Slots of one size.
struct Region {
    slabs: Vec<Slab>,
    /// Bytes of a slot, as a power of two.
    shift: u32,
    /// Slots that are in use.
    taken: u32,
}

/// Slots by number.
pub struct Slots {
    /// By size; those of other sizes than the current one are there until their last slot is released.
    regions: [Option<Region>; SIZES],
    /// The size that is handed out.
    current: u32,
    count: u32,
    free: Vec<u32>,
    /// Each waits for the release of a slot of another size.
    waiting: Vec<u32>,
}

impl Slots {
    /// `count` slots of at least `size` bytes, all free.
    ///
    /// # Errors
    ///
    /// The system has no such memory.
    pub fn new(platform: &mut impl Platform, count: u32, size: usize) -> Result<Self, Error> {
        let regions = [const { None }; SIZES];
        let mut slots = Self { regions, current: 0, count, free: Vec::new(), waiting: Vec::new() };
        slots.hand_out(Region::new(platform, count, size)?);
        Ok(slots)
    }

    /// Hands out slots of at least `size` bytes from now on.
    ///
    /// # Errors
    ///
    /// The system has no such memory; everything is as before then.
    pub fn lengthen(&mut self, platform: &mut impl Platform, size: usize) -> Result<(), Error> {
        if shift_of(size) > LEAST + self.current {
            let region = Region::new(platform, self.count, size)?;
            self.hand_out(region);
        }
        Ok(())
    }

    fn hand_out(&mut self, region: Region) {
        for other in &mut self.regions {
            other.take_if(|other| other.taken == 0);
        }
        let taken: u32 = self.regions.iter().flatten().map(|other| other.taken).sum();
        self.current = region.shift - LEAST;
        if let Some(place) = self.regions.get_mut(self.current as usize) {
            *place = Some(region);
        }
        let number = |index| self.current << INDEX_BITS | index;
        let available = self.count.saturating_sub(taken);
        // Taken from the end: slot 0 first.
        self.free.clear();
        self.free.reserve_exact(self.count as usize);
        self.free.extend((0..available).rev().map(number));
        self.waiting = (available..self.count).map(number).collect();
    }

    /// A slot that nobody uses, and where the card finds it.
    pub fn take(&mut self) -> Option<(u32, u64)> {
        let slot = self.free.pop()?;
        self.regions.get_mut(self.current as usize)?.as_mut()?.taken += 1;
        let (slab, range) = self.place(slot)?;
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
        let region = self.regions.get((slot >> INDEX_BITS) as usize)?.as_ref()?;
        let (index, in_slab) = (slot & ((1 << INDEX_BITS) - 1), MAX_SLAB - region.shift);
        let start = (index as usize & ((1 << in_slab) - 1)) << region.shift;
        Some((region.slabs.get((index >> in_slab) as usize)?, start..start + (1 << region.shift)))
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
        Ok(Self { slabs, shift, taken: 0 })
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
        let size = slot >> INDEX_BITS;
        if let Some(region) = self.regions.get_mut(size as usize).and_then(Option::as_mut) {
            region.taken = region.taken.saturating_sub(1);
        }
        if size == self.current {
            self.free.push(slot);
        } else {
            self.free.extend(self.waiting.pop());
            if let Some(place) = self.regions.get_mut(size as usize) {
                place.take_if(|region| region.taken == 0);
            }
        }
    }
}
