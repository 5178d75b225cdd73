//! Frames of no TCP flow.

use super::frame::{DONT_FRAGMENT, data};
use super::sum::checksum;

/// A frame with this EtherType and these bytes behind it.
pub fn other(ethertype: u16, behind: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1], &ethertype.to_be_bytes()[..], behind].concat()
}

/// An ARP request for 10.0.0.`host`.
pub fn arp(host: u8) -> Vec<u8> {
    other(0x0806, &[0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, host])
}

/// An IPv4 datagram of another protocol, between the hosts of [`data`]: header checksum true, `behind` as given.
pub fn ipv4(protocol: u8, behind: &[u8]) -> Vec<u8> {
    ipv4_fragment(protocol, DONT_FRAGMENT, behind)
}

/// The same with these fragment bits and offset.
pub fn ipv4_fragment(protocol: u8, fragment: u16, behind: &[u8]) -> Vec<u8> {
    let mut header = data(0, 0).fragment(fragment).ipv4(behind.len());
    header[9] = protocol;
    header[10..12].fill(0);
    let sum = checksum(&[&header]);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    other(0x0800, &[header, behind.to_vec()].concat())
}

/// A UDP datagram of `length` payload bytes, without a checksum.
pub fn udp(length: usize) -> Vec<u8> {
    let header = [vec![0x03, 0xE8, 0x07, 0xD0], ((8 + length) as u16).to_be_bytes().to_vec(), vec![0, 0]].concat();
    ipv4(17, &[header, vec![0x5A; length]].concat())
}
