//! Memory that driver and card share. With the platform's mappings, the only place that needs `unsafe`.
//!
//! The card is another writer that the compiler does not see. Words of descriptors are therefore atomics: OWN is stored
//! last (Release) and read first (Acquire), and orders everything else. Bytes of frames are plain slices, because the copy
//! to the reader must run at full speed: they are looked at only between the descriptor that gave them to the host and the
//! one that gives them back.
#![allow(unsafe_code, reason = "memory whose other user is a device cannot be expressed without")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// Alignment of a slab and of its length: a page, as RxD blocks need.
pub const PAGE: usize = 4096;

/// A piece of memory at a fixed place on the bus.
pub struct Slab {
    base: NonNull<u8>,
    length: usize,
    bus: u64,
    /// Gives the memory back when the last slab of it is gone.
    owner: Rc<dyn Any>,
}

impl Slab {
    /// A slab over memory that somebody else mapped.
    ///
    /// # Safety
    ///
    /// - `base` is aligned to [`PAGE`] and valid for reads and writes of `length` bytes until `owner` is dropped; nothing
    ///   else in this process uses that memory.
    /// - The device that finds it at `bus` writes only where a descriptor lets it, and only while that descriptor is its.
    pub unsafe fn from_raw(base: NonNull<u8>, length: usize, bus: u64, owner: Rc<dyn Any>) -> Self {
        Self { base, length, bus, owner }
    }

    /// Zeroed memory of this process, which a card in this process finds at `bus`.
    ///
    /// # Errors
    ///
    /// There is not so much memory.
    pub fn allocate(bytes: usize, bus: u64) -> io::Result<Self> {
        let length = bytes.max(1).next_multiple_of(PAGE);
        let layout = Layout::from_size_align(length, PAGE).map_err(io::Error::other)?;
        // SAFETY: the layout has a size, at least a page.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(io::ErrorKind::OutOfMemory)?;
        let owner = Rc::new(Allocation { base, layout });
        // SAFETY: the allocation lives as long as its owner and is nobody else's. The card that is given the bus address
        // runs in this thread, between calls to the driver, not during them.
        Ok(unsafe { Self::from_raw(base, length, bus, owner) })
    }

    /// A part of this slab as a slab of its own; `None` unless the range lies within and starts at a page.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        if !range.start.is_multiple_of(PAGE) {
            return None;
        }
        let base = self.at(&range)?;
        let bus = self.bus + range.start as u64;
        Some(Self { base, length: range.len(), bus, owner: Rc::clone(&self.owner) })
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Where the card finds byte `offset`.
    pub fn bus(&self, offset: usize) -> u64 {
        self.bus + offset as u64
    }

    /// The slab as words of descriptors.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: base is aligned to a page, the length is in bounds, and atomics may be shared with any other writer.
        unsafe { std::slice::from_raw_parts(self.base.cast().as_ptr(), self.length / 8) }
    }

    /// Bytes of a frame that the card has given to the host; `None` if the range does not lie within.
    pub fn bytes(&self, range: Range<usize>) -> Option<&[u8]> {
        let base = self.at(&range)?;
        // SAFETY: in bounds by `at`; by the constructor's contract the card leaves bytes alone that a descriptor has given
        // to the host, and the rings ask for no others.
        Some(unsafe { std::slice::from_raw_parts(base.as_ptr(), range.len()) })
    }

    /// Copies out of the slab; `false` and nothing done if the range does not lie within.
    pub fn copy_out(&self, offset: usize, into: &mut [u8]) -> bool {
        let Some(from) = self.at(&(offset..offset.saturating_add(into.len()))) else { return false };
        // SAFETY: `at` has checked the bounds; `into` is a unique borrow, so it cannot be a part of the slab.
        unsafe { from.copy_to_nonoverlapping(NonNull::from(&mut *into).cast(), into.len()) };
        true
    }

    /// Copies into the slab; `false` and nothing done if the range does not lie within.
    pub fn copy_in(&self, offset: usize, from: &[u8]) -> bool {
        let Some(into) = self.at(&(offset..offset.saturating_add(from.len()))) else { return false };
        // SAFETY: `at` has checked the bounds. The driver writes to slots that are its, the card in this process to those
        // that descriptors give it: no slice of the same bytes is alive. The two may not overlap, but may be one slab.
        unsafe { NonNull::from(from).cast::<u8>().copy_to(into, from.len()) };
        true
    }

    /// The place of a range, if it lies within.
    fn at(&self, range: &Range<usize>) -> Option<NonNull<u8>> {
        if range.start > range.end || range.end > self.length {
            return None;
        }
        // SAFETY: at most one past the end of the same allocation.
        Some(unsafe { self.base.add(range.start) })
    }
}

/// Memory from the global allocator.
struct Allocation {
    base: NonNull<u8>,
    layout: Layout,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: this is what `alloc_zeroed` returned for this layout, and it is freed once.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE, Slab};
    use std::sync::atomic::Ordering;

    #[test]
    fn a_slab_is_zeroed_and_whole_pages() {
        let slab = Slab::allocate(PAGE + 1, 0x1000).unwrap();
        assert_eq!(slab.len(), 2 * PAGE);
        assert!(slab.words().iter().all(|word| word.load(Ordering::Relaxed) == 0));
    }

    #[test]
    fn bytes_and_words_are_the_same_memory() {
        let slab = Slab::allocate(PAGE, 0).unwrap();
        slab.words()[1].store(u64::from_le_bytes(*b"abcdefgh"), Ordering::Relaxed);
        assert_eq!(slab.bytes(8..16), Some(b"abcdefgh".as_slice()));
        assert!(slab.copy_in(12, b"XY"));
        let mut out = [0; 4];
        assert!(slab.copy_out(11, &mut out));
        assert_eq!(&out, b"dXYg");
    }

    #[test]
    fn nothing_beyond_the_end_can_be_reached() {
        let slab = Slab::allocate(PAGE, 0).unwrap();
        assert_eq!(slab.bytes(PAGE - 1..PAGE + 1), None);
        assert!(!slab.copy_in(PAGE, b"x"));
        assert!(!slab.copy_out(usize::MAX, &mut [0; 2]));
        assert!(slab.part(0..2 * PAGE).is_none());
        assert!(slab.part(8..16).is_none());
    }

    #[test]
    fn a_part_outlives_the_whole_and_keeps_its_place_on_the_bus() {
        let whole = Slab::allocate(3 * PAGE, 0x10_0000).unwrap();
        assert!(whole.copy_in(PAGE, b"part"));
        let part = whole.part(PAGE..2 * PAGE).unwrap();
        drop(whole);
        assert_eq!(part.bus(4), 0x10_0000 + PAGE as u64 + 4);
        assert_eq!(part.bytes(0..4), Some(b"part".as_slice()));
    }
}
