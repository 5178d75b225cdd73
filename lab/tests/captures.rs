//! Captures of real traffic, judged by a program that shares nothing with this one: set `S2IOD_CAPTURES` to their folder,
//! with the judge in `../tools/contract.py` beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, thread};

use common::{Lab, bytes};
use model::capture;

/// Captures with segments that can join, and how many when nothing is ever drained and units have any length. Counted by
/// another program; in every other capture there are none.
const JOINABLE: [(&str, u64); 4] =
    [("http-range-download.pcap", 975), ("http-download.pcap", 1_011), ("ftp-transfers.pcap", 460), ("mixed.pcap", 29)];

const RULES: [&str; 4] = ["seed", "endpoint", "forward", "off"];
const BATCHES: [u32; 4] = [1, 7, 64, 1_000];
const LONG: usize = 65_557;
const SHORT: usize = 1_500;

/// The folder of captures. Without it, says so where people see it.
fn folder() -> Option<PathBuf> {
    let folder = env::var_os("S2IOD_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        // The test harness shows what goes through `eprintln!` only if a test fails.
        io::stderr().write_all(b"SKIPPED: no real captures, for S2IOD_CAPTURES is not set\n").unwrap();
    }
    folder
}

fn captures(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut captures: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "pcap")).collect();
    captures.sort();
    assert!(!captures.is_empty(), "no captures in {}", folder.display());
    captures
}

/// Works on every item, two at a time.
fn on_two_threads<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    thread::scope(|scope| {
        scope.spawn(worker);
        scope.spawn(worker);
    });
}

struct Case<'a> {
    capture: &'a Path,
    rules: &'a str,
    batch: u32,
    buffer: usize,
}

impl Case<'_> {
    fn all(captures: &[PathBuf]) -> Vec<Case<'_>> {
        let mut cases = Vec::new();
        for capture in captures {
            for (rules, batch) in RULES.iter().flat_map(|rules| BATCHES.map(|batch| (rules, batch))) {
                cases.extend([SHORT, LONG].map(|buffer| Case { capture, rules, batch, buffer }));
            }
        }
        cases
    }

    fn options(&self) -> String {
        format!("--rules {} --batch {} --buffer {}", self.rules, self.batch, self.buffer)
    }

    /// Has the judge compare the capture with the units in `output`; its verdict, and whether it found no error.
    fn judge(&self, folder: &Path, output: &Path, more: &[&str]) -> (String, bool) {
        let judged = Command::new("python3")
            .arg(folder.join("../tools/contract.py"))
            .args(["--rules", self.rules, "--buffer", &self.buffer.to_string()])
            .args(more)
            .args([self.capture, output])
            .output()
            .unwrap();
        let (said, failed) = (String::from_utf8_lossy(&judged.stdout), String::from_utf8_lossy(&judged.stderr));
        let fine = judged.status.success() && said.contains(" 0 errors");
        (format!("{} {}: {said}{failed}", self.capture.display(), self.options()), fine)
    }
}

#[test]
fn the_judge_finds_no_error_in_any_unit() {
    let Some(folder) = folder() else { return };
    let captures = captures(&folder);
    on_two_threads(&Case::all(&captures), |case| {
        let lab = Lab::new();
        let converted = lab.convert(&format!("coalesce {}", case.options()), case.capture);
        converted.adds_up();
        if case.rules == "off" || case.batch == 1 {
            // What comes out as it went in needs no judge.
            assert!(converted.units == capture::read(case.capture).unwrap(), "{}", case.options());
            return;
        }
        let (verdict, fine) = case.judge(&folder, &lab.path("units.pcap"), &[]);
        assert!(fine, "{verdict}");
    });
}

#[test]
fn the_judge_finds_a_changed_bit() {
    let Some(folder) = folder() else { return };
    let capture = &folder.join("ftp-transfers.pcap");
    let lab = Lab::new();
    let case = Case { capture, rules: "endpoint", batch: 64, buffer: LONG };
    let mut units = lab.convert(&format!("coalesce {}", case.options()), capture).units;
    *units[300].data.last_mut().unwrap() ^= 1;
    let (verdict, fine) = case.judge(&folder, &lab.capture("changed.pcap", &units), &[]);
    assert!(!fine && verdict.contains("out 300"), "{verdict}");
}

/// And so no error behind the card either.
#[test]
fn card_and_driver_change_nothing() {
    let Some(folder) = folder() else { return };
    let captures = captures(&folder);
    let cases: Vec<_> = Case::all(&captures).into_iter().filter(|case| case.buffer == LONG).collect();
    on_two_threads(&cases, |case| {
        let lab = Lab::new();
        let run = lab.convert(&format!("run {}", case.options()), case.capture);
        run.adds_up();
        assert_eq!(run.dropped(), [0; 0], "{}", case.capture.display());
        let coalesce = lab.convert(&format!("coalesce {}", case.options()), case.capture);
        assert!(bytes(&run.units) == bytes(&coalesce.units), "{} {}", case.capture.display(), case.options());
    });
}

#[test]
fn every_joinable_segment_joins_but_where_a_unit_is_full() {
    let Some(folder) = folder() else { return };
    for capture in captures(&folder) {
        let name = capture.file_name().unwrap().to_str().unwrap();
        let joinable = JOINABLE.iter().find(|(file, _)| *file == name).map_or(0, |(_, count)| *count);
        let converted = Lab::new().convert("coalesce --batch 100000 --rules endpoint --buffer 65557", &capture);
        assert_eq!(converted.count("joins") + converted.ended("size"), joinable, "{name}");
    }
}

#[test]
fn captures_whose_checksums_were_never_filled_in_pass_unchanged() {
    let Some(folder) = folder() else { return };
    let capture = &folder.join("ipv6-http-one-loss.pcap");
    let lab = Lab::new();
    let case = Case { capture, rules: "endpoint", batch: 100_000, buffer: LONG };
    let converted = lab.convert(&format!("coalesce {}", case.options()), capture);
    assert!(converted.units == capture::read(capture).unwrap());
    lab.convert(&format!("coalesce --trust-checksums {}", case.options()), capture).adds_up();
    let (verdict, fine) = case.judge(&folder, &lab.path("units.pcap"), &["--trust"]);
    assert!(fine, "{verdict}");
}
