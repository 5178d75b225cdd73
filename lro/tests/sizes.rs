//! How long a unit may be, and what happens when something is full or too small.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{HEADERS4, HEADERS6, PSH, Tcp, data, data6, payload_byte};
use common::other::arp;
use common::parse::{payloads, segment};
use common::rig::{Rig, units};
use lro::{Checksums, Config, End, Full, MAX_IP_LENGTH, MAX_UNIT, Rules, TooSmall};

/// Segments of a flow like `like`, one behind the other, with these payload lengths.
fn stream(like: &Tcp, lengths: &[usize]) -> Vec<Tcp> {
    let mut sequence = like.sequence;
    let next = |length: &usize| {
        let segment = Tcp { sequence, payload: *length, ..like.clone() };
        sequence = sequence.wrapping_add(*length as u32);
        segment
    };
    lengths.iter().map(next).collect()
}

/// A stream whose payload fills an IP datagram of 65,535 bytes to the byte if `excess` is 0.
fn filling(like: &Tcp, excess: usize) -> Vec<Tcp> {
    let headers = like.payload_offset() - like.ip_offset();
    let payload = 65_535 - headers + excess;
    let mut lengths = vec![1448; payload / 1448];
    lengths.push(payload % 1448);
    stream(like, &lengths)
}

#[test]
fn a_unit_grows_to_65_535_bytes_of_ip() {
    for like in [data(1, 0), data(1, 0).timestamps(1, 1), data6(1, 0), data6(1, 0).timestamps(1, 1)] {
        let units = units(Rules::Endpoint, filling(&like, 0));
        assert_eq!(units.len(), 1);
        assert_eq!(segment(&units[0]).ip_length(), 65_535);
    }
}

#[test]
fn a_unit_never_grows_to_65_536_bytes_of_ip() {
    for like in [data(1, 0), data(1, 0).timestamps(1, 1), data6(1, 0), data6(1, 0).timestamps(1, 1)] {
        let mut rig = Rig::new(Rules::Endpoint);
        for frame in filling(&like, 1) {
            rig.push(frame);
        }
        assert_eq!((rig.finish().len(), rig.ended(End::Size)), (2, 1));
    }
}

#[test]
fn the_limit_does_not_count_the_ethernet_header_and_its_tags() {
    let tagged = data6(1, 0).tag(0x88A8, 1).tag(0x8100, 2);
    let units = units(Rules::Endpoint, filling(&tagged, 0));
    assert_eq!(units.len(), 1);
    assert_eq!(units[0].len(), MAX_UNIT);
    assert_eq!(MAX_UNIT, 22 + MAX_IP_LENGTH);
}

#[test]
fn the_segment_that_was_too_much_starts_the_next_unit() {
    let frames = filling(&data(1, 0), 1).into_iter().chain([data(65_497, 100), data(65_597, 100)]);
    let lengths = payloads(&units(Rules::Endpoint, frames));
    assert_eq!(lengths, [45 * 1448, 336 + 200]);
}

#[test]
fn sixty_five_thousand_segments_of_one_byte_make_one_unit() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 65_495));
    for frame in stream(&data(1, 0), &[1; 65_495]) {
        rig.push_as(frame, Checksums::Verified);
    }
    let unit = rig.read(MAX_UNIT).unwrap();
    assert_eq!(rig.engine.len(), 0);
    let expected: Vec<u8> = (1..65_496).map(|sequence| payload_byte(1000, sequence)).collect();
    assert_eq!(segment(&unit).payload(), expected);
    assert!(segment(&unit).tcp_sum_is_true());
}

#[test]
fn a_segment_of_the_longest_length_stands_alone() {
    let longest = data(1, 65_535 - 40);
    let frames = [longest, data(65_496, 1)];
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [65_495, 1]);
}

#[test]
fn a_unit_is_cut_to_the_readers_buffer_between_segments() {
    let mut rig = Rig::new(Rules::Endpoint);
    for frame in stream(&data(1, 0), &[100; 10]) {
        rig.push(frame);
    }
    rig.drain(HEADERS4 + 399);
    assert_eq!(payloads(&rig.finish()), [300, 300, 300, 100]);
    assert_eq!((rig.ended(End::Buffer), rig.ended(End::Read)), (3, 1));
}

#[test]
fn a_buffer_that_is_exactly_long_enough_takes_all() {
    for (like, headers) in [(data(1, 0), HEADERS4), (data6(1, 0), HEADERS6), (data(1, 0).tag(0x8100, 1), HEADERS4 + 4)]
    {
        for (short, expected) in [(0, vec![500]), (1, vec![400, 100])] {
            let mut rig = Rig::new(Rules::Endpoint);
            for frame in stream(&like, &[100; 5]) {
                rig.push(frame);
            }
            rig.drain(headers + 500 - short);
            assert_eq!(payloads(&rig.finish()), expected);
        }
    }
}

#[test]
fn a_cut_unit_tells_the_state_at_its_own_end() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100).ack(10).window(1).timestamps(5, 1));
    rig.push(data(101, 100).ack(20).window(2).timestamps(6, 2));
    rig.push(data(201, 100).ack(30).window(3).timestamps(7, 3).psh());
    rig.drain(HEADERS4 + 12 + 200);
    let units = rig.finish();
    let state = |unit: &[u8]| {
        let unit = segment(unit);
        (unit.sequence(), unit.acknowledgment(), unit.window(), unit.timestamps(), unit.flags() & PSH)
    };
    assert_eq!(state(&units[0]), (1, 20, 2, Some([6, 2]), 0));
    assert_eq!(state(&units[1]), (201, 30, 3, Some([7, 3]), PSH));
}

#[test]
fn the_last_segment_of_a_cut_unit_leaves_as_it_came() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100)).push(data(101, 2).padded().psh());
    rig.drain(HEADERS4 + 101);
    assert_eq!(rig.finish()[1], data(101, 2).padded().psh().frame());
}

#[test]
fn a_frame_that_is_longer_than_the_buffer_stays_and_says_what_it_needs() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100)).push(data(101, 100));
    for buffer in [0, 1, 53, 153] {
        assert_eq!(rig.engine.pop_into(&mut vec![0; buffer]), Err(TooSmall { needs: 154 }));
        assert_eq!(rig.engine.front(buffer).err(), Some(TooSmall { needs: 154 }));
    }
    assert_eq!(rig.engine.len(), 2);
    assert_eq!(payloads(&rig.finish()), [200]);
}

#[test]
fn an_opaque_frame_that_is_longer_than_the_buffer_stays_too() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(arp(1));
    assert_eq!(rig.engine.pop_into(&mut [0; 41]), Err(TooSmall { needs: 42 }));
    assert_eq!(rig.finish(), [arp(1)]);
}

#[test]
fn a_frame_that_came_longer_than_the_buffer_leaves_alone() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 3000)).push(data(3001, 100));
    rig.read(1514);
    assert_eq!(payloads(&rig.finish()), [3000, 100]);
}

#[test]
fn a_frame_that_came_longer_than_the_buffer_by_its_trailer_leaves_alone() {
    for frames in [[data(1, 1).trailer(9), data(2, 5)], [data(1, 5), data(6, 1).trailer(9)]] {
        let mut rig = Rig::new(Rules::Endpoint);
        rig.push(frames[0].clone()).push(frames[1].clone());
        rig.drain(60);
        assert_eq!(rig.finish(), frames.map(|frame| frame.frame()));
    }
}

#[test]
fn a_refusal_is_counted_nowhere() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100));
    let before = *rig.stats();
    assert!(rig.engine.pop_into(&mut [0; 10]).is_err());
    assert_eq!(*rig.stats(), before);
    rig.finish();
}

#[test]
fn nothing_is_too_small_for_an_empty_engine() {
    let mut rig = Rig::new(Rules::Endpoint);
    assert_eq!(rig.engine.pop_into(&mut []), Ok(None));
    assert!(rig.engine.front(0).unwrap().is_none());
}

#[test]
fn units_have_at_most_max_segments() {
    let mut rig = Rig::with(Config { max_segments: 4, ..Config::new(Rules::Endpoint, 16) });
    for frame in stream(&data(1, 0), &[100; 10]) {
        rig.push(frame);
    }
    assert_eq!(payloads(&rig.finish()), [400, 400, 200]);
    assert_eq!((rig.ended(End::Segments), rig.ended(End::Read)), (2, 1));
}

#[test]
fn max_segments_of_one_or_none_merges_nothing() {
    for max_segments in [0, 1] {
        let mut rig = Rig::with(Config { max_segments, ..Config::new(Rules::Endpoint, 16) });
        rig.push(data(1, 100)).push(data(101, 100));
        assert_eq!(payloads(&rig.finish()), [100, 100]);
        assert_eq!(rig.ended(End::Segments), 2);
    }
}

#[test]
fn segments_that_have_left_no_longer_count_towards_max_segments() {
    let mut rig = Rig::with(Config { max_segments: 3, ..Config::new(Rules::Endpoint, 16) });
    rig.push(data(1, 100)).push(data(101, 100));
    rig.read(HEADERS4 + 100);
    rig.push(data(201, 100)).push(data(301, 100)).push(data(401, 100));
    assert_eq!(payloads(&rig.finish()), [100, 300, 100]);
}

#[test]
fn bytes_that_have_left_no_longer_count_towards_65_535() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 40_000)).push(data(40_001, 20_000));
    rig.read(HEADERS4 + 40_000);
    rig.push(data(60_001, 45_000)).push(data(105_001, 495)).push(data(105_496, 1));
    assert_eq!(payloads(&rig.finish()), [40_000, 65_495, 1]);
}

#[test]
fn more_flows_than_sessions_leave_unmerged() {
    let mut rig = Rig::with(Config { sessions: 2, ..Config::new(Rules::Endpoint, 16) });
    for sequence in [1, 11] {
        for flow in 0..3 {
            rig.push(data(sequence, 10).flow(flow));
        }
    }
    assert_eq!(payloads(&rig.finish()), [20, 20, 10, 10]);
    assert_eq!(rig.ended(End::Sessions), 2);
}

#[test]
fn a_session_is_free_again_when_its_unit_left_or_ended() {
    let mut rig = Rig::with(Config { sessions: 1, ..Config::new(Rules::Endpoint, 16) });
    rig.push(data(1, 10)).push(data(11, 10).psh());
    rig.push(data(1, 10).flow(1)).push(data(11, 10).flow(1));
    rig.drain(MAX_UNIT);
    rig.push(data(1, 10).flow(2)).push(data(11, 10).flow(2));
    assert_eq!(payloads(&rig.finish()), [20, 20, 20]);
    assert_eq!(rig.ended(End::Sessions), 0);
}

#[test]
fn no_sessions_merge_nothing() {
    let mut rig = Rig::with(Config { sessions: 0, ..Config::new(Rules::Endpoint, 4) });
    rig.push(data(1, 10)).push(data(11, 10));
    assert_eq!(payloads(&rig.finish()), [10, 10]);
}

#[test]
fn endpoint_has_a_session_for_each_frame_it_can_hold() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 128));
    for sequence in [1, 11] {
        for flow in 0..64 {
            rig.push(data(sequence, 10).flow(flow));
        }
    }
    assert_eq!(payloads(&rig.finish()), [20; 64]);
}

#[test]
fn a_full_engine_refuses_and_the_slot_stays_the_callers() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 2));
    rig.push(data(1, 10)).push(data(11, 10));
    // The rig asserts that the engine did not release the slot.
    assert_eq!(rig.try_push(data(21, 10), Checksums::Unknown), Err(Full));
    assert_eq!((rig.engine.len(), rig.engine.capacity(), rig.stats().frames), (2, 2, 2));
    assert_eq!(payloads(&rig.finish()), [20]);
}

#[test]
fn a_refused_frame_ends_nothing() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 2));
    rig.push(data(1, 10)).push(data(11, 10));
    assert!(rig.try_push(data(1, 10).fragment(1), Checksums::Unknown).is_err());
    rig.read(HEADERS4 + 10);
    rig.push(data(21, 10));
    assert_eq!(payloads(&rig.finish()), [10, 20]);
}

#[test]
fn a_read_makes_room() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 3));
    rig.push(data(1, 10)).push(arp(1)).push(data(11, 10));
    rig.read(MAX_UNIT);
    rig.push(arp(2)).push(arp(3));
    assert!(rig.try_push(arp(4), Checksums::Unknown).is_err());
    rig.finish();
}

#[test]
fn an_engine_for_no_frames_refuses_every_frame() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 0));
    assert_eq!(rig.try_push(data(1, 10), Checksums::Verified), Err(Full));
    assert!(rig.read(MAX_UNIT).is_none());
}

#[test]
fn positions_run_round_the_ring_many_times() {
    let mut rig = Rig::with(Config::new(Rules::Endpoint, 5));
    for n in 0..1000 {
        rig.push(data(1 + n * 20, 10)).push(data(11 + n * 20, 10)).push(arp(n as u8));
        rig.read(MAX_UNIT);
        rig.read(MAX_UNIT);
    }
    let units = rig.finish();
    assert!(units.iter().step_by(2).all(|unit| segment(unit).payload().len() == 20));
}
