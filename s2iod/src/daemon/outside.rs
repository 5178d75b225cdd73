//! What the daemon asks of an operating system: a scheme's requests, and to be woken.

use std::io;
use std::time::Duration;

use crate::front::{Call, Completion, Errno, Events as Ready, Handle, Path};
use crate::platform::Interrupts;

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Requests have come.
    Scheme,
    /// The interrupt line was raised, by this card or by another on the same line.
    Line,
    /// The card has sent the message of this vector.
    Message(u8),
    /// A time that was set has come.
    Timer,
}

/// Wake-ups and time.
pub trait Events {
    /// Waits for the next wake-up.
    ///
    /// # Errors
    ///
    /// The system's.
    fn next(&mut self) -> io::Result<Wake>;

    /// Monotonic time.
    fn now(&mut self) -> Duration;

    /// Brings a [`Wake::Timer`] at `time`, beside those that were asked for before.
    ///
    /// # Errors
    ///
    /// The system's.
    fn set_timer(&mut self, time: Duration) -> io::Result<()>;

    /// From now on brings the wake-ups of these interrupts, and of no others.
    ///
    /// # Errors
    ///
    /// The system's.
    fn listen(&mut self, interrupts: Interrupts) -> io::Result<()>;

    /// The number of the line's last interrupt, which keeps the line silent until it is released; `None` when that has been
    /// done.
    ///
    /// # Errors
    ///
    /// The system's.
    fn take_line(&mut self) -> io::Result<Option<u64>>;

    /// Lets the line interrupt again after interrupt `count`; `false` when it has interrupted since, which brings another
    /// [`Wake::Line`].
    ///
    /// # Errors
    ///
    /// The system's.
    fn release_line(&mut self, count: u64) -> io::Result<bool>;
}

/// A scheme that has been registered.
pub trait Scheme {
    /// What names a call that is pending.
    type Id: PartialEq;
    /// A call's memory, and what it takes to answer it.
    type Buffer: AsRef<[u8]> + AsMut<[u8]>;

    /// Hands every request that has come to `server`; `false` when the scheme was unmounted.
    ///
    /// # Errors
    ///
    /// The system's.
    fn serve(&mut self, server: &mut dyn Server<Self::Id, Self::Buffer>) -> io::Result<bool>;

    /// Answers a call.
    fn complete(&mut self, completion: Completion<Self::Id, Self::Buffer>);

    /// Tells a handle what it is ready for.
    fn post(&mut self, handle: Handle, ready: Ready);

    /// Sends all answers and events.
    ///
    /// # Errors
    ///
    /// The system's.
    fn flush(&mut self) -> io::Result<()>;
}

/// Who takes a scheme's requests. Reads and writes are answered later, with [`Scheme::complete`].
pub trait Server<T, B> {
    /// Opens a path.
    ///
    /// # Errors
    ///
    /// As [`Front::open`](crate::front::Front::open).
    fn open(&mut self, path: &str, uid: u32, write: bool) -> Result<Handle, Errno>;

    /// What a handle was opened on.
    ///
    /// # Errors
    ///
    /// `EBADF`.
    fn path(&self, handle: Handle) -> Result<Path, Errno>;

    /// Subscribes a handle to events, and says what it is ready for now.
    ///
    /// # Errors
    ///
    /// `EBADF`.
    fn fevent(&mut self, handle: Handle) -> Result<Ready, Errno>;

    /// Takes a read or a write.
    fn submit(&mut self, call: Call<T, B>);

    /// A caller does not want to wait any longer.
    fn cancel(&mut self, id: &T);

    /// A handle is closed.
    fn close(&mut self, handle: Handle);
}
