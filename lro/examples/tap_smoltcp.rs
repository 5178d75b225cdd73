//! Large Receive Offload between a Linux TAP device and smoltcp: a TCP sink that shows how many frames each read brought.
//!
//! As root, or as the owner of the device:
//!
//! ```text
//! ip tuntap add lro0 mode tap user $USER
//! ip addr add 192.168.69.100/24 dev lro0 && ip link set lro0 up
//! cargo run --release -p lro --example tap_smoltcp -- lro0 &
//! head -c 100M /dev/zero | nc -N 192.168.69.1 9
//! ```
//!
//! The program ends when the peer has closed its connection.

use std::env;
use std::error::Error;
use std::os::fd::AsRawFd;
use std::process::ExitCode;

use lro::{Checksums, Config, Engine, MAX_UNIT, Pool, Rules};
use smoltcp::iface::{Config as Interface, SocketSet};
use smoltcp::phy::{self, Device, DeviceCapabilities, Medium, RxToken, TunTapInterface};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};

/// Frames that are read from the device before the stack sees any.
const FRAMES: u32 = 256;
const PORT: u16 = 9;

/// Frame memory: a vector for each slot.
#[derive(Default)]
struct Slots {
    slots: Vec<Vec<u8>>,
    free: Vec<u32>,
}

impl Slots {
    /// Copies a frame into a free slot.
    fn put(&mut self, frame: &[u8]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Vec::new());
            (self.slots.len() - 1) as u32
        });
        if let Some(place) = self.slots.get_mut(slot as usize) {
            place.clear();
            place.extend_from_slice(frame);
        }
        slot
    }
}

impl Pool for Slots {
    fn bytes(&self, slot: u32) -> &[u8] {
        self.slots.get(slot as usize).map_or(&[], Vec::as_slice)
    }

    fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }
}

/// A TAP device whose received segments are coalesced.
struct Coalescing {
    tap: TunTapInterface,
    engine: Engine<Slots>,
    unit: Vec<u8>,
}

impl Coalescing {
    /// Moves the frames that wait in the device into the engine.
    fn fill(&mut self, now: Instant) {
        while self.engine.len() < self.engine.capacity() {
            let Some((frame, _)) = self.tap.receive(now) else { return };
            frame.consume(|frame| {
                let slot = self.engine.pool_mut().put(frame);
                // There is room: the loop has looked.
                let _ = self.engine.push(slot, frame.len() as u32, Checksums::Unknown);
            });
        }
    }
}

/// A unit on its way into the stack.
struct Unit<'a>(&'a [u8]);

impl RxToken for Unit<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, consumer: F) -> R {
        consumer(self.0)
    }
}

impl Device for Coalescing {
    type RxToken<'a> = Unit<'a>;
    type TxToken<'a> = <TunTapInterface as Device>::TxToken<'a>;

    fn receive(&mut self, now: Instant) -> Option<(Unit<'_>, Self::TxToken<'_>)> {
        self.fill(now);
        let info = self.engine.pop_into(&mut self.unit).ok()??;
        Some((Unit(self.unit.get(..info.length)?), self.tap.transmit(now)?))
    }

    fn transmit(&mut self, now: Instant) -> Option<Self::TxToken<'_>> {
        self.tap.transmit(now)
    }

    fn capabilities(&self) -> DeviceCapabilities {
        self.tap.capabilities()
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tap_smoltcp: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let name = env::args().nth(1).ok_or("the name of a TAP device is missing")?;
    let tap = TunTapInterface::new(&name, Medium::Ethernet).map_err(|error| format!("{name}: {error}"))?;
    let fd = tap.as_raw_fd();
    let engine = Engine::new(Config::new(Rules::Endpoint, FRAMES), Slots::default());
    let mut device = Coalescing { tap, engine, unit: vec![0; MAX_UNIT] };

    let address = EthernetAddress([0x02, 0, 0, 0, 0, 1]);
    let mut interface = smoltcp::iface::Interface::new(Interface::new(address.into()), &mut device, Instant::now());
    interface.update_ip_addrs(|addresses| {
        // The list is empty.
        let _ = addresses.push(IpCidr::new(IpAddress::v4(192, 168, 69, 1), 24));
    });
    let buffer = || tcp::SocketBuffer::new(vec![0; 1 << 20]);
    let mut socket = tcp::Socket::new(buffer(), buffer());
    socket.listen(PORT).map_err(|error| format!("listen: {error}"))?;
    let mut sockets = SocketSet::new(vec![]);
    let handle = sockets.add(socket);

    let mut received = 0;
    loop {
        let now = Instant::now();
        interface.poll(now, &mut device, &mut sockets);
        let socket = sockets.get_mut::<tcp::Socket<'_>>(handle);
        while socket.can_recv() {
            received += socket.recv(|bytes| (bytes.len(), bytes.len())).map_err(|error| format!("receive: {error}"))?;
        }
        if received > 0 && !socket.may_recv() {
            break;
        }
        phy::wait(fd, interface.poll_delay(now, &sockets))?;
    }
    let stats = device.engine.stats();
    println!("{received} bytes in {} frames and {} units", stats.frames, stats.units);
    Ok(())
}
