//! Faults that other engines had, from their public bug trackers: each with the behaviour that is right.
//!
//! The number is the case's own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod forward;
mod frames;
mod units;

use common::rig::units;
use lro::Rules;

fn endpoint(frames: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Vec<Vec<u8>> {
    units(Rules::Endpoint, frames)
}
