//! When readers are told of frames: once per busy time, and again where one may have stopped early.
//!
//! A busy time begins with the first frame and ends when a look at the ring finds nothing and the
//! card's interrupt is armed again. A reader that reads until `EAGAIN` ends it by itself and needs
//! one event only. One that stops early leaves frames queued and the card disarmed: it is told
//! again after every [`READS_PER_EVENT`] reads and, when nobody reads, by a timer.

use std::time::Duration;

/// Reads without an empty one after which readers are told again.
pub const READS_PER_EVENT: u32 = 64;
/// How long nobody reads in a busy time before readers are told again; doubles each time.
pub const FIRST_DELAY: Duration = Duration::from_millis(10);
/// The longest it gets.
pub const LAST_DELAY: Duration = Duration::from_secs(1);

/// Where in a busy time the readers are.
#[derive(Debug, Default)]
pub(super) struct Wakeup {
    busy: bool,
    /// Readers know of this busy time.
    told: bool,
    /// Reads since the last empty one or the last look for early stoppers.
    reads: u32,
    /// When to look for early stoppers.
    deadline: Option<Duration>,
    delay: Duration,
}

impl Wakeup {
    pub(super) fn is_busy(&self) -> bool {
        self.busy
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// A read took a frame.
    pub(super) fn frame_read(&mut self, now: Duration) {
        self.busy = true;
        self.reads = self.reads.saturating_add(1);
        self.wait(now);
    }

    /// Frames are queued. True when readers are to be told: they do not know yet.
    pub(super) fn frames_queued(&mut self, now: Duration) -> bool {
        if self.told {
            return false;
        }
        self.busy = true;
        self.told = true;
        self.wait(now);
        true
    }

    /// Reads that were served with an earlier time have gone on until now.
    pub(super) fn seen(&mut self, now: Duration) {
        if self.deadline.is_some() {
            self.wait(now);
        }
    }

    /// Nothing is queued and the card is armed.
    pub(super) fn emptied(&mut self) {
        *self = Self::default();
    }

    /// A read found nothing, though the device had said otherwise: to be looked at again.
    pub(super) fn unsettled(&mut self, now: Duration) {
        self.busy = true;
        self.wait(now);
    }

    /// A read failed: readers know, and telling them again would not help.
    pub(super) fn failed(&mut self) {
        self.busy = true;
        self.told = true;
        self.reads = 0;
        self.deadline = None;
    }

    /// A reader came that knows nothing of what was posted before.
    pub(super) fn reader_came(&mut self) {
        if self.busy {
            self.deadline = Some(Duration::ZERO);
            // Doubles when it is over, which it is.
            self.delay = FIRST_DELAY / 2;
        }
    }

    /// Whether a reader may have stopped early. Starts the next wait, twice as long if it was time
    /// that passed.
    pub(super) fn take_due(&mut self, now: Duration) -> bool {
        if self.reads >= READS_PER_EVENT {
            self.reads = 0;
            return true;
        }
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return false;
        }
        self.delay = (self.delay * 2).min(LAST_DELAY);
        self.deadline = Some(now.saturating_add(self.delay));
        true
    }

    /// Readers were told because they may have stopped early.
    pub(super) fn told_again(&mut self) {
        self.told = true;
    }

    fn wait(&mut self, now: Duration) {
        self.delay = FIRST_DELAY;
        self.deadline = Some(now.saturating_add(FIRST_DELAY));
    }
}
