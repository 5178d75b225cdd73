//! The daemon's one thread: what wakes it, whom it serves then, and when it wants to be woken again.
//!
//! It knows no operating system: requests come from a [`Scheme`], wake-ups from [`Events`].

mod desk;
mod log_level;
mod outside;
mod rounds;
mod shared_line;
mod timer;

use std::io;
use std::time::Duration;

pub use log_level::log_level;
pub use outside::{Events, Scheme, Server, Wake};
pub use rounds::{EVERY, QUIET};
pub use shared_line::{PATIENCE, PAUSE};

use crate::adapter::Adapter;
use crate::front::Front;
use crate::health::State;
use crate::platform::{Interrupts, Platform};
use desk::Desk;
use rounds::Rounds;
use shared_line::SharedLine;
use timer::Timer;

/// Between two looks at a card whose interrupts do not come.
const POLL: Duration = Duration::from_millis(2);

/// A card, its scheme, and what wakes them.
pub struct Daemon<P: Platform, S: Scheme, E> {
    adapter: Adapter<P>,
    front: Front<S::Id, S::Buffer>,
    scheme: S,
    events: E,
    rounds: Rounds,
    line: SharedLine,
    timer: Timer,
    /// The time, as it was looked at last, and the reads until then.
    now: Duration,
    reads: u64,
    /// How interrupts are listened to; `None` before the start.
    heard: Option<Interrupts>,
    /// When a card without interrupts is looked at.
    poll: Option<Duration>,
}

impl<P: Platform, S: Scheme, E: Events> Daemon<P, S, E> {
    /// A daemon for a card that has been brought up and a scheme that has been registered.
    pub fn new(adapter: Adapter<P>, scheme: S, events: E) -> Self {
        Self {
            adapter,
            front: Front::new(),
            scheme,
            events,
            rounds: Rounds::default(),
            line: SharedLine::default(),
            timer: Timer::default(),
            now: Duration::ZERO,
            reads: 0,
            heard: None,
            poll: None,
        }
    }

    /// Serves until the scheme is unmounted.
    ///
    /// # Errors
    ///
    /// The system does not let it wait, or answer.
    pub fn run(&mut self) -> io::Result<()> {
        self.start()?;
        loop {
            let wake = self.events.next()?;
            if !self.serve(wake)? {
                return Ok(());
            }
        }
    }

    /// Listens to the card, and looks for what came before that.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn start(&mut self) -> io::Result<()> {
        let now = self.look_at_clock();
        self.rounds.stir(now);
        self.finish(now)
    }

    /// Does everything that is to be done after a wake-up; `false` when the scheme has been unmounted.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn serve(&mut self, wake: Wake) -> io::Result<bool> {
        // The clock takes a system call, and each read is a wake-up. While rounds are due, one of their wake-ups tells the time.
        let now = match wake {
            Wake::Scheme if self.rounds.due().is_some() => self.now,
            _ => self.look_at_clock(),
        };
        match wake {
            Wake::Scheme => {
                let mut desk = Desk { front: &mut self.front, device: &mut self.adapter, wrote: false };
                if !self.scheme.serve(&mut desk)? {
                    return Ok(false);
                }
                if desk.wrote {
                    self.rounds.stir(now);
                }
            }
            Wake::Line => self.serve_line(now)?,
            Wake::Message(vector) => self.serve_message(vector, now),
            Wake::Timer => self.timer.fired(now),
        }
        self.finish(now)?;
        Ok(true)
    }

    fn look_at_clock(&mut self) -> Duration {
        self.now = self.events.now();
        if self.front.counters().reads != self.reads {
            self.reads = self.front.counters().reads;
            self.front.readers_seen(self.now);
        }
        self.now
    }

    /// What is due, whatever the wake-up was about; then the answers, and the next wake-up.
    fn finish(&mut self, now: Duration) -> io::Result<()> {
        if self.rounds.take_due(now) {
            let state = self.adapter.watch(now);
            self.rounds.done(now, state == State::Recovering || self.adapter.tx_slots_in_card() > 0);
        }
        if let Some(count) = self.line.take_due(now) {
            self.events.release_line(count)?;
        }
        if self.poll.is_some_and(|poll| poll <= now) {
            self.poll(now);
        }
        self.listen(now)?;
        self.answer(now)?;
        self.set_timer()
    }

    fn answer(&mut self, now: Duration) -> io::Result<()> {
        let reads = self.front.counters().reads;
        self.front.service(&mut self.adapter, now);
        if self.front.counters().reads != reads {
            self.rounds.stir(now);
        }
        while let Some(completion) = self.front.next_completion() {
            self.scheme.complete(completion);
        }
        while let Some((handle, events)) = self.front.next_event() {
            self.scheme.post(handle, events);
        }
        self.scheme.flush()
    }

    fn set_timer(&mut self) -> io::Result<()> {
        let deadlines = [self.front.deadline(), self.rounds.due(), self.line.due(), self.poll];
        match deadlines.into_iter().flatten().min().filter(|deadline| self.timer.want(*deadline)) {
            Some(deadline) => self.events.set_timer(deadline),
            None => Ok(()),
        }
    }

    /// Listens to the card in the way in which it interrupts now. What it told in that way before, nobody has heard.
    fn listen(&mut self, now: Duration) -> io::Result<()> {
        let interrupts = self.adapter.interrupts();
        if self.heard.replace(interrupts) == Some(interrupts) {
            return Ok(());
        }
        self.events.listen(interrupts)?;
        self.poll = (interrupts == Interrupts::Polling).then_some(now);
        match interrupts {
            Interrupts::MsiX => {
                (0..self.adapter.vectors()).rev().for_each(|vector| self.serve_message(vector, now));
                Ok(())
            }
            Interrupts::Line => self.serve_line(now),
            Interrupts::Polling => Ok(()),
        }
    }

    fn serve_line(&mut self, now: Duration) -> io::Result<()> {
        // Nothing: an earlier wake-up has covered this one.
        let Some(count) = self.events.take_line()? else { return Ok(()) };
        let ours = self.adapter.service().is_ok_and(|serviced| serviced.ours);
        if ours {
            self.rounds.stir(now);
        }
        if self.line.may_release(ours, count, now) {
            // One that came in between wakes by itself.
            self.events.release_line(count)?;
        }
        Ok(())
    }

    fn serve_message(&mut self, vector: u8, now: Duration) {
        if self.adapter.service_vector(vector).is_ok_and(|serviced| serviced.ours) {
            self.rounds.stir(now);
        }
    }

    fn poll(&mut self, now: Duration) {
        self.poll = Some(now.saturating_add(POLL));
        self.serve_message(0, now);
        if self.adapter.is_gone() {
            self.poll = None;
        }
    }
}
