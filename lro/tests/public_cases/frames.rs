//! Frames that must be left alone: none is merged, lost, changed or held.

use lro::{Checksums, MAX_UNIT, Rules};

use crate::common::frame::{ACK, CWR, ETHERNET, HEADERS6, MORE_FRAGMENTS, data, data6, pure_ack};
use crate::common::other::{arp, ipv4, other, udp};
use crate::common::parse::{payloads, segment};
use crate::common::rig::{Rig, coalesce};
use crate::endpoint;

/// The frame leaves bit for bit between data of the flow that it seems to continue, and joins neither.
#[track_caller]
fn untouched(frame: impl Into<Vec<u8>>) {
    let frame = frame.into();
    let expected = [data(1, 100).frame(), frame.clone(), data(201, 100).frame()];
    assert_eq!(endpoint(expected.clone()), expected);
}

/// Two frames that must not join.
#[track_caller]
fn apart(first: impl Into<Vec<u8>>, second: impl Into<Vec<u8>>) {
    let frames = [first.into(), second.into()];
    assert_eq!(endpoint(frames.clone()), frames);
}

// 2: DPDK 72f51b097a.
#[test]
fn a_padded_pure_ack_passes_at_once_as_it_came() {
    let ack = pure_ack(1, 700).padded();
    assert_eq!(ack.frame().len(), 60);
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(ack.clone());
    assert_eq!(rig.read(MAX_UNIT), Some(ack.frame()));
}

// 3: DPDK 7ccc7a05d6.
#[test]
fn a_data_offset_that_lies_is_left_alone() {
    for (offset, length) in [(4, 134), (15, 94)] {
        let mut frame = data(101, 80).frame();
        frame[46] = offset << 4;
        frame.truncate(length);
        untouched(frame);
    }
}

// 4: DPDK f8a05885e7.
#[test]
fn an_ip_length_that_lies_is_passed_through() {
    for length in [0_u16, 19, 39, 141, 1500, 65_535] {
        let mut frame = data(101, 100).frame();
        frame[16..18].copy_from_slice(&length.to_be_bytes());
        untouched(frame);
    }
}

// 5: DPDK bdf2f895a6.
#[test]
fn a_first_fragment_does_not_merge_and_leaves_behind_what_is_held() {
    untouched(data(101, 100).fragment(MORE_FRAGMENTS));
}

// 5: DPDK bdf2f895a6.
#[test]
fn a_later_fragment_that_mimics_the_flow_does_not_merge() {
    untouched(data(101, 100).fragment(185));
}

// 6: DPDK b605df71be.
#[test]
fn a_tunnelled_frame_is_not_taken_for_its_outer_or_inner_kind() {
    let vxlan = [&[0x12, 0xB5, 0x12, 0xB5, 0, 120, 0, 0, 8, 0, 0, 0, 0, 0, 5, 0][..], &data6(1, 40).frame()].concat();
    apart(ipv4(17, &vxlan), ipv4(17, &vxlan));
}

// 8: DPDK bc4a7f7ee0.
#[test]
fn segments_out_of_order_are_neither_lost_repeated_nor_moved() {
    let frames = [1, 301, 201, 101].map(|sequence| data(sequence, 100).frame());
    for batch in 1..=4 {
        assert_eq!(coalesce(Rules::Endpoint, &frames, batch, MAX_UNIT), frames);
    }
}

// 9: DPDK 5c762a58c3.
#[test]
fn frames_that_cannot_merge_come_out_of_a_burst_too() {
    let odd_ones = [
        arp(1),
        udp(40),
        pure_ack(201, 1).frame(),
        data(201, 10).options(vec![1; 8]).frame(),
        data6(1, 10).frame(),
        ipv4(1, &[8; 30]),
        data(1, 40).fragment(9).frame(),
        vec![0; 5],
    ];
    let burst = odd_ones.iter().cloned().chain([data(201, 100).frame(), data(301, 100).frame()]);
    let units = endpoint(burst);
    assert!(odd_ones.iter().all(|frame| units.contains(frame)));
    assert_eq!(units.len(), odd_ones.len() + 1);
}

// 10: gVisor edd7fd2e6.
#[test]
fn the_last_ack_of_the_handshake_passes_at_once() {
    let mut rig = Rig::new(Rules::Endpoint);
    let ack = pure_ack(1, 1).timestamps(1, 1);
    rig.push(ack.clone());
    assert_eq!(rig.read(MAX_UNIT), Some(ack.frame()));
}

// 13: wireguard-go 052af4a.
#[test]
fn unequal_ip_headers_do_not_merge() {
    apart(data(1, 100).ttl(64), data(101, 100).ttl(63));
    apart(data(1, 100), data(101, 100).fragment(MORE_FRAGMENTS));
    apart(data(1, 100).fragment(0), data(101, 100));
    apart(data(1, 100), data(101, 100).tos(4));
    apart(data6(1, 100).ttl(64), data6(101, 100).ttl(63));
    apart(data6(1, 100), data6(101, 100).tos(4));
}

// 13: wireguard-go aad7fca.
#[test]
fn an_ip_header_with_options_does_not_merge_and_keeps_its_place() {
    untouched(data(101, 100).ip_options(vec![1, 1, 1, 0]));
}

// 14: wireguard-go#145, tailscale#19820.
#[test]
fn a_bad_checksum_first_leaves_as_it_came_and_the_good_ones_merge() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100).damaged()).push(data(101, 100)).push(data(201, 100));
    let units = rig.finish();
    assert_eq!(units[0], data(1, 100).damaged().frame());
    assert_eq!(payloads(&units), [100, 200]);
    assert_eq!((rig.info(0).segments, rig.info(0).segment_size), (1, 0));
    assert_eq!((rig.info(1).segments, rig.info(1).segment_size), (2, 100));
}

// 14, as a card sees it.
#[test]
fn a_frame_that_the_card_found_bad_parts_good_ones() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push_as(data(1, 100), Checksums::Verified).push_as(data(101, 100).damaged(), Checksums::Bad);
    rig.push_as(data(201, 100), Checksums::Verified).push_as(data(301, 100), Checksums::Verified);
    assert_eq!(payloads(&rig.finish()), [100, 100, 200]);
}

// 18: FreeBSD D12876, Linux c80794323e82.
#[test]
fn held_data_leaves_before_a_frame_that_cannot_merge() {
    for frame in [pure_ack(201, 9), data(201, 9).flags(ACK | CWR), data(201, 9).options(vec![1; 4]), data(900, 9)] {
        let units = endpoint([data(1, 100), data(101, 100), frame.clone()]);
        assert_eq!(segment(&units[0]).payload().len(), 200);
        assert_eq!(units[1], frame.frame());
    }
}

// 21: CVE-2016-7039.
#[test]
fn sixty_vlan_tags_pass_through() {
    let tagged = (0..60).fold(data(1, 100), |frame, tag| frame.tag(0x8100, tag));
    apart(tagged.clone(), tagged);
}

// 21: CVE-2016-8666.
#[test]
fn a_tunnel_in_a_tunnel_does_not_merge() {
    let twice = |sequence| ipv4(4, &ipv4(4, &data(sequence, 100).frame()[ETHERNET..])[ETHERNET..]);
    apart(twice(1), twice(101));
}

// 23: s2io merged across VLANs.
#[test]
fn other_vlans_and_other_priorities_never_merge() {
    apart(data(1, 100).tag(0x8100, 10), data(101, 100).tag(0x8100, 20));
    apart(data(1, 100).tag(0x8100, 10), data(101, 100).tag(0x8100, 10 | 0xE000));
    apart(data(1, 100).tag(0x8100, 10), data(101, 100).tag(0x8100, 10 | 0x1000));
    apart(data(1, 100).tag(0x8100, 10), data(101, 100).tag(0x88A8, 10));
    apart(data(1, 100).tag(0x8100, 10), data(101, 100));
}

// 24: s2io, inet_lro, VPP.
#[test]
fn the_acknowledgment_never_goes_back() {
    apart(data(1, 100).ack(200), data(101, 100).ack(100));
}

// 27: trex#972, gvisor#387, asterinas#485.
#[test]
fn pure_acks_are_never_merged() {
    let acks: Vec<Vec<u8>> = (1..20).map(|n| pure_ack(1, n * 1448).frame()).collect();
    assert_eq!(endpoint(acks.clone()), acks);
}

// 28: calico-vpp#190.
#[test]
fn a_small_ipv6_frame_keeps_its_length() {
    for length in 0..8 {
        let frame = data6(1, length).frame();
        assert_eq!(frame.len(), HEADERS6 + length);
        assert_eq!(endpoint([frame.clone()]), [frame]);
    }
}

// 33.
#[test]
fn frames_of_other_kinds_pass_through_untouched() {
    let llc = other(40, &[0x42, 0x42, 3, 0, 0, 0, 0, 0]);
    let snap = |sequence| {
        let datagram = data(sequence, 100).frame().split_off(ETHERNET);
        other(148, &[&[0xAA, 0xAA, 3, 0, 0, 0, 8, 0][..], &datagram].concat())
    };
    apart(udp(100), udp(100));
    apart(arp(1), arp(1));
    apart(llc.clone(), llc);
    apart(snap(1), snap(101));
    let gre = |sequence| ipv4(47, &[&[0, 0, 8, 0][..], &data(sequence, 100).frame()[ETHERNET..]].concat());
    apart(gre(1), gre(101));
    apart(data6(1, 9).extension(253, &[0; 8]), data6(10, 9).extension(253, &[0; 8]));
    apart([1; 13], [1; 14]);
    apart(vec![3; 100_000], vec![3; 100_000]);
}
