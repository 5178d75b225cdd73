//! The kernel's event queue over the scheme's socket, the card's interrupts and a timer.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use event::{EventFlags, RawEventQueue};
use libredox::Fd;
use libredox::call::clock_gettime;
use libredox::flag::{CLOCK_MONOTONIC, O_CLOEXEC, O_RDWR};
use syscall::TimeSpec;

use super::irqs::Irqs;
use crate::daemon::{Events, Wake};
use crate::platform::Interrupts;

/// What an event's number stands for; messages follow the line.
const SCHEME: usize = 0;
const TIMER: usize = 1;
const LINE: usize = 2;
const MESSAGES: usize = 3;

/// Everything that wakes the daemon.
pub struct EventQueue {
    queue: RawEventQueue,
    timer: Fd,
    irqs: Rc<Irqs>,
    heard: Interrupts,
    now: Duration,
}

impl EventQueue {
    /// A queue with the scheme's socket and a timer in it.
    pub(super) fn open(socket: &Fd, irqs: Rc<Irqs>) -> io::Result<Self> {
        let queue = RawEventQueue::new().map_err(error)?;
        let timer = Fd::open(&format!("/scheme/time/{CLOCK_MONOTONIC}"), O_RDWR | O_CLOEXEC, 0)?;
        queue.subscribe(socket.raw(), SCHEME, EventFlags::READ).map_err(error)?;
        queue.subscribe(timer.raw(), TIMER, EventFlags::READ).map_err(error)?;
        Ok(Self { queue, timer, irqs, heard: Interrupts::Polling, now: Duration::ZERO })
    }

    /// Sets for what the interrupts of one kind wake.
    fn subscribe(&self, interrupts: Interrupts, flags: EventFlags) -> io::Result<()> {
        match interrupts {
            Interrupts::MsiX => {
                for (vector, (_, irq)) in self.irqs.messages()?.iter().enumerate() {
                    self.queue.subscribe(irq.descriptor(), MESSAGES + vector, flags).map_err(error)?;
                }
                Ok(())
            }
            Interrupts::Line => self.queue.subscribe(self.irqs.line()?.descriptor(), LINE, flags).map_err(error),
            Interrupts::Polling => Ok(()),
        }
    }
}

impl Events for EventQueue {
    fn next(&mut self) -> io::Result<Wake> {
        loop {
            match self.queue.next_event() {
                Ok(event) => match event.user_data {
                    SCHEME => return Ok(Wake::Scheme),
                    TIMER => return Ok(Wake::Timer),
                    LINE => return Ok(Wake::Line),
                    message => return Ok(Wake::Message((message - MESSAGES) as u8)),
                },
                // A signal that somebody handles is not for this loop.
                Err(interrupted) if interrupted.is_interrupt() => {}
                Err(failed) => return Err(error(failed)),
            }
        }
    }

    fn now(&mut self) -> Duration {
        if let Ok(now) = clock_gettime(CLOCK_MONOTONIC) {
            // Redox's clock can go back.
            self.now = self.now.max(Duration::new(now.tv_sec as u64, now.tv_nsec as u32));
        }
        self.now
    }

    fn set_timer(&mut self, time: Duration) -> io::Result<()> {
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        let time = TimeSpec { tv_sec: seconds, tv_nsec: time.subsec_nanos() as i32 };
        self.timer.write(&time)?;
        Ok(())
    }

    fn listen(&mut self, interrupts: Interrupts) -> io::Result<()> {
        self.subscribe(self.heard, EventFlags::empty())?;
        self.subscribe(interrupts, EventFlags::READ)?;
        self.heard = interrupts;
        Ok(())
    }

    fn take_line(&mut self) -> io::Result<Option<u64>> {
        self.irqs.line()?.take()
    }

    fn release_line(&mut self, count: u64) -> io::Result<bool> {
        self.irqs.line()?.release(count)
    }
}

/// The event queue's crate has a version of its own of the error.
fn error(error: event::libredox::error::Error) -> io::Error {
    io::Error::from_raw_os_error(error.errno())
}
