//! Writes: frames to the card, in the order in which they came.

use super::{Call, Device, DeviceError, Errno, Front, Sent};

/// Destination, source and type.
const ETHERNET_HEADER: usize = 14;

impl<T, B: AsRef<[u8]> + AsMut<[u8]>> Front<T, B> {
    /// Sends the frames of the writes that wait, oldest first.
    pub(super) fn serve_writers<D: Device + ?Sized>(&mut self, device: &mut D) {
        while let Some(call) = self.writers.pop_front() {
            let sent = device.send(call.buffer.as_ref());
            if let Some(call) = self.conclude(call, sent) {
                return self.writers.push_front(call);
            }
        }
    }

    pub(super) fn write_frame<D: Device + ?Sized>(&mut self, call: Call<T, B>, device: &mut D) {
        let frame = call.buffer.as_ref();
        if frame.len() < ETHERNET_HEADER {
            return self.complete(call, Err(Errno::EINVAL));
        }
        let sent = if self.writers.is_empty() { device.send(frame) } else { Ok(Sent::Full) };
        let Some(call) = self.conclude(call, sent) else {
            return;
        };
        self.counters.writes_full += 1;
        if call.nonblock {
            self.handles.want_room(call.handle);
            self.complete(call, Err(Errno::EAGAIN));
        } else {
            self.writers.push_back(call);
        }
    }

    /// Answers a write, or gives it back when there was no room.
    fn conclude(&mut self, call: Call<T, B>, sent: Result<Sent, DeviceError>) -> Option<Call<T, B>> {
        match sent {
            Ok(Sent::Full) => return Some(call),
            Ok(Sent::Done) => {
                self.counters.writes += 1;
                let length = call.buffer.as_ref().len();
                self.complete(call, Ok(length));
            }
            Err(error) => self.complete(call, Err(error.into())),
        }
        None
    }

    /// Tells the writers that were turned away when there is room, after those that waited.
    pub(super) fn watch_room<D: Device + ?Sized>(&mut self, device: &mut D) {
        if self.handles.is_room_wanted() && self.writers.is_empty() && device.has_room() {
            self.counters.events_write += 1;
            self.handles.post_write();
        }
    }
}
