//! What other engines' own tests and documents expect, where the contract expects the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod linux;
mod windows;
mod wireguard;
