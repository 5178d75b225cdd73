//! The network scheme's calls: owns the open handles and every call until it is answered.
//!
//! The front knows no operating system. Whoever runs it hands in calls with
//! [`submit`](Front::submit), lets it work with [`service`](Front::service) after each batch of
//! calls, interrupt or timer, and carries out [`next_completion`](Front::next_completion),
//! [`next_event`](Front::next_event) and [`deadline`](Front::deadline). Calls are answered first
//! in, first out per direction: frames go to the reader that has waited longest.

mod call;
mod counters;
mod device;
mod errno;
mod handles;
mod path;
mod read;
mod setting;
mod wakeup;
mod write;

use std::collections::VecDeque;
use std::time::Duration;

pub use call::{Call, Completion, Op};
pub use counters::Counters;
pub use device::{Device, DeviceError, Received, Sent};
pub use errno::Errno;
pub use handles::{Events, Handle};
pub use path::Path;
pub use setting::Change;
pub use wakeup::{FIRST_DELAY, LAST_DELAY, READS_PER_EVENT};

use handles::Handles;
use wakeup::Wakeup;

/// The scheme's side of the driver. `T` is the caller's tag for a call, `B` the buffer that a call
/// brings along and gets back: filled by a read ([`AsMut`]), sent by a write ([`AsRef`]).
///
/// Its queues keep their memory, so that calls allocate nothing once the queues have grown to
/// what is in flight at a time.
#[derive(Debug)]
pub struct Front<T, B> {
    handles: Handles,
    /// Calls that [`service`](Self::service) has not seen.
    arrivals: VecDeque<Call<T, B>>,
    /// Blocking reads that found no frame.
    readers: VecDeque<Call<T, B>>,
    /// Blocking writes that found no room.
    writers: VecDeque<Call<T, B>>,
    completions: VecDeque<Completion<T, B>>,
    wakeup: Wakeup,
    counters: Counters,
}

impl<T, B> Default for Front<T, B> {
    fn default() -> Self {
        Self {
            handles: Handles::default(),
            arrivals: VecDeque::new(),
            readers: VecDeque::new(),
            writers: VecDeque::new(),
            completions: VecDeque::new(),
            wakeup: Wakeup::default(),
            counters: Counters::default(),
        }
    }
}

impl<T, B: AsRef<[u8]> + AsMut<[u8]>> Front<T, B> {
    /// A front without handles.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens `path` for the user `uid`; `write` says whether the handle is to be written to.
    ///
    /// # Errors
    /// `EACCES` for anyone but root and for writing to a path that cannot be written, `ENOENT` for
    /// any other name.
    pub fn open(&mut self, path: &str, uid: u32, write: bool) -> Result<Handle, Errno> {
        if uid != 0 {
            return Err(Errno::EACCES);
        }
        let path = Path::find(path).ok_or(Errno::ENOENT)?;
        if write && !path.is_writable() {
            return Err(Errno::EACCES);
        }
        if path == Path::Frames {
            self.wakeup.reader_came();
        }
        Ok(self.handles.open(path, write))
    }

    /// What `handle` was opened on: its name, mode and size.
    ///
    /// # Errors
    /// `EBADF` when the handle is not open.
    pub fn path(&self, handle: Handle) -> Result<Path, Errno> {
        self.handles.path(handle).ok_or(Errno::EBADF)
    }

    /// Closes `handle`. Calls that are pending on it are answered with `EBADF`, events that were
    /// not fetched are dropped.
    ///
    /// # Errors
    /// `EBADF` when the handle is not open.
    pub fn close(&mut self, handle: Handle) -> Result<(), Errno> {
        self.handles.close(handle)?;
        self.answer_pending(Errno::EBADF, |call| call.handle == handle);
        Ok(())
    }

    /// Hands in a call. The next [`service`](Self::service) answers it or lets it wait.
    pub fn submit(&mut self, call: Call<T, B>) {
        self.arrivals.push_back(call);
    }

    /// Gives up a pending call: it is answered with `EINTR`. False when no call with this tag is
    /// pending; its completion, if any, stands.
    pub fn cancel(&mut self, tag: &T) -> bool
    where
        T: PartialEq,
    {
        let cancelled = self.answer_pending(Errno::EINTR, |call| call.tag == *tag);
        self.counters.calls_cancelled += cancelled;
        cancelled > 0
    }

    /// Answers what can be answered, and posts the events that are due. To be called after a
    /// batch of calls, after an interrupt, and at the [`deadline`](Self::deadline); calls in
    /// between do no harm. `now` is a monotonic time.
    pub fn service<D: Device + ?Sized>(&mut self, device: &mut D, now: Duration) {
        self.serve_readers(device, now);
        self.serve_writers(device);
        while let Some(call) = self.arrivals.pop_front() {
            self.serve(call, device, now);
        }
        self.watch_frames(device, now);
        self.watch_room(device);
    }

    /// The oldest answer that was not fetched.
    pub fn next_completion(&mut self) -> Option<Completion<T, B>> {
        self.completions.pop_front()
    }

    /// The oldest event that was not fetched. Events of one handle are merged until then.
    pub fn next_event(&mut self) -> Option<(Handle, Events)> {
        self.handles.next_event()
    }

    /// What `handle` is ready for at this moment: the answer to a subscription. Only a handle on
    /// the frames is ever ready; what it is not ready for is posted when it comes.
    ///
    /// # Errors
    /// `EBADF` when the handle is not open.
    pub fn fevent<D: Device + ?Sized>(&mut self, handle: Handle, device: &mut D) -> Result<Events, Errno> {
        if self.path(handle)? != Path::Frames {
            return Ok(Events::default());
        }
        let write = self.writers.is_empty() && device.has_room();
        if !write {
            self.handles.want_room(handle);
        }
        let read = self.look_for_frames(device);
        Ok(Events { read, write })
    }

    /// When [`service`](Self::service) wants to be called even if nothing happens: the time at
    /// which readers that may have stopped early are looked after. Each read moves it on; a timer
    /// that still fires at an earlier time does no harm.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        self.wakeup.deadline().filter(|_| self.handles.has_readers())
    }

    /// Says that readers have been at work until `now`, for a caller that does not look at the clock for every read: to be
    /// called before the [`service`](Self::service) in which time goes on.
    pub fn readers_seen(&mut self, now: Duration) {
        self.wakeup.seen(now);
    }

    /// What the front has counted since it was made.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    fn serve<D: Device + ?Sized>(&mut self, call: Call<T, B>, device: &mut D, now: Duration) {
        let Some(path) = self.handles.path(call.handle) else { return self.complete(call, Err(Errno::EBADF)) };
        match (call.op, path) {
            (Op::Read { .. }, Path::Frames) => self.read_frame(call, device, now),
            (Op::Read { offset }, Path::Mac) => self.read_bytes(call, &device.mac(), offset),
            (Op::Read { offset }, _) => self.read_text(call, path, device, offset),
            (Op::Write { .. }, _) if !self.handles.is_open_for_writing(call.handle) => {
                self.complete(call, Err(Errno::EBADF));
            }
            (Op::Write { .. }, Path::Frames) => self.write_frame(call, device),
            (Op::Write { .. }, _) => self.write_setting(call, path, device),
        }
    }

    fn complete(&mut self, call: Call<T, B>, result: Result<usize, Errno>) {
        self.completions.push_back(Completion { tag: call.tag, buffer: call.buffer, result });
    }

    /// Answers the pending calls that `matches` picks, and returns how many they were.
    fn answer_pending(&mut self, errno: Errno, matches: impl Fn(&Call<T, B>) -> bool) -> u64 {
        let before = self.completions.len();
        for queue in [&mut self.readers, &mut self.writers, &mut self.arrivals] {
            for _ in 0..queue.len() {
                let Some(call) = queue.pop_front() else { break };
                if matches(&call) {
                    self.completions.push_back(Completion { tag: call.tag, buffer: call.buffer, result: Err(errno) });
                } else {
                    queue.push_back(call);
                }
            }
        }
        (self.completions.len() - before) as u64
    }
}
