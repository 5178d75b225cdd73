//! What does not join: each case with the reason that is counted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{
    ACK, CWR, DONT_FRAGMENT, ECE, FIN, MORE_FRAGMENTS, PSH, RESERVED_BIT, RST, SYN, Tcp, URG, data, data6, pure_ack,
    timestamps,
};
use common::parse::segment;
use common::rig::Rig;
use lro::{Checksums, End, Rules};

/// Nothing merges, every frame leaves as it came and in order, and this reason is counted `times` times.
#[track_caller]
fn apart(reason: End, times: u64, frames: &[Tcp]) {
    let mut rig = Rig::new(Rules::Endpoint);
    for frame in frames {
        rig.push(frame.clone());
    }
    let expected: Vec<Vec<u8>> = frames.iter().map(Tcp::frame).collect();
    assert_eq!(rig.finish(), expected);
    assert_eq!(rig.ended(reason), times, "{reason:?} of {:?}", rig.stats());
}

/// Two segments of a flow that differ as told: the second may not join, for this reason.
#[track_caller]
fn differ(reason: End, first: Tcp, second: Tcp) {
    apart(reason, 1, &[first, second]);
}

/// A frame that never shares a unit: what is before it ends, what is behind it starts anew.
#[track_caller]
fn alone(reason: End, middle: Tcp) {
    let next = middle.sequence.wrapping_add(middle.payload as u32);
    let mut before = data(1, 100);
    let mut behind = data(next, 100);
    (before.v6, behind.v6) = (middle.v6, middle.v6);
    apart(reason, 2, &[before, middle, behind]);
}

#[test]
fn a_gap() {
    differ(End::Sequence, data(1, 100), data(102, 100));
}

#[test]
fn a_duplicate() {
    differ(End::Sequence, data(1, 100), data(1, 100));
}

#[test]
fn an_overlap() {
    differ(End::Sequence, data(1, 100), data(100, 100));
}

#[test]
fn segments_in_reverse() {
    differ(End::Sequence, data(101, 100), data(1, 100));
}

#[test]
fn a_gap_of_two_to_the_sixteenth() {
    differ(End::Sequence, data(1, 100), data(101 + 0x1_0000, 100));
}

#[test]
fn another_ttl_or_hop_limit() {
    differ(End::Header, data(1, 9).ttl(64), data(10, 9).ttl(63));
    differ(End::Header, data6(1, 9).ttl(64), data6(10, 9).ttl(63));
}

#[test]
fn another_tos_or_traffic_class() {
    for bit in 0..8 {
        differ(End::Header, data(1, 9), data(10, 9).tos(1 << bit));
        differ(End::Header, data6(1, 9), data6(10, 9).tos(1 << bit));
    }
}

#[test]
fn another_flow_label() {
    for bit in 0..20 {
        differ(End::Header, data6(1, 9), data6(10, 9).flow_label(1 << bit));
    }
}

#[test]
fn another_dont_fragment_bit() {
    differ(End::Header, data(1, 9).fragment(DONT_FRAGMENT), data(10, 9).fragment(0));
}

#[test]
fn another_reserved_bit_of_the_ip_header() {
    differ(End::Header, data(1, 9).fragment(RESERVED_BIT), data(10, 9).fragment(0));
}

#[test]
fn another_reserved_or_accurate_ecn_bit_of_the_tcp_header() {
    for bit in 0..4 {
        differ(End::Header, data(1, 9), data(10, 9).reserved(1 << bit));
    }
}

#[test]
fn another_ethernet_address() {
    for byte in 0..6 {
        let mut address = [2, 0, 0, 0, 0, 9];
        address[byte] ^= 0x40;
        let first = |sequence| data(sequence, 9).source([2, 0, 0, 0, 0, 9]).destination([2, 0, 0, 0, 0, 9]);
        differ(End::Header, first(1), first(10).source(address));
        differ(End::Header, first(1), first(10).destination(address));
    }
}

#[test]
fn timestamps_in_one_of_them_only() {
    differ(End::Header, data(1, 9).timestamps(1, 1), data(10, 9));
    differ(End::Header, data(1, 9), data(10, 9).timestamps(1, 1));
}

#[test]
fn an_acknowledgment_that_goes_back() {
    differ(End::Acknowledgment, data(1, 9).ack(200), data(10, 9).ack(199));
}

#[test]
fn an_acknowledgment_that_goes_back_over_the_wrap() {
    differ(End::Acknowledgment, data(1, 9).ack(5), data(10, 9).ack(u32::MAX));
}

#[test]
fn an_acknowledgment_that_goes_back_in_a_later_segment() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 9).ack(100)).push(data(10, 9).ack(200)).push(data(19, 9).ack(150));
    let units = rig.finish();
    assert_eq!((units.len(), rig.ended(End::Acknowledgment)), (2, 1));
    assert_eq!(segment(&units[0]).acknowledgment(), 200);
}

#[test]
fn a_timestamp_that_goes_back() {
    differ(End::Timestamp, data(1, 9).timestamps(50, 1), data(10, 9).timestamps(49, 1));
}

#[test]
fn a_timestamp_that_goes_back_over_the_wrap() {
    differ(End::Timestamp, data(1, 9).timestamps(0, 1), data(10, 9).timestamps(u32::MAX, 1));
}

#[test]
fn what_follows_a_push() {
    differ(End::Push, data(1, 9).psh(), data(10, 9));
}

#[test]
fn what_follows_a_push_that_joined() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 9)).push(data(10, 9).psh()).push(data(19, 9));
    assert_eq!(rig.finish().len(), 2);
    assert_eq!((rig.ended(End::Push), rig.ended(End::Read)), (1, 1));
}

#[test]
fn flags_that_a_receiver_reacts_to() {
    for flag in [SYN, FIN, RST, URG, ECE, CWR] {
        alone(End::Flags, data(101, 100).flags(ACK | flag));
        alone(End::Flags, data(101, 100).flags(ACK | PSH | flag));
        alone(End::Flags, data6(101, 100).flags(ACK | flag));
    }
}

#[test]
fn two_alike_with_such_a_flag() {
    for flag in [SYN, FIN, RST, URG, ECE, CWR] {
        apart(End::Flags, 2, &[data(1, 100).flags(ACK | flag), data(101, 100).flags(ACK | flag)]);
    }
}

#[test]
fn a_segment_without_ack() {
    alone(End::Flags, data(101, 100).flags(0));
    alone(End::Flags, data(101, 100).flags(PSH));
}

#[test]
fn an_urgent_pointer_without_its_flag() {
    alone(End::Flags, data(101, 100).urgent(1));
    alone(End::Flags, data(101, 100).urgent(0x0100));
}

#[test]
fn a_pure_ack() {
    alone(End::Empty, pure_ack(101, 1));
}

#[test]
fn a_pure_ack_in_sequence_with_more_acknowledged() {
    alone(End::Empty, pure_ack(101, 5000));
}

#[test]
fn pure_acks_among_themselves() {
    apart(End::Empty, 3, &[pure_ack(1, 100), pure_ack(1, 200), pure_ack(1, 300)]);
}

#[test]
fn duplicate_acks() {
    apart(End::Empty, 3, &[pure_ack(1, 100), pure_ack(1, 100), pure_ack(1, 100)]);
}

#[test]
fn window_updates() {
    apart(End::Empty, 2, &[pure_ack(1, 100).window(10), pure_ack(1, 100).window(20)]);
}

#[test]
fn a_keep_alive_probe_of_one_old_byte() {
    differ(End::Sequence, data(1, 100), data(100, 1));
}

#[test]
fn ip_options() {
    alone(End::Options, data(101, 100).ip_options(vec![1, 1, 1, 0]));
    alone(End::Options, data(101, 100).ip_options(vec![0; 40]));
}

#[test]
fn tcp_options_other_than_timestamps() {
    // A selective acknowledgment, an MSS, an MD5-sized block, the longest header.
    for options in [
        [&[1, 1, 5, 10][..], &[0; 8]].concat(),
        vec![2, 4, 5, 180],
        [&[1, 1, 19, 18][..], &[7; 16]].concat(),
        [&[253, 40][..], &[7; 38]].concat(),
    ] {
        alone(End::Options, data(101, 100).options(options));
    }
}

#[test]
fn timestamps_in_another_layout() {
    let [value, echo] = [[0, 0, 0, 9], [0, 0, 0, 8]];
    // Behind their padding swapped, in front of it, with an end of list, with a selective acknowledgment behind.
    for options in [
        [&[8, 10][..], &value, &echo, &[1, 1]].concat(),
        [&[1, 8, 10][..], &value, &echo, &[1]].concat(),
        [&[8, 10][..], &value, &echo, &[0, 0]].concat(),
        [timestamps(9, 8), [&[1, 1, 5, 10][..], &[0; 8]].concat()].concat(),
    ] {
        alone(End::Options, data(101, 100).options(options));
    }
}

#[test]
fn timestamps_of_another_length() {
    let mut options = timestamps(9, 8);
    options[3] = 9;
    alone(End::Options, data(101, 100).options(options));
}

#[test]
fn ipv6_extension_headers() {
    for kind in [0, 43, 60] {
        alone(End::Options, data6(101, 100).extension(kind, &[0, 0, 1, 4, 0, 0, 0, 0]));
    }
    alone(End::Options, data6(101, 100).extension(0, &[0; 16]).extension(60, &[0; 8]));
}

#[test]
fn a_wrong_tcp_checksum() {
    alone(End::Checksum, data(101, 100).damaged());
    alone(End::Checksum, data6(101, 100).damaged());
}

#[test]
fn a_frame_that_the_card_found_bad() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push_as(data(1, 100), Checksums::Verified);
    rig.push_as(data(101, 100), Checksums::Bad);
    rig.push_as(data(201, 100), Checksums::Verified);
    assert_eq!(rig.finish().len(), 3);
    assert_eq!(rig.ended(End::Checksum), 2);
}

#[test]
fn a_wrong_ip_header_checksum() {
    alone(End::Barrier, data(101, 100).ip_damaged());
}

#[test]
fn fragments() {
    alone(End::Barrier, data(101, 100).fragment(MORE_FRAGMENTS));
    alone(End::Barrier, data(101, 100).fragment(MORE_FRAGMENTS | DONT_FRAGMENT));
    alone(End::Barrier, data(101, 100).fragment(1));
    alone(End::Barrier, data(101, 100).fragment(0x1FFF));
    alone(End::Barrier, data6(101, 100).extension(44, &[0, 0, 0, 1, 0, 0, 0, 7]));
    alone(End::Barrier, data6(101, 100).extension(44, &[0, 0, 0x10, 0, 0, 0, 0, 7]));
}

#[test]
fn an_atomic_fragment() {
    alone(End::Barrier, data6(101, 100).extension(44, &[0; 8]));
}

#[test]
fn extension_headers_that_nobody_understands() {
    for kind in [51, 135, 139, 140, 253, 254] {
        alone(End::Barrier, data6(101, 100).extension(kind, &[0; 8]));
    }
}
