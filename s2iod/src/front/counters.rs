//! What the front counts.

use std::fmt;

/// Counts since the front was made; they wrap at 2^64 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Reads answered with a frame.
    pub reads: u64,
    /// Of these, reads whose buffer was too short for the frame.
    pub reads_truncated: u64,
    /// Reads that found no frame: answered with `EAGAIN`, or waiting from then on.
    pub reads_empty: u64,
    /// Writes whose frame went to the card.
    pub writes: u64,
    /// Writes that found no room: answered with `EAGAIN`, or waiting from then on.
    pub writes_full: u64,
    /// Calls given up before they were answered.
    pub calls_cancelled: u64,
    /// Times readers were told that there are frames.
    pub events_read: u64,
    /// Of these, repeated ones, in case a reader had stopped early.
    pub events_repeated: u64,
    /// Times writers were told that there is room.
    pub events_write: u64,
}

impl Counters {
    /// Writes one `name value` a line.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for (name, value) in [
            ("reads", self.reads),
            ("reads_truncated", self.reads_truncated),
            ("reads_empty", self.reads_empty),
            ("writes", self.writes),
            ("writes_full", self.writes_full),
            ("calls_cancelled", self.calls_cancelled),
            ("events_read", self.events_read),
            ("events_repeated", self.events_repeated),
            ("events_write", self.events_write),
        ] {
            writeln!(out, "{name} {value}")?;
        }
        Ok(())
    }
}
