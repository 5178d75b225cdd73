//! What can go wrong, and where.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::pattern::Wrong;

/// Why a transfer or a reading did not happen.
#[derive(Debug, Error)]
pub enum Error {
    /// The connection failed.
    #[error("{doing}: {source}")]
    Connection {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A client asked for something else than [`Request`](crate::Request) knows.
    #[error("no such request: {0:?}")]
    Request(String),
    /// The server refused, in its words.
    #[error("the server says: {0}")]
    Refused(String),
    /// The server's answer makes no sense.
    #[error("an answer that makes no sense: {0:?}")]
    Answer(String),
    /// The connection ended early.
    #[error("the connection ended after {arrived} of {wanted} bytes")]
    Short {
        /// Bytes that came.
        arrived: u64,
        /// Bytes that were announced.
        wanted: u64,
    },
    /// Bytes are not what they should be.
    #[error("{} bytes are wrong, the first at {}", .0.count, .0.first)]
    Wrong(Wrong),
    /// The driver's scheme is not there.
    #[error("{}: no scheme of an Xframe (network.*_s2io)", .0.display())]
    NoDriver(PathBuf),
    /// A file of the driver's scheme cannot be read.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// Turns what the system said about a connection into an error that says what was being done.
    pub(crate) fn connection(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Connection { doing, source }
    }
}
