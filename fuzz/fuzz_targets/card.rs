//! A driver that does anything to the card.
#![no_main]

#[path = "../../model/tests/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzed::card::run(bytes));
