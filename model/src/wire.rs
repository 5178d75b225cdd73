//! Owns the far side of the cable: where frames come from and go to.

mod generator;
mod headers;
mod loopback;
mod pcap;

pub use generator::{Flows, Generator, Versions};
pub use loopback::Loopback;
pub use pcap::Pcap;

/// A cable's other end. Frames carry no FCS.
///
/// The card takes a frame only while it is enabled and its link is up; until then the other end keeps it.
pub trait Wire {
    /// Puts the next frame that waits on the wire into `frame`, whose former contents do not count; false if none waits.
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool;

    /// Takes a frame that the card sends.
    fn send(&mut self, frame: &[u8]);
}
