//! Owns the other end of the cable as a device of smoltcp's.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use model::wire::{Socket, Wire};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

/// Bytes of an Ethernet header, which smoltcp counts among the unit.
const HEADER: usize = 14;
/// IP in the longest frame.
pub const MTU: usize = 1500;

/// A Unix socket in QEMU's framing.
pub struct Cable {
    socket: Socket,
    /// IP in the longest frame that is sent.
    mtu: usize,
}

impl Cable {
    /// A cable that whoever has the socket's other end is plugged into.
    pub fn new(socket: UnixStream) -> Result<Self> {
        Ok(Self { socket: Socket::new(socket)?, mtu: MTU })
    }

    /// Has later frames be no longer than `mtu` bytes of IP.
    pub fn set_mtu(&mut self, mtu: usize) {
        self.mtu = mtu;
    }

    /// Whether the other end is there.
    pub fn connected(&self) -> bool {
        self.socket.connected()
    }

    /// Waits until a frame comes, at most for `patience`.
    ///
    /// # Errors
    ///
    /// The other end is gone.
    pub fn wait(&self, patience: Duration) -> Result<()> {
        let socket = self.socket.readiness().context("the cable's other end is gone")?;
        let limit = Timespec::try_from(patience)?;
        let mut sockets = [PollFd::new(&socket, PollFlags::IN)];
        match poll(&mut sockets, Some(&limit)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error).context("waiting for frames"),
        }
        ensure!(self.socket.connected(), "the cable's other end is gone");
        Ok(())
    }
}

/// A frame that came.
pub struct Arrived(Vec<u8>);

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, look: F) -> R {
        look(&self.0)
    }
}

/// Room for a frame.
pub struct Room<'a>(&'a mut Socket);

impl TxToken for Room<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut frame = vec![0; length];
        let result = fill(&mut frame);
        self.0.send(&frame);
        result
    }
}

impl Device for Cable {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Room<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Room<'_>)> {
        let mut frame = Vec::new();
        self.socket.receive(&mut frame).then_some((Arrived(frame), Room(&mut self.socket)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
        Some(Room(&mut self.socket))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = HEADER + self.mtu;
        capabilities
    }
}
