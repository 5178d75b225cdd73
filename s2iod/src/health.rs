//! Whether the card works; if not, when it is tried again.

use std::time::Duration;

use thiserror::Error;

/// How the card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It receives and sends.
    Running,
    /// A fault has stopped it. Frames that it had delivered can be read, and nothing can be sent, until a reset has helped.
    Recovering,
    /// It does not answer any more, and never will.
    Gone,
}

/// Why a card that had come up must be reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Fault {
    #[error("alarm {0}")]
    Alarm(&'static str),
    #[error("the registers read all ones, though configuration space answers")]
    Silent,
    #[error("no frame was sent in {} s", TX_PATIENCE.as_secs())]
    TransmitStuck,
    #[error("an RxD was passed over")]
    RxdPassedOver,
    #[error("frames have come, and RxDs were free, but nothing was received")]
    ReceiveStuck,
    #[error("a receive ring has stopped")]
    RingStopped,
    #[error("an address could not be set")]
    Address,
}

/// How long the card may keep frames without sending any, while the link is up.
pub(crate) const TX_PATIENCE: Duration = Duration::from_secs(5);
/// The pause before the second attempt in a row; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// How often it doubles.
const DOUBLINGS: u32 = 6;
/// How long a card must have worked for its faults to be forgotten.
const PROBATION: Duration = Duration::from_secs(60);

/// The card's state, and its record.
pub(crate) struct Health {
    state: State,
    /// Found where it could not be acted on.
    noted: Option<Fault>,
    /// Faults and failed attempts since it last worked for long.
    strikes: u32,
    /// When it is tried again.
    due: Duration,
    /// Since when it works.
    since: Duration,
}

impl Health {
    pub fn new() -> Self {
        Self { state: State::Recovering, noted: None, strikes: 0, due: Duration::ZERO, since: Duration::ZERO }
    }

    #[inline]
    pub fn state(&self) -> State {
        self.state
    }

    pub fn note(&mut self, fault: Fault) {
        self.noted = self.noted.or(Some(fault));
    }

    pub fn take_noted(&mut self) -> Option<Fault> {
        self.noted.take()
    }

    /// A fault, or an attempt that failed. Returns the pause before the next attempt: none for the first in a long time.
    pub fn failed(&mut self, now: Duration) -> Duration {
        if self.state == State::Running && now.saturating_sub(self.since) >= PROBATION {
            self.strikes = 0;
        }
        let pause = match self.strikes.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => FIRST_PAUSE * (1 << doublings.min(DOUBLINGS)),
        };
        self.strikes = self.strikes.saturating_add(1);
        self.state = State::Recovering;
        self.due = now.saturating_add(pause);
        pause
    }

    pub fn is_due(&self, now: Duration) -> bool {
        self.state == State::Recovering && now >= self.due
    }

    pub fn works(&mut self, now: Duration) {
        (self.state, self.noted, self.since) = (State::Running, None, now);
    }

    pub fn gone(&mut self) {
        self.state = State::Gone;
    }
}

#[cfg(test)]
mod tests {
    use super::{Health, PROBATION, State};
    use std::time::Duration;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn the_first_fault_is_answered_at_once() {
        let mut health = Health::new();
        health.works(seconds(0));
        assert_eq!(health.failed(seconds(1)), seconds(0));
        assert!(health.is_due(seconds(1)));
    }

    #[test]
    fn pauses_double_up_to_a_bound() {
        let mut health = Health::new();
        health.works(seconds(0));
        let pauses: Vec<_> = (0..10).map(|_| health.failed(seconds(1)).as_secs()).collect();
        assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
        assert!(!health.is_due(seconds(64)) && health.is_due(seconds(65)));
    }

    #[test]
    fn a_card_that_works_for_a_while_only_keeps_its_record() {
        let mut health = Health::new();
        health.works(seconds(0));
        health.failed(seconds(1));
        health.works(seconds(1));
        assert_eq!(health.failed(seconds(2)), seconds(1));
        health.works(seconds(3));
        assert_eq!(health.failed(seconds(3) + PROBATION), seconds(0));
    }

    #[test]
    fn a_card_that_is_gone_is_never_tried_again() {
        let mut health = Health::new();
        health.gone();
        assert!(!health.is_due(Duration::MAX));
        assert_eq!(health.state(), State::Gone);
    }
}
