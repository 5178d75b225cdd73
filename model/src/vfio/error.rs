//! Why a server cannot start, or cannot go on.

use std::io;
use std::path::PathBuf;

/// What failed, and where. What a client does wrong is no error of the server.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another server answers on the socket.
    #[error("{}: a server is listening there already", .0.display())]
    InUse(PathBuf),
    /// Something that is no socket has the socket's name.
    #[error("{}: exists and is no socket", .0.display())]
    NotSocket(PathBuf),
    /// The socket cannot be made.
    #[error("{}: cannot listen: {source}", path.display())]
    Listen {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The trace file cannot be made or written.
    #[error("{}: cannot write the trace: {source}", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Waiting for something to happen failed.
    #[error("cannot wait for clients and frames: {0}")]
    Wait(#[source] io::Error),
}
