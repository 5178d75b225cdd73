//! Arbitrary frames, read at any time.
#![no_main]

#[path = "../../lro/tests/common/mod.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::fuzz::push(bytes));
