//! What a coalescer did to a capture, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use lro::{End, Stats};
use serde::Serialize;

/// What happened to a capture.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Packets in the capture.
    pub frames: u64,
    /// Units written.
    pub units: u64,
    /// Units of more than one segment.
    pub merged_units: u64,
    /// Segments in those.
    pub merged_segments: u64,
    /// Pairs of segments that became neighbours in a unit: `merged_segments - merged_units`.
    pub joins: u64,
    /// Why units ended, reasons that did not occur left out.
    pub ended: BTreeMap<&'static str, u64>,
    /// Packets that the capture had cut short.
    pub cut_short: u64,
    /// Packets that the card dropped, or that no wire can carry, numbered from 1.
    pub dropped: Vec<u64>,
    /// Frames of which the reader got the first bytes only: its buffer was shorter.
    pub truncated: u64,
    /// Frames longer than the reader's buffer; they were written whole.
    pub longer_than_buffer: u64,
    /// Times that the engine was full before the batch was.
    pub drained_early: u64,
    /// Whether checksums were taken for good without a look.
    pub checksums_trusted: bool,
}

impl Summary {
    /// Takes the engine's counters over.
    pub fn count(&mut self, stats: &Stats) {
        self.units = stats.units;
        self.merged_units = stats.merged_units;
        self.merged_segments = stats.merged_segments;
        self.joins = stats.merged_segments - stats.merged_units;
        self.ended =
            End::ALL.into_iter().map(|end| (end.name(), stats.ended(end))).filter(|(_, count)| *count > 0).collect();
    }

    /// Prints the summary of what happened to `input`.
    ///
    /// # Errors
    ///
    /// The standard output cannot be written.
    pub fn print(&self, json: bool, input: &Path) -> anyhow::Result<()> {
        let text =
            if json { serde_json::to_string_pretty(self)? + "\n" } else { format!("{}: {self}", input.display()) };
        io::stdout().write_all(text.as_bytes()).context("cannot write the summary")
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} frames in, {} units out", self.frames, self.units)?;
        writeln!(
            f,
            "  {} segments in {} merged units ({} joins)",
            self.merged_segments, self.merged_units, self.joins
        )?;
        let ended: Vec<String> = self.ended.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        writeln!(f, "  units ended: {}", if ended.is_empty() { "none".to_owned() } else { ended.join(", ") })?;
        if self.cut_short > 0 {
            writeln!(f, "  {} frames were cut short by the capture and cannot merge", self.cut_short)?;
        }
        if !self.dropped.is_empty() {
            let numbers: Vec<String> = self.dropped.iter().map(u64::to_string).collect();
            writeln!(f, "  {} frames did not reach the driver: packets {}", numbers.len(), numbers.join(", "))?;
        }
        if self.truncated > 0 {
            writeln!(f, "  {} frames were longer than the reader's buffer and were truncated", self.truncated)?;
        }
        if self.longer_than_buffer > 0 {
            writeln!(f, "  {} frames were longer than the reader's buffer and left whole", self.longer_than_buffer)?;
        }
        if self.drained_early > 0 {
            writeln!(f, "  the engine was full {} times before the batch was", self.drained_early)?;
        }
        if self.checksums_trusted {
            writeln!(f, "  checksums were not looked at: merged units carry what their segments carried")?;
        }
        Ok(())
    }
}
