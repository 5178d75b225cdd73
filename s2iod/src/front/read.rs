//! Reads: frames for whoever has waited longest, and the paths that are bytes and text.

use std::mem;
use std::time::Duration;

use super::{Call, Device, Errno, Front, Path, Received};

impl<T, B: AsRef<[u8]> + AsMut<[u8]>> Front<T, B> {
    /// Frames for the reads that wait, oldest first.
    pub(super) fn serve_readers<D: Device + ?Sized>(&mut self, device: &mut D, now: Duration) {
        while let Some(mut call) = self.readers.pop_front() {
            match self.take_frame(call.buffer.as_mut(), device, now) {
                Some(result) => self.complete(call, result),
                None => return self.readers.push_front(call),
            }
        }
    }

    pub(super) fn read_frame<D: Device + ?Sized>(&mut self, mut call: Call<T, B>, device: &mut D, now: Duration) {
        let buffer = call.buffer.as_mut();
        let result = if buffer.is_empty() {
            Some(Ok(0))
        } else if self.readers.is_empty() {
            self.take_frame(buffer, device, now)
        } else {
            None
        };
        match result {
            Some(result) => self.complete(call, result),
            None => {
                self.counters.reads_empty += 1;
                if call.nonblock {
                    self.complete(call, Err(Errno::EAGAIN));
                } else {
                    self.readers.push_back(call);
                }
            }
        }
    }

    /// A frame, or none: then the card is armed again.
    fn take_frame<D: Device + ?Sized>(
        &mut self,
        buffer: &mut [u8],
        device: &mut D,
        now: Duration,
    ) -> Option<Result<usize, Errno>> {
        let mut received = device.receive(buffer);
        if received == Ok(Received::Empty) {
            if !device.rearm() {
                self.wakeup.emptied();
                return None;
            }
            received = device.receive(buffer);
        }
        let (length, truncated) = match received {
            Ok(Received::Whole(length)) => (length, false),
            Ok(Received::Truncated(length)) => (length, true),
            Ok(Received::Empty) => {
                self.wakeup.unsettled(now);
                return None;
            }
            Err(error) => {
                self.wakeup.failed();
                return Some(Err(error.into()));
            }
        };
        self.counters.reads += 1;
        self.counters.reads_truncated += u64::from(truncated);
        self.wakeup.frame_read(now);
        Some(Ok(length))
    }

    /// Tells readers of frames, by the rules of [`wakeup`](super::wakeup).
    pub(super) fn watch_frames<D: Device + ?Sized>(&mut self, device: &mut D, now: Duration) {
        if self.wakeup.take_due(now) {
            if self.look_for_frames(device) {
                self.wakeup.told_again();
                self.counters.events_repeated += u64::from(self.handles.has_readers());
                self.post_read();
            }
        } else if self.is_news(device) && self.wakeup.frames_queued(now) {
            self.post_read();
        }
    }

    /// Whether frames are queued that readers may not know of. In a busy time without any, a
    /// reader is expected back, and the card stays disarmed.
    fn is_news<D: Device + ?Sized>(&mut self, device: &mut D) -> bool {
        device.has_frames() || (!self.wakeup.is_busy() && device.rearm())
    }

    /// Whether frames are queued; when there are none, the busy time ends.
    pub(super) fn look_for_frames<D: Device + ?Sized>(&mut self, device: &mut D) -> bool {
        let found = device.has_frames() || device.rearm();
        if !found {
            self.wakeup.emptied();
        }
        found
    }

    fn post_read(&mut self) {
        self.counters.events_read += u64::from(self.handles.has_readers());
        self.handles.post_read();
    }

    pub(super) fn read_bytes(&mut self, mut call: Call<T, B>, bytes: &[u8], offset: u64) {
        let length = copy_from(bytes, offset, call.buffer.as_mut());
        self.complete(call, Ok(length));
    }

    /// Reads on at an offset continue the text that was made at the start.
    pub(super) fn read_text<D: Device + ?Sized>(
        &mut self,
        mut call: Call<T, B>,
        path: Path,
        device: &mut D,
        offset: u64,
    ) {
        let text = self.handles.text(call.handle);
        let mut text = text.map(mem::take).unwrap_or_default();
        let mut result = Ok(());
        if offset == 0 {
            text.clear();
            result = match path {
                Path::Stats => device.write_stats(&mut text).and_then(|()| self.counters.write(&mut text)),
                _ => device.write_setting(path, &mut text),
            };
        }
        let length = copy_from(text.as_bytes(), offset, call.buffer.as_mut());
        if let Some(place) = self.handles.text(call.handle) {
            *place = text;
        }
        self.complete(call, result.map(|()| length).map_err(|_| Errno::EIO));
    }
}

/// Copies what lies at `offset`; nothing beyond the end.
fn copy_from(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
    let rest = rest.unwrap_or_default();
    let length = rest.len().min(buffer.len());
    if let (Some(to), Some(from)) = (buffer.get_mut(..length), rest.get(..length)) {
        to.copy_from_slice(from);
    }
    length
}
