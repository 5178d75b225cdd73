//! The rules of 2005 where they differ from `Endpoint`, and where they do not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{ACK, CWR, ECE, FIN, RST, SYN, Tcp, URG, data, data6, pure_ack};
use common::parse::{payloads, segment};
use common::rig::{Rig, units};
use lro::{Config, End, Rules};

#[track_caller]
fn leave(frames: impl IntoIterator<Item = Tcp>, expected: &[usize]) {
    assert_eq!(payloads(&units(Rules::Seed, frames)), expected);
}

#[test]
fn segments_in_sequence_merge() {
    leave([data(1, 100), data(101, 1), data(102, 1448)], &[1549]);
}

#[test]
fn the_latest_acknowledgment_window_and_timestamp_win() {
    let frames = [data(1, 9).ack(1).window(9).timestamps(1, 1), data(10, 9).ack(7).window(3).timestamps(2, 4)];
    let units = units(Rules::Seed, frames);
    let unit = segment(&units[0]);
    assert_eq!((unit.acknowledgment(), unit.window(), unit.timestamps()), (7, 3, Some([2, 4])));
}

#[test]
fn a_push_ends_the_unit_and_leaves_alone() {
    leave([data(1, 10), data(11, 10), data(21, 10).psh(), data(31, 10), data(41, 10)], &[20, 10, 20]);
}

#[test]
fn a_push_is_counted_for_the_unit_that_it_ended_too() {
    let mut rig = Rig::new(Rules::Seed);
    rig.push(data(1, 10)).push(data(11, 10).psh());
    rig.finish();
    assert_eq!(rig.ended(End::Push), 2);
}

#[test]
fn ipv6_does_not_merge() {
    leave([data6(1, 10), data6(11, 10)], &[10, 10]);
}

#[test]
fn ipv6_frames_keep_their_order() {
    let frames = [data6(1, 10), data6(11, 20), data6(31, 0), data6(31, 30)];
    leave(frames, &[10, 20, 0, 30]);
}

#[test]
fn congestion_experienced_does_not_merge() {
    leave([data(1, 10).tos(3), data(11, 10).tos(3)], &[10, 10]);
    leave([data(1, 10).tos(0xFF), data(11, 10).tos(0xFF)], &[10, 10]);
}

#[test]
fn other_equal_marks_merge() {
    for tos in [0, 1, 2, 0xB8, 0xB9, 0xBA] {
        leave([data(1, 10).tos(tos), data(11, 10).tos(tos)], &[20]);
    }
}

#[test]
fn another_mark_does_not_merge() {
    leave([data(1, 10).tos(1), data(11, 10).tos(2)], &[10, 10]);
}

#[test]
fn an_echo_of_zero_does_not_merge() {
    leave([data(1, 10).timestamps(1, 0), data(11, 10).timestamps(1, 0)], &[10, 10]);
    leave([data(1, 10).timestamps(1, 1), data(11, 10).timestamps(1, 0)], &[10, 10]);
}

#[test]
fn a_timestamp_of_zero_merges() {
    leave([data(1, 10).timestamps(0, 1), data(11, 10).timestamps(0, 1)], &[20]);
}

#[test]
fn a_timestamp_that_goes_back_does_not_merge() {
    leave([data(1, 10).timestamps(2, 1), data(11, 10).timestamps(1, 1)], &[10, 10]);
}

#[test]
fn an_acknowledgment_that_goes_back_does_not_merge() {
    leave([data(1, 10).ack(2), data(11, 10).ack(1)], &[10, 10]);
}

#[test]
fn flags_are_exactly_ack() {
    for flag in [SYN, FIN, RST, URG, ECE, CWR] {
        leave([data(1, 10), data(11, 10).flags(ACK | flag), data(21, 10)], &[10, 10, 10]);
    }
    leave([data(1, 10).flags(0), data(11, 10).flags(0)], &[10, 10]);
}

#[test]
fn pure_acks_do_not_merge() {
    leave([data(1, 10), pure_ack(11, 9), data(11, 10)], &[10, 0, 10]);
}

#[test]
fn options_do_not_merge() {
    leave([data(1, 10).options(vec![1; 4]), data(11, 10).options(vec![1; 4])], &[10, 10]);
    leave([data(1, 10).ip_options(vec![1; 4]), data(11, 10).ip_options(vec![1; 4])], &[10, 10]);
}

#[test]
fn two_tags_merge_and_three_do_not() {
    let tagged = |sequence| data(sequence, 10).tag(0x88A8, 1).tag(0x8100, 2);
    leave([tagged(1), tagged(11)], &[20]);
    let frames = [tagged(1).tag(0x8100, 3), tagged(11).tag(0x8100, 3)];
    assert_eq!(units(Rules::Seed, frames).len(), 2);
}

#[test]
fn the_thirty_third_session_queues_unjoinable() {
    let mut rig = Rig::new(Rules::Seed);
    for sequence in [1, 11] {
        for flow in 0..33 {
            rig.push(data(sequence, 10).flow(flow));
        }
    }
    assert_eq!(rig.finish().len(), 32 + 2);
    assert_eq!(rig.ended(End::Sessions), 2);
}

#[test]
fn the_sessions_can_be_chosen() {
    let mut rig = Rig::with(Config { sessions: 33, ..Config::new(Rules::Seed, 66) });
    for sequence in [1, 11] {
        for flow in 0..33 {
            rig.push(data(sequence, 10).flow(flow));
        }
    }
    assert_eq!(payloads(&rig.finish()), [20; 33]);
}

#[test]
fn a_unit_grows_to_65_535_bytes_of_ip() {
    let full = 65_535 - 40;
    leave([data(1, full - 100), data(1 + full as u32 - 100, 100)], &[full]);
    leave([data(1, full - 100), data(1 + full as u32 - 100, 101)], &[full - 100, 101]);
}
