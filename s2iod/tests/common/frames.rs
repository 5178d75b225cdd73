//! Frames to send to the driver.

use etherparse::{Ipv4Header, PacketBuilder};

use super::MAC;

const PEER: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];
/// Bytes before the payload of a segment of IPv4 and of IPv6.
pub const HEADERS_4: usize = 14 + 20 + 20;
pub const HEADERS_6: usize = 14 + 40 + 20;
/// Where the IPv4 header lies.
const IPV4: std::ops::Range<usize> = 14..34;

/// A frame of no protocol that anyone knows, of 14 bytes or more; its payload tells `number`, again and again.
pub fn plain(number: u32, length: usize) -> Vec<u8> {
    let header = [MAC.as_slice(), &PEER, &[0x88, 0xB5]].concat();
    header.into_iter().chain(number.to_be_bytes().into_iter().cycle()).take(length).collect()
}

/// A frame to somebody.
pub fn to(destination: [u8; 6]) -> Vec<u8> {
    let mut frame = plain(7, 100);
    frame[..6].copy_from_slice(&destination);
    frame
}

/// The bytes that a flow carries from a place of its sequence on.
fn payload(sequence: u32, length: usize) -> Vec<u8> {
    (sequence..).take(length).map(|place| (place ^ place >> 8).wrapping_mul(167) as u8).collect()
}

/// A segment of IPv4 flow `flow`.
pub fn segment(flow: u16, sequence: u32, length: usize) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2(PEER, MAC).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let mut frame = Vec::new();
    builder.tcp(1_000 + flow, 80, sequence, 500).ack(1).write(&mut frame, &payload(sequence, length)).unwrap();
    frame
}

/// A segment of IPv6 flow `flow`.
pub fn segment_6(flow: u16, sequence: u32, length: usize) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2(PEER, MAC).ipv6([0xFD; 16], [0xFC; 16], 64);
    let mut frame = Vec::new();
    builder.tcp(1_000 + flow, 80, sequence, 500).ack(1).write(&mut frame, &payload(sequence, length)).unwrap();
    frame
}

/// A UDP datagram of IPv4.
pub fn datagram(number: u32, length: usize) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2(PEER, MAC).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let mut frame = Vec::new();
    builder.udp(1_000, 53).write(&mut frame, &payload(number, length)).unwrap();
    frame
}

/// A frame of IPv4 made the first fragment of a longer datagram.
pub fn fragmented(mut frame: Vec<u8>) -> Vec<u8> {
    let (mut header, _) = Ipv4Header::from_slice(&frame[IPV4]).unwrap();
    header.more_fragments = true;
    header.dont_fragment = false;
    header.header_checksum = header.calc_header_checksum();
    frame[IPV4].copy_from_slice(&header.to_bytes());
    frame
}

/// Flips a bit of a frame's last byte.
pub fn damaged(mut frame: Vec<u8>) -> Vec<u8> {
    *frame.last_mut().unwrap() ^= 1;
    frame
}

/// Puts an 802.1Q tag in.
pub fn tagged(mut frame: Vec<u8>) -> Vec<u8> {
    frame.splice(12..12, [0x81, 0x00, 0x20, 0x05]);
    frame
}

/// The payload of a segment of IPv4.
pub fn payload_of(frame: &[u8]) -> &[u8] {
    &frame[HEADERS_4..]
}

/// Consecutive segments of one IPv4 flow.
pub fn segments(count: usize, length: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| segment(0, 1 + (number * length) as u32, length)).collect()
}
