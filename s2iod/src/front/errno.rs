//! The errors a client of the scheme sees, with the numbers of POSIX systems.

use thiserror::Error;

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[repr(i32)]
pub enum Errno {
    /// The scheme has no such path, or a list no such entry.
    #[error("no such path or entry")]
    ENOENT = 2,
    /// The call was cancelled.
    #[error("interrupted")]
    EINTR = 4,
    /// The card is gone.
    #[error("input or output error")]
    EIO = 5,
    /// The handle is not open, or not for this.
    #[error("bad handle")]
    EBADF = 9,
    /// Nothing to read, or no room to write, and the call was not to wait.
    #[error("try again")]
    EAGAIN = 11,
    /// The system has no memory for what a setting asks for.
    #[error("out of memory")]
    ENOMEM = 12,
    /// Not root, or not a path that can be written.
    #[error("permission denied")]
    EACCES = 13,
    /// A frame shorter than an Ethernet header, or a setting that makes no sense or that the hardware does not have.
    #[error("invalid argument")]
    EINVAL = 22,
    /// A list is full.
    #[error("no space left")]
    ENOSPC = 28,
    /// A frame longer than the MTU allows.
    #[error("frame too long")]
    EMSGSIZE = 90,
}

impl Errno {
    /// The number that stands for it in a system call's result; the same on Redox and Linux.
    #[must_use]
    pub const fn code(self) -> i32 {
        self as i32
    }
}
