//! Owns a Unix stream socket at the cable's other end: another program's network, in QEMU's framing.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::Wire;

/// Each frame follows its length, 32 bits, big-endian.
const PREFIX: usize = 4;
/// The longest frame a peer may send.
const LONGEST: usize = 0x1_0000;
/// Bytes to a peer that reads slower than the card sends; frames beyond are lost, as behind any switch.
const BACKLOG: usize = 4 << 20;

/// A connection to a program that is a network: QEMU's stream backend, passt, or another card's.
///
/// When the peer hangs up or breaks the framing, the wire stays silent for good.
pub struct Socket {
    socket: Option<UnixStream>,
    input: Vec<u8>,
    /// Bytes of `input` that were taken.
    taken: usize,
    output: VecDeque<u8>,
}

impl Socket {
    /// Connects to the program that listens at `path`.
    ///
    /// # Errors
    ///
    /// Nobody listens there.
    pub fn connect(path: &Path) -> io::Result<Self> {
        Self::new(UnixStream::connect(path)?)
    }

    /// A wire over a connection that is there already.
    ///
    /// # Errors
    ///
    /// The socket cannot be kept from blocking.
    pub fn new(socket: UnixStream) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self { socket: Some(socket), input: Vec::new(), taken: 0, output: VecDeque::new() })
    }

    /// Whether the peer is still there.
    pub fn connected(&self) -> bool {
        self.socket.is_some()
    }

    /// Takes what the peer sent; false if that is nothing.
    fn fill(&mut self) -> bool {
        let Some(socket) = &mut self.socket else { return false };
        self.input.drain(..self.taken);
        self.taken = 0;
        let before = self.input.len();
        self.input.resize(before + PREFIX + LONGEST, 0);
        let result = socket.read(self.input.get_mut(before..).unwrap_or_default());
        self.input.truncate(before + *result.as_ref().unwrap_or(&0));
        match result {
            Ok(1..) => true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Ok(0) | Err(_) => {
                self.socket = None;
                false
            }
        }
    }

    /// Takes the next whole frame out of what came.
    fn next(&mut self, frame: &mut Vec<u8>) -> bool {
        let waiting = self.input.get(self.taken..).unwrap_or_default();
        let Some((length, rest)) = waiting.split_first_chunk() else { return false };
        let length = u32::from_be_bytes(*length) as usize;
        if length > LONGEST {
            self.socket = None;
            self.input.clear();
            self.taken = 0;
            return false;
        }
        let Some(bytes) = rest.get(..length) else { return false };
        frame.clear();
        frame.extend_from_slice(bytes);
        self.taken += PREFIX + length;
        true
    }

    fn flush(&mut self) {
        while let Some(socket) = &mut self.socket
            && !self.output.is_empty()
        {
            match socket.write(self.output.as_slices().0) {
                Ok(sent) => drop(self.output.drain(..sent)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.socket = None,
            }
        }
    }
}

impl Wire for Socket {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        self.flush();
        self.next(frame) || self.fill() && self.next(frame)
    }

    fn send(&mut self, frame: &[u8]) {
        if self.socket.is_some() && self.output.len() + frame.len() <= BACKLOG {
            self.output.extend((frame.len() as u32).to_be_bytes());
            self.output.extend(frame);
        }
        self.flush();
    }

    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.socket.as_ref().map(AsFd::as_fd)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn pair() -> (Socket, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Socket::new(ours).unwrap(), theirs)
    }

    #[test]
    fn two_wires_understand_each_other() {
        let (mut a, peer) = pair();
        let mut b = Socket::new(peer).unwrap();
        for length in [60, 1514, 9018] {
            a.send(&vec![length as u8; length]);
        }
        let mut frame = Vec::new();
        for length in [60, 1514, 9018] {
            assert!(b.receive(&mut frame));
            assert_eq!(frame, vec![length as u8; length]);
        }
        assert!(!b.receive(&mut frame) && b.connected());
    }

    #[test]
    fn a_frame_in_pieces_comes_whole() {
        let (mut wire, mut peer) = pair();
        let mut frame = Vec::new();
        for byte in [0, 0, 0, 3, 7, 8] {
            peer.write_all(&[byte]).unwrap();
            assert!(!wire.receive(&mut frame));
        }
        peer.write_all(&[9]).unwrap();
        assert!(wire.receive(&mut frame));
        assert_eq!(frame, [7, 8, 9]);
    }

    #[test]
    fn a_length_no_frame_has_silences_the_wire() {
        let (mut wire, mut peer) = pair();
        peer.write_all(&[0xFF; 64]).unwrap();
        assert!(!wire.receive(&mut Vec::new()) && !wire.connected());
    }

    #[test]
    fn a_peer_that_hangs_up_silences_the_wire() {
        let (mut wire, peer) = pair();
        drop(peer);
        assert!(!wire.receive(&mut Vec::new()) && !wire.connected());
        wire.send(&[0; 60]);
    }

    #[test]
    fn a_peer_that_does_not_read_costs_no_more_than_the_backlog() {
        let (mut wire, _peer) = pair();
        for _ in 0..10_000 {
            wire.send(&[0; 1514]);
        }
        assert!(wire.output.len() <= BACKLOG + PREFIX && wire.connected());
    }
}
