//! The daemon on its kernel, and a client.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::time::Duration;

use model::Step;
use s2iod::Options;
use s2iod::daemon::{Daemon, Wake};
use s2iod::front::{Errno, Handle};

use super::{Answer, Card, Kernel, Queue, Request, Shared, Socket};
use crate::common::frames::plain;
use crate::common::mischief::{Mischief, Mischievous, pass};
use crate::common::{Bench, Cable, Machine, config};

/// A ring and a FIFO of few slots.
pub fn small() -> Options {
    Options { rx_slots: 32, rx_spare: 32, tx_slots: 2, ..Options::default() }
}

/// A daemon on a card whose interrupts are a line, and one on a card whose interrupts are messages.
pub fn systems() -> [System; 2] {
    [Machine::new, Machine::with_messages].map(|machine| System::new(Bench::on(machine(config()), small())))
}

/// A daemon on a card whose interrupts are a line.
pub fn line() -> System {
    System::new(Bench::on(Machine::new(config()), small()))
}

/// Frames come and are served.
pub fn arrive(system: &mut System, numbers: std::ops::Range<u32>) {
    system.cable().to_card.extend(numbers.map(|number| plain(number, 60)));
    system.settle();
}

/// The answer to a call whose buffer holds frame `number`.
pub fn done(tag: u32, number: u32) -> Answer {
    Answer::Done(tag, Ok(plain(number, 60)))
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
