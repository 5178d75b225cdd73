//! Recovery: what is watched, what a fault sets off, and when the card is given up.

use std::time::Duration;

use xframe::bits::PrcCtrl;
use xframe::constants::{Asic, RINGS};
use xframe::registers as reg;

use super::Adapter;
use super::watchdog::{Look, RingLook};
use crate::alarms;
use crate::bring_up::{self, read_id};
use crate::csr::GONE;
use crate::health::{Fault, State};
use crate::link;
use crate::platform::Platform;

impl<P: Platform> Adapter<P> {
    /// Looks after the card: alarms, queues that have stopped, the link, and what a lost interrupt would have told. To be
    /// called about twice a second, and after interrupts; the front is to be served afterwards. `now` is a monotonic time.
    ///
    /// A fault stops the card. It is reset and brought up again at once, which takes one to three seconds; after another
    /// fault within a minute, or an attempt that failed, not before a pause that doubles each time, up to about a minute.
    /// Until then nothing can be sent. Frames that the card had delivered stay readable; those it had not sent are lost.
    pub fn watch(&mut self, now: Duration) -> State {
        self.now = now;
        if self.state() == State::Running
            && let Some(fault) = self.find_fault(now)
        {
            self.fail(fault);
        }
        if self.health.is_due(now) {
            self.recover();
        }
        self.state()
    }

    fn find_fault(&mut self, now: Duration) -> Option<Fault> {
        if let Some(noted) = self.health.take_noted() {
            return Some(noted);
        }
        match self.alarms.look(&self.csr, self.profile.asic) {
            alarms::Look::Fine => {}
            alarms::Look::Fatal(name) => return Some(Fault::Alarm(name)),
            alarms::Look::Silent => {
                self.suspect_gone();
                return self.health.take_noted();
            }
        }
        let news = link::look(&self.csr, &self.profile, self.link_up);
        self.link_is(news);
        self.card_counters.keep_up(&self.csr);
        self.rings.look();
        self.tx.reclaim();
        let mut controls = reg::PRC_CTRL.iter().take(self.options.rings.into());
        if !controls.all(|control| PrcCtrl::from(self.csr.read(control)).rc_enabled()) {
            return Some(Fault::RingStopped);
        }
        let look = self.look();
        self.watchdog.compare(look, now)
    }

    fn look(&self) -> Look {
        let mut rings = [RingLook::default(); RINGS];
        for (look, (ring, bumps)) in rings.iter_mut().zip(self.rings.iter().zip(self.bumps())) {
            *look = RingLook {
                in_card: ring.rx.in_card(),
                completed: ring.rx.completed(),
                passed_over: ring.rx.is_next_passed_over(),
                bumps,
            };
        }
        let (tx_in_card, tx_completed) = (self.tx.in_card(), self.tx.completed());
        Look { tx_in_card, tx_completed, link_up: self.link_up, rings }
    }

    /// Times a frame found no RxD, ring by ring, as far as the card counts them.
    fn bumps(&self) -> impl Iterator<Item = u16> {
        let last = if self.options.rings > 4 { self.csr.read(reg::RING_BUMP_COUNTER2) } else { 0 };
        let first = if self.profile.asic == Asic::Herc { self.csr.read(reg::RING_BUMP_COUNTER1) } else { 0 };
        [first, last].into_iter().flat_map(|four| (0..4).map(move |ring| (four >> (48 - 16 * ring)) as u16))
    }

    /// A register read all ones. If configuration space does, too, the card is gone.
    pub(super) fn suspect_gone(&mut self) {
        match read_id(&mut self.platform) {
            Ok(id) if id == self.profile.id => self.health.note(Fault::Silent),
            _ => self.give_up(),
        }
    }

    fn give_up(&mut self) {
        log::error!("the card does not answer any more");
        self.rings.look();
        self.tx.take_back();
        self.link_up = false;
        self.health.gone();
    }

    fn fail(&mut self, fault: Fault) {
        self.counters.faults += 1;
        let pause = self.health.failed(self.now);
        log::error!("{fault}: the card is reset in {} s", pause.as_secs());
        if fault == Fault::Silent {
            self.rings.look();
            self.link_is(self.link_up.then_some(false));
        } else {
            self.halt();
        }
    }

    /// Stops the card, with every frame that it has delivered in the engine.
    pub(crate) fn halt(&mut self) {
        bring_up::stop::<P>(&self.csr);
        self.card_counters.transfer(&mut self.platform, &self.csr);
        self.rings.look();
        self.link_is(self.link_up.then_some(false));
    }

    fn recover(&mut self) {
        if read_id(&mut self.platform).is_ok_and(|id| id == GONE as u32) {
            return self.give_up();
        }
        if self.restart() {
            self.counters.recoveries += 1;
            log::info!("the card works again");
        }
    }

    /// Resets a card that was stopped and brings it up again; whether that has worked. If not, it is tried again later.
    pub(crate) fn restart(&mut self) -> bool {
        match self.start() {
            Ok(()) => {
                self.health.works(self.now);
                self.watchdog.restart();
                true
            }
            Err(error) => {
                self.counters.recoveries_failed += 1;
                let pause = self.health.failed(self.now);
                log::error!("{error}: the card is reset again in {} s", pause.as_secs());
                false
            }
        }
    }
}
