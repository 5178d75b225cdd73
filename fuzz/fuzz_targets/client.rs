//! A client that says anything to the card's server.
#![no_main]

#[path = "../../model/tests/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzed::client::run(bytes));
