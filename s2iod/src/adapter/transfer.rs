//! Frames to the reader and frames to the card.

use lro::{Info, TooSmall};

use super::Adapter;
use crate::health::State;
use crate::platform::Platform;

/// Why a frame was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// Every transmit slot is with the card, or the card is being reset.
    Full,
    /// Longer than the MTU and its framing.
    TooLong,
    /// The card is gone.
    Gone,
}

impl<P: Platform> Adapter<P> {
    /// Copies the oldest unit of the ring whose turn it is to the start of `buffer`, as much of it as fits between segments.
    /// `None`: nothing has come.
    /// A frame that arrived longer than the buffer stays, [`TooSmall`] says how long it is, and
    /// [`receive_truncated`](Self::receive_truncated) takes it.
    ///
    /// # Errors
    ///
    /// [`TooSmall`], as above.
    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<Info>, TooSmall> {
        self.rings.receive(buffer)
    }

    /// Copies the first bytes of the oldest frame, however long it is.
    pub fn receive_truncated(&mut self, buffer: &mut [u8]) -> Option<Info> {
        self.rings.receive_truncated(buffer)
    }

    /// Whether a frame can be received now. Looks at the rings.
    pub fn has_frames(&mut self) -> bool {
        self.rings.look();
        !self.rings.is_empty()
    }

    /// Sends a frame, Ethernet header first, FCS left out.
    ///
    /// # Errors
    ///
    /// Why it was not sent.
    pub fn send(&mut self, frame: &[u8]) -> Result<(), SendError> {
        if self.is_gone() {
            return Err(SendError::Gone);
        }
        // The FCS is the card's.
        if frame.len() > usize::from(self.options.longest_frame()) - 4 {
            return Err(SendError::TooLong);
        }
        if self.has_room() && self.tx.send(frame) { Ok(()) } else { Err(SendError::Full) }
    }

    /// Whether a frame can be sent now.
    pub fn has_room(&mut self) -> bool {
        self.state() == State::Running && (self.tx.has_room() || self.tx.reclaim() > 0)
    }
}
