//! What a received frame is described as: protocol bits, checksum words, tags.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, frames};
use xframe::bits::*;
use xframe::rxd::{CHECKSUM_GOOD, FrameType, TCode};

#[test]
fn tcp_over_ipv4_is_described_and_its_sums_are_good() {
    let frame = frames::tcp4(1448);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert_eq!(bytes, frame);
    assert!(completion.checksums_good() && completion.tcp && completion.ipv4 && !completion.udp && !completion.ipv6);
    assert_eq!((completion.t_code, completion.frame_type, completion.vlan), (TCode::Ok, FrameType::Dix, false));
}

#[test]
fn tcp_over_ipv6_has_a_good_layer_3_word() {
    let (completion, _) = Host::running(1).receive(&frames::tcp6(1001));
    assert!(completion.tcp && completion.ipv6 && !completion.ipv4);
    assert_eq!((completion.l3, completion.l4), (CHECKSUM_GOOD, CHECKSUM_GOOD));
}

#[test]
fn udp_is_described_over_both_versions() {
    for frame in [frames::udp4(333), frames::udp6(334)] {
        let (completion, _) = Host::running(1).receive(&frame);
        assert!(completion.checksums_good() && completion.udp && !completion.tcp);
    }
}

#[test]
fn udp_without_a_checksum_is_good() {
    let mut frame = frames::udp4(100);
    frame[40..42].fill(0);
    assert!(Host::running(1).receive(&frame).0.checksums_good());
}

#[test]
fn a_damaged_payload_leaves_the_sum_that_was_found() {
    let mut frame = frames::tcp4(1448);
    // The first word of payload grows by one, so the sum is one more than all ones: carry and all, one.
    let at = frame.len() - 1448;
    let word = u16::from_be_bytes([frame[at], frame[at + 1]]);
    frame[at..at + 2].copy_from_slice(&(word + 1).to_be_bytes());
    let (completion, _) = Host::running(1).receive(&frame);
    assert!(completion.tcp, "protocol bits come from parsing alone");
    assert_eq!((completion.l3, completion.l4), (CHECKSUM_GOOD, 0x0001));
}

#[test]
fn a_damaged_ip_header_leaves_the_sum_that_was_found() {
    let mut frame = frames::tcp4(100);
    frame[22] -= 1;
    let (completion, _) = Host::running(1).receive(&frame);
    assert_eq!(completion.l3, 0xFFFF - 0x0100);
}

#[test]
fn ethernet_padding_is_delivered_but_not_summed() {
    let mut frame = frames::tcp4(1);
    frame.extend([0xEE; 5]);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert!(completion.checksums_good());
    assert_eq!(bytes, frame);
}

#[test]
fn other_protocols_over_ipv4_have_no_layer_4_word() {
    let (completion, _) = Host::running(1).receive(&frames::ping());
    let (control_1, control_2) = completion.encode();
    assert_eq!(u64::from(control_1), 0x0000_0010_FFFF_0000);
    assert_eq!(u64::from(control_2), 98 << 48);
}

#[test]
fn fragments_are_marked_and_not_vouched_for() {
    for (offset, more, first) in [(0, true, true), (8, true, false), (8, false, false)] {
        let (completion, _) = Host::running(1).receive(&frames::fragment4(offset, more));
        assert!(completion.fragment && completion.ipv4 && !completion.checksums_good());
        assert_eq!((completion.udp, completion.l3), (first, CHECKSUM_GOOD));
        assert_ne!(completion.l4, CHECKSUM_GOOD);
    }
}

#[test]
fn known_ipv6_extension_headers_are_stepped_over() {
    let inside = &frames::tcp6(200)[54..];
    for kind in [0, 43, 60] {
        let (completion, _) = Host::running(1).receive(&frames::extended6(kind, 6, inside));
        assert!(completion.tcp && completion.checksums_good(), "{kind}");
    }
}

#[test]
fn an_ipv6_fragment_is_marked() {
    let mut frame = frames::extended6(44, 17, &[0; 64]);
    frame[57] = 1;
    let (completion, _) = Host::running(1).receive(&frame);
    assert!(completion.fragment && completion.ipv6 && completion.udp && !completion.checksums_good());
}

#[test]
fn an_unknown_ipv6_extension_header_has_a_code_of_its_own() {
    let frame = frames::extended6(51, 6, &[0; 64]);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert_eq!(completion.t_code, TCode::UnknownProtocol);
    assert!(completion.ipv6 && !completion.tcp);
    assert_eq!(bytes, frame);
}

#[test]
fn frames_without_ip_have_empty_words() {
    let mut host = Host::running(1);
    let (arp, _) = host.receive(&frames::arp());
    assert_eq!(u64::from(arp.encode().0), 0);
    let (llc, _) = host.receive(&frames::length_framed(&[0x42, 0x42, 3, 0, 0]));
    assert_eq!((llc.frame_type, llc.ipv4, llc.l3, llc.l4), (FrameType::Llc, false, 0, 0));
    let (ipx, _) = host.receive(&frames::length_framed(&[0xFF, 0xFF, 0, 30]));
    assert_eq!(ipx.frame_type, FrameType::Ipx);
}

#[test]
fn ip_inside_snap_is_described() {
    let inner = &frames::tcp4(64)[14..];
    let snap = [&[0xAA, 0xAA, 3, 0, 0, 0, 0x08, 0x00], inner].concat();
    let (completion, _) = Host::running(1).receive(&frames::length_framed(&snap));
    assert_eq!(completion.frame_type, FrameType::Snap);
    assert!(completion.tcp && completion.checksums_good());
}

#[test]
fn a_tag_moves_into_the_descriptor() {
    let frame = frames::tagged_tcp4(5, 500);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert_eq!((completion.vlan, completion.vlan_tag), (true, 5));
    assert!(completion.checksums_good());
    assert_eq!(bytes, [&frame[..12], &frame[16..]].concat());
}

#[test]
fn a_tag_stays_in_the_frame_when_stripping_is_off() {
    let mut host = Host::running(1);
    host.put(RxPaCfg::new());
    let frame = frames::tagged_tcp4(5, 500);
    let (completion, bytes) = host.receive(&frame);
    assert_eq!((completion.vlan, completion.vlan_tag), (true, 0));
    assert!(completion.checksums_good());
    assert_eq!(bytes, frame);
}

#[test]
fn the_frame_check_sequence_comes_along_when_it_is_not_stripped() {
    let mut host = Host::running(1);
    host.set_mac_cfg(|mac| mac.with_rmac_strip_fcs(false));
    let frame = frames::tcp4(100);
    let (completion, bytes) = host.receive(&frame);
    assert_eq!(bytes[..frame.len()], frame);
    assert_eq!(bytes[frame.len()..], crc32fast::hash(&frame).to_le_bytes());
    assert!(completion.checksums_good());
}
