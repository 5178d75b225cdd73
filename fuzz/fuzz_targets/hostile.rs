//! The driver between a card whose registers and memory lie and a client that does whatever it likes.
#![no_main]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../s2iod/tests/hostile/mod.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hostile::input::hostile(bytes));
