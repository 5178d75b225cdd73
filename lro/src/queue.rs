//! Frames and the units they form, oldest first.

mod frames;
mod units;

use crate::shape::Place;
use crate::stats::End;
use crate::table::NONE;

pub(crate) use frames::{Frame, Frames};
pub(crate) use units::{Queued, Units};

/// All that is queued.
pub(crate) struct Queue {
    pub frames: Frames,
    pub units: Units,
}

/// What is to be done about a unit of which frames were taken.
pub(crate) struct Taken {
    /// Whether the unit left with them.
    pub whole: bool,
    /// The unit's record, or `NONE`.
    pub open: u32,
    pub end: End,
}

impl Queue {
    pub(crate) fn new(capacity: u32) -> Self {
        Self { frames: Frames::new(capacity), units: Units::new(capacity) }
    }

    /// Queues a frame as a unit of its own, which has ended or can grow under record `open`. There must be room.
    #[inline(always)]
    pub(crate) fn push(&mut self, frame: Frame, place: Place, open: u32, end: End) {
        let head = self.frames.store(frame);
        self.units.push(Queued::of(head, place, open, end));
    }

    /// The unit at `index` of the ring, and its first frame.
    pub(crate) fn unit_mut(&mut self, index: u32) -> (&mut Queued, &mut Frame) {
        let unit = self.units.get_mut(index);
        let first = self.frames.get_mut(unit.head);
        (unit, first)
    }

    /// Takes the first `count` frames, one at least, out of the chain of the oldest unit, each slot given to `leave`; the unit
    /// itself with its last frame.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u32, leave: impl FnMut(u32)) -> Option<Taken> {
        let &Queued { head, segments, open, end, .. } = self.units.oldest()?;
        let (open, end) = match open {
            NONE => (NONE, end),
            _ if self.units.is_behind_barrier() => (NONE, End::Barrier),
            open => (open, end),
        };
        let whole = count == segments;
        if whole {
            self.units.pop();
            self.frames.free(head, count, leave);
        } else {
            self.cut(count);
            self.units.oldest_mut().head = self.frames.free(head, count, leave);
        }
        Some(Taken { whole, open, end })
    }

    /// The first `count` segments of the oldest unit are about to leave.
    #[inline(never)]
    fn cut(&mut self, count: u32) {
        let unit = self.units.oldest_mut();
        let mut next = unit.head;
        for _ in 0..count {
            let frame = self.frames.get(next);
            unit.payload -= frame.payload;
            next = frame.next;
        }
        // Less than there are.
        unit.segments -= count;
        unit.whole = false;
        if unit.segments == 1 {
            unit.counts = None;
        }
    }
}
