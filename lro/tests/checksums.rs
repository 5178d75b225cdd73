//! True checksums without reading the payload, and damage that is never blessed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{HEADERS4, HEADERS6, Tcp, data, data6};
use common::parse::{payloads, segment};
use common::rig::{Rig, units};
use lro::{Checksums, End, MAX_UNIT, Rules};

/// The TCP checksum field of an untagged IPv4 frame.
fn checksum_field(frame: &[u8]) -> u16 {
    u16::from_be_bytes([frame[50], frame[51]])
}

/// The same segment with a window for which its checksum field is `field`.
fn with_checksum_field(segment: Tcp, field: u16) -> Tcp {
    (0..=u16::MAX)
        .map(|window| segment.clone().window(window))
        .find(|segment| checksum_field(&segment.frame()) == field)
        .unwrap()
}

#[test]
fn the_sum_is_true_for_every_mix_of_odd_and_even_lengths() {
    for lengths in 0..4_usize.pow(4) {
        let lengths: Vec<usize> = (0..4).map(|place| 1 + lengths / 4_usize.pow(place) % 4).collect();
        for v6 in [false, true] {
            let mut sequence = 1;
            let frames = lengths.iter().map(|length| {
                sequence += *length as u32;
                Tcp { v6, ..data(sequence - *length as u32, *length) }
            });
            let units = units(Rules::Endpoint, frames.collect::<Vec<_>>());
            assert_eq!(units.len(), 1, "{lengths:?}");
            assert!(segment(&units[0]).tcp_sum_is_true(), "{lengths:?}");
        }
    }
}

#[test]
fn the_sum_is_true_whatever_differs_in_the_headers() {
    let first = data(1, 101).ack(u32::MAX).window(0xFFFF).timestamps(0xFFFF_0000, 0xFFFF_FFFF);
    let second = data(102, 33).ack(0x8000).window(0).timestamps(3, 0).psh();
    let units = units(Rules::Endpoint, [first, second]);
    assert_eq!(units.len(), 1);
    assert!(segment(&units[0]).tcp_sum_is_true());
}

#[test]
fn segments_whose_checksum_is_zero_merge() {
    let zero = |sequence| with_checksum_field(data(sequence, 101), 0);
    for frames in [[zero(1), data(102, 50)], [data(1, 101), zero(102)], [zero(1), zero(102)]] {
        let units = units(Rules::Endpoint, frames);
        assert_eq!(units.len(), 1);
        assert!(segment(&units[0]).tcp_sum_is_true());
    }
}

#[test]
fn a_unit_whose_checksum_is_zero_says_zero() {
    let merged = |window| units(Rules::Endpoint, [data(1, 3), data(4, 3).window(window)]).remove(0);
    let sum = !checksum_field(&merged(0));
    let unit = merged(0xFFFF - sum);
    assert_eq!(checksum_field(&unit), 0);
    assert!(segment(&unit).tcp_sum_is_true());
}

#[test]
fn payloads_of_zeros_merge() {
    let zeros = |sequence, length| {
        let mut frame = data(sequence, length).frame();
        frame[HEADERS4..].fill(0);
        data(sequence, length).seal(frame)
    };
    let units = units(Rules::Endpoint, [zeros(1, 7), zeros(8, 100), zeros(108, 5)]);
    assert_eq!(payloads(&units), [112]);
}

#[test]
fn payloads_of_ones_merge() {
    let ones = |sequence, length| {
        let mut frame = data(sequence, length).frame();
        frame[HEADERS4..].fill(0xFF);
        data(sequence, length).seal(frame)
    };
    let units = units(Rules::Endpoint, [ones(1, 8), ones(9, 101), ones(110, 6)]);
    assert_eq!(payloads(&units), [115]);
}

#[test]
fn payload_damaged_after_the_card_summed_it_fails_at_the_receiver() {
    for (segments, headers) in [([data(1, 7), data(8, 8)], HEADERS4), ([data6(1, 7), data6(8, 8)], HEADERS6)] {
        for (index, tcp) in segments.iter().enumerate() {
            for byte in headers..tcp.frame().len() {
                let mut frames = segments.clone().map(|tcp| tcp.frame());
                frames[index][byte] ^= 0x10;
                let mut rig = Rig::new(Rules::Endpoint);
                for frame in frames {
                    rig.push_as(frame, Checksums::Verified);
                }
                let unit = rig.read(MAX_UNIT).unwrap();
                assert_eq!(segment(&unit).payload().len(), 15);
                assert!(!segment(&unit).tcp_sum_is_true(), "segment {index}, byte {byte}");
            }
        }
    }
}

#[test]
fn payload_damaged_while_it_is_queued_fails_at_the_receiver() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 99)).push(data(100, 99)).push(data(199, 99));
    let slots = rig.engine.pool_mut();
    let slot = (0..3).find(|slot| segment(slots.frame_mut(*slot)).sequence() == 100).unwrap();
    slots.frame_mut(slot)[HEADERS4 + 50] ^= 1;
    let unit = rig.read(MAX_UNIT).unwrap();
    assert_eq!(segment(&unit).payload().len(), 297);
    assert!(!segment(&unit).tcp_sum_is_true());
}

#[test]
fn a_damaged_frame_alone_leaves_with_its_damage() {
    let frame = data(1, 100).damaged().frame();
    assert_eq!(units(Rules::Endpoint, [frame.clone()]), [frame]);
}

#[test]
fn a_damaged_first_segment_is_found_when_the_second_comes() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100).damaged()).push(data(101, 100)).push(data(201, 100));
    let units = rig.finish();
    assert_eq!(payloads(&units), [100, 200]);
    assert_eq!(units[0], data(1, 100).damaged().frame());
    assert_eq!(rig.ended(End::Checksum), 1);
}

#[test]
fn a_damaged_first_segment_is_found_when_a_verified_one_comes() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push_as(data(1, 100).damaged(), Checksums::Unknown);
    rig.push_as(data(101, 100), Checksums::Verified);
    assert_eq!(payloads(&rig.finish()), [100, 100]);
}

#[test]
fn a_damaged_last_segment_does_not_join_verified_ones() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push_as(data(1, 100), Checksums::Verified).push_as(data(101, 100), Checksums::Verified);
    rig.push_as(data(201, 100).damaged(), Checksums::Unknown);
    rig.push_as(data(301, 100), Checksums::Verified);
    assert_eq!(payloads(&rig.finish()), [200, 100, 100]);
}

#[test]
fn a_damaged_padded_segment_does_not_join() {
    let units = units(Rules::Endpoint, [data(1, 3), data(4, 2).damaged().padded()]);
    assert_eq!(payloads(&units), [3, 2]);
}

#[test]
fn what_was_never_compared_is_not_called_a_wrong_checksum() {
    // Whoever reads it alone checks it alone; no payload is summed without need.
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100).damaged());
    rig.finish();
    assert_eq!((rig.ended(End::Checksum), rig.ended(End::Read)), (0, 1));
}

#[test]
fn a_frame_called_bad_never_merges_though_its_sums_are_true() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push_as(data(1, 100), Checksums::Bad).push_as(data(101, 100), Checksums::Bad);
    rig.push_as(data(201, 100), Checksums::Verified).push_as(data(301, 100), Checksums::Verified);
    assert_eq!(payloads(&rig.finish()), [100, 100, 200]);
    assert_eq!(rig.ended(End::Checksum), 2);
}

#[test]
fn a_cut_unit_has_true_sums_in_all_its_parts() {
    for buffer in HEADERS4 + 33..HEADERS4 + 33 * 7 {
        let mut rig = Rig::new(Rules::Endpoint);
        for n in 0..7 {
            rig.push(data(1 + n * 33, 33));
        }
        rig.drain(buffer);
        for unit in rig.finish() {
            assert!(segment(&unit).tcp_sum_is_true() && segment(&unit).ip_sum_is_true());
        }
    }
}
