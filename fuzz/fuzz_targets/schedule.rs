//! Traffic of a few flows, with readers between its frames.
#![no_main]

#[path = "../../lro/tests/common/mod.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::fuzz::schedule(bytes));
