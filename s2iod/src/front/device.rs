//! What the front asks of the card below it.

use std::fmt;

use thiserror::Error;

use super::{Change, Errno, Path};

/// A card that receives and sends frames.
///
/// It raises its receive interrupt only while armed, and disarms itself with each one: from then
/// on the front looks by itself, until it finds nothing and calls [`rearm`](Self::rearm). While
/// the card recovers from a fault it is empty and full; once it is gone for good, `receive` and
/// `send` say so, and `has_frames` and `has_room` are true, so that clients come and learn it.
pub trait Device {
    /// The card's address.
    fn mac(&self) -> [u8; 6];

    /// Takes the oldest frame, or frames coalesced into one, to the start of `buffer`, which is not
    /// empty. Looks at the ring itself: a frame counts as soon as the card has written it.
    ///
    /// # Errors
    /// [`DeviceError::Gone`].
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received, DeviceError>;

    /// Sends a frame of at least 14 bytes.
    ///
    /// # Errors
    /// [`DeviceError::TooLong`], even when there is no room; [`DeviceError::Gone`].
    fn send(&mut self, frame: &[u8]) -> Result<Sent, DeviceError>;

    /// Arms the receive interrupt, if it is not armed, and then looks at the ring once more. True
    /// when there are frames: they may have come before the interrupt was armed. Cheap on a card
    /// that is armed already.
    fn rearm(&mut self) -> bool;

    /// Whether `receive` would find a frame. Looks at the ring, and arms nothing.
    fn has_frames(&mut self) -> bool;

    /// Whether `send` would find room. After it said no, or `send` said [`Sent::Full`], the card
    /// interrupts when there is room again.
    fn has_room(&mut self) -> bool;

    /// Writes the card's statistics, one `name value` a line.
    ///
    /// # Errors
    /// Those of `out`.
    fn write_stats(&mut self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Writes what a path of text other than the statistics says now, each line with its end.
    ///
    /// # Errors
    /// Those of `out`.
    fn write_setting(&mut self, path: Path, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Changes a setting. Frames that have come stay readable.
    ///
    /// # Errors
    /// Anything but [`DeviceError::TooLong`]; nothing is changed then.
    fn change(&mut self, change: Change) -> Result<(), DeviceError>;
}

/// What [`Device::receive`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// No frame.
    Empty,
    /// A frame of this many bytes.
    Whole(usize),
    /// A frame that was longer than the buffer: its first bytes, this many, the rest is lost.
    Truncated(usize),
}

/// What [`Device::send`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The frame is the card's.
    Done,
    /// No room: the frame is still the caller's.
    Full,
}

/// Why a device did not do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The frame is longer than the MTU and the Ethernet header.
    #[error("the frame is longer than the MTU allows")]
    TooLong,
    /// The hardware cannot be set to this.
    #[error("out of the hardware's range")]
    OutOfRange,
    /// What is to be removed is not there.
    #[error("not there")]
    Absent,
    /// The list is full.
    #[error("the list is full")]
    ListFull,
    /// There is no memory for it.
    #[error("not enough memory")]
    NoMemory,
    /// The card does not answer any more.
    #[error("the card is gone")]
    Gone,
}

impl From<DeviceError> for Errno {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::TooLong => Self::EMSGSIZE,
            DeviceError::OutOfRange => Self::EINVAL,
            DeviceError::Absent => Self::ENOENT,
            DeviceError::ListFull => Self::ENOSPC,
            DeviceError::NoMemory => Self::ENOMEM,
            DeviceError::Gone => Self::EIO,
        }
    }
}
