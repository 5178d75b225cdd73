//! Where a batch of requests is taken.

use super::Server;
use crate::front::{Call, Device, Errno, Events, Front, Handle, Op, Path};

/// The front, and the card for requests that are answered at once.
pub(super) struct Desk<'a, T, B, D> {
    pub front: &'a mut Front<T, B>,
    pub device: &'a mut D,
    /// Something was written: the card will move.
    pub wrote: bool,
}

impl<T: PartialEq, B: AsRef<[u8]> + AsMut<[u8]>, D: Device> Server<T, B> for Desk<'_, T, B, D> {
    fn open(&mut self, path: &str, uid: u32, write: bool) -> Result<Handle, Errno> {
        self.front.open(path, uid, write)
    }

    fn path(&self, handle: Handle) -> Result<Path, Errno> {
        self.front.path(handle)
    }

    fn fevent(&mut self, handle: Handle) -> Result<Events, Errno> {
        self.front.fevent(handle, self.device)
    }

    fn submit(&mut self, call: Call<T, B>) {
        self.wrote |= matches!(call.op, Op::Write { .. });
        self.front.submit(call);
    }

    fn cancel(&mut self, id: &T) {
        // A call that has been answered already keeps its answer.
        let _ = self.front.cancel(id);
    }

    fn close(&mut self, handle: Handle) {
        // The root, which is not the front's, is closed here, too.
        let _ = self.front.close(handle);
    }
}
