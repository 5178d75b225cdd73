//! The scheme's socket: batches of requests in, batches of answers out, one system call each.

use std::collections::VecDeque;
use std::io;

use libredox::Fd;
use redox_scheme::scheme::{Op, SchemeResponse, SchemeState, SchemeSync, register_scheme_inner};
use redox_scheme::{CallRequest, CallerCtx, Id, OpenResult, Request, RequestKind, Response, SignalBehavior, Socket};
use syscall::Stat;
use syscall::error::{EACCES, EAGAIN, EOPNOTSUPP, Error, Result};
use syscall::flag::{EventFlags, MODE_FILE, O_WRONLY};
use syscall::schemev2::NewFdFlags;

use crate::daemon::{Scheme, Server};
use crate::front::{self, Call, Completion, Errno, Events, Handle};

/// The handle that others are opened on. The front does not use this number.
const ROOT: usize = 0;
/// Requests that are read at once.
const BATCH: usize = 32;

/// A registered scheme.
pub struct NetworkScheme {
    socket: Socket,
    name: String,
    requests: Vec<Request>,
    answers: VecDeque<Response>,
    locks: SchemeState,
}

/// A read or a write that is pending, with the caller's memory.
pub struct Pending(Op);

impl AsRef<[u8]> for Pending {
    /// What is written; a read has nothing.
    fn as_ref(&self) -> &[u8] {
        if let Op::Write(write) = &self.0 { write.buf() } else { &[] }
    }
}

impl AsMut<[u8]> for Pending {
    /// Where what is read goes; a write has no such place.
    fn as_mut(&mut self) -> &mut [u8] {
        if let Op::Read(read) = &mut self.0 { read.buf() } else { &mut [] }
    }
}

impl NetworkScheme {
    /// Registers scheme `name`.
    pub(super) fn register(name: String) -> io::Result<Self> {
        let socket = Socket::nonblock().map_err(os_error)?;
        register_scheme_inner(&socket, &name, ROOT).map_err(os_error)?;
        Ok(Self {
            socket,
            name,
            requests: Vec::with_capacity(BATCH),
            answers: VecDeque::with_capacity(BATCH),
            locks: SchemeState::new(),
        })
    }

    pub(super) fn socket(&self) -> &Fd {
        self.socket.inner()
    }

    fn take(&mut self, request: Request, server: &mut dyn Server<Id, Pending>) {
        match request.kind() {
            RequestKind::Call(call) => self.call(call, server),
            RequestKind::Cancellation(cancelled) => server.cancel(&cancelled.id),
            RequestKind::OnClose { id } => server.close(Handle(id)),
            RequestKind::SendFd(request) => self.answers.push_back(Response::err(EOPNOTSUPP, request)),
            RequestKind::RecvFd(request) => self.answers.push_back(Response::err(EOPNOTSUPP, request)),
            RequestKind::OnDetach { .. } | RequestKind::MsyncMsg | RequestKind::MunmapMsg | RequestKind::MmapMsg => {}
        }
    }

    fn call(&mut self, request: CallRequest, server: &mut dyn Server<Id, Pending>) {
        let caller = request.caller();
        let mut op = match request.op() {
            Ok(op) => op,
            Err(request) => return self.answers.push_back(Response::err(EOPNOTSUPP, request)),
        };
        let (handle, kind) = match &op {
            Op::Read(read) => (read.fd, front::Op::Read { offset: read.offset }),
            Op::Write(write) => (write.fd, front::Op::Write { offset: write.offset }),
            _ => {
                let mut files = Files { server, name: &self.name };
                let answer = match op.handle_sync_dont_consume(&caller, &mut files, &mut self.locks) {
                    SchemeResponse::Regular(result) => Response::new(result, op),
                    SchemeResponse::RegularAndNotifyOnDetach(result) => Response::new_notify_on_detach(result, op),
                    SchemeResponse::Opened(result) => Response::open_dup_like(result, op),
                };
                return self.answers.push_back(answer);
            }
        };
        let nonblock = op.is_explicitly_nonblock();
        server.submit(Call { tag: caller.id, handle: Handle(handle), op: kind, buffer: Pending(op), nonblock });
    }
}

impl Scheme for NetworkScheme {
    type Id = Id;
    type Buffer = Pending;

    fn serve(&mut self, server: &mut dyn Server<Id, Pending>) -> io::Result<bool> {
        loop {
            let mut requests = std::mem::take(&mut self.requests);
            match self.socket.read_requests(&mut requests, SignalBehavior::Restart) {
                Ok(()) if requests.is_empty() => return Ok(false),
                Ok(()) => {}
                // Those that this wake-up was about were read with an earlier one.
                Err(Error { errno: EAGAIN }) => {}
                Err(error) => return Err(os_error(error)),
            }
            // A batch that is not full has taken all there was; what comes later wakes again.
            let more = requests.len() == requests.capacity();
            for request in requests.drain(..) {
                self.take(request, server);
            }
            self.requests = requests;
            if !more {
                return Ok(true);
            }
        }
    }

    fn complete(&mut self, completion: Completion<Id, Pending>) {
        let Completion { buffer: Pending(op), result, .. } = completion;
        self.answers.push_back(Response::new(result.map_err(errno), op));
    }

    fn post(&mut self, handle: Handle, ready: Events) {
        self.answers.push_back(Response::post_fevent(handle.0, flags(ready).bits()));
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.answers.is_empty() {
            self.socket.write_responses(&mut self.answers, SignalBehavior::Restart).map_err(os_error)?;
        }
        Ok(())
    }
}

/// Requests other than reads and writes, answered at once.
struct Files<'a> {
    server: &'a mut dyn Server<Id, Pending>,
    name: &'a str,
}

impl SchemeSync for Files<'_> {
    fn scheme_root(&mut self) -> Result<usize> {
        Ok(ROOT)
    }

    fn openat(&mut self, fd: usize, path: &str, flags: usize, _: u32, caller: &CallerCtx) -> Result<OpenResult> {
        if fd != ROOT {
            return Err(Error::new(EACCES));
        }
        let handle = self.server.open(path, caller.uid, flags & O_WRONLY != 0).map_err(errno)?;
        let positioned = self.server.path(handle).map_err(errno)?.is_positioned();
        let flags = if positioned { NewFdFlags::POSITIONED } else { NewFdFlags::empty() };
        Ok(OpenResult::ThisScheme { number: handle.0, flags })
    }

    fn fevent(&mut self, id: usize, _: EventFlags, _: &CallerCtx) -> Result<EventFlags> {
        self.server.fevent(Handle(id)).map(flags).map_err(errno)
    }

    fn fstat(&mut self, id: usize, stat: &mut Stat, _: &CallerCtx) -> Result<()> {
        let path = self.server.path(Handle(id)).map_err(errno)?;
        stat.st_mode = MODE_FILE | path.mode();
        stat.st_size = path.size();
        Ok(())
    }

    fn fsize(&mut self, id: usize, _: &CallerCtx) -> Result<u64> {
        Ok(self.server.path(Handle(id)).map_err(errno)?.size())
    }

    fn fpath(&mut self, id: usize, buffer: &mut [u8], _: &CallerCtx) -> Result<usize> {
        let path = self.server.path(Handle(id)).map_err(errno)?.name();
        let full = format!("/scheme/{}/{path}", self.name);
        let length = full.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), full.as_bytes().get(..length)) {
            to.copy_from_slice(from);
        }
        Ok(length)
    }

    fn fcntl(&mut self, id: usize, _: usize, _: usize, _: &CallerCtx) -> Result<usize> {
        self.server.path(Handle(id)).map(|_| 0).map_err(errno)
    }

    fn ftruncate(&mut self, id: usize, _: u64, _: &CallerCtx) -> Result<()> {
        // A setting is what was written last: there is nothing to cut off.
        self.server.path(Handle(id)).map(|_| ()).map_err(errno)
    }
}

fn flags(ready: Events) -> EventFlags {
    let mut flags = EventFlags::empty();
    flags.set(EventFlags::EVENT_READ, ready.read);
    flags.set(EventFlags::EVENT_WRITE, ready.write);
    flags
}

fn errno(errno: Errno) -> Error {
    Error::new(errno.code())
}

fn os_error(error: Error) -> io::Error {
    io::Error::from_raw_os_error(error.errno)
}
