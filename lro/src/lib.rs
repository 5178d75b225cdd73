//! placeholder docs
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod chains;
mod engine;
mod field;
mod flow;
mod general;
mod queue;
mod resegment;
mod rules;
mod shape;
mod stats;
mod sum;
mod table;
mod unit;
mod wire;

pub use engine::{Engine, MAX_IP_LENGTH, MAX_UNIT};
pub use resegment::{Segments, resegment};
pub use rules::Rules;
pub use stats::{End, Stats};
pub use unit::{Info, Unit};

/// Frame memory, owned by the caller; the engine knows slots by number only.
pub trait Pool {
    /// The bytes of a slot, as long as the longest frame that it can hold.
    fn bytes(&self, slot: u32) -> &[u8];
    /// The engine is done with a slot. Called once for each slot that was pushed.
    fn release(&mut self, slot: u32);
}

/// What the caller knows of a frame's checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksums {
    /// A card found the IP header's and the TCP checksum good.
    Verified,
    /// One of them is wrong, or the frame must not merge for another reason.
    Bad,
    /// Nobody looked. The engine does, when a join is possible.
    Unknown,
}

/// How an engine is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which segments may share a unit.
    pub rules: Rules,
    /// Frames that can be queued at once.
    pub frames: u32,
    /// Flows that can have a growing unit at once; more than `frames` is of no use.
    pub sessions: u32,
    /// Segments in the longest unit.
    pub max_segments: u32,
    /// Makes the places of the flow table unpredictable: pass something random.
    pub seed: u64,
}

impl Config {
    /// Room for `frames` frames, under `rules`, with no other limit; `SEED` has the 32 sessions of its model.
    pub const fn new(rules: Rules, frames: u32) -> Self {
        let sessions = match rules {
            Rules::Seed => 32,
            Rules::Off | Rules::Endpoint | Rules::Forward => frames,
        };
        Self { rules, frames, sessions, max_segments: u32::MAX, seed: 0 }
    }
}

/// The engine holds as many frames as it can; the slot is still the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The reader's buffer is shorter than the oldest frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall {
    /// Bytes that the frame needs.
    pub needs: usize,
}
