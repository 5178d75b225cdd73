//! What can go wrong on the channel: always with what was asked.

use std::io;

use thiserror::Error;

use crate::{PcidClientRequest, PcidClientResponse};

/// What a method of the channel returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request was not answered, or not as it should be.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The process was not started by pcid-spawner.
    #[error("PCID_CLIENT_CHANNEL is {found}, not the number of a descriptor: drivers are started by pcid-spawner")]
    NoChannel {
        /// What the variable holds.
        found: String,
    },
    /// The channel could not be opened.
    #[error("cannot open {path}: {error}")]
    Open {
        /// The channel's path.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The request could not be written.
    #[error("{asked:?} could not be sent: {error}")]
    Send {
        /// The request.
        asked: PcidClientRequest,
        /// What the system said.
        error: io::Error,
    },
    /// No whole response could be read.
    #[error("{asked:?} was sent, but its response could not be read: {error}")]
    Receive {
        /// The request.
        asked: PcidClientRequest,
        /// What the system said.
        error: io::Error,
    },
    /// The response is longer than any.
    #[error("{asked:?} was answered with {length} bytes: at most {} make sense", crate::LONGEST_RESPONSE)]
    TooLong {
        /// The request.
        asked: PcidClientRequest,
        /// What was to follow.
        length: u64,
    },
    /// The response is none that this version of the protocol has.
    #[error("{asked:?} was answered with something unknown ({error}): {came:02x?}")]
    Unknown {
        /// The request.
        asked: PcidClientRequest,
        /// The response's bytes, at most the first 64.
        came: Vec<u8>,
        /// What is wrong with them.
        error: bincode::Error,
    },
    /// The request was refused, or the response is another request's.
    #[error("{asked:?} was answered with {came:?}")]
    Unexpected {
        /// The request.
        asked: PcidClientRequest,
        /// The response.
        came: Box<PcidClientResponse>,
    },
    /// A base address register that is no memory was to be mapped.
    #[error("BAR {index} cannot be mapped: it decodes {found}")]
    NoMemory {
        /// The register.
        index: u8,
        /// What it decodes.
        found: String,
    },
    /// The system did not map a base address register.
    #[error("BAR {index} could not be mapped: {error}")]
    Map {
        /// The register.
        index: u8,
        /// What the system said.
        error: io::Error,
    },
    /// The function's MSI-X table, or its bits of pending messages, lie outside of the memory that they are said to be in.
    #[error("the MSI-X {what} is {bytes} bytes at {offset:#x} of BAR {bar}, which decodes {found}")]
    MsixOutside {
        /// Which of the two.
        what: &'static str,
        /// Its register.
        bar: u8,
        /// Where it begins.
        offset: u32,
        /// Its length.
        bytes: u64,
        /// What the register decodes.
        found: String,
    },
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::other(error)
    }
}
