//! The daemon without an operating system, and one client of its scheme.

use std::time::Duration;

use model::Wire;
use s2iod::Options;
use s2iod::front::{Call, Errno, Events, Front, Handle, Op};

use super::mischief::pass;
use super::{Bench, Cable};

pub const READ: Op = Op::Read { offset: 0 };
pub const WRITE: Op = Op::Write { offset: 0 };

/// The daemon without an operating system, and one client.
pub struct Daemon<W: Wire = Cable> {
    pub bench: Bench<W>,
    pub front: Front<u32, Vec<u8>>,
    pub frames: Handle,
    pub now: Duration,
    tag: u32,
}

impl Daemon {
    pub fn new(options: Options) -> Self {
        Self::of(Bench::new(options))
    }

    pub fn arrive(&mut self, frames: impl IntoIterator<Item = Vec<u8>>) {
        self.bench.cable().to_card.extend(frames);
        self.settle();
    }

    pub fn sent(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.bench.cable().from_card)
    }
}

impl<W: Wire> Daemon<W> {
    pub fn of(bench: Bench<W>) -> Self {
        let mut front = Front::new();
        let frames = front.open("", 0, true).unwrap();
        Self { bench, front, frames, now: Duration::from_secs(9), tag: 0 }
    }

    pub fn pass(&self) {
        pass(&self.bench.machine.mischief, &self.bench.machine.card);
    }

    /// What the daemon does when an interrupt wakes it; `false` if none does.
    pub fn serve_interrupts(&mut self) -> bool {
        let mut woken = false;
        while self.bench.serve() {
            self.pass();
            self.front.service(&mut self.bench.adapter, self.now);
            self.pass();
            woken = true;
        }
        woken
    }

    /// The card works until it has nothing to do, and the daemon serves its interrupts.
    pub fn settle(&mut self) {
        for _ in 0..10_000 {
            let idle = self.bench.machine.step().is_empty();
            if !self.serve_interrupts() && idle {
                return;
            }
        }
        panic!("never at rest");
    }

    pub fn call(&mut self, op: Op, buffer: Vec<u8>, nonblock: bool) -> u32 {
        self.tag += 1;
        self.front.submit(Call { tag: self.tag, handle: self.frames, op, buffer, nonblock });
        self.front.service(&mut self.bench.adapter, self.now);
        self.tag
    }

    /// A read that waits.
    pub fn read(&mut self) -> u32 {
        self.call(READ, vec![0; lro::MAX_UNIT], false)
    }

    /// The next answer: tag, and the bytes read or why not.
    pub fn answer(&mut self) -> Option<(u32, Result<Vec<u8>, Errno>)> {
        let done = self.front.next_completion()?;
        Some((done.tag, done.result.map(|length| done.buffer[..length].to_vec())))
    }

    pub fn try_read(&mut self, length: usize) -> Result<Vec<u8>, Errno> {
        let tag = self.call(READ, vec![0; length], true);
        let (answered, result) = self.answer().unwrap();
        assert_eq!(answered, tag);
        result
    }

    pub fn try_write(&mut self, frame: Vec<u8>) -> Result<usize, Errno> {
        self.call(WRITE, frame, true);
        self.front.next_completion().unwrap().result
    }

    pub fn events(&mut self) -> Option<Events> {
        self.front.next_event().map(|(_, events)| events)
    }

    pub fn text(&mut self, path: &str) -> Vec<u8> {
        let handle = self.front.open(path, 0, false).unwrap();
        let call = Call { tag: 0, handle, op: READ, buffer: vec![0; 65_536], nonblock: true };
        self.front.submit(call);
        self.front.service(&mut self.bench.adapter, self.now);
        self.answer().unwrap().1.unwrap()
    }
}
