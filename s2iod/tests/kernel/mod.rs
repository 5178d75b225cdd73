//! A kernel of a few fields under the real daemon on the software card: its queue of events, a scheme's socket, a timer and
//! the interrupts. Time stands still unless told to pass.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::Step;
use s2iod::daemon::{Daemon, Events, Scheme, Server, Wake};
use s2iod::front::{Call, Completion, Errno, Events as Ready, Handle, Op};
use s2iod::host::SoftwareCard;
use s2iod::platform::Interrupts;

use crate::common::mischief::{Mischief, Mischievous, pass};
use crate::common::{Bench, Cable};

type Card = Rc<RefCell<SoftwareCard<Cable>>>;
type Shared = Rc<RefCell<Kernel>>;

/// What a client asks.
#[derive(Debug)]
pub enum Request {
    Open(&'static str, u32, bool),
    Read(u32, Handle, usize, bool),
    Write(u32, Handle, Vec<u8>, bool),
    Subscribe(Handle),
    Cancel(u32),
    Close(Handle),
}

/// What it is answered.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Opened(Result<Handle, Errno>),
    Ready(Result<Ready, Errno>),
    /// A call's tag, and its buffer as far as it was read or written.
    Done(u32, Result<Vec<u8>, Errno>),
    Told(Handle, Ready),
}

#[derive(Default)]
pub struct Kernel {
    requests: VecDeque<Request>,
    pub answers: VecDeque<Answer>,
    /// Events that were not fetched; equal ones are not merged.
    events: VecDeque<Wake>,
    timers: Vec<Duration>,
    pub now: Duration,
    heard: Option<Interrupts>,
    /// Interrupts of the line so far, and the one that it was released after.
    line: u64,
    released: u64,
    /// Another device holds the shared line up.
    pub stranger: bool,
    pub unmounted: bool,
    /// Calls that read requests, and calls that wrote answers.
    reads: usize,
    writes: usize,
    /// Looks at the clock.
    pub looks: usize,
    /// What is written next.
    batch: Vec<Answer>,
}

impl Kernel {
    /// The controller takes what the card raises. A line stays silent from its interrupt until it is released.
    fn interrupt(&mut self, card: &Card) {
        while let Some(message) = card.borrow_mut().take_message() {
            if self.heard == Some(Interrupts::MsiX) {
                self.events.push_back(Wake::Message(message.vector));
            }
        }
        if self.line == self.released && (self.stranger || card.borrow().line()) {
            self.line += 1;
            if self.heard == Some(Interrupts::Line) {
                self.events.push_back(Wake::Line);
            }
        }
    }

    fn ask(&mut self, request: Request) {
        self.requests.push_back(request);
        self.events.push_back(Wake::Scheme);
    }
}

pub struct Queue {
    kernel: Shared,
    card: Card,
}

impl Events for Queue {
    fn next(&mut self) -> io::Result<Wake> {
        self.kernel.borrow_mut().events.pop_front().ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }

    fn now(&mut self) -> Duration {
        let mut kernel = self.kernel.borrow_mut();
        kernel.looks += 1;
        kernel.now
    }

    fn set_timer(&mut self, time: Duration) -> io::Result<()> {
        self.kernel.borrow_mut().timers.push(time);
        Ok(())
    }

    fn listen(&mut self, interrupts: Interrupts) -> io::Result<()> {
        self.kernel.borrow_mut().heard = Some(interrupts);
        Ok(())
    }

    fn take_line(&mut self) -> io::Result<Option<u64>> {
        let kernel = self.kernel.borrow();
        Ok((kernel.line != kernel.released).then_some(kernel.line))
    }

    fn release_line(&mut self, count: u64) -> io::Result<bool> {
        let mut kernel = self.kernel.borrow_mut();
        assert!(count <= kernel.line);
        if count != kernel.line {
            return Ok(false);
        }
        kernel.released = count;
        kernel.interrupt(&self.card);
        Ok(true)
    }
}

pub struct Socket {
    kernel: Shared,
}

impl Scheme for Socket {
    type Id = u32;
    type Buffer = Vec<u8>;

    fn serve(&mut self, server: &mut dyn Server<u32, Vec<u8>>) -> io::Result<bool> {
        let mut kernel = self.kernel.borrow_mut();
        kernel.reads += 1;
        for request in std::mem::take(&mut kernel.requests) {
            let answer = match request {
                Request::Open(path, uid, write) => Answer::Opened(server.open(path, uid, write)),
                Request::Subscribe(handle) => Answer::Ready(server.fevent(handle)),
                Request::Read(tag, handle, length, nonblock) => {
                    let op = Op::Read { offset: 0 };
                    server.submit(Call { tag, handle, op, buffer: vec![0; length], nonblock });
                    continue;
                }
                Request::Write(tag, handle, buffer, nonblock) => {
                    server.submit(Call { tag, handle, op: Op::Write { offset: 0 }, buffer, nonblock });
                    continue;
                }
                Request::Cancel(tag) => {
                    server.cancel(&tag);
                    continue;
                }
                Request::Close(handle) => {
                    server.close(handle);
                    continue;
                }
            };
            kernel.batch.push(answer);
        }
        Ok(!kernel.unmounted)
    }

    fn complete(&mut self, completion: Completion<u32, Vec<u8>>) {
        let Completion { tag, mut buffer, result } = completion;
        let result = result.map(|length| {
            buffer.truncate(length);
            buffer
        });
        self.kernel.borrow_mut().batch.push(Answer::Done(tag, result));
    }

    fn post(&mut self, handle: Handle, ready: Ready) {
        self.kernel.borrow_mut().batch.push(Answer::Told(handle, ready));
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut kernel = self.kernel.borrow_mut();
        let batch = std::mem::take(&mut kernel.batch);
        kernel.writes += usize::from(!batch.is_empty());
        kernel.answers.extend(batch);
        Ok(())
    }
}

/// The daemon on its kernel, with a client that holds a handle on the frames.
pub struct System {
    pub daemon: Daemon<Mischievous<Cable>, Socket, Queue>,
    kernel: Shared,
    pub card: Card,
    pub mischief: Rc<RefCell<Mischief>>,
    pub frames: Handle,
    /// Times the daemon was woken.
    pub wakes: usize,
    tag: u32,
}

impl System {
    /// A daemon for a card that has been brought up, at its first rest.
    pub fn new(bench: Bench) -> Self {
        let mut system = Self::not_started(bench);
        system.start();
        system
    }

    pub fn not_started(bench: Bench) -> Self {
        let Bench { machine, adapter } = bench;
        let kernel = Shared::default();
        kernel.borrow_mut().now = Duration::from_secs(9);
        let events = Queue { kernel: Rc::clone(&kernel), card: Rc::clone(&machine.card) };
        let daemon = Daemon::new(adapter, Socket { kernel: Rc::clone(&kernel) }, events);
        let (card, mischief) = (machine.card, machine.mischief);
        Self { daemon, kernel, card, mischief, frames: Handle(0), wakes: 0, tag: 0 }
    }

    pub fn start(&mut self) {
        self.daemon.start().unwrap();
        self.frames = self.open("");
        self.settle();
    }

    pub fn kernel(&self) -> RefMut<'_, Kernel> {
        self.kernel.borrow_mut()
    }

    /// Calls so far that read requests, and that wrote answers.
    pub fn calls(&self) -> (usize, usize) {
        let kernel = self.kernel.borrow();
        (kernel.reads, kernel.writes)
    }

    pub fn cable(&self) -> RefMut<'_, Cable> {
        RefMut::map(self.card.borrow_mut(), |card| card.wire_mut())
    }

    /// A moment of the client's at which the card may step.
    pub fn pass(&self) {
        pass(&self.mischief, &self.card);
    }

    /// The daemon serves the next event; `false` if there is none.
    pub fn wake(&mut self) -> bool {
        self.kernel().interrupt(&self.card);
        let Some(wake) = self.kernel().events.pop_front() else { return false };
        assert!(self.daemon.serve(wake).unwrap());
        self.wakes += 1;
        true
    }

    /// The daemon works until no event is left, and the card until it has nothing to do.
    pub fn settle(&mut self) {
        for _ in 0..100_000 {
            if !self.wake() && self.card.borrow_mut().step() == Step::Idle && !self.wake() {
                return;
            }
        }
        panic!("never at rest");
    }

    /// Lets time pass, and everything happen that happens in it.
    pub fn elapse(&mut self, time: Duration) {
        let end = self.kernel().now + time;
        loop {
            self.settle();
            let mut kernel = self.kernel.borrow_mut();
            let Some(next) = kernel.timers.iter().copied().min().filter(|next| *next <= end) else { break };
            kernel.timers.retain(|timer| *timer != next);
            kernel.now = kernel.now.max(next);
            kernel.events.push_back(Wake::Timer);
        }
        self.kernel().now = end;
    }

    pub fn ask(&mut self, request: Request) {
        self.kernel().ask(request);
    }

    pub fn answer(&mut self) -> Option<Answer> {
        self.kernel().answers.pop_front()
    }

    pub fn answers(&mut self) -> Vec<Answer> {
        self.kernel().answers.drain(..).collect()
    }

    /// A handle to read and write.
    pub fn open(&mut self, path: &'static str) -> Handle {
        self.open_for(path, true)
    }

    fn open_for(&mut self, path: &'static str, write: bool) -> Handle {
        self.ask(Request::Open(path, 0, write));
        while self.wake() {}
        match self.answer() {
            Some(Answer::Opened(handle)) => handle.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Begins a read on `handle`; its tag.
    pub fn read(&mut self, handle: Handle, nonblock: bool) -> u32 {
        self.tag += 1;
        self.ask(Request::Read(self.tag, handle, 2048, nonblock));
        self.tag
    }

    /// Begins a write on `handle`; its tag.
    pub fn write(&mut self, handle: Handle, frame: Vec<u8>, nonblock: bool) -> u32 {
        self.tag += 1;
        self.ask(Request::Write(self.tag, handle, frame, nonblock));
        self.tag
    }

    /// A read that does not wait, and its answer; what else was answered is kept.
    pub fn try_read(&mut self) -> Result<Vec<u8>, Errno> {
        let tag = self.read(self.frames, true);
        while self.wake() {}
        let mut kernel = self.kernel();
        let place = kernel.answers.iter().position(|answer| matches!(answer, Answer::Done(done, _) if *done == tag));
        match kernel.answers.remove(place.unwrap()) {
            Some(Answer::Done(_, result)) => result,
            other => panic!("{other:?}"),
        }
    }

    /// Whether the client was told of frames since the last look.
    pub fn told(&mut self) -> bool {
        let told = |answer: &Answer| matches!(answer, Answer::Told(_, ready) if ready.read);
        let answers = self.answers();
        assert!(answers.iter().all(|answer| matches!(answer, Answer::Told(..))), "{answers:?}");
        answers.iter().any(told)
    }

    /// A line of the statistics, as a client reads it that has no answer outstanding.
    pub fn statistic(&mut self, name: &str) -> u64 {
        let handle = self.open_for("stats", false);
        self.tag += 1;
        self.ask(Request::Read(self.tag, handle, 65_536, true));
        while self.wake() {}
        self.ask(Request::Close(handle));
        while self.wake() {}
        let Some(Answer::Done(_, Ok(text))) = self.answer() else { panic!("no statistics") };
        let text = String::from_utf8(text).unwrap();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    }
}
