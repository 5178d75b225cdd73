//! Frames and the units they form, oldest first: a slab of frames and a ring of units, both allocated once.
#![allow(clippy::indexing_slicing, reason = "every index into the slab and the ring was made here")]

use alloc::boxed::Box;
use alloc::vec;
use core::ops::Range;

use crate::stats::End;
use crate::table::NONE;
use crate::wire::{Offsets, Options, Segment};

/// One queued frame: all that is needed of its headers when it leaves.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub slot: u32,
    /// Bytes of the whole frame, padding included.
    pub length: u32,
    /// The unit's next frame, or the free list's.
    pub next: u32,
    pub acknowledgment: u32,
    pub timestamps: [u32; 2],
    pub window: u16,
    pub payload: u16,
    /// Sum of the payload, derived from the checksum field.
    pub payload_sum: u16,
    pub offsets: Offsets,
    pub flags: u8,
    pub options: Options,
    pub is_v6: bool,
}

impl Frame {
    /// A frame that leaves as it came.
    #[inline]
    pub(crate) fn alone(slot: u32, length: u32) -> Self {
        Self {
            slot,
            length,
            next: NONE,
            acknowledgment: 0,
            timestamps: [0; 2],
            window: 0,
            payload: 0,
            payload_sum: 0,
            offsets: Offsets::default(),
            flags: 0,
            options: Options::None,
            is_v6: false,
        }
    }

    /// The same frame as a part of a unit.
    #[inline]
    pub(crate) fn with(self, segment: &Segment, pseudo_sum: u16) -> Self {
        Self {
            acknowledgment: segment.acknowledgment,
            timestamps: segment.timestamps,
            window: segment.window,
            payload: segment.payload,
            payload_sum: segment.payload_sum(pseudo_sum),
            offsets: segment.offsets,
            flags: segment.flags,
            options: segment.options,
            is_v6: segment.is_v6(),
            ..self
        }
    }

    /// The payload within the frame's bytes.
    #[inline]
    pub(crate) fn payload_range(&self) -> Range<usize> {
        let start = usize::from(self.offsets.payload);
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
        let mut frames = vec![Frame::alone(NONE, 0); capacity as usize].into_boxed_slice();
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

    /// Stores a frame; the queue must not be full.
    #[inline]
    fn store(&mut self, frame: Frame) -> u32 {
        let index = self.free;
        let place = &mut self.frames[index as usize];
        self.free = place.next;
        *place = Frame { next: NONE, ..frame };
        self.used += 1;
        index
    }

    /// Queues a frame as a unit of its own, which has ended. The queue must not be full.
    #[inline]
    pub(crate) fn push_ended(&mut self, frame: Frame, end: End) {
        let head = self.store(frame);
        self.push(Queued { head, open: NONE, end });
    }

    /// Queues a frame as a unit that can grow under record `open`. The queue must not be full.
    #[inline]
    pub(crate) fn push_open(&mut self, frame: Frame, open: u32) {
        let head = self.store(frame);
        self.push(Queued { head, open, end: End::Read });
    }

    #[inline]
    fn push(&mut self, unit: Queued) {
        let place = self.place(self.back);
        self.ring[place] = unit;
        self.back = self.back.wrapping_add(1);
    }

    /// Appends a frame to the chain that ends with `tail`; returns the frame's index.
    #[inline]
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

    /// No unit that is queued now grows any more.
    pub(crate) fn end_all(&mut self) {
        self.barrier = self.back;
    }

    /// The oldest unit.
    #[inline]
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

    /// Takes the first frame out of the chain of the oldest unit; the unit itself with its last frame.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Frame> {
        if self.front == self.back {
            return None;
        }
        let place = self.place(self.front);
        let index = self.ring[place].head;
        let frame = self.frames[index as usize];
        if frame.next == NONE {
            if self.barrier == self.front {
                self.barrier = self.barrier.wrapping_add(1);
            }
            self.front = self.front.wrapping_add(1);
        } else {
            self.ring[place].head = frame.next;
        }
        self.frames[index as usize].next = self.free;
        self.free = index;
        self.used -= 1;
        Some(frame)
    }

    #[inline]
    fn place(&self, position: u32) -> usize {
        position as usize & (self.ring.len() - 1)
    }
}
