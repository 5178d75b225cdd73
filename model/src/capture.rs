//! Capture files: Ethernet frames read from pcap and pcapng, and written as pcap.

mod error;
mod pcap;
mod pcapng;
mod reader;
mod source;
mod writer;

use std::path::Path;
use std::time::Duration;

pub use error::{Error, Problem, Record};
pub use reader::Reader;
pub use writer::Writer;

/// The longest packet that is read or written, in bytes: the limit that libpcap sets for Ethernet.
pub const MAX_PACKET: usize = 262_144;

/// One captured frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Time since 1970-01-01 00:00 UTC; zero where the file gives none (pcapng's simple packets).
    pub time: Duration,
    /// Bytes the frame had on the wire. More than `data` holds when the capture cut it short.
    pub original_length: u32,
    /// The captured bytes, from the destination address on.
    pub data: Vec<u8>,
}

/// The unit of a pcap file's timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Microseconds: the format's first form, which every tool reads.
    Micro,
    /// Nanoseconds.
    Nano,
}

/// Reads the whole capture at `path`.
///
/// # Errors
/// The first problem in the file; packets before it are not returned ([`Reader`] gives them).
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Packet>, Error> {
    Reader::open(path)?.collect()
}
