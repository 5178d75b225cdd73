//! Owns the card's timers: moderation, the scheduled interrupt, periodic statistics, the look for a missing descriptor.

use std::time::Duration;

use xframe::bits::ScheduledIntCtrl;

use crate::card::Step;
use crate::chip::Chip;
use crate::clock::Time;
use crate::memory::Memory;

/// Clocks of a tick of the TTI's timers.
pub(crate) const TTI_TICK: u64 = 64;
/// Clocks of a tick of the RTI's: drivers reckon with 8 or 64, and the shorter time keeps frames waiting less.
pub(crate) const RTI_TICK: u64 = 8;
/// How soon the card looks again for an RxD, at the soonest. Drivers ask for microseconds, which a host that emulates the
/// card would spend on nothing else.
const BACKOFF: Duration = Duration::from_micros(50);

/// When the timers that stand alone expire; `None` while they do not run.
#[derive(Default)]
pub(crate) struct Timers {
    scheduled: Option<u64>,
    pub statistics: Option<u64>,
}

impl Chip {
    /// The scheduled timer was set up.
    pub fn start_scheduled(&mut self, ctrl: ScheduledIntCtrl) {
        let then = self.clock.now() + self.clock.nanoseconds(ctrl.period().into());
        self.timers.scheduled = ctrl.timer_en().then_some(then);
    }

    /// The scheduled timer expires, if it runs. Where steps are the time it does not go on: nobody could rest.
    pub fn expire_scheduled(&mut self) -> bool {
        if self.timers.scheduled.take().is_none() {
            return false;
        }
        let ctrl: ScheduledIntCtrl = self.store.word();
        self.fire_scheduled(ctrl.int2msi());
        if !ctrl.one_shot() && self.config.time == Time::Host {
            let period = self.clock.nanoseconds(ctrl.period().into()).max(1);
            self.timers.scheduled = Some(self.clock.now() + period);
        }
        true
    }

    /// Counts a completed list to a transmit entry.
    pub fn credit_tti(&mut self, entry: usize, at_once: bool) {
        let (sending, _) = self.clock.utilisation(self.store.word());
        if self.tti.credit(entry, at_once, sending, &self.clock) {
            self.fire_tti(entry);
        }
    }

    /// Counts a completed frame to a receive entry.
    pub fn credit_rti(&mut self, ring: usize) {
        if self.count_in_group(ring) {
            return;
        }
        let (_, receiving) = self.clock.utilisation(self.store.word());
        if self.rti.credit(ring, false, receiving, &self.clock) {
            self.fire_rti(ring);
        }
    }

    /// Nothing is left to move. If steps are the time, it jumps to the first expiry that has something to tell.
    pub fn come_to_rest(&mut self) -> Option<Step> {
        if self.config.time == Time::Host {
            return None;
        }
        let Some(then) = self.first_expiry(true) else {
            self.clock.rest();
            return None;
        };
        self.clock.jump(then);
        self.expire_moderation();
        Some(Step::Timer)
    }

    /// When the first moderation timer expires: of the entries that have counted something, or of all.
    fn first_expiry(&self, counted: bool) -> Option<u64> {
        self.rti.next(counted).into_iter().chain(self.tti.next(counted)).min()
    }

    /// The moderation timers that are due expire.
    pub fn expire_moderation(&mut self) {
        while let Some((ring, fires)) = self.rti.expire(&self.clock) {
            if fires {
                self.fire_rti(ring);
            }
        }
        while let Some((entry, fires)) = self.tti.expire(&self.clock) {
            if fires {
                self.fire_tti(entry);
            }
        }
    }

    /// Time of the host's passes.
    pub fn elapse<M: Memory>(&mut self, memory: &mut M, time: Duration) {
        self.clock.elapse(time);
        let due = |timer: Option<u64>, now: u64| timer.is_some_and(|then| then <= now);
        if due(self.timers.scheduled, self.clock.now()) {
            self.expire_scheduled();
        }
        if due(self.timers.statistics, self.clock.now()) {
            self.periodic_statistics(memory);
        }
        self.expire_moderation();
    }

    /// How long it is until something happens by itself.
    pub fn patience(&self) -> Option<Duration> {
        let timers = [self.timers.scheduled, self.timers.statistics, self.first_expiry(false)];
        let timer = timers.into_iter().flatten().min();
        let timer = timer.map(|then| Duration::from_nanos(then.saturating_sub(self.clock.now())));
        let backoff = (self.rings.waiting() != 0).then_some(BACKOFF);
        timer.into_iter().chain(backoff).min()
    }

    /// Every periodic timer expires once.
    pub fn tick<M: Memory>(&mut self, memory: &mut M) {
        for entry in self.tti.continuous().collect::<Vec<_>>() {
            self.fire_tti(entry);
        }
        for ring in self.rti.continuous().collect::<Vec<_>>() {
            self.fire_rti(ring);
        }
        let ctrl: ScheduledIntCtrl = self.store.word();
        if ctrl.timer_en() && !ctrl.one_shot() {
            self.start_scheduled(ctrl);
        }
        self.periodic_statistics(memory);
    }
}
