//! The open handles and the events that were posted to them.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use super::{Errno, Path};

/// The number of an open handle. Numbers are not used again, so that a stale one is noticed; zero
/// is never used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub usize);

/// What a handle is ready for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// A read would find a frame (`EVENT_READ`).
    pub read: bool,
    /// A write would find room (`EVENT_WRITE`).
    pub write: bool,
}

#[derive(Debug)]
struct Open {
    path: Path,
    /// It was opened to be written to, too.
    write: bool,
    /// What the handle reads, for paths whose text is made on reading it from the start.
    text: String,
    /// Posted and not fetched.
    events: Events,
    /// Its last write found no room.
    wants_room: bool,
}

/// Every open handle.
#[derive(Debug, Default)]
pub(super) struct Handles {
    open: BTreeMap<Handle, Open>,
    last: usize,
    /// Handles with events, in the order of the first one.
    posted: VecDeque<Handle>,
    readers: usize,
    room_wanted: bool,
}

impl Handles {
    pub(super) fn open(&mut self, path: Path, write: bool) -> Handle {
        self.last += 1;
        let handle = Handle(self.last);
        let open = Open { path, write, text: String::new(), events: Events::default(), wants_room: false };
        self.open.insert(handle, open);
        self.readers += usize::from(path == Path::Frames);
        handle
    }

    pub(super) fn close(&mut self, handle: Handle) -> Result<(), Errno> {
        let open = self.open.remove(&handle).ok_or(Errno::EBADF)?;
        self.readers -= usize::from(open.path == Path::Frames);
        if open.events != Events::default() {
            self.posted.retain(|posted| *posted != handle);
        }
        Ok(())
    }

    pub(super) fn path(&self, handle: Handle) -> Option<Path> {
        self.open.get(&handle).map(|open| open.path)
    }

    /// Whether `handle` may be written to.
    pub(super) fn is_open_for_writing(&self, handle: Handle) -> bool {
        self.open.get(&handle).is_some_and(|open| open.write)
    }

    pub(super) fn text(&mut self, handle: Handle) -> Option<&mut String> {
        self.open.get_mut(&handle).map(|open| &mut open.text)
    }

    /// Whether any handle is open on the frames.
    pub(super) fn has_readers(&self) -> bool {
        self.readers > 0
    }

    /// Notes that `handle` is to be told when there is room.
    pub(super) fn want_room(&mut self, handle: Handle) {
        if let Some(open) = self.open.get_mut(&handle) {
            open.wants_room = true;
            self.room_wanted = true;
        }
    }

    pub(super) fn is_room_wanted(&self) -> bool {
        self.room_wanted
    }

    /// Tells every handle on the frames that there are some.
    pub(super) fn post_read(&mut self) {
        for (handle, open) in &mut self.open {
            if open.path == Path::Frames {
                open.post(*handle, &mut self.posted, |events| events.read = true);
            }
        }
    }

    /// Tells the handles that want room that there is some.
    pub(super) fn post_write(&mut self) {
        self.room_wanted = false;
        for (handle, open) in &mut self.open {
            if mem::take(&mut open.wants_room) {
                open.post(*handle, &mut self.posted, |events| events.write = true);
            }
        }
    }

    pub(super) fn next_event(&mut self) -> Option<(Handle, Events)> {
        let handle = self.posted.pop_front()?;
        let open = self.open.get_mut(&handle)?;
        Some((handle, mem::take(&mut open.events)))
    }
}

impl Open {
    fn post(&mut self, handle: Handle, posted: &mut VecDeque<Handle>, add: impl Fn(&mut Events)) {
        if self.events == Events::default() {
            posted.push_back(handle);
        }
        add(&mut self.events);
    }
}
