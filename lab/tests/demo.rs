//! `lab demo`: what coalescing does for a reader, counted; times are the machine's affair.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::LazyLock;

use common::frames::run_of;
use common::{Lab, command, full, packets, refusal};

const FRAMES: u64 = 4_000;

/// A row of the demo's table.
#[derive(Debug)]
struct Row {
    wire: String,
    buffer: u64,
    rules: String,
    frames: u64,
    units: u64,
    reads: u64,
    lost: u64,
    truncated: u64,
}

/// Runs the demo: what it says, and its rows in order.
fn demo(arguments: &[&str]) -> (String, Vec<Row>) {
    let done = command("demo").args(arguments).output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    let rows = text.lines().filter_map(|line| row(line.split('|').map(str::trim).collect())).collect();
    (text, rows)
}

fn row(cells: Vec<&str>) -> Option<Row> {
    let number = |at: usize| cells.get(at).and_then(|cell| cell.parse().ok());
    let [buffer, frames, units, reads, lost, truncated] = [2, 4, 5, 6, 10, 11].map(number);
    let (wire, rules) = (cells.get(1)?.to_string(), cells.get(3)?.to_string());
    let (buffer, frames, units, reads) = (buffer?, frames?, units?, reads?);
    Some(Row { wire, buffer, rules, frames, units, reads, lost: lost?, truncated: truncated? })
}

/// The generated transfer's rows, without those of the capture before it.
fn generated() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let frames = FRAMES.to_string();
        demo(&["--frames", &frames]).1.into_iter().filter(|row| row.frames == FRAMES).collect()
    });
    &ROWS
}

#[test]
fn it_shows_every_load_buffer_and_rule_set_and_loses_nothing() {
    let rows = generated();
    assert_eq!(rows.len(), 4 * 2 * 3);
    for row in rows {
        assert_eq!(row.lost, 0, "{row:?}");
        assert!(row.reads >= row.units, "{row:?}");
        assert_eq!(row.truncated > 0, row.buffer == 1_500, "{row:?}");
        // Full-size segments cannot merge in a buffer that is shorter than one of them.
        assert!(row.units == FRAMES || row.buffer > 1_500 && row.rules != "off", "{row:?}");
    }
}

#[test]
fn a_saturated_wire_takes_a_tenth_of_the_reads() {
    let rows = generated();
    let reads = |rules: &str| {
        rows.iter()
            .find(|row| (row.wire.as_str(), row.buffer, row.rules.as_str()) == ("saturated", 65_557, rules))
            .unwrap()
            .reads
    };
    assert!(reads("endpoint") * 10 < reads("off"), "{} and {}", reads("endpoint"), reads("off"));
    assert!(reads("seed") * 10 < reads("off"), "{} and {}", reads("seed"), reads("off"));
}

#[test]
fn a_reader_that_keeps_up_gets_frames_one_by_one() {
    for row in generated().iter().filter(|row| row.wire.starts_with("0.5") || row.wire.starts_with("1 ")) {
        assert_eq!(row.units, FRAMES, "{row:?}");
    }
}

#[test]
fn it_plays_the_captures_that_it_is_given_and_names_them() {
    let lab = Lab::new();
    let capture = lab.capture("mine.pcap", &packets(run_of(0, 123, 1_000)));
    let (text, rows) = demo(&["--frames", "10", capture.to_str().unwrap()]);
    assert!(text.contains(&*capture.to_string_lossy()));
    assert!(!text.contains("kernel TCP"));
    assert_eq!(rows.iter().filter(|row| row.frames == 123).count(), 6);
}

#[test]
fn no_progress_bar_is_drawn_where_there_is_no_terminal() {
    let done = command("demo --frames 1000").output().unwrap();
    assert!(done.stderr.is_empty());
    assert!(!done.stdout.contains(&b'\r') && !done.stdout.contains(&0x1B));
}

/// It begins with the capture of kernel TCP; nobody waits here for the long transfer behind it.
#[test]
fn without_a_command_it_is_the_demo() {
    let mut child = command("").stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let begun: Vec<String> = lines.take_while(|line| !line.contains("times fewer reads with LRO")).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(begun[0].contains("kernel TCP"), "{begun:?}");
    assert_eq!(begun.iter().filter(|line| line.contains("saturated")).count(), 6, "{begun:?}");
}

#[test]
fn a_capture_that_cannot_be_read_is_refused_before_anything_runs() {
    let lab = Lab::new();
    let empty = lab.file("empty.pcap", b"");
    let line = refusal(&command("demo").arg(&empty).output().unwrap());
    assert!(line.contains("empty.pcap"), "{line}");
}

#[test]
fn a_standard_output_without_space_is_an_error() {
    let line = refusal(&command("demo --frames 100").stdout(full()).output().unwrap());
    assert!(line.contains("No space left"), "{line}");
}
