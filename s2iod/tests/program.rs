//! The program on a system that is not Redox.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::process::Command;

#[test]
fn elsewhere_than_on_redox_the_program_says_what_there_is_instead() {
    let output = Command::new(env!("CARGO_BIN_EXE_s2iod")).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.lines().count() == 1 && said.contains("`lab`"), "{said}");
}
