//! `lab demo`: the main job, on captures and on a long generated transfer, with and without coalescing.

use std::io::{self, Write};
use std::vec;

use anyhow::Context;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use lro::{End, MAX_UNIT, Rules};
use model::Wire;
use model::capture::{self, Packet, Reader};
use model::wire::{Flows, Generator};
use s2iod::Options;
use xframe::constants::MAX_MTU;

use crate::cli::DemoArgs;
use crate::rig::MAC;
use crate::transfer::{Load, Outcome, transfer};

/// Flows of the generated transfer, one frame each in turn.
const FLOWS: usize = 8;
/// Payload of its segments: a full frame at MTU 1,500 with timestamps.
const PAYLOAD: u16 = 1448;
/// What smolnetd reads with today, and what takes the longest unit.
const BUFFERS: [usize; 2] = [1500, MAX_UNIT];
const RULES: [Rules; 3] = [Rules::Off, Rules::Seed, Rules::Endpoint];
const LOADS: [Load; 4] = [Load::Saturated, Load::PerRead(0.5), Load::PerRead(1.0), Load::PerRead(2.0)];

/// A capture of kernel TCP, IPv4 and IPv6, 1.9 MB; for when none is given.
const SHIPPED: &[u8] = include_bytes!("../captures/kernel-tcp.pcap");

/// Plays a capture's whole frames, back to back.
struct Playback(vec::IntoIter<Packet>);

impl Wire for Playback {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let whole = |packet: &Packet| packet.data.len() == packet.original_length as usize;
        let Some(packet) = self.0.find(whole) else { return false };
        *frame = packet.data;
        true
    }

    fn send(&mut self, _: &[u8]) {}
}

/// Where frames come from.
enum Source {
    Capture(Vec<Packet>),
    Generated(u64),
}

impl Source {
    fn frames(&self) -> u64 {
        match self {
            Self::Capture(packets) => packets.len() as u64,
            Self::Generated(frames) => *frames,
        }
    }

    fn options(&self, rules: Rules) -> Options {
        let defaults = Options { rules, ..Options::default() };
        match self {
            // Captures go in as they are, whoever they were for and however long their frames are.
            Self::Capture(_) => Options { mtu: MAX_MTU, promiscuous: true, ..defaults },
            Self::Generated(_) => defaults,
        }
    }

    fn transfer(&self, rules: Rules, buffer: usize, load: Load, progress: &ProgressBar) -> anyhow::Result<Outcome> {
        let options = self.options(rules);
        match self {
            Self::Capture(packets) => {
                transfer(|| Playback(packets.clone().into_iter()), options, buffer, load, progress)
            }
            &Self::Generated(frames) => {
                let flows = Flows { flows: FLOWS, payload: PAYLOAD, frames, ..Flows::new(MAC) };
                transfer(|| Generator::new(&flows), options, buffer, load, progress)
            }
        }
    }
}

/// Runs the demo.
///
/// # Errors
///
/// A capture that cannot be read, or a driver that does not come up.
pub fn demo(arguments: &DemoArgs) -> anyhow::Result<()> {
    let mut sources = Vec::new();
    for path in &arguments.captures {
        sources.push((path.display().to_string(), Source::Capture(capture::read(path)?), &LOADS[..1]));
    }
    if sources.is_empty() {
        let packets = Reader::new("kernel-tcp.pcap", SHIPPED)?.collect::<Result<_, _>>()?;
        sources.push(("kernel TCP, IPv4 and IPv6".to_owned(), Source::Capture(packets), &LOADS[..1]));
    }
    let title = format!("generated: {FLOWS} flows, {PAYLOAD}-byte segments");
    sources.push((title, Source::Generated(arguments.frames), &LOADS));
    for (title, source, loads) in sources {
        show(&title, &source, loads)?;
    }
    Ok(())
}

/// Runs every transfer of a source and prints its table.
fn show(title: &str, source: &Source, loads: &[Load]) -> anyhow::Result<()> {
    let transfers = (loads.len() * BUFFERS.len() * RULES.len()) as u64;
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} frames, {eta} left")?;
    // Drawn on a terminal only.
    let progress = ProgressBar::new(source.frames() * transfers).with_style(style).with_message(title.to_owned());
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header([
        "wire",
        "buffer",
        "LRO",
        "frames in",
        "units out",
        "reads",
        "frames/read",
        "MB/s",
        "x off",
        "lost",
        "truncated",
        "units ended",
    ]);
    for index in 3..=10 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut gain = String::new();
    for &load in loads {
        for buffer in BUFFERS {
            let mut off = None;
            for rules in RULES {
                let outcome = source.transfer(rules, buffer, load, &progress)?;
                let off = *off.get_or_insert(outcome);
                table.add_row(row(load, buffer, rules, &outcome, &off));
                if (load, buffer, rules) == (Load::Saturated, MAX_UNIT, Rules::Endpoint) {
                    gain = format!(
                        "saturated, {MAX_UNIT}-byte reader: {:.1} times fewer reads with LRO, {:.1} times the bytes per second",
                        off.reads as f64 / outcome.reads as f64,
                        outcome.bytes_per_second() / off.bytes_per_second(),
                    );
                }
            }
        }
    }
    progress.finish_and_clear();
    writeln!(io::stdout(), "{title}\n{table}\n{gain}\n").context("cannot write the table")
}

fn row(load: Load, buffer: usize, rules: Rules, outcome: &Outcome, off: &Outcome) -> [String; 12] {
    let wire = match load {
        Load::Saturated => "saturated".to_owned(),
        Load::PerRead(rate) => format!("{rate} per read"),
    };
    let lro = match rules {
        Rules::Off => "off",
        Rules::Seed => "seed",
        Rules::Endpoint => "endpoint",
        Rules::Forward => "forward",
    };
    [
        wire,
        buffer.to_string(),
        lro.to_owned(),
        outcome.frames.to_string(),
        outcome.lro.units.to_string(),
        outcome.reads.to_string(),
        format!("{:.1}", outcome.frames_per_read()),
        format!("{:.0}", outcome.bytes_per_second() / 1e6),
        format!("{:.2}", outcome.bytes_per_second() / off.bytes_per_second()),
        outcome.lost().to_string(),
        outcome.truncated.to_string(),
        reasons(outcome),
    ]
}

/// The reasons for which units ended, the most frequent first.
fn reasons(outcome: &Outcome) -> String {
    let mut ended: Vec<(u64, &str)> =
        End::ALL.into_iter().map(|end| (outcome.lro.ended(end), end.name())).filter(|(count, _)| *count > 0).collect();
    ended.sort_by(|one, other| other.cmp(one));
    let words: Vec<String> = ended.iter().take(4).map(|(count, name)| format!("{name} {count}")).collect();
    words.join(", ")
}
