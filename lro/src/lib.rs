//! Large Receive Offload in software: coalesces in-sequence TCP segments into units of up to 64 KiB, between a network card, a
//! TAP device or a tunnel and whoever reads from it.
//!
//! The engine is a queue of chains that the reader pulls. Nothing is ever held back: there is no timer, no flush and no added
//! latency. A reader that keeps up gets every frame by itself; the more it lags, the more each read carries.
//!
//! ```text
//!            push(slot, length, checksums)                     front(limit), consume()
//!                         |                                     or pop_into(buffer)
//!                         v                                            ^
//!    newest                                                            | oldest
//!      +--------+   +--------+   +-----------+   +--------+   +----------------+
//!      | flow C |   | flow A |   | flow B    |   | an ARP |   | flow A, ended  |
//!      | 1 seg. |   | 2 seg. |   | 12 seg.   |   | frame  |   | by PSH, 9 seg. |
//!      +--------+   +--------+   +-----------+   +--------+   +----------------+
//!           joins ^      joins ^         joins ^      never         never
//! ```
//!
//! A segment joins the newest unit of its flow if that one can still grow and the rules allow it; any other frame is queued
//! behind everything else. Frame memory is the caller's: the engine knows slots by number.
//!
//! ```
//! use lro::{Checksums, Config, Engine, Pool, Rules};
//!
//! struct Slots(Vec<Vec<u8>>, Vec<u32>);
//! impl Pool for Slots {
//!     fn bytes(&self, slot: u32) -> &[u8] {
//!         &self.0[slot as usize]
//!     }
//!     fn release(&mut self, slot: u32) {
//!         self.1.push(slot);
//!     }
//! }
//!
//! let frames = vec![vec![0; 60], vec![0; 1514]];
//! let mut engine = Engine::new(Config::new(Rules::Endpoint, 256), Slots(frames, Vec::new()));
//! engine.push(0, 60, Checksums::Unknown).expect("room for 256 frames");
//! engine.push(1, 1514, Checksums::Unknown).expect("room for 256 frames");
//!
//! let mut buffer = vec![0; lro::MAX_UNIT];
//! while let Some(unit) = engine.pop_into(&mut buffer).expect("every frame fits") {
//!     println!("{} segments, {} bytes", unit.segments, unit.length);
//! }
//! assert_eq!(engine.pool().1, [0, 1]);
//! ```
//!
//! # What it promises
//!
//! 1. **Bytes.** For every TCP flow the delivered bytes, by sequence number, are the bytes that arrived: nothing is added
//!    (Ethernet padding), lost, repeated or changed. A frame that leaves alone leaves bit for bit as it came.
//! 2. **Order.** Frames of one flow leave in the order in which they came. One that cannot merge ends what is open in its flow
//!    and leaves behind it. Nothing that may belong to a flow crosses a frame whose flow cannot be told: a fragment, a header
//!    that makes no sense. Flows may overtake each other.
//! 3. **Truth.** What leaves is valid for a receiver that checks everything. The TCP checksum of a merged unit follows from its
//!    segments' checksum fields, never from the payload: a byte that was damaged on the way still fails at the receiver.
//! 4. **Control.** Pure ACKs, duplicates and window updates are never merged, dropped or delayed behind later data. PSH
//!    survives; acknowledgment numbers never go back within a unit; SYN, FIN, RST, URG and ECE never merge, CWR under
//!    [`Rules::Forward`] only and with its like.
//! 5. **Size.** A unit exceeds neither the reader's limit, nor 65,535 bytes from the first byte of the IP header on
//!    ([`MAX_UNIT`] with two VLAN tags). It is cut between segments; what stays behind is again a valid unit.
//! 6. **No waiting.** A frame can be read the moment it was pushed.
//! 7. **Bounds.** All memory is allocated by [`Engine::new`]. No frame whatever makes the engine panic or read out of bounds. A
//!    full engine refuses a frame, which is then still the caller's.
//! 8. **Cost.** Constant per frame, for one flow and for tens of thousands. Payload is touched once, when it is copied out, and
//!    not at all by a reader of [`Unit::payloads`].
//!
//! # Rule sets
//!
//! | | [`Seed`](Rules::Seed) | [`Endpoint`](Rules::Endpoint) | [`Forward`](Rules::Forward) |
//! |---|---|---|---|
//! | for | comparison with Neterion's Linux patch of 2005 | a host that ends the connection | a forwarder, a TAP device, a VPN |
//! | IP | v4 | v4, v6 | v4, v6; equal hop-by-hop and destination options |
//! | Ethernet | DIX, up to two tags (8100, 88A8), all of it equal | same | same |
//! | checksums | good | good | good, and in the form a sender computes |
//! | IPv4 options | none | none | none |
//! | TCP options | none, or timestamps after two NOPs | same | any, equal |
//! | timestamps | not going back, echo not 0 | not going back, the latest wins | equal |
//! | acknowledgment | not going back, the latest wins | same | equal |
//! | window | the latest wins | same | equal |
//! | PSH | ends the unit, leaves alone | joins and ends the unit | same |
//! | other flags | ACK only | ACK only | ACK, or ACK and CWR, equal |
//! | CE mark | not merged | equal | equal |
//! | TTL, TOS, DF, flow label | equal | equal | equal |
//! | IPv4 identification | any, the first stays | same | step 0 or 1, one within a unit |
//! | payload | not empty | not empty | not empty; only the last may be shorter |
//! | growing units at once | 32 by default | as many as frames | same |
//!
//! A unit of `Forward` can be cut into the frames that came, byte for byte: by a card with segmentation offload, which finds in
//! [`Info`] what it needs, or by [`resegment`].
//!
//! # Features
//!
//! None: no `std`, no dependencies, no `unsafe`. Needs `alloc`, for [`Engine::new`] alone. Rust 1.95 or newer.
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
///
/// A frame's bytes must stay as they are from [`Engine::push`] to [`release`](Self::release). If somebody changes them, lengths and
/// order are still what they were when it was pushed; the contents of what leaves, its header among them, are partly the new ones.
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
