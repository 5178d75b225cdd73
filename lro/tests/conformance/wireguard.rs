//! The cases of wireguard-go's test of its GRO for TUN devices. Lengths are those of the IP datagrams.

use lro::Rules;

use crate::common::frame::{DONT_FRAGMENT, ETHERNET, MORE_FRAGMENTS, Tcp, data, data6};
use crate::common::other::{other, udp};
use crate::common::rig::units;

/// A segment of 100 bytes to host `to`.
fn tcp4(to: u8, sequence: u32) -> Tcp {
    data(sequence, 100).fragment(0).window(3000).hosts([1, to])
}

fn tcp6(to: u8, sequence: u32) -> Tcp {
    data6(sequence, 100).window(3000).hosts([1, to])
}

/// A UDP datagram over IPv6 with 100 bytes of payload, addresses and checksum none that matter here.
fn udp6() -> Vec<u8> {
    let header = [&[0x60, 0, 0, 0, 0, 108, 17, 64][..], &[0xFD; 32], &[0, 1, 0, 1, 0, 108, 0, 0]].concat();
    other(0x86DD, &[header, vec![0x5A; 100]].concat())
}

#[track_caller]
fn leave(frames: impl IntoIterator<Item = impl Into<Vec<u8>>>, lengths: &[usize]) {
    let frames: Vec<Vec<u8>> = frames.into_iter().map(Into::into).collect();
    for rules in [Rules::Endpoint, Rules::Forward] {
        let units = units(rules, frames.clone());
        assert_eq!(units.iter().map(|unit| unit.len() - ETHERNET).collect::<Vec<_>>(), lengths);
    }
}

#[test]
fn multiple_protocols_and_flows() {
    let frames = [
        tcp4(2, 1).frame(),
        udp(100),
        udp(100),
        tcp4(2, 101).frame(),
        tcp4(3, 201).frame(),
        tcp6(2, 1).frame(),
        tcp6(2, 101).frame(),
        tcp6(3, 201).frame(),
        udp(100),
        udp6(),
        udp6(),
    ];
    leave(frames, &[240, 128, 128, 140, 260, 160, 128, 148, 148]);
}

#[test]
fn psh_interleaved() {
    let flow = |tcp: fn(u8, u32) -> Tcp| [tcp(2, 1), tcp(2, 101).psh(), tcp(2, 201), tcp(2, 301)];
    leave(flow(tcp4).into_iter().chain(flow(tcp6)), &[240, 240, 260, 260]);
}

#[test]
fn an_item_with_an_invalid_checksum() {
    let frames = [tcp4(2, 1).damaged(), tcp4(2, 101), tcp4(2, 201)].map(|tcp| tcp.frame());
    leave(frames.into_iter().chain([udp(100), udp(100), udp(100)]), &[140, 240, 128, 128, 128]);
}

/// Nothing is put in order here.
#[test]
fn out_of_order() {
    leave([tcp4(2, 101), tcp4(2, 1), tcp4(2, 201)], &[140, 140, 140]);
}

#[test]
fn unequal_ttl() {
    leave([tcp4(2, 1), tcp4(2, 101).ttl(65)], &[140, 140]);
}

#[test]
fn unequal_tos() {
    leave([tcp4(2, 1), tcp4(2, 101).tos(1)], &[140, 140]);
}

#[test]
fn unequal_more_fragments() {
    leave([tcp4(2, 1), tcp4(2, 101).fragment(MORE_FRAGMENTS)], &[140, 140]);
}

#[test]
fn unequal_dont_fragment() {
    leave([tcp4(2, 1), tcp4(2, 101).fragment(DONT_FRAGMENT)], &[140, 140]);
}

#[test]
fn unequal_hop_limit() {
    leave([tcp6(2, 1), tcp6(2, 101).ttl(65)], &[160, 160]);
}

#[test]
fn unequal_traffic_class() {
    leave([tcp6(2, 1), tcp6(2, 101).tos(1)], &[160, 160]);
}
