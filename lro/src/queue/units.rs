//! The ring of queued units, oldest first, allocated once.
#![allow(clippy::indexing_slicing, reason = "every index into the ring was made here")]

use alloc::boxed::Box;
use alloc::vec;

use crate::shape::Place;
use crate::stats::End;
use crate::table::NONE;

/// One unit: a chain of frames in the order they came.
#[derive(Clone, Copy)]
pub(crate) struct Queued {
    pub head: u32,
    pub tail: u32,
    /// Its record in the table of open units, or `NONE`.
    pub open: u32,
    /// Its first frame's; every other one that joined has the same.
    pub place: Place,
    /// Sum of all payloads, not folded.
    pub payload_sum: u32,
    pub segments: u32,
    /// Bytes of all payloads, and of the largest. Both 0 while there is only one frame, which leaves as it came.
    pub payload: u16,
    pub segment_size: u16,
    /// Why it ended; `Read` while it is open.
    pub end: End,
    /// Whether IPv4's identification counts up or stays, if the rules ask.
    pub counts: Option<bool>,
    /// Whether sum and size are those of all its frames, none of which came with padding. A cut leaves them wrong.
    pub whole: bool,
}

impl Queued {
    /// A unit of one frame.
    #[inline(always)]
    pub(super) fn of(head: u32, place: Place, open: u32, end: End) -> Self {
        Self {
            head,
            tail: head,
            open,
            place,
            payload_sum: 0,
            segments: 1,
            payload: 0,
            segment_size: 0,
            end,
            counts: None,
            whole: true,
        }
    }

    /// Counts a segment's payload.
    #[inline(always)]
    pub(crate) fn add(&mut self, payload: u16, payload_sum: u16) {
        self.add_no_larger(payload, payload_sum);
        self.segment_size = self.segment_size.max(payload);
    }

    /// Counts the payload of a segment of which one as large as this has been counted.
    #[inline(always)]
    pub(crate) fn add_no_larger(&mut self, payload: u16, payload_sum: u16) {
        // Behind an odd number of bytes every byte is in the other half of its 16-bit word.
        let turn = u32::from(self.payload & 1) * 8;
        // The rules let no unit grow beyond 65,535 bytes, and so not beyond as many segments: nothing overflows.
        self.payload_sum += u32::from(payload_sum.rotate_left(turn));
        self.payload += payload;
    }
}

/// All units.
pub(crate) struct Units {
    ring: Box<[Queued]>,
    /// Positions run freely; `front..back` are queued.
    front: u32,
    back: u32,
    /// Units before this position had ended when the last barrier came.
    barrier: u32,
}

impl Units {
    pub(super) fn new(capacity: u32) -> Self {
        let unit = Queued::of(NONE, Place::VOID, NONE, End::Read);
        let ring = vec![unit; (capacity as usize).next_power_of_two()].into_boxed_slice();
        Self { ring, front: 0, back: 0, barrier: 0 }
    }

    /// The unit at `index` of the ring.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> &Queued {
        &self.ring[index as usize]
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, index: u32) -> &mut Queued {
        &mut self.ring[index as usize]
    }

    /// The index that the next unit will have.
    #[inline(always)]
    pub(crate) fn next(&self) -> u32 {
        self.index(self.back)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, unit: Queued) {
        let index = self.index(self.back);
        self.ring[index as usize] = unit;
        self.back = self.back.wrapping_add(1);
    }

    /// The unit at `index` grows no more.
    pub(crate) fn end(&mut self, index: u32, end: End) {
        let unit = self.get_mut(index);
        unit.open = NONE;
        unit.end = end;
    }

    /// No unit that is queued now grows any more.
    pub(crate) fn end_all(&mut self) {
        self.barrier = self.back;
    }

    /// The oldest unit. After a barrier its record is void, whatever it says itself.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> Option<&Queued> {
        (self.front != self.back).then(|| self.get(self.index(self.front)))
    }

    #[inline(always)]
    pub(super) fn oldest_mut(&mut self) -> &mut Queued {
        let index = self.index(self.front);
        self.get_mut(index)
    }

    /// Whether a barrier came after the oldest unit.
    #[inline(always)]
    pub(super) fn is_behind_barrier(&self) -> bool {
        // `barrier` is never behind `front`.
        self.barrier != self.front
    }

    /// The oldest unit has left.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        if self.barrier == self.front {
            self.barrier = self.barrier.wrapping_add(1);
        }
        self.front = self.front.wrapping_add(1);
    }

    /// The ring's length is a power of two.
    #[inline(always)]
    fn index(&self, position: u32) -> u32 {
        position & (self.ring.len() - 1) as u32
    }
}
