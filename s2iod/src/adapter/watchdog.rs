//! Queues that have stopped: found by comparing two looks.

use std::time::Duration;

use xframe::constants::RINGS;

use crate::health::{Fault, TX_PATIENCE};

/// What a look found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Frames that the card has not sent.
    pub tx_in_card: usize,
    /// Frames that it has sent, wrapping.
    pub tx_completed: usize,
    /// The link is up: frames can be sent.
    pub link_up: bool,
    /// What the rings say; those that are not there say nothing.
    pub rings: [RingLook; RINGS],
}

/// What a look at a ring found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RingLook {
    /// RxDs that the card has.
    pub in_card: u32,
    /// RxDs that it has completed.
    pub completed: u64,
    /// It has the next RxD, although it has completed the one behind.
    pub passed_over: bool,
    /// Times a frame found no RxD, as the card counts them (Herc).
    pub bumps: u16,
}

/// The last look, and since when transmit has not moved.
#[derive(Debug, Default)]
pub(super) struct Watchdog {
    last: Option<Look>,
    tx_moved: Duration,
}

impl Watchdog {
    /// Forgets everything: the queues have been started anew.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// Compares a look with the last one.
    pub fn compare(&mut self, look: Look, now: Duration) -> Option<Fault> {
        let last = self.last.replace(look);
        let tx_waits = look.tx_in_card > 0 && look.link_up;
        if !tx_waits || last.is_none_or(|last| last.tx_completed != look.tx_completed || !last.link_up) {
            self.tx_moved = now;
        }
        if now.saturating_sub(self.tx_moved) >= TX_PATIENCE {
            return Some(Fault::TransmitStuck);
        }
        last?.rings.iter().zip(&look.rings).find_map(|(last, look)| last.compare(look))
    }
}

impl RingLook {
    fn compare(&self, look: &Self) -> Option<Fault> {
        if self.completed != look.completed {
            return None;
        }
        if self.passed_over && look.passed_over {
            return Some(Fault::RxdPassedOver);
        }
        // What the card held at the last look it still holds: it cannot have run out in between.
        let starved = self.in_card == 0 || self.bumps == look.bumps;
        (!starved).then_some(Fault::ReceiveStuck)
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, RingLook, Watchdog};
    use crate::health::Fault;
    use std::time::Duration;
    use xframe::constants::RINGS;

    const BUSY: Look = Look { tx_in_card: 1, tx_completed: 7, link_up: true, rings: [RING; RINGS] };
    const RING: RingLook = RingLook { in_card: 8, completed: 3, passed_over: false, bumps: 0 };

    fn look_for(seconds: u64, look: impl Fn(u64) -> Look) -> Vec<Option<Fault>> {
        let mut watchdog = Watchdog::default();
        (0..seconds).map(|second| watchdog.compare(look(second), Duration::from_secs(second))).collect()
    }

    #[test]
    fn frames_that_are_not_sent_for_five_seconds_are_a_fault() {
        let faults = look_for(7, |_| BUSY);
        assert_eq!(faults, [None, None, None, None, None, Some(Fault::TransmitStuck), Some(Fault::TransmitStuck)]);
    }

    #[test]
    fn a_queue_that_moves_is_none_however_long_it_is() {
        assert_eq!(look_for(20, |second| Look { tx_completed: second as usize / 4, ..BUSY }), [None; 20]);
    }

    #[test]
    fn frames_wait_for_the_link_as_long_as_it_takes() {
        assert_eq!(look_for(20, |_| Look { link_up: false, ..BUSY }), [None; 20]);
        assert_eq!(look_for(8, |second| Look { link_up: second > 3, ..BUSY }), [None; 8]);
    }

    /// A look at a card that sends nothing and of whose rings one, `number`, moves or shows something.
    fn with(number: usize, ring: RingLook) -> Look {
        let mut look = Look { tx_in_card: 0, ..BUSY };
        look.rings[number] = ring;
        look
    }

    #[test]
    fn an_rxd_that_stays_passed_over_is_a_fault_in_whichever_ring() {
        let hole = RingLook { passed_over: true, ..RING };
        for number in 0..RINGS {
            assert_eq!(look_for(2, |_| with(number, hole)), [None, Some(Fault::RxdPassedOver)]);
            assert_eq!(look_for(3, |second| with(number, RingLook { completed: second, ..hole })), [None; 3]);
        }
    }

    #[test]
    fn frames_that_find_no_rxd_although_there_are_some_are_a_fault_in_whichever_ring() {
        for number in 0..RINGS {
            let bumped = |second| RingLook { bumps: second as u16, ..RING };
            assert_eq!(look_for(2, |second| with(number, bumped(second))), [None, Some(Fault::ReceiveStuck)]);
            let starved = |second| RingLook { in_card: 0, ..bumped(second) };
            assert_eq!(look_for(2, |second| with(number, starved(second))), [None; 2]);
            let moving = |second| RingLook { completed: second, ..bumped(second) };
            assert_eq!(look_for(3, |second| with(number, moving(second))), [None; 3]);
        }
    }
}
