//! When the card is looked after: twice a second while it moves, and not at all when it rests.
//!
//! Nobody moves on a card at rest: nothing is sent, no frame comes, so that nothing can get stuck. Its link tells of itself
//! by an interrupt. What befalls it in its sleep is found with the next frame or write.

use std::time::Duration;

/// Between two rounds.
pub const EVERY: Duration = Duration::from_millis(500);
/// Rounds after the last motion: faults are found by comparing two of them.
pub const QUIET: u32 = 3;

/// The next round, and how many have been quiet.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    due: Option<Duration>,
    quiet: u32,
}

impl Rounds {
    /// The card has moved.
    pub fn stir(&mut self, now: Duration) {
        self.quiet = 0;
        self.due.get_or_insert(now.saturating_add(EVERY));
    }

    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// Whether it is time.
    pub fn take_due(&mut self, now: Duration) -> bool {
        self.due.take_if(|due| *due <= now).is_some()
    }

    /// A round is over; `busy` when there must be another whatever comes.
    pub fn done(&mut self, now: Duration, busy: bool) {
        self.quiet = if busy { 0 } else { self.quiet.saturating_add(1) };
        self.due = (self.quiet < QUIET).then(|| now.saturating_add(EVERY));
    }
}

#[cfg(test)]
mod tests {
    use super::{EVERY, QUIET, Rounds};
    use std::time::Duration;

    const START: Duration = Duration::from_secs(5);

    /// Rounds that follow from `rounds` when nothing moves, `busy` of them with something left to do.
    fn run(rounds: &mut Rounds, mut busy: u32) -> u32 {
        let mut count = 0;
        while let Some(due) = rounds.due() {
            assert!(!rounds.take_due(due - Duration::from_nanos(1)) && rounds.take_due(due));
            count += 1;
            rounds.done(due, busy > 0);
            busy = busy.saturating_sub(1);
            assert!(count < 100);
        }
        count
    }

    #[test]
    fn a_card_at_rest_is_left_alone() {
        let mut rounds = Rounds::default();
        assert_eq!(run(&mut rounds, 0), 0);
        rounds.stir(START);
        assert_eq!(run(&mut rounds, 0), QUIET);
        assert_eq!(run(&mut rounds, 0), 0);
    }

    #[test]
    fn work_that_is_left_keeps_rounds_going() {
        let mut rounds = Rounds::default();
        rounds.stir(START);
        assert_eq!(run(&mut rounds, 7), 7 + QUIET);
    }

    #[test]
    fn motion_does_not_put_a_round_off() {
        let mut rounds = Rounds::default();
        rounds.stir(START);
        rounds.stir(START + EVERY / 2);
        assert_eq!(rounds.due(), Some(START + EVERY));
    }
}
