//! Times that the system was asked for. They cannot be taken back, so that none is asked for while an earlier one stands.

use std::time::Duration;

/// What was asked for and has not come, latest first.
#[derive(Debug, Default)]
pub(super) struct Timer {
    set: Vec<Duration>,
}

impl Timer {
    /// Whether `deadline` is to be asked for: no wake-up stands at it or before it. At one that does, it is asked again.
    pub fn want(&mut self, deadline: Duration) -> bool {
        if self.set.last().is_some_and(|next| *next <= deadline) {
            return false;
        }
        self.set.push(deadline);
        true
    }

    /// A wake-up has come: at least the first stands no longer, even when the clock says that its time is still to come.
    /// Redox's goes back by a few milliseconds where it is read from an interval timer.
    pub fn fired(&mut self, now: Duration) {
        self.set.pop();
        while self.set.pop_if(|next| *next <= now).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::Timer;
    use std::time::Duration;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_deadline_that_moves_on_is_not_asked_for_again() {
        let mut timer = Timer::default();
        assert!(timer.want(at(10)));
        assert!(!timer.want(at(10)) && !timer.want(at(11)));
        timer.fired(at(10));
        assert!(timer.want(at(11)));
    }

    #[test]
    fn a_wake_up_before_its_time_is_asked_for_again() {
        let mut timer = Timer::default();
        assert!(timer.want(at(10)));
        timer.fired(at(7));
        assert!(timer.want(at(10)));
        assert!(!timer.want(at(10)));
    }

    #[test]
    fn an_earlier_deadline_is_asked_for_beside_a_later_one() {
        let mut timer = Timer::default();
        assert!(timer.want(at(500)) && timer.want(at(10)));
        timer.fired(at(10));
        assert!(!timer.want(at(500)));
        timer.fired(at(500));
        assert!(timer.want(at(1000)));
    }

    #[test]
    fn a_wake_up_that_comes_late_stands_for_all_before_it() {
        let mut timer = Timer::default();
        assert!(timer.want(at(500)) && timer.want(at(10)));
        timer.fired(at(700));
        assert!(timer.want(at(700)));
    }

    /// Time is read after the wake-up; should the system be early, the next one stands all the same.
    #[test]
    fn a_wake_up_that_comes_early_loses_nothing() {
        let mut timer = Timer::default();
        assert!(timer.want(at(10)));
        timer.fired(at(9));
        assert!(timer.want(at(9)));
    }
}
