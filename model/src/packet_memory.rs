//! Owns packet memory: frames that wait for an RxD, a queue per ring.

use std::collections::VecDeque;

use xframe::constants::RINGS;
use xframe::rxd::Completion;

/// Room in a fresh buffer: any frame of the usual MTU.
const ROOMY: usize = 2048;

/// What the memory holds at most, in bytes and in frames, whatever the queues may hold.
const CAPACITY: usize = 64 << 20;
const MOST: usize = 16 << 10;

/// A frame that waits, and how its descriptor will describe it.
pub(crate) struct Held {
    frame: Vec<u8>,
    start: usize,
    pub completion: Completion,
}

impl Held {
    pub fn bytes(&self) -> &[u8] {
        self.frame.get(self.start..).unwrap_or(&[])
    }
}

#[derive(Default)]
struct Queue {
    frames: VecDeque<Held>,
    bytes: usize,
}

#[derive(Default)]
pub(crate) struct PacketMemory {
    queues: [Queue; RINGS],
    /// Frames in all queues, and their bytes.
    frames: usize,
    bytes: usize,
    /// Empty buffers, so that holding frames allocates nothing once under way.
    spare: Vec<Vec<u8>>,
}

impl PacketMemory {
    pub fn clear(&mut self) {
        self.queues = Default::default();
        (self.frames, self.bytes) = (0, 0);
    }

    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    pub fn waits(&self, ring: usize) -> bool {
        self.queues.get(ring).is_some_and(|queue| !queue.frames.is_empty())
    }

    /// Takes over `frame`, which begins at `start`, and leaves an empty buffer in its place; false, and nothing done, if
    /// the queue would exceed `room` bytes, or the memory is full.
    pub fn push(
        &mut self,
        ring: usize,
        room: usize,
        frame: &mut Vec<u8>,
        start: usize,
        completion: Completion,
    ) -> bool {
        if self.frames >= MOST || self.bytes + frame.len() > CAPACITY {
            return false;
        }
        let queue = self.queues.get_mut(ring).filter(|queue| queue.bytes + frame.len() <= room);
        let Some(queue) = queue else { return false };
        let spare = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(ROOMY));
        let frame = std::mem::replace(frame, spare);
        queue.bytes += frame.len();
        self.bytes += frame.len();
        queue.frames.push_back(Held { frame, start, completion });
        self.frames += 1;
        true
    }

    pub fn take(&mut self, ring: usize) -> Option<Held> {
        let queue = self.queues.get_mut(ring)?;
        let held = queue.frames.pop_front()?;
        queue.bytes -= held.frame.len();
        self.bytes -= held.frame.len();
        self.frames -= 1;
        Some(held)
    }

    /// Undoes a `take`.
    pub fn put_back(&mut self, ring: usize, held: Held) {
        if let Some(queue) = self.queues.get_mut(ring) {
            queue.bytes += held.frame.len();
            self.bytes += held.frame.len();
            queue.frames.push_front(held);
            self.frames += 1;
        }
    }

    /// The frame was delivered: its buffer can be used again.
    pub fn recycle(&mut self, held: Held) {
        self.spare.push(held.frame);
    }
}
