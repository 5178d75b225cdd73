//! Packet sockets: whole frames in and out of one interface.
#![allow(unsafe_code, reason = "no crate binds a packet socket to an interface or asks it for offload headers")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with, sockopt};

use super::common::parse::segment;
use super::common::sum::checksum;

/// What the kernel says of a frame in front of it, as virtio network devices do.
const HEADER: usize = 10;
/// Room for the longest unit behind that.
const ROOM: usize = HEADER + 14 + 65_535;
const NEEDS_CHECKSUM: u8 = 1;

/// A frame as the kernel delivered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    pub frame: Vec<u8>,
    /// Payload of each segment but the last; 0 if the frame came alone.
    pub segment_size: u16,
    /// Where the bytes start that a checksum is still to be made of, and where it belongs, counted from there.
    pub to_sum: Option<(usize, usize)>,
}

impl Delivered {
    /// Frames it was made of.
    pub fn segments(&self) -> usize {
        match self.segment_size {
            0 => 1,
            size => segment(&self.frame).payload().len().div_ceil(size.into()),
        }
    }

    /// The frame with its checksum made, if that was left to whoever sends it on.
    pub fn whole(&self) -> Vec<u8> {
        let mut frame = self.frame.clone();
        if let Some((start, offset)) = self.to_sum {
            // The field holds the sum of the pseudo header.
            let sum = checksum(&[&frame[start..]]);
            frame[start + offset..start + offset + 2].copy_from_slice(&sum.to_be_bytes());
        }
        frame
    }
}

/// A socket on one interface of this thread's namespace.
pub struct Packets(File);

impl Packets {
    pub fn open(interface: &str) -> io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        sockopt::set_socket_recv_buffer_size_force(&socket, 64 << 20)?;
        set_offload_headers(&socket)?;
        bind(&socket, interface)?;
        Ok(Self(File::from(socket)))
    }

    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        let whole = [&[0; HEADER], frame].concat();
        (&self.0).write(&whole).map(|_| ())
    }

    /// The next frame that came, unless none comes before the deadline.
    pub fn receive(&self, deadline: Instant) -> io::Result<Option<Delivered>> {
        let mut buffer = vec![0; ROOM];
        loop {
            match (&self.0).read(&mut buffer) {
                Ok(length) => return Ok(Some(delivered(&buffer[..length]))),
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => {}
                Err(fault) => return Err(fault),
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Ok(None);
            }
            let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&left))?;
        }
    }
}

fn delivered(bytes: &[u8]) -> Delivered {
    let (header, frame) = bytes.split_at(HEADER);
    let field = |at: usize| u16::from_ne_bytes([header[at], header[at + 1]]);
    let to_sum = (header[0] & NEEDS_CHECKSUM != 0).then(|| (field(6).into(), field(8).into()));
    Delivered { frame: frame.to_vec(), segment_size: field(4), to_sum }
}

fn checked(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Has every frame preceded by a header that tells of segments and checksums.
fn set_offload_headers(socket: &OwnedFd) -> io::Result<()> {
    let on: libc::c_int = 1;
    let size = size_of_val(&on) as libc::socklen_t;
    // SAFETY: the option's value is the live integer `on`, and `size` is its size.
    checked(unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_PACKET, libc::PACKET_VNET_HDR, (&raw const on).cast(), size)
    })
}

/// Binds to an interface, and to frames of every EtherType.
fn bind(socket: &OwnedFd, interface: &str) -> io::Result<()> {
    let index = rustix::net::netdevice::name_to_index(socket, interface)?;
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: index as i32,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let size = size_of_val(&address) as libc::socklen_t;
    // SAFETY: `address` is a live address of the family that it names, and `size` is its size.
    checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size) })
}
