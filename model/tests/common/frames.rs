//! Frames built by another hand than the card's: with the crate etherparse, and its checksums.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use etherparse::{IpFragOffset, PacketBuilder, PacketBuilderStep, VlanId, ip_number};

use super::{MAC, PEER};

const V4: ([u8; 4], [u8; 4]) = ([10, 0, 0, 1], [10, 0, 0, 2]);
const V6: ([u8; 16], [u8; 16]) = ([0xFD; 16], [0xFE; 16]);

pub fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + 3) as u8).collect()
}

pub fn to_card() -> PacketBuilderStep<etherparse::Ethernet2Header> {
    PacketBuilder::ethernet2(PEER, MAC)
}

fn tcp(ip: PacketBuilderStep<etherparse::IpHeaders>, length: usize) -> Vec<u8> {
    let tcp = ip.tcp(4000, 80, 1000, 500).ack(77);
    let mut frame = Vec::new();
    tcp.write(&mut frame, &payload(length)).unwrap();
    frame
}

fn udp(ip: PacketBuilderStep<etherparse::IpHeaders>, length: usize) -> Vec<u8> {
    let mut frame = Vec::new();
    ip.udp(4000, 53).write(&mut frame, &payload(length)).unwrap();
    frame
}

pub fn tcp4(length: usize) -> Vec<u8> {
    tcp(to_card().ipv4(V4.0, V4.1, 64), length)
}

pub fn tcp6(length: usize) -> Vec<u8> {
    tcp(to_card().ipv6(V6.0, V6.1, 64), length)
}

pub fn udp4(length: usize) -> Vec<u8> {
    udp(to_card().ipv4(V4.0, V4.1, 64), length)
}

pub fn udp6(length: usize) -> Vec<u8> {
    udp(to_card().ipv6(V6.0, V6.1, 64), length)
}

pub fn tagged_tcp4(tag: u16, length: usize) -> Vec<u8> {
    let tagged = to_card().single_vlan(VlanId::try_new(tag).unwrap());
    let mut frame = Vec::new();
    tagged.ipv4(V4.0, V4.1, 64).tcp(4000, 80, 1000, 500).write(&mut frame, &payload(length)).unwrap();
    frame
}

pub fn ping() -> Vec<u8> {
    let mut frame = Vec::new();
    to_card().ipv4(V4.0, V4.1, 64).icmpv4_echo_request(1, 2).write(&mut frame, &payload(56)).unwrap();
    frame
}

/// An IPv4 fragment of a UDP datagram, `offset` in units of eight bytes.
pub fn fragment4(offset: u16, more: bool) -> Vec<u8> {
    let mut header = etherparse::Ipv4Header::new(64, 64, ip_number::UDP, V4.0, V4.1).unwrap();
    header.fragment_offset = IpFragOffset::try_new(offset).unwrap();
    header.more_fragments = more;
    header.header_checksum = header.calc_header_checksum();
    let mut frame = [&MAC[..], &PEER[..], &[0x08, 0x00]].concat();
    header.write(&mut frame).unwrap();
    frame.extend(payload(64));
    frame
}

/// An IPv6 frame with the extension header `kind` of eight bytes before what follows.
pub fn extended6(kind: u8, inside: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = [&MAC[..], &PEER[..], &[0x86, 0xDD, 0x60, 0, 0, 0]].concat();
    frame.extend(((8 + body.len()) as u16).to_be_bytes());
    frame.extend([kind, 64]);
    frame.extend(V6.0);
    frame.extend(V6.1);
    frame.extend([inside, 0, 0, 0, 0, 0, 0, 0]);
    frame.extend(body);
    frame
}

pub fn arp() -> Vec<u8> {
    let mut frame = [&[0xFF; 6][..], &PEER[..], &[0x08, 0x06]].concat();
    frame.extend([0, 1, 8, 0, 6, 4, 0, 1]);
    frame.resize(60, 0);
    frame
}

/// An 802.3 frame whose data begins with `data`.
pub fn length_framed(data: &[u8]) -> Vec<u8> {
    let mut frame = [&MAC[..], &PEER[..]].concat();
    frame.extend((data.len() as u16).to_be_bytes());
    frame.extend(data);
    frame.resize(frame.len().max(60), 0);
    frame
}
