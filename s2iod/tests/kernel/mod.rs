//! A kernel of a few fields under the real daemon on the software card: its queue of events, a scheme's socket, a timer and
//! the interrupts. Time stands still unless told to pass.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

pub mod system;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use s2iod::daemon::{Events, Scheme, Server, Wake};
use s2iod::front::{Call, Completion, Errno, Events as Ready, Handle, Op};
use s2iod::host::SoftwareCard;
use s2iod::platform::Interrupts;

use crate::common::Cable;

type Card = Rc<RefCell<SoftwareCard<Cable>>>;
type Shared = Rc<RefCell<Kernel>>;

/// What a client asks.
#[derive(Debug)]
pub enum Request {
    Open(&'static str, u32, bool),
    Read(u32, Handle, usize, bool),
    Write(u32, Handle, Vec<u8>, bool),
    Subscribe(Handle),
    Cancel(u32),
    Close(Handle),
}

/// What it is answered.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Opened(Result<Handle, Errno>),
    Ready(Result<Ready, Errno>),
    /// A call's tag, and its buffer as far as it was read or written.
    Done(u32, Result<Vec<u8>, Errno>),
    Told(Handle, Ready),
}

#[derive(Default)]
pub struct Kernel {
    requests: VecDeque<Request>,
    pub answers: VecDeque<Answer>,
    /// Events that were not fetched; equal ones are not merged.
    events: VecDeque<Wake>,
    timers: Vec<Duration>,
    pub now: Duration,
    heard: Option<Interrupts>,
    /// Interrupts of the line so far, and the one that it was released after.
    line: u64,
    released: u64,
    /// Another device holds the shared line up.
    pub stranger: bool,
    pub unmounted: bool,
    /// Calls that read requests, and calls that wrote answers.
    reads: usize,
    writes: usize,
    /// Looks at the clock.
    pub looks: usize,
    /// What is written next.
    batch: Vec<Answer>,
}

impl Kernel {
    /// The controller takes what the card raises. A line stays silent from its interrupt until it is released.
    fn interrupt(&mut self, card: &Card) {
        while let Some(message) = card.borrow_mut().take_message() {
            if self.heard == Some(Interrupts::MsiX) {
                self.events.push_back(Wake::Message(message.vector));
            }
        }
        if self.line == self.released && (self.stranger || card.borrow().line()) {
            self.line += 1;
            if self.heard == Some(Interrupts::Line) {
                self.events.push_back(Wake::Line);
            }
        }
    }

    fn ask(&mut self, request: Request) {
        self.requests.push_back(request);
        self.events.push_back(Wake::Scheme);
    }
}

pub struct Queue {
    kernel: Shared,
    card: Card,
}

impl Events for Queue {
    fn next(&mut self) -> io::Result<Wake> {
        self.kernel.borrow_mut().events.pop_front().ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }

    fn now(&mut self) -> Duration {
        let mut kernel = self.kernel.borrow_mut();
        kernel.looks += 1;
        kernel.now
    }

    fn set_timer(&mut self, time: Duration) -> io::Result<()> {
        self.kernel.borrow_mut().timers.push(time);
        Ok(())
    }

    fn listen(&mut self, interrupts: Interrupts) -> io::Result<()> {
        self.kernel.borrow_mut().heard = Some(interrupts);
        Ok(())
    }

    fn take_line(&mut self) -> io::Result<Option<u64>> {
        let kernel = self.kernel.borrow();
        Ok((kernel.line != kernel.released).then_some(kernel.line))
    }

    fn release_line(&mut self, count: u64) -> io::Result<bool> {
        let mut kernel = self.kernel.borrow_mut();
        assert!(count <= kernel.line);
        if count != kernel.line {
            return Ok(false);
        }
        kernel.released = count;
        kernel.interrupt(&self.card);
        Ok(true)
    }
}

pub struct Socket {
    kernel: Shared,
}

impl Scheme for Socket {
    type Id = u32;
    type Buffer = Vec<u8>;

    fn serve(&mut self, server: &mut dyn Server<u32, Vec<u8>>) -> io::Result<bool> {
        let mut kernel = self.kernel.borrow_mut();
        kernel.reads += 1;
        for request in std::mem::take(&mut kernel.requests) {
            let answer = match request {
                Request::Open(path, uid, write) => Answer::Opened(server.open(path, uid, write)),
                Request::Subscribe(handle) => Answer::Ready(server.fevent(handle)),
                Request::Read(tag, handle, length, nonblock) => {
                    let op = Op::Read { offset: 0 };
                    server.submit(Call { tag, handle, op, buffer: vec![0; length], nonblock });
                    continue;
                }
                Request::Write(tag, handle, buffer, nonblock) => {
                    server.submit(Call { tag, handle, op: Op::Write { offset: 0 }, buffer, nonblock });
                    continue;
                }
                Request::Cancel(tag) => {
                    server.cancel(&tag);
                    continue;
                }
                Request::Close(handle) => {
                    server.close(handle);
                    continue;
                }
            };
            kernel.batch.push(answer);
        }
        Ok(!kernel.unmounted)
    }

    fn complete(&mut self, completion: Completion<u32, Vec<u8>>) {
        let Completion { tag, mut buffer, result } = completion;
        let result = result.map(|length| {
            buffer.truncate(length);
            buffer
        });
        self.kernel.borrow_mut().batch.push(Answer::Done(tag, result));
    }

    fn post(&mut self, handle: Handle, ready: Ready) {
        self.kernel.borrow_mut().batch.push(Answer::Told(handle, ready));
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut kernel = self.kernel.borrow_mut();
        let batch = std::mem::take(&mut kernel.batch);
        kernel.writes += usize::from(!batch.is_empty());
        kernel.answers.extend(batch);
        Ok(())
    }
}
