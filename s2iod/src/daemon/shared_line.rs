//! An interrupt line that other devices may share: when it may interrupt again.
//!
//! The kernel silences the line at each interrupt until some driver releases it. A driver that releases only its own
//! interrupts can be deaf for ever, when nobody answers for the others; one that releases all of them is woken without end
//! by a device that nobody serves. So a line on which only strangers speak is released after a pause.

use std::time::Duration;

/// Interrupts of strangers in a row that are released at once.
pub const PATIENCE: u32 = 64;
/// How long further ones keep the line silent.
pub const PAUSE: Duration = Duration::from_millis(10);

/// Strangers in a row, and an interrupt that is still to be released.
#[derive(Debug, Default)]
pub(super) struct SharedLine {
    strangers: u32,
    owed: Option<(u64, Duration)>,
}

impl SharedLine {
    /// Whether interrupt `count` is to be released now.
    pub fn may_release(&mut self, ours: bool, count: u64, now: Duration) -> bool {
        self.owed = None;
        self.strangers = if ours { 0 } else { self.strangers.saturating_add(1) };
        if self.strangers > PATIENCE {
            self.owed = Some((count, now.saturating_add(PAUSE)));
        }
        self.owed.is_none()
    }

    /// When the line is to be released.
    pub fn due(&self) -> Option<Duration> {
        self.owed.map(|(_, due)| due)
    }

    /// The interrupt that is to be released by now.
    pub fn take_due(&mut self, now: Duration) -> Option<u64> {
        self.owed.take_if(|(_, due)| *due <= now).map(|(count, _)| count)
    }
}

#[cfg(test)]
mod tests {
    use super::{PATIENCE, PAUSE, SharedLine};
    use std::time::Duration;

    const NOW: Duration = Duration::from_secs(5);

    #[test]
    fn interrupts_of_strangers_are_released_at_once_until_they_are_too_many() {
        let mut line = SharedLine::default();
        let released = (0..).take_while(|count| line.may_release(false, *count, NOW)).count();
        assert_eq!(released, PATIENCE as usize);
        assert_eq!(line.due(), Some(NOW + PAUSE));
        assert_eq!(line.take_due(NOW), None);
        assert_eq!(line.take_due(NOW + PAUSE), Some(u64::from(PATIENCE)));
        assert_eq!((line.due(), line.take_due(NOW + PAUSE)), (None, None));
    }

    #[test]
    fn an_interrupt_of_ones_own_makes_strangers_welcome_again() {
        let mut line = SharedLine::default();
        for count in 0..10 * u64::from(PATIENCE) {
            let ours = count % u64::from(PATIENCE) == 0;
            assert!(line.may_release(ours, count, NOW));
        }
    }

    #[test]
    fn a_newer_interrupt_stands_for_the_one_that_is_owed() {
        let mut line = SharedLine::default();
        let count = (0..).find(|count| !line.may_release(false, *count, NOW)).unwrap();
        assert!(line.may_release(true, count + 1, NOW));
        assert_eq!(line.due(), None);
    }
}
