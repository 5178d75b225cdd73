//! Owns the socket and the loop: who is served, and what is done when something happens.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::device::Device;
use super::error::Error;
use super::session::Session;
use super::stream::{End, Input, Output};
use super::trace::Trace;
use crate::clock::Time;
use crate::config::Config;
use crate::fault::Plan;
use crate::wire::Wire;

/// Units of the card's work between two looks at the socket: the client's processor waits for an answer meanwhile.
const BATCH: usize = 32;
/// Reads of the socket between two looks at everything else, so that a client which never stops sending cannot keep the
/// server from stopping.
const READS: usize = 16;

/// A card that listens for clients on a Unix socket. The socket goes away with the server.
pub struct Server<W> {
    socket: Socket,
    device: Device<W>,
}

/// The listening socket and its name in the file system.
struct Socket {
    path: PathBuf,
    listener: UnixListener,
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Nobody is left to hear that it could not be removed.
        let _gone = std::fs::remove_file(&self.path);
    }
}

impl Socket {
    /// A socket that a dead server left behind is replaced; nothing else is.
    fn bind(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Listen { path: path.to_owned(), source };
        match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
            Ok(data) if !data.file_type().is_socket() => return Err(Error::NotSocket(path.to_owned())),
            Ok(_) if UnixStream::connect(path).is_ok() => return Err(Error::InUse(path.to_owned())),
            Ok(_) => std::fs::remove_file(path).map_err(failed)?,
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let socket = Self { path: path.to_owned(), listener };
        socket.listener.set_nonblocking(true).map_err(failed)?;
        Ok(socket)
    }
}

/// What ended a conversation.
enum Over {
    Client(End),
    Stop,
}

impl<W: Wire> Server<W> {
    /// A card built by `config` on `wire`, which clients find at `path`. It writes every access to `trace`, if there is one.
    ///
    /// The client keeps the MSI-X table and waits for configuration space after a reset, so `config` is adjusted to that:
    /// external vectors, no MSI capability, no busy reads. Its time is the clock's.
    ///
    /// # Errors
    ///
    /// The path is taken, or no socket can be made there.
    pub fn bind(path: &Path, config: Config, wire: W, trace: Option<Trace>) -> Result<Self, Error> {
        let config =
            Config { external_vectors: true, msi_capability: false, config_busy: 0, time: Time::Host, ..config };
        Ok(Self { socket: Socket::bind(path)?, device: Device::new(config, wire, trace) })
    }

    /// The same card, for whose every client things go wrong as planned.
    #[must_use]
    pub fn with_plan(self, plan: Plan) -> Self {
        Self { device: self.device.with_plan(plan), ..self }
    }

    /// Serves clients, one after another, until `stop` becomes readable. For each the card is as after power-on.
    ///
    /// # Errors
    ///
    /// The system does not let the server wait, or the trace cannot be written. Clients cause no errors.
    pub fn run(&mut self, stop: impl AsFd) -> Result<(), Error> {
        while let Some(client) = self.accept(stop.as_fd())? {
            log::info!("a client is here");
            let over = self.serve(&client, stop.as_fd());
            self.device.unplug();
            if let Some(trace) = &mut self.device.trace {
                trace.flush()?;
            }
            match over? {
                Over::Client(end) => log::info!("{end}"),
                Over::Stop => break,
            }
        }
        Ok(())
    }

    /// Ends the server and gives the wire back.
    pub fn into_wire(self) -> W {
        self.device.card.into_wire()
    }

    /// The next client; `None` if the server is to stop.
    fn accept(&self, stop: BorrowedFd<'_>) -> Result<Option<UnixStream>, Error> {
        let listener = &self.socket.listener;
        loop {
            let [stopped, _] = wait([Some((stop, PollFlags::IN)), Some((listener.as_fd(), PollFlags::IN))], None)?;
            if stopped {
                return Ok(None);
            }
            match listener.accept() {
                Ok((client, _)) if client.set_nonblocking(true).is_ok() => return Ok(Some(client)),
                // A client that is gone already is none.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(Error::Wait(error)),
            }
        }
    }

    /// Talks to a client until one of the two has enough.
    fn serve(&mut self, client: &UnixStream, stop: BorrowedFd<'_>) -> Result<Over, Error> {
        let (mut input, mut output, mut session) = (Input::new(), Output::default(), Session::default());
        let mut rested = Instant::now();
        loop {
            if let Err(end) = self.answer(client, &mut input, &mut output, &mut session) {
                return Ok(Over::Client(end));
            }
            // What the card's work takes here is not its time: frames that follow one another bring their own.
            self.device.elapse(rested.elapsed());
            self.device.follow_plan(Instant::now());
            let idle = self.device.work(BATCH);
            rested = Instant::now();
            let patience = if idle { self.device.patience(rested) } else { Some(Duration::ZERO) };
            if self.rest(client, !output.is_empty(), stop, patience)? {
                return Ok(Over::Stop);
            }
        }
    }

    /// Handles messages that have come. While the client does not take its replies, no more messages are taken.
    fn answer(
        &mut self,
        client: &UnixStream,
        input: &mut Input,
        output: &mut Output,
        session: &mut Session,
    ) -> Result<(), End> {
        output.flush(client)?;
        for _ in 0..READS {
            if !output.is_empty() || !input.fill(client)? {
                break;
            }
            while let Some(message) = input.next()? {
                session.handle(&mut self.device, message, &mut output.bytes);
                output.flush(client)?;
            }
        }
        Ok(())
    }

    /// Waits until there is something to do, at most for `patience` if there is an end to it; true if the server is to stop.
    fn rest(
        &mut self,
        client: &UnixStream,
        blocked: bool,
        stop: BorrowedFd<'_>,
        patience: Option<Duration>,
    ) -> Result<bool, Error> {
        let socket = if blocked { PollFlags::OUT } else { PollFlags::IN };
        let frames = if self.device.card.receiving() { self.device.card.wire().readiness() } else { None };
        let [stopped, _, _, unmasked] = wait(
            [
                Some((stop, PollFlags::IN)),
                Some((client.as_fd(), socket)),
                frames.map(|frames| (frames, PollFlags::IN)),
                self.device.irqs.unmask_request().map(|unmask| (unmask, PollFlags::IN)),
            ],
            patience,
        )?;
        if unmasked {
            self.device.irqs.take_unmask_request();
            self.device.deliver();
        }
        Ok(stopped)
    }
}

/// Waits until one of the descriptors is ready, or time is up; which ones are.
fn wait<const N: usize>(
    descriptors: [Option<(BorrowedFd<'_>, PollFlags)>; N],
    patience: Option<Duration>,
) -> Result<[bool; N], Error> {
    let present = descriptors.iter().flatten();
    let mut polled: Vec<_> =
        present.map(|(descriptor, events)| PollFd::from_borrowed_fd(*descriptor, *events)).collect();
    let timeout = patience
        .map(|patience| Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) });
    match poll(&mut polled, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(errno) => return Err(Error::Wait(errno.into())),
    }
    let mut ready = polled.iter().map(|polled| !polled.revents().is_empty());
    Ok(descriptors.map(|descriptor| descriptor.is_some() && ready.next().unwrap_or(false)))
}
