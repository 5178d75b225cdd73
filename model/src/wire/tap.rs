//! Owns a TAP device at the cable's other end: the host's own network stack.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::ioctl::{Opcode, Setter, ioctl};

use super::Wire;
use crate::checksum;

const DEVICE: &str = "/dev/net/tun";
/// `TUNSETIFF`: attaches the descriptor to the device that an [`Request`] names.
const SET_INTERFACE: Opcode = rustix::ioctl::opcode::write::<i32>(b'T', 202);
/// Ethernet frames, no protocol word before them, an offload header before them.
const IFF_TAP: u16 = 0x0002;
const IFF_NO_PI: u16 = 0x1000;
const IFF_VNET_HDR: u16 = 0x4000;

/// Bytes of the offload header: flags, kind of segmentation, header length, segment size, where the checksum starts and
/// where it goes; words of 16 bits in the host's order.
const OFFLOAD: usize = 10;
/// The checksum has yet to be computed.
const NEEDS_CHECKSUM: u8 = 1;
/// The longest frame, offload header included. No segmentation is asked for, so frames are those of a wire.
const LONGEST: usize = OFFLOAD + 0x1_0000;

/// Why there is no TAP device.
#[derive(Debug, thiserror::Error)]
pub enum TapError {
    /// The name cannot be that of an interface.
    #[error("{0:?} cannot be an interface's name: 1 to 15 bytes")]
    Name(String),
    /// The kernel has no TAP, or this process may not use it.
    #[error("{DEVICE}: {0}")]
    Open(#[source] io::Error),
    /// The interface is in use, is no TAP, or may not be made.
    #[error("TAP interface {name}: {source}")]
    Attach {
        /// The interface.
        name: String,
        /// What the system said.
        source: io::Error,
    },
}

/// The interface by that name: what it is given to send, the card receives. It is made if there is none, and then lasts as
/// long as this.
pub struct Tap {
    file: File,
    buffer: Box<[u8]>,
}

/// What `TUNSETIFF` reads: an interface's name, flags, and room up to the size of every such request.
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

impl Tap {
    /// Attaches to the interface `name`.
    ///
    /// # Errors
    ///
    /// The name, the kernel or the permissions do not allow it.
    pub fn open(name: &str) -> Result<Self, TapError> {
        let mut request = Request { name: [0; 16], flags: IFF_TAP | IFF_NO_PI | IFF_VNET_HDR, rest: [0; 22] };
        match request.name.get_mut(..name.len()) {
            Some(to) if (1..16).contains(&name.len()) => to.copy_from_slice(name.as_bytes()),
            _ => return Err(TapError::Name(name.into())),
        }
        let nonblock = OFlags::NONBLOCK.bits() as i32;
        let file = OpenOptions::new().read(true).write(true).custom_flags(nonblock).open(DEVICE);
        let file = file.map_err(TapError::Open)?;
        attach(&file, request).map_err(|source| TapError::Attach { name: name.into(), source })?;
        Ok(Self { file, buffer: vec![0; LONGEST].into_boxed_slice() })
    }
}

#[allow(unsafe_code, reason = "the only way to attach to an interface")]
fn attach(file: &File, request: Request) -> io::Result<()> {
    // SAFETY: `TUNSETIFF` reads and writes a `struct ifreq`, 40 bytes, which `Request` is.
    unsafe { ioctl(file, Setter::<SET_INTERFACE, Request>::new(request)) }.map_err(io::Error::from)
}

impl Wire for Tap {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let Ok(length) = self.file.read(&mut self.buffer) else { return false };
        let Some((offload, bytes)) = self.buffer.get(..length).and_then(|all| all.split_first_chunk()) else {
            return false;
        };
        frame.clear();
        frame.extend_from_slice(bytes);
        finish_checksum(offload, frame);
        true
    }

    /// A frame that the interface does not take, because it is down or full, is lost as on any wire.
    fn send(&mut self, frame: &[u8]) {
        let _lost = self.file.write_vectored(&[IoSlice::new(&[0; OFFLOAD]), IoSlice::new(frame)]);
    }

    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        Some(self.file.as_fd())
    }
}

/// Computes the checksum that the kernel left to the device; frames on a wire have theirs.
fn finish_checksum(offload: &[u8; OFFLOAD], frame: &mut [u8]) {
    let [flags, _kind, _, _, _, _, start @ .., _, _] = offload;
    if flags & NEEDS_CHECKSUM == 0 {
        return;
    }
    let [.., at_low, at_high] = offload;
    let start = usize::from(u16::from_ne_bytes(*start));
    let at = start + usize::from(u16::from_ne_bytes([*at_low, *at_high]));
    let sum = !frame.get(start..).map_or(0, checksum::sum);
    if let Some(field) = frame.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *field = if sum == 0 { [0xFF; 2] } else { sum.to_be_bytes() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_unfinished_checksum_is_finished() {
        // The field holds the sum of the pseudo header, as the kernel leaves it.
        let mut frame = [0xAA, 0xAA, 0x12, 0x34, 0x00, 0x10, 0x56, 0x78];
        let mut offload = [0; OFFLOAD];
        offload[0] = NEEDS_CHECKSUM;
        offload[6..8].copy_from_slice(&2_u16.to_ne_bytes());
        offload[8..].copy_from_slice(&2_u16.to_ne_bytes());
        finish_checksum(&offload, &mut frame);
        let expected = !(0x1234_u16 + 0x0010 + 0x5678);
        assert_eq!(frame[4..6], expected.to_be_bytes());
        assert_eq!((frame[..4].to_vec(), frame[6..].to_vec()), (vec![0xAA, 0xAA, 0x12, 0x34], vec![0x56, 0x78]));
    }

    #[test]
    fn a_checksum_outside_the_frame_changes_nothing() {
        for (start, at) in [(6_u16, 2_u16), (8, 0), (100, 0), (0xFFFF, 0xFFFF)] {
            let mut frame = [7; 8];
            let mut offload = [0; OFFLOAD];
            offload[0] = NEEDS_CHECKSUM;
            offload[6..8].copy_from_slice(&start.to_ne_bytes());
            offload[8..].copy_from_slice(&at.to_ne_bytes());
            finish_checksum(&offload, &mut frame);
            assert_eq!(frame, [7; 8]);
        }
    }

    #[test]
    fn a_name_too_long_is_refused() {
        for name in ["", "0123456789abcdef", &"x".repeat(40)] {
            assert!(matches!(Tap::open(name), Err(TapError::Name(_))), "{name}");
        }
    }
}
