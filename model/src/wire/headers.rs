//! Owns the headers of generated frames, as they are before sequence numbers and checksums.

use super::generator::{Generator, PORTS};

const ACK: u8 = 0x10;

/// What distinguishes flows once their ports are used up.
const fn host(index: usize) -> u16 {
    (index / PORTS) as u16
}

pub(super) fn ipv4_header(index: usize, payload: u16) -> Vec<u8> {
    let mut header = vec![0x45, 0];
    header.extend_from_slice(&(20 + payload).to_be_bytes());
    header.extend_from_slice(&[0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0]);
    header.extend_from_slice(&host(index).to_be_bytes());
    header.extend_from_slice(&[10, 1, 0, 1]);
    header
}

pub(super) fn ipv6_header(index: usize, payload: u16) -> Vec<u8> {
    let mut header = vec![0x60, 0, 0, 0];
    header.extend_from_slice(&payload.to_be_bytes());
    header.extend_from_slice(&[6, 64, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    header.extend_from_slice(&host(index).to_be_bytes());
    header.extend_from_slice(&[0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
    header
}

/// A segment header with everything but sequence number, timestamp and checksum.
pub(super) fn tcp_header(index: usize, timestamps: bool) -> Vec<u8> {
    let mut header = Generator::source_port(index).to_be_bytes().to_vec();
    header.extend_from_slice(&5001_u16.to_be_bytes());
    header.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 1]);
    header.extend_from_slice(&[if timestamps { 0x80 } else { 0x50 }, ACK, 0x01, 0xF5, 0, 0, 0, 0]);
    if timestamps {
        header.extend_from_slice(&[1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
    header
}
