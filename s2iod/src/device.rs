//! The adapter as the scheme front sees it.

use std::fmt;

use crate::adapter::{Adapter, SendError};
use crate::front::{Change, Device, DeviceError, Path, Received, Sent};
use crate::platform::Platform;

impl<P: Platform> Device for Adapter<P> {
    fn mac(&self) -> [u8; 6] {
        self.identity().mac
    }

    #[inline]
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received, DeviceError> {
        match Adapter::receive(self, buffer) {
            Ok(Some(unit)) => Ok(Received::Whole(unit.length)),
            Ok(None) if self.is_gone() => Err(DeviceError::Gone),
            Ok(None) => Ok(Received::Empty),
            Err(_) => {
                self.receive_truncated(buffer);
                Ok(Received::Truncated(buffer.len()))
            }
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<Sent, DeviceError> {
        match Adapter::send(self, frame) {
            Ok(()) => Ok(Sent::Done),
            Err(SendError::Full) => Ok(Sent::Full),
            Err(SendError::TooLong) => Err(DeviceError::TooLong),
            Err(SendError::Gone) => Err(DeviceError::Gone),
        }
    }

    fn rearm(&mut self) -> bool {
        Adapter::rearm(self).unwrap_or(true)
    }

    fn has_frames(&mut self) -> bool {
        Adapter::has_frames(self) || self.is_gone()
    }

    fn has_room(&mut self) -> bool {
        Adapter::has_room(self) || self.is_gone()
    }

    fn write_stats(&mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        Adapter::write_stats(self, out)
    }

    fn write_setting(&mut self, path: Path, out: &mut dyn fmt::Write) -> fmt::Result {
        Adapter::write_setting(self, path, out)
    }

    fn change(&mut self, change: Change) -> Result<(), DeviceError> {
        Adapter::change(self, change)
    }
}
