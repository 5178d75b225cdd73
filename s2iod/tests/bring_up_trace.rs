//! What bring-up does to each card, access by access, as reviewed against the hardware's own order of steps.
//!
//! With `S2IOD_BLESS` set, the files are written anew.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "traced/mod.rs"]
mod traced;

use std::path::Path;

use model::Config;
use s2iod::{Adapter, Options};
use traced::Traced;
use xframe::constants::Asic;

/// Runs of lines that differ in a number only, cut to the first and the last of them.
const REPEATED: [&str; 3] = ["rts_ds_mem_data", "rts_ds_mem_ctrl", "config 0x"];

fn folded(trace: &str) -> String {
    let lines: Vec<&str> = trace.lines().collect();
    let repeats = |at: usize| lines.get(at).is_some_and(|line| REPEATED.iter().any(|name| line.starts_with(name)));
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let (before, behind) = ((1..=3).all(|by| at >= by && repeats(at - by)), (1..=3).all(|by| repeats(at + by)));
        match (repeats(at), before, behind) {
            (true, true, true) if out.ends_with("...\n") => {}
            (true, true, true) => out.push_str("...\n"),
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

fn is_as_reviewed(asic: Asic, file: &str) {
    let platform = Traced::new(Config::new(asic, [0x00, 0x0C, 0xFC, 0x12, 0x34, 0x56]));
    let trace = platform.trace();
    let options = Options { rx_slots: 16, rx_spare: 0, tx_slots: 8, ..Options::default() };
    let adapter = Adapter::bring_up(platform, options).unwrap();
    let found = folded(&trace.borrow());
    drop(adapter);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bring_up").join(file);
    if std::env::var_os("S2IOD_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let reviewed = std::fs::read_to_string(&path).unwrap();
    for (number, (found, reviewed)) in found.lines().zip(reviewed.lines()).enumerate() {
        assert_eq!(found, reviewed, "{file}:{}", number + 1);
    }
    assert_eq!(found.lines().count(), reviewed.lines().count());
}

#[test]
fn herc_is_brought_up_as_reviewed() {
    is_as_reviewed(Asic::Herc, "herc.txt");
}

#[test]
fn xena_is_brought_up_as_reviewed() {
    is_as_reviewed(Asic::Xena, "xena.txt");
}
