//! Frames and the units they form, oldest first: a slab of frames and a ring of units, both allocated once.
#![allow(clippy::indexing_slicing, reason = "every index into the slab and the ring was made here")]

use alloc::boxed::Box;
use alloc::vec;
use core::ops::Range;

use crate::chains::Arrival;
use crate::shape::{Fields, Place};
use crate::stats::End;
use crate::table::NONE;

/// One queued frame: all that is needed of its headers when it leaves.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub slot: u32,
    /// Bytes of the whole frame, padding included.
    pub length: u32,
    /// The unit's next frame, or the free list's.
    pub next: u32,
    /// Sum of the payload, derived from the checksum field.
    pub payload_sum: u32,
    /// Bytes 8 to 15 of the TCP header, as they lie in memory: acknowledgment, flags, window.
    pub middle: u64,
    /// Both timestamps, as they lie in memory.
    pub timestamps: u64,
    pub payload: u16,
    /// IPv4's identification, kept under `Rules::Forward` only.
    pub identification: u16,
    pub place: Place,
}

impl Frame {
    const VOID: Self = Self {
        slot: NONE,
        length: 0,
        next: NONE,
        payload_sum: 0,
        middle: 0,
        timestamps: 0,
        payload: 0,
        identification: 0,
        place: Place::VOID,
    };

    /// A frame that leaves as it came.
    #[inline(always)]
    pub(crate) fn alone(Arrival { slot, length, .. }: Arrival, place: Place) -> Self {
        Self { slot, length, place, ..Self::VOID }
    }

    /// A frame that is a part of a unit.
    #[inline(always)]
    pub(crate) fn part(arrival: Arrival, place: Place, fields: &Fields, payload_sum: u32) -> Self {
        let mut frame = Self::alone(arrival, place);
        frame.fill(fields, payload_sum);
        frame
    }

    /// Makes a frame that was alone a part of a unit.
    #[inline(always)]
    pub(crate) fn fill(&mut self, fields: &Fields, payload_sum: u32) {
        self.payload_sum = payload_sum;
        self.middle = fields.middle;
        self.timestamps = fields.timestamps;
        self.payload = fields.payload as u16;
    }

    /// The payload within the frame's bytes.
    #[inline(always)]
    pub(crate) fn payload_range(&self) -> Range<usize> {
        let start = usize::from(self.place.payload);
        start..start + usize::from(self.payload)
    }
}

/// One unit: a chain of frames in the order they came.
#[derive(Clone, Copy)]
pub(crate) struct Queued {
    pub head: u32,
    /// Its record in the table of open units, or `NONE`.
    pub open: u32,
    /// Why it ended; `Read` while it is open.
    pub end: End,
}

/// All queued frames.
pub(crate) struct Queue {
    frames: Box<[Frame]>,
    /// First free record of the slab.
    free: u32,
    used: u32,
    ring: Box<[Queued]>,
    /// Positions run freely; `front..back` are queued.
    front: u32,
    back: u32,
    /// Units before this position had ended when the last barrier came.
    barrier: u32,
}

impl Queue {
    pub(crate) fn new(capacity: u32) -> Self {
        let mut frames = vec![Frame::VOID; capacity as usize].into_boxed_slice();
        for (index, frame) in (1..).zip(frames.iter_mut()) {
            frame.next = index;
        }
        if let Some(last) = frames.last_mut() {
            last.next = NONE;
        }
        let unit = Queued { head: NONE, open: NONE, end: End::Read };
        Self {
            free: if frames.is_empty() { NONE } else { 0 },
            frames,
            used: 0,
            ring: vec![unit; (capacity as usize).next_power_of_two()].into_boxed_slice(),
            front: 0,
            back: 0,
            barrier: 0,
        }
    }

    pub(crate) fn used(&self) -> u32 {
        self.used
    }

    pub(crate) fn capacity(&self) -> u32 {
        self.frames.len() as u32
    }

    pub(crate) fn is_full(&self) -> bool {
        self.free == NONE
    }

    pub(crate) fn frame(&self, index: u32) -> &Frame {
        &self.frames[index as usize]
    }

    pub(crate) fn frame_mut(&mut self, index: u32) -> &mut Frame {
        &mut self.frames[index as usize]
    }

    /// Stores a frame; the queue must not be full.
    #[inline(always)]
    fn store(&mut self, frame: Frame) -> u32 {
        let index = self.free;
        let place = &mut self.frames[index as usize];
        self.free = place.next;
        *place = frame;
        self.used += 1;
        index
    }

    /// Queues a frame as a unit of its own, which has ended. The queue must not be full.
    #[inline(always)]
    pub(crate) fn push_ended(&mut self, frame: Frame, end: End) {
        let head = self.store(frame);
        self.push(Queued { head, open: NONE, end });
    }

    /// Queues a frame as a unit that can grow under record `open`. The queue must not be full.
    #[inline(always)]
    pub(crate) fn push_open(&mut self, frame: Frame, open: u32) {
        let head = self.store(frame);
        self.push(Queued { head, open, end: End::Read });
    }

    #[inline(always)]
    fn push(&mut self, unit: Queued) {
        let place = self.place(self.back);
        self.ring[place] = unit;
        self.back = self.back.wrapping_add(1);
    }

    /// Appends a frame to the chain that ends with `tail`; returns the frame's index.
    #[inline(always)]
    pub(crate) fn join(&mut self, tail: u32, frame: Frame) -> u32 {
        let index = self.store(frame);
        self.frames[tail as usize].next = index;
        index
    }

    /// Where the next frame will be stored.
    pub(crate) fn next_frame(&self) -> u32 {
        self.free
    }

    /// Where the next unit will be queued.
    pub(crate) fn back(&self) -> u32 {
        self.back
    }

    /// The unit at `position` grows no more.
    pub(crate) fn end(&mut self, position: u32, end: End) {
        let place = self.place(position);
        self.ring[place].open = NONE;
        self.ring[place].end = end;
    }

    /// Whether the unit at `position` can grow, as far as its own end tells.
    pub(crate) fn is_open(&self, position: u32) -> bool {
        self.ring[self.place(position)].open != NONE
    }

    /// No unit that is queued now grows any more.
    pub(crate) fn end_all(&mut self) {
        self.barrier = self.back;
    }

    /// The oldest unit.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> Option<Queued> {
        if self.front == self.back {
            return None;
        }
        let unit = self.ring[self.place(self.front)];
        // `barrier` is never behind `front`: where they differ, the barrier came after this unit.
        if unit.open != NONE && self.barrier != self.front {
            return Some(Queued { open: NONE, end: End::Barrier, ..unit });
        }
        Some(unit)
    }

    /// Takes the first `count` frames, one at least, out of the chain of the oldest unit, each given to `leave`; the unit
    /// itself with its last frame. Returns the unit, and whether that one left.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u32, mut leave: impl FnMut(&Frame)) -> Option<(Queued, bool)> {
        let unit = self.oldest()?;
        let mut last = unit.head;
        for _ in 1..count {
            let frame = &self.frames[last as usize];
            leave(frame);
            last = frame.next;
        }
        let frame = &mut self.frames[last as usize];
        leave(frame);
        // The frames are chained already: the free list takes them as they are.
        let rest = core::mem::replace(&mut frame.next, self.free);
        self.free = unit.head;
        self.used -= count;
        if rest != NONE {
            let place = self.place(self.front);
            self.ring[place].head = rest;
            return Some((unit, false));
        }
        if self.barrier == self.front {
            self.barrier = self.barrier.wrapping_add(1);
        }
        self.front = self.front.wrapping_add(1);
        Some((unit, true))
    }

    #[inline(always)]
    fn place(&self, position: u32) -> usize {
        position as usize & (self.ring.len() - 1)
    }
}
