//! What can be wrong with a capture file, each said in one line: which file, what, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::MAX_PACKET;

/// A capture file that cannot be read or written, and why.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct Error {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

impl Error {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem }
    }
}

/// What is wrong with a capture file. Offsets are bytes from its start.
#[derive(Debug, Error)]
pub enum Problem {
    /// The file cannot be opened for reading: missing, or not permitted.
    #[error("cannot open: {0}")]
    Open(#[source] io::Error),
    /// Reading failed.
    #[error("cannot read at byte {offset}: {error}")]
    Read {
        /// Where the failed read began.
        offset: u64,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// No bytes at all.
    #[error("empty file, not a capture")]
    Empty,
    /// The file does not begin as pcap and pcapng files do.
    #[error("not a pcap or pcapng capture")]
    NotCapture,
    /// The file ends before the record does.
    #[error("ends in the middle of {record}, at byte {offset}")]
    Cut {
        /// The record that is not whole.
        record: Record,
        /// Length of the file.
        offset: u64,
    },
    /// A record claims more bytes, or fewer, than such a record can have.
    #[error("{record} at byte {offset} claims {claimed} bytes (between {least} and {most} can be)")]
    Length {
        /// The record.
        record: Record,
        /// Where it begins.
        offset: u64,
        /// Bytes it claims.
        claimed: u32,
        /// Fewest bytes of a sound record.
        least: usize,
        /// Most bytes of a sound record.
        most: usize,
    },
    /// The fields of a record contradict each other.
    #[error("{record} at byte {offset} is damaged")]
    Damaged {
        /// The record.
        record: Record,
        /// Where it begins.
        offset: u64,
    },
    /// A packet of an interface that no block described.
    #[error("{record} at byte {offset} names interface {interface}, which nothing describes")]
    Interface {
        /// The packet.
        record: Record,
        /// Where its block begins.
        offset: u64,
        /// The interface's index in its section.
        interface: u32,
    },
    /// Packets that are not Ethernet frames.
    #[error("{record} has link type {link_type}; only Ethernet (link type 1) can be read")]
    LinkType {
        /// The file header (pcap) or the first such packet (pcapng).
        record: Record,
        /// The number in the file.
        link_type: u32,
    },
    /// pcapng's first packet block, obsolete since 2009.
    #[error("{record} at byte {offset} is an obsolete pcapng packet block")]
    Obsolete {
        /// The packet.
        record: Record,
        /// Where its block begins.
        offset: u64,
    },
    /// The file cannot be created, or replaced.
    #[error("cannot create: {0}")]
    Create(#[source] io::Error),
    /// Writing failed.
    #[error("cannot write: {0}")]
    Write(#[source] io::Error),
    /// A packet too long for a capture file.
    #[error("packet {packet} has {length} bytes, more than the {MAX_PACKET} a capture can hold")]
    TooLong {
        /// Its number, counted from 1.
        packet: u64,
        /// Its length.
        length: usize,
    },
    /// A time after 2106-02-07, which pcap's 32 bits of seconds cannot say.
    #[error("packet {packet} has a time of {seconds} s since 1970, more than pcap can hold")]
    Time {
        /// Its number, counted from 1.
        packet: u64,
        /// Its time.
        seconds: u64,
    },
}

/// A part of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// What the file begins with.
    FileHeader,
    /// A packet, counted from 1.
    Packet(u64),
    /// A pcapng block that holds no packet, or is not whole enough to tell, after this many packets.
    BlockAfter(u64),
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileHeader => f.write_str("the file header"),
            Self::Packet(number) => write!(f, "packet {number}"),
            Self::BlockAfter(0) => f.write_str("a block before the first packet"),
            Self::BlockAfter(number) => write!(f, "the block after packet {number}"),
        }
    }
}
