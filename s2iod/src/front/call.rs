//! A call on the scheme, and its answer.

use super::{Errno, Handle};

/// A read or a write on an open handle.
#[derive(Debug)]
pub struct Call<T, B> {
    /// The caller's name for it: comes back in the completion, and serves to cancel.
    pub tag: T,
    /// The handle it is on.
    pub handle: Handle,
    /// What to do.
    pub op: Op,
    /// Room for what is read, or the bytes to write.
    pub buffer: B,
    /// To be answered with `EAGAIN` rather than wait (`O_NONBLOCK`).
    pub nonblock: bool,
}

/// What a call asks for. The offset counts on handles that have one ([`Path::is_positioned`]);
/// frames have none.
///
/// [`Path::is_positioned`]: super::Path::is_positioned
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Fill the buffer from this offset on.
    Read {
        /// In bytes.
        offset: u64,
    },
    /// Take the buffer's bytes, to this offset.
    Write {
        /// In bytes.
        offset: u64,
    },
}

/// A call's one answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion<T, B> {
    /// The call's tag.
    pub tag: T,
    /// The call's buffer.
    pub buffer: B,
    /// Bytes read or written.
    pub result: Result<usize, Errno>,
}
