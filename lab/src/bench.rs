//! Owns `lab bench`. Here: the engine beside its peers and beside the bare costs, in turns, in one run.

mod buffer;
mod clock;
mod contestant;
mod dpdk;
mod driver;
mod engine;
mod floor;
mod frames;
mod plot;
mod report;
mod samples;
mod tun;

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use lro::Checksums;

use self::contestant::{Contestant, InProcess};
use self::dpdk::Harness;
use self::engine::Coalesce;
use self::floor::{Checksum, Copy};
use self::frames::Frames;
use self::report::Report;
use self::samples::Samples;
use self::tun::TunRs;
use crate::cli::EngineArgs;

pub use self::driver::driver;

const FLOWS: [usize; 4] = [1, 32, 1000, 4096];
/// Frames between two drains; beside it, the reader takes everything when the whole ring has arrived.
const DRAIN: usize = 64;

/// What is measured: how many flows take turns in the ring, and how many frames arrive before the reader takes everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    flows: usize,
    drain: usize,
}

impl Case {
    /// What a ring of that many frames has room for.
    fn all(ring: usize) -> Vec<Self> {
        let drains = if ring > DRAIN { &[DRAIN, ring][..] } else { &[ring] };
        let flows = || FLOWS.into_iter().filter(|&flows| flows <= ring);
        drains.iter().flat_map(|&drain| flows().map(move |flows| Self { flows, drain })).collect()
    }
}

/// How long a run takes.
struct Effort {
    rounds: u32,
    /// What each contestant gets of every round.
    turn: Duration,
}

impl Effort {
    const FULL: Self = Self { rounds: 25, turn: Duration::from_millis(20) };
    const QUICK: Self = Self { rounds: 3, turn: Duration::from_millis(2) };

    /// How many passes of that length fill a turn; at least one.
    fn passes(&self, nanoseconds: u64) -> u32 {
        let passes = self.turn.as_nanos() as u64 / nanoseconds.max(1);
        passes.clamp(1, 1000) as u32
    }
}

/// A contestant, and what it showed so far.
struct Entry<'a> {
    name: &'static str,
    contestant: Box<dyn Contestant + 'a>,
    samples: Samples,
}

/// Runs every case and prints the tables; writes the plot.
///
/// # Errors
///
/// A peer that fails once it runs, or a plot that cannot be written. A peer that is not there is left out with a line.
pub fn engine(arguments: &EngineArgs) -> Result<()> {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let cpu = clock::pin()?;
    let harness = match Harness::new(cpu) {
        Ok(harness) => Some(harness),
        Err(reason) => {
            eprintln!("lab: {} is left out: {reason:#}", dpdk::NAME);
            None
        }
    };
    let ring = arguments.ring as usize;
    let cases = Case::all(ring);
    let style = ProgressStyle::with_template("[{bar:40}] {pos}/{len} rounds, {eta} left")?;
    // Drawn on a terminal only.
    let progress = ProgressBar::new(u64::from(effort.rounds) * cases.len() as u64).with_style(style);
    let mut report = Report::default();
    for case in cases {
        let frames = Frames::new(case.flows, ring)?;
        let entries = entries(&frames, case, harness.as_ref())?;
        for Entry { name, samples, .. } in measure(entries, ring, &effort, &progress)? {
            report.add(case, name, samples.summary());
        }
    }
    progress.finish_and_clear();
    report.print()?;
    if let Some(path) = &arguments.svg {
        fs::write(path, plot::svg(&report)?).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}

/// Lets all contestants play in turns, so that whatever else the machine does hits all alike.
fn measure<'a>(
    mut entries: Vec<Entry<'a>>,
    ring: usize,
    effort: &Effort,
    progress: &ProgressBar,
) -> Result<Vec<Entry<'a>>> {
    for _ in 0..effort.rounds {
        for Entry { contestant, samples, .. } in &mut entries {
            // The first pass finds the caches as the one before left them, and tells how long passes are.
            let warm = contestant.turn(1)?;
            let passes = effort.passes(warm.first().map_or(0, |pass| pass.nanoseconds));
            for pass in contestant.turn(passes)? {
                samples.add(pass, ring);
            }
        }
        progress.inc(1);
    }
    Ok(entries)
}

/// The contestants, each ready to play the frames.
fn entries<'a>(frames: &'a Frames, case: Case, harness: Option<&Harness>) -> Result<Vec<Entry<'a>>> {
    let mut entries = Vec::new();
    let mut add = |name, contestant| entries.push(Entry { name, contestant, samples: Samples::default() });
    add("lro, zero-copy", boxed(Coalesce::view(frames, case.drain)));
    add("lro, copied out", boxed(Coalesce::copy(frames, case.drain, Checksums::Verified)));
    add("lro, checked and copied out", boxed(Coalesce::copy(frames, case.drain, Checksums::Unknown)));
    if let Some(harness) = harness {
        add(dpdk::NAME, Box::new(harness.start(frames, case)?));
    }
    add("tun-rs", boxed(TunRs::new(frames, case.drain)));
    add("memcpy of the payload", boxed(Copy::new(frames)));
    add("checksum of the payload", boxed(Checksum::new(frames)));
    Ok(entries)
}

fn boxed<'a>(player: impl contestant::Player + 'a) -> Box<dyn Contestant + 'a> {
    Box::new(InProcess(player))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ring: usize) -> Vec<(usize, usize)> {
        Case::all(ring).into_iter().map(|case| (case.flows, case.drain)).collect()
    }

    #[test]
    fn a_ring_is_drained_every_64_frames_and_at_its_end() {
        assert_eq!(all(512), [(1, 64), (32, 64), (1, 512), (32, 512)]);
        assert_eq!(all(8192).len(), 8);
    }

    #[test]
    fn the_smallest_ring_is_drained_at_its_end() {
        assert_eq!(all(64), [(1, 64), (32, 64)]);
    }

    #[test]
    fn a_turn_has_at_least_one_pass() {
        assert_eq!(Effort::FULL.passes(1_000_000_000), 1);
        assert_eq!(Effort::FULL.passes(1_000_000), 20);
        assert_eq!(Effort::FULL.passes(0), 1000);
    }
}
