//! What the tests share: frames to push, memory to push them from, and judges of what came out.
//!
//! Nothing here knows how the engine works. Frames are written and read by code of its own, from the RFCs; the judges
//! know the contract only.
#![allow(dead_code, reason = "each test binary uses a part")]

pub mod complete;
pub mod eligible;
pub mod frame;
pub mod fuzz;
pub mod judge;
pub mod other;
pub mod parse;
pub mod rig;
pub mod selftest;
pub mod slots;
pub mod sum;
pub mod traffic;
pub mod way_back;
