//! In which order units leave: frames of one flow as they came, and nothing across a barrier.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{ACK, MORE_FRAGMENTS, RST, data, data6, pure_ack};
use common::other::{arp, ipv4, ipv4_fragment, other, udp};
use common::parse::{Kind, parse, payloads};
use common::rig::{Rig, units};
use lro::{Checksums, End, Rules};

/// What left, in short: payload lengths, and the whole length of what is no segment.
fn lengths(units: &[Vec<u8>]) -> Vec<usize> {
    let length = |unit: &Vec<u8>| match parse(unit) {
        Kind::Segment(segment) => segment.payload.len(),
        _ => unit.len(),
    };
    units.iter().map(length).collect()
}

#[test]
fn units_leave_in_the_order_of_their_first_frames() {
    let of_flow = |flow, sequence, length| data(sequence, length).flow(flow);
    let frames = [of_flow(0, 1, 10), of_flow(1, 1, 20), of_flow(2, 1, 30), of_flow(1, 21, 20), of_flow(0, 11, 10)];
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [20, 40, 30]);
}

#[test]
fn a_frame_that_cannot_merge_leaves_behind_the_data_before_it_and_ahead_of_the_data_behind_it() {
    for middle in [pure_ack(201, 9), pure_ack(201, 9).flags(ACK | RST), data(201, 0).options(vec![1; 4])] {
        let frames = [data(1, 100), data(101, 100), middle, data(201, 100), data(301, 100)];
        assert_eq!(payloads(&units(Rules::Endpoint, frames)), [200, 0, 200]);
    }
}

#[test]
fn a_frame_with_a_wrong_checksum_keeps_its_place() {
    let frames = [data(1, 100), data(101, 50).damaged(), data(151, 100), data(251, 100)];
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [100, 50, 200]);
}

#[test]
fn a_segment_joins_the_newest_unit_of_its_flow_only() {
    // The last one continues the first unit, which is no longer the flow's newest.
    let frames = [data(1, 100), data(501, 100), data(101, 100)];
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [100, 100, 100]);
}

#[test]
fn reordered_segments_are_not_put_in_order() {
    let sequences = [1, 301, 201, 101];
    let frames = sequences.map(|sequence| data(sequence, 100).frame());
    assert_eq!(units(Rules::Endpoint, frames.clone()), frames);
}

#[test]
fn a_flow_that_cannot_merge_holds_up_no_other() {
    let frames =
        [data(1, 10).flow(1), data(1, 20), pure_ack(11, 5).flow(1), data(21, 20), data(11, 10).flow(1), data(41, 20)];
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [10, 60, 0, 10]);
}

#[test]
fn a_fragment_is_a_barrier_for_the_flows_of_its_addresses() {
    let frames = [data(1, 100), data(101, 40).fragment(MORE_FRAGMENTS), data(101, 100)];
    assert_eq!(lengths(&units(Rules::Endpoint, frames)), [100, 94, 100]);
}

#[test]
fn a_later_fragment_whose_bytes_look_like_other_ports_is_a_barrier() {
    let frames = [data(1, 100), data(101, 40).flow(7).fragment(3), data(101, 100)];
    assert_eq!(lengths(&units(Rules::Endpoint, frames)), [100, 94, 100]);
}

#[test]
fn a_frame_with_a_wrong_ip_header_sum_is_a_barrier_for_all() {
    // Its addresses may be the damaged bytes.
    let frames = [data(1, 100), data(101, 40).hosts([7, 8]).ip_damaged(), data(101, 100)];
    assert_eq!(lengths(&units(Rules::Endpoint, frames)), [100, 94, 100]);
}

#[test]
fn a_frame_with_a_wrong_ip_header_sum_that_the_card_found_bad_is_a_barrier() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push_as(data(1, 100), Checksums::Verified);
    rig.push_as(data(101, 40).hosts([7, 8]).ip_damaged(), Checksums::Bad);
    rig.push_as(data(101, 100), Checksums::Verified);
    assert_eq!(lengths(&rig.finish()), [100, 94, 100]);
}

#[test]
fn a_data_offset_that_makes_no_sense_is_a_barrier() {
    for offset in [0, 1, 4, 15] {
        let mut middle = data(101, 30).flow(3).frame();
        middle[46] = offset << 4;
        let frames = [data(1, 100).frame(), middle, data(101, 100).frame()];
        assert_eq!(lengths(&units(Rules::Endpoint, frames)), [100, 84, 100], "offset {offset}");
    }
}

#[test]
fn a_barrier_ends_the_units_of_every_flow() {
    let mut rig = Rig::new(Rules::Endpoint);
    for flow in 0..5 {
        rig.push(data(1, 10).flow(flow));
    }
    rig.push(data(1, 10).fragment(1));
    for flow in 0..5 {
        rig.push(data(11, 10).flow(flow));
    }
    assert_eq!(rig.finish().len(), 11);
    assert_eq!((rig.ended(End::Barrier), rig.ended(End::Read)), (6, 5));
}

#[test]
fn flows_merge_again_behind_a_barrier() {
    let frames = [data(1, 10), data(11, 10).fragment(1), data(11, 20), data(31, 20), data(51, 20)];
    assert_eq!(lengths(&units(Rules::Endpoint, frames)), [10, 64, 60]);
}

#[test]
fn barriers_keep_their_order() {
    let frames = [1, 2, 3].map(|offset| data(1, 10).fragment(offset).frame());
    assert_eq!(units(Rules::Endpoint, frames.clone()), frames);
}

#[test]
fn a_reader_may_come_between_barriers() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10)).push(data(21, 10).fragment(1)).push(data(21, 10));
    assert_eq!(payloads(&[rig.read(1000).unwrap()]), [20]);
    rig.push(data(31, 10));
    rig.read(1000);
    rig.push(data(41, 10)).push(data(51, 10).fragment(1)).push(data(51, 10));
    assert_eq!(lengths(&rig.finish()), [20, 64, 30, 64, 10]);
}

#[test]
fn a_unit_cut_before_a_barrier_does_not_grow_behind_it() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100)).push(data(101, 100)).push(data(201, 100));
    rig.read(54 + 100);
    rig.push(data(301, 100).fragment(1)).push(data(301, 100));
    assert_eq!(lengths(&rig.finish()), [100, 200, 154, 100]);
}

#[test]
fn frames_of_other_protocols_are_no_barriers() {
    for middle in [arp(9), udp(40), ipv4(1, &[8; 60]), ipv4(47, &[0; 90]), ipv4(4, &data(1, 9).frame()[14..])] {
        let frames = [data(1, 100).frame(), middle.clone(), data(101, 100).frame()];
        let units = units(Rules::Endpoint, frames);
        assert_eq!(units.len(), 2, "{middle:02X?}");
        assert_eq!(units[1], middle);
    }
}

#[test]
fn frames_of_other_ethertypes_are_no_barriers() {
    let spanning_tree = other(38, &[0x42, 0x42, 3, 0, 0]);
    let snap = other(60, &[&[0xAA, 0xAA, 3, 0, 0, 0, 8, 0][..], &data(1, 10).frame()[14..]].concat());
    for middle in [spanning_tree, snap, other(0x8863, &[0x11; 40]), other(0x88CC, &[0; 46])] {
        let frames = [data(1, 100).frame(), middle, data(101, 100).frame()];
        assert_eq!(units(Rules::Endpoint, frames).len(), 2);
    }
}

#[test]
fn fragments_of_other_protocols_are_no_barriers() {
    let first = ipv4_fragment(17, MORE_FRAGMENTS, &[5; 48]);
    let mut icmp = data6(1, 10).extension(44, &[0, 0, 0, 1, 0, 0, 0, 7]).frame();
    icmp[54] = 58;
    for middle in [first, icmp] {
        let frames = [data(1, 100).frame(), middle, data(101, 100).frame()];
        assert_eq!(units(Rules::Endpoint, frames).len(), 2);
    }
}

#[test]
fn other_frames_keep_their_order() {
    let frames = [arp(1), udp(5), arp(2), udp(9), arp(3)];
    assert_eq!(units(Rules::Endpoint, frames.clone()), frames);
}

#[test]
fn off_keeps_the_order_of_all_frames() {
    let frames =
        [data(1, 10).frame(), arp(1), data(1, 10).flow(1).frame(), data(11, 10).frame(), pure_ack(21, 1).frame()];
    assert_eq!(units(Rules::Off, frames.clone()), frames);
}

#[test]
fn an_inner_barrier_in_a_tunnel_is_none() {
    let inner = data(1, 9).fragment(MORE_FRAGMENTS).frame();
    let frames = [data(1, 100).frame(), ipv4(4, &inner[14..]), data(101, 100).frame()];
    assert_eq!(units(Rules::Endpoint, frames).len(), 2);
}
