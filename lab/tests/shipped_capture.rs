//! The capture that the repository ships is what the kernel sent: whole frames, true checksums.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::collections::HashMap;

use etherparse::checksum::Sum16BitWords;
use etherparse::{NetSlice, SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};
use model::capture::{self, Packet};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/kernel-tcp.pcap");

struct Frames(Vec<Packet>);

impl Frames {
    fn read() -> Self {
        let frames = capture::read(PATH).unwrap();
        assert!(frames.len() > 1_000, "only {} frames", frames.len());
        Self(frames)
    }

    /// Every frame; each must be TCP over IP in one Ethernet frame of at most 1,514 bytes.
    fn each(&self, mut check: impl FnMut(usize, NetSlice<'_>, TcpSlice<'_>)) {
        for (number, frame) in (1..).zip(&self.0) {
            assert_eq!(frame.original_length as usize, frame.data.len());
            assert!(frame.data.len() <= 1_514);
            let packet = SlicedPacket::from_ethernet(&frame.data).unwrap();
            match (packet.net, packet.transport) {
                (Some(net), Some(TransportSlice::Tcp(tcp))) => check(number, net, tcp),
                other => panic!("frame {number} is no TCP segment: {other:?}"),
            }
        }
    }
}

fn is_ipv4(net: &NetSlice<'_>) -> bool {
    matches!(net, NetSlice::Ipv4(_))
}

#[test]
fn it_is_small_enough_for_a_repository() {
    assert!(std::fs::metadata(PATH).unwrap().len() <= 2_000_000);
}

#[test]
fn every_ipv4_header_checksum_verifies() {
    Frames::read().each(|number, net, _| {
        if let NetSlice::Ipv4(ip) = net {
            let header = ip.header().to_header();
            assert_eq!(header.header_checksum, header.calc_header_checksum(), "frame {number}");
        }
    });
}

/// Summed over the segment as it stands: the kernel may send 0xFFFF where others send zero.
#[test]
fn every_tcp_checksum_verifies() {
    Frames::read().each(|number, net, tcp| {
        let length = u16::try_from(tcp.slice().len()).unwrap();
        let mut sum = Sum16BitWords::new().add_2bytes(length.to_be_bytes());
        sum = match net {
            NetSlice::Ipv4(ip) => sum.add_4bytes(ip.header().source()).add_4bytes(ip.header().destination()),
            NetSlice::Ipv6(ip) => sum.add_16bytes(ip.header().source()).add_16bytes(ip.header().destination()),
            NetSlice::Arp(_) => panic!("frame {number} is ARP"),
        };
        let sum = sum.add_2bytes([0, 6]).add_slice(tcp.slice());
        assert_eq!(sum.ones_complement(), 0, "frame {number}");
    });
}

#[test]
fn every_segment_of_both_ip_versions_has_a_timestamp() {
    let (mut ipv4, mut ipv6) = (0, 0);
    Frames::read().each(|number, net, tcp| {
        let timestamp = |option| matches!(option, Ok(TcpOptionElement::Timestamp(value, _)) if value > 0);
        assert!(tcp.options_iterator().any(timestamp), "frame {number}");
        *if is_ipv4(&net) { &mut ipv4 } else { &mut ipv6 } += 1;
    });
    assert!(ipv4 > 500 && ipv6 > 500, "{ipv4} of IPv4, {ipv6} of IPv6");
}

#[test]
fn most_data_segments_are_full() {
    let (mut data, mut full) = (0, 0);
    Frames::read().each(|_, net, tcp| {
        let size = if is_ipv4(&net) { 1_448 } else { 1_428 };
        data += usize::from(!tcp.payload().is_empty());
        full += usize::from(tcp.payload().len() == size);
    });
    assert!(full * 100 > data * 95, "{full} of {data}");
}

#[test]
fn both_transfers_are_whole_and_acknowledged() {
    let (mut data, mut acknowledgements) = (HashMap::new(), 0);
    Frames::read().each(|number, net, tcp| {
        if tcp.destination_port() == 5_001 && !tcp.payload().is_empty() {
            let place = (is_ipv4(&net), tcp.sequence_number());
            data.insert(place, tcp.payload().len());
        } else if tcp.source_port() == 5_001 {
            assert!(tcp.payload().is_empty(), "frame {number}");
            acknowledgements += 1;
        }
    });
    assert_eq!(data.values().sum::<usize>(), 2 * 880_000);
    assert!(acknowledgements > 100, "{acknowledgements}");
}

#[test]
fn some_segments_arrive_out_of_order() {
    let (mut next, mut out_of_order) = (HashMap::new(), 0);
    Frames::read().each(|_, net, tcp| {
        if tcp.destination_port() == 5_001 && !tcp.payload().is_empty() {
            let sequence = tcp.sequence_number();
            let end = sequence.wrapping_add(tcp.payload().len() as u32);
            let expected = next.insert(is_ipv4(&net), end);
            out_of_order += usize::from(expected.is_some_and(|expected| expected != sequence));
        }
    });
    assert!((1..50).contains(&out_of_order), "{out_of_order}");
}
