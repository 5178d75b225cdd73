//! Owns the network at the cable's other end: one host, in this process, that the guest finds as its router.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::{icmp, tcp, udp};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, Icmpv4Packet, Icmpv4Repr, IpCidr, Ipv4Address};

use super::cable::Cable;
use super::lease;

/// This host's address: the router of Redox's default configuration.
pub const HOST: Ipv4Address = Ipv4Address::new(10, 0, 2, 2);
/// The guest's: that of Redox's default configuration.
pub const GUEST: Ipv4Address = Ipv4Address::new(10, 0, 2, 15);
/// Bits of the network's number.
pub const PREFIX: u8 = 24;
const MAC: EthernetAddress = EthernetAddress([0x52, 0x55, 0x0A, 0x00, 0x02, 0x02]);

/// Bytes that a connection holds for reading.
const BUFFER: usize = 256 << 10;
/// How long a connection may stand still.
const STILL: Duration = Duration::from_secs(60);
/// How often a wait is broken off for a look at whether to go on.
const GLANCE: Duration = Duration::from_millis(100);
/// The first of the ports that connections go out from.
const FIRST_PORT: u16 = 49_152;
/// What echo requests are known by.
const ECHO: u16 = 0x5210;

/// Why there is no connection.
enum Unreachable {
    /// Nobody listens.
    Refused,
    /// No answer.
    Silent,
}

/// A host with one network card.
pub struct Peer {
    cable: Cable,
    interface: Interface,
    sockets: SocketSet<'static>,
    leases: SocketHandle,
    /// Whether the guest was given its address.
    leased: bool,
    next_port: u16,
    /// Bytes that a connection sends ahead of their acknowledgment.
    ahead: usize,
    /// Becomes readable when this process is told to end.
    stop: UnixStream,
}

impl Peer {
    /// A host at this end of a cable, whose connections send at most `ahead` bytes ahead of their acknowledgment.
    pub fn new(cable: UnixStream, ahead: usize, stop: UnixStream) -> Result<Self> {
        stop.set_nonblocking(true)?;
        let mut cable = Cable::new(cable)?;
        let interface = interface(&mut cable);
        let mut sockets = SocketSet::new(Vec::new());
        let leases = sockets.add(lease::socket().context("no socket for DHCP")?);
        Ok(Self { cable, interface, sockets, leases, leased: false, next_port: FIRST_PORT, ahead, stop })
    }

    /// Whether the guest took the address that it was offered.
    pub const fn leased(&self) -> bool {
        self.leased
    }

    /// Whether the cable leads somewhere.
    pub fn connected(&self) -> bool {
        self.cable.connected()
    }

    /// Has this host send frames with at most `mtu` bytes of IP.
    pub fn set_mtu(&mut self, mtu: usize) {
        self.cable.set_mtu(mtu);
        // An interface asks its device but once.
        self.interface = interface(&mut self.cable);
    }

    /// Does what there is to do, then waits for a frame, at most for `patience`.
    pub fn run(&mut self, patience: Duration) -> Result<()> {
        ensure!(self.stop.read(&mut [0]).is_err(), "told to end");
        self.work();
        let due = self.interface.poll_delay(Instant::now(), &self.sockets).map_or(patience, Duration::from);
        self.cable.wait(due.min(patience))?;
        self.work();
        Ok(())
    }

    fn work(&mut self) {
        self.interface.poll(Instant::now(), &mut self.cable, &mut self.sockets);
        if lease::serve(self.sockets.get_mut::<udp::Socket<'_>>(self.leases)) {
            self.leased = true;
        }
        self.interface.poll(Instant::now(), &mut self.cable, &mut self.sockets);
    }

    /// Runs until `done` returns something, for at most `limit`.
    fn until<T>(
        &mut self,
        limit: Duration,
        mut done: impl FnMut(&mut SocketSet<'static>) -> Option<T>,
    ) -> Result<Option<T>> {
        let begin = std::time::Instant::now();
        loop {
            self.work();
            if let Some(result) = done(&mut self.sockets) {
                return Ok(Some(result));
            }
            let Some(left) = limit.checked_sub(begin.elapsed()) else { return Ok(None) };
            self.run(left.min(GLANCE))?;
        }
    }

    /// Pings the guest `count` times, one after the other; the time that each took, `None` for those without an answer.
    pub fn ping(&mut self, count: u16) -> Result<Vec<Option<Duration>>> {
        /// How long an answer may take.
        const PATIENCE: Duration = Duration::from_secs(2);
        let buffer = || icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY; 8], vec![0; 4096]);
        let mut socket = icmp::Socket::new(buffer(), buffer());
        socket.bind(icmp::Endpoint::Ident(ECHO)).ok().context("no socket for ping")?;
        let handle = self.sockets.add(socket);
        let result = (0..count).map(|number| {
            let begin = std::time::Instant::now();
            let socket = self.sockets.get_mut::<icmp::Socket<'_>>(handle);
            let request = Icmpv4Repr::EchoRequest { ident: ECHO, seq_no: number, data: &[0x5A; 56] };
            let room = socket.send(request.buffer_len(), GUEST.into()).ok().context("no room for a ping")?;
            request.emit(&mut Icmpv4Packet::new_unchecked(room), &ChecksumCapabilities::default());
            self.until(PATIENCE, |sockets| {
                let socket = sockets.get_mut::<icmp::Socket<'_>>(handle);
                let (bytes, _) = socket.recv().ok()?;
                is_answer(bytes, number).then(|| begin.elapsed())
            })
        });
        let result = result.collect();
        self.sockets.remove(handle);
        result
    }

    /// Connects to a port of the guest, again and again while it refuses: it listens to one at a time.
    pub fn connect(&mut self, port: u16, patience: Duration) -> Result<Connection<'_>> {
        let begin = std::time::Instant::now();
        loop {
            match self.dial(port, patience)? {
                Ok(handle) => return Ok(Connection { peer: self, handle }),
                Err(Unreachable::Refused) if begin.elapsed() < patience => self.run(GLANCE)?,
                Err(Unreachable::Refused) => bail!("the guest refuses connections to port {port}"),
                Err(Unreachable::Silent) => bail!("the guest does not answer at port {port}"),
            }
        }
    }

    /// How long the guest takes to refuse a connection to a port where nobody listens; `None` if it does not answer.
    pub fn knock(&mut self, port: u16, patience: Duration) -> Result<Option<Duration>> {
        let begin = std::time::Instant::now();
        match self.dial(port, patience)? {
            Err(Unreachable::Refused) => Ok(Some(begin.elapsed())),
            Err(Unreachable::Silent) => Ok(None),
            Ok(handle) => {
                drop(Connection { peer: self, handle });
                bail!("somebody listens at port {port}")
            }
        }
    }

    /// Asks for one connection.
    fn dial(&mut self, port: u16, patience: Duration) -> Result<Result<SocketHandle, Unreachable>> {
        let buffer = |size| tcp::SocketBuffer::new(vec![0; size]);
        let mut socket = tcp::Socket::new(buffer(BUFFER), buffer(self.ahead));
        socket.set_nagle_enabled(false);
        socket.set_ack_delay(None);
        let local = self.next_port;
        self.next_port = self.next_port.checked_add(1).unwrap_or(FIRST_PORT);
        socket.connect(self.interface.context(), (GUEST, port), local).context("connecting")?;
        let handle = self.sockets.add(socket);
        let settled = self.until(patience, |sockets| {
            let socket = sockets.get::<tcp::Socket<'_>>(handle);
            if !socket.is_open() { Some(false) } else { socket.may_send().then_some(true) }
        });
        match settled {
            Ok(Some(true)) => return Ok(Ok(handle)),
            _ => self.sockets.remove(handle),
        };
        Ok(Err(if settled?.is_some() { Unreachable::Refused } else { Unreachable::Silent }))
    }
}

/// This host's interface to the cable.
fn interface(cable: &mut Cable) -> Interface {
    let mut interface = Interface::new(Config::new(MAC.into()), cable, Instant::now());
    interface.update_ip_addrs(|addresses| {
        // There is room for one.
        let _full = addresses.push(IpCidr::new(HOST.into(), PREFIX));
    });
    interface
}

/// Whether a message answers the echo request of that number.
fn is_answer(message: &[u8], number: u16) -> bool {
    let Ok(packet) = Icmpv4Packet::new_checked(message) else { return false };
    let parsed = Icmpv4Repr::parse(&packet, &ChecksumCapabilities::default());
    matches!(parsed, Ok(Icmpv4Repr::EchoReply { ident: ECHO, seq_no, .. }) if seq_no == number)
}

/// A connection to the guest. Reading and writing wait, and fail if nothing moves for a minute.
pub struct Connection<'a> {
    peer: &'a mut Peer,
    handle: SocketHandle,
}

impl Connection<'_> {
    fn wait<T>(&mut self, mut done: impl FnMut(&mut tcp::Socket<'static>) -> Option<T>) -> io::Result<T> {
        let handle = self.handle;
        let moved = self.peer.until(STILL, |sockets| done(sockets.get_mut(handle)));
        moved.map_err(io::Error::other)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }
}

impl Read for Connection<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.wait(|socket| match socket.recv_slice(bytes) {
            Ok(0) => None,
            Ok(length) => Some(Ok(length)),
            Err(tcp::RecvError::Finished) => Some(Ok(0)),
            Err(tcp::RecvError::InvalidState) => Some(Err(io::ErrorKind::ConnectionReset.into())),
        })?
    }
}

impl Write for Connection<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(|socket| match socket.send_slice(bytes) {
            Ok(0) => None,
            Ok(length) => Some(Ok(length)),
            Err(tcp::SendError::InvalidState) => Some(Err(io::ErrorKind::BrokenPipe.into())),
        })?
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        /// How long a connection may take to end in order.
        const GOODBYE: Duration = Duration::from_secs(1);
        let handle = self.handle;
        self.peer.sockets.get_mut::<tcp::Socket<'_>>(handle).close();
        let _late =
            self.peer.until(GOODBYE, |sockets| (!sockets.get::<tcp::Socket<'_>>(handle).is_active()).then_some(()));
        self.peer.sockets.get_mut::<tcp::Socket<'_>>(handle).abort();
        self.peer.work();
        self.peer.sockets.remove(handle);
    }
}

#[cfg(test)]
mod tests;
