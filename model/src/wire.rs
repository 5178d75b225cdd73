//! Owns the far side of the cable: where frames come from and go to.

use std::os::fd::BorrowedFd;
use std::time::Duration;

mod generator;
mod headers;
mod impaired;
mod loopback;
mod pcap;
mod socket;
mod tap;

pub use generator::{Flows, Generator, Versions};
pub use impaired::{Impaired, Impairments};
pub use loopback::Loopback;
pub use pcap::Pcap;
pub use socket::Socket;
pub use tap::{Tap, TapError};

/// A cable's other end. Frames carry no FCS.
///
/// The card takes a frame only while it is enabled and its link is up; until then the other end keeps it.
pub trait Wire {
    /// Puts the next frame that waits on the wire into `frame`, whose former contents do not count; false if none waits.
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool;

    /// Takes a frame that the card sends.
    fn send(&mut self, frame: &[u8]);

    /// What becomes readable when a frame comes, if the other end lives a life of its own. `None` for a wire whose frames are
    /// there before anybody waits for them.
    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// How long it is until a frame comes, if that is known.
    fn patience(&self) -> Option<Duration> {
        None
    }
}
