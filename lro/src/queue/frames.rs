//! The slab of queued frames, allocated once.
#![allow(clippy::indexing_slicing, reason = "every index into the slab was made here")]

use alloc::boxed::Box;
use alloc::vec;

use crate::chains::Arrival;
use crate::table::NONE;

/// One queued frame: all that must be known of it before its headers are read again when it leaves.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub slot: u32,
    /// Bytes of the whole frame, padding included.
    pub length: u32,
    /// The unit's next frame, or the free list's.
    pub next: u32,
    /// Bytes of payload. 0 until it has company: a frame by itself leaves as it came.
    pub payload: u16,
    /// Sum of the payload, derived from the checksum field.
    pub payload_sum: u16,
}

impl Frame {
    /// A frame that leaves as it came.
    #[inline(always)]
    pub(crate) fn alone(Arrival { slot, length, .. }: Arrival) -> Self {
        Self { slot, length, next: NONE, payload: 0, payload_sum: 0 }
    }
}

/// All frames, those that are queued and the free list.
pub(crate) struct Frames {
    slab: Box<[Frame]>,
    /// First free record of the slab.
    free: u32,
}

impl Frames {
    pub(super) fn new(capacity: u32) -> Self {
        let void = Frame { slot: NONE, length: 0, next: NONE, payload: 0, payload_sum: 0 };
        let mut slab = vec![void; capacity as usize].into_boxed_slice();
        for (index, frame) in (1..).zip(slab.iter_mut()) {
            frame.next = index;
        }
        if let Some(last) = slab.last_mut() {
            last.next = NONE;
        }
        Self { free: if slab.is_empty() { NONE } else { 0 }, slab }
    }

    pub(crate) fn capacity(&self) -> u32 {
        self.slab.len() as u32
    }

    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.free as usize >= self.slab.len()
    }

    pub(crate) fn get(&self, index: u32) -> &Frame {
        &self.slab[index as usize]
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut Frame {
        &mut self.slab[index as usize]
    }

    /// Stores a frame; there must be room. Returns its index.
    #[inline(always)]
    pub(super) fn store(&mut self, frame: Frame) -> u32 {
        let index = self.free;
        let place = &mut self.slab[index as usize];
        self.free = place.next;
        *place = frame;
        index
    }

    /// Stores a frame behind the last one of a chain; there must be room. Returns its index.
    #[inline(always)]
    pub(crate) fn chain(&mut self, last: u32, frame: Frame) -> u32 {
        let index = self.store(frame);
        self.slab[last as usize].next = index;
        index
    }

    /// Frees the first `count` frames of the chain that starts with `head`, one at least, each slot given to `leave`. Returns
    /// the frame behind them, or `NONE`.
    #[inline(always)]
    pub(super) fn free(&mut self, head: u32, count: u32, mut leave: impl FnMut(u32)) -> u32 {
        let mut last = head;
        for _ in 1..count {
            let frame = &self.slab[last as usize];
            leave(frame.slot);
            last = frame.next;
        }
        let frame = &mut self.slab[last as usize];
        leave(frame.slot);
        // They are chained already: the free list takes them as they are.
        let rest = core::mem::replace(&mut frame.next, self.free);
        self.free = head;
        rest
    }
}
