//! What the fuzzer found worth keeping, gone through again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod fuzzed;

use std::fs;
use std::path::Path;

/// Gives every input of a fuzz target's corpus to the target.
#[track_caller]
fn replay(target: &str, run: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let inputs: Vec<_> = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!inputs.is_empty(), "no inputs in {}", corpus.display());
    for input in inputs {
        let bytes = fs::read(&input).unwrap();
        // A panic is told with the input's name in front.
        println!("{}", input.display());
        run(&bytes);
    }
}

#[test]
fn card() {
    replay("card", fuzzed::card::run);
}

#[test]
fn client() {
    replay("client", fuzzed::client::run);
}
