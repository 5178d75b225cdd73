//! What joins, and what the header of the unit then says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{ACK, PSH, Tcp, data, data6, payload_byte};
use common::parse::{payloads, segment};
use common::rig::{Rig, units};
use common::slots::Slots;
use lro::{Checksums, Config, Engine, MAX_UNIT, Rules};

/// The one unit that these frames make.
fn one(frames: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Vec<u8> {
    let mut units = units(Rules::Endpoint, frames);
    assert_eq!(units.len(), 1, "{:?}", payloads(&units));
    units.remove(0)
}

#[test]
fn two_segments_in_sequence_become_one() {
    let unit = one([data(1, 100), data(101, 100)]);
    assert_eq!(segment(&unit).payload().len(), 200);
}

#[test]
fn the_payload_is_the_segments_payloads_in_order() {
    let unit = one([data(7, 300), data(307, 1), data(308, 500)]);
    let expected: Vec<u8> = (7..808).map(|sequence| payload_byte(1000, sequence)).collect();
    assert_eq!(segment(&unit).payload(), expected);
}

#[test]
fn the_sequence_number_is_the_first_segments() {
    assert_eq!(segment(&one([data(41, 100), data(141, 100)])).sequence(), 41);
}

#[test]
fn the_acknowledgment_is_the_last_segments() {
    let unit = one([data(1, 9).ack(100), data(10, 9).ack(100), data(19, 9).ack(4000)]);
    assert_eq!(segment(&unit).acknowledgment(), 4000);
}

#[test]
fn the_window_is_the_last_segments_even_if_it_shrank() {
    let unit = one([data(1, 9).window(800), data(10, 9).window(900), data(19, 9).window(70)]);
    assert_eq!(segment(&unit).window(), 70);
}

#[test]
fn timestamp_and_echo_are_the_last_segments() {
    let unit = one([data(1, 9).timestamps(50, 9), data(10, 9).timestamps(50, 9), data(19, 9).timestamps(60, 8)]);
    assert_eq!(segment(&unit).timestamps(), Some([60, 8]));
}

#[test]
fn a_timestamp_may_wrap_around() {
    let unit = one([data(1, 9).timestamps(u32::MAX, 1), data(10, 9).timestamps(0, 1)]);
    assert_eq!(segment(&unit).timestamps(), Some([0, 1]));
}

#[test]
fn an_echo_of_zero_merges() {
    let unit = one([data(1, 9).timestamps(5, 0), data(10, 9).timestamps(6, 0)]);
    assert_eq!(segment(&unit).timestamps(), Some([6, 0]));
}

#[test]
fn an_acknowledgment_may_wrap_around() {
    let unit = one([data(1, 9).ack(u32::MAX - 1), data(10, 9).ack(3)]);
    assert_eq!(segment(&unit).acknowledgment(), 3);
}

#[test]
fn a_sequence_number_may_wrap_around() {
    let unit = one([data(0xFFFF_FF9C, 100), data(0, 100), data(100, 100)]);
    assert_eq!(segment(&unit).payload().len(), 300);
}

#[test]
fn push_of_the_last_segment_is_the_units() {
    assert_eq!(segment(&one([data(1, 9), data(10, 9).psh()])).flags(), ACK | PSH);
}

#[test]
fn without_push_the_unit_has_none() {
    assert_eq!(segment(&one([data(1, 9), data(10, 9)])).flags(), ACK);
}

#[test]
fn the_ipv4_length_counts_header_and_payload() {
    let unit = one([data(1, 100).timestamps(1, 1), data(101, 23).timestamps(1, 1)]);
    assert_eq!(unit[16..18], (20_u16 + 32 + 123).to_be_bytes());
}

#[test]
fn the_ipv6_length_counts_what_is_behind_its_header() {
    let unit = one([data6(1, 100).timestamps(1, 1), data6(101, 23).timestamps(1, 1)]);
    assert_eq!(unit[18..20], (32_u16 + 123).to_be_bytes());
}

#[test]
fn the_ipv4_identification_is_the_first_segments() {
    let unit = one([data(1, 9).id(7), data(10, 9).id(700), data(19, 9).id(3)]);
    assert_eq!(unit[18..20], [0, 7]);
}

#[test]
fn the_ethernet_header_is_kept_with_its_tags() {
    let tagged = |sequence| data(sequence, 9).tag(0x88A8, 0x2064).tag(0x8100, 0xE00A);
    let (first, unit) = (tagged(1).frame(), one([tagged(1), tagged(10)]));
    assert_eq!(unit[..22], first[..22]);
}

#[test]
fn both_checksums_of_the_unit_are_true() {
    for unit in [one([data(1, 100), data(101, 77)]), one([data6(1, 100), data6(101, 77)])] {
        assert!(segment(&unit).ip_sum_is_true() && segment(&unit).tcp_sum_is_true());
    }
}

#[test]
fn ipv6_merges_as_ipv4_does() {
    let unit = one([data6(1, 1428), data6(1429, 1428), data6(2857, 1428).psh()]);
    assert_eq!(segment(&unit).payload().len(), 3 * 1428);
}

#[test]
fn segments_of_any_lengths_merge() {
    let unit = one([data(1, 1), data(2, 1448), data(1450, 3), data(1453, 700)]);
    assert_eq!(segment(&unit).payload().len(), 2152);
}

#[test]
fn padding_behind_the_first_and_the_last_segment_is_dropped() {
    let unit = one([data(1, 2).padded(), data(3, 3).padded()]);
    assert_eq!(unit.len(), 54 + 5);
}

#[test]
fn a_long_trailer_is_dropped_too() {
    assert_eq!(one([data(1, 200).trailer(300), data(201, 200).trailer(4)]).len(), 54 + 400);
}

#[test]
fn equal_congestion_marks_merge() {
    for tos in [1, 2, 3] {
        let unit = one([data(1, 9).tos(tos), data(10, 9).tos(tos)]);
        assert_eq!(unit[15], tos);
    }
}

#[test]
fn equal_reserved_bits_merge_and_stay() {
    let bits = |sequence| data(sequence, 9).reserved(0x0F).fragment(0x8000);
    let unit = one([bits(1), bits(10)]);
    assert_eq!(unit[46] & 0x0F, 0x0F);
    assert_eq!(unit[20] & 0x80, 0x80);
}

#[test]
fn without_dont_fragment_segments_merge_alike() {
    assert_eq!(segment(&one([data(1, 9).fragment(0), data(10, 9).fragment(0)])).payload().len(), 18);
}

#[test]
fn flows_that_alternate_merge_each() {
    let frames = (0..20).map(|n| data(1 + n / 2 * 10, 10).flow((n % 2) as u16));
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [100, 100]);
}

#[test]
fn flows_differ_in_addresses_ports_version_and_tags() {
    let of_flow = |n: u32, sequence| match n {
        0 => data(sequence, 10),
        1 => data(sequence, 10).hosts([3, 2]),
        2 => data(sequence, 10).hosts([1, 3]),
        3 => data(sequence, 10).hosts([2, 1]),
        4 => data(sequence, 10).flow(1),
        5 => data6(sequence, 10),
        6 => data6(sequence, 10).hosts([3, 2]),
        7 => data(sequence, 10).tag(0x8100, 5),
        8 => data(sequence, 10).tag(0x88A8, 5),
        9 => data(sequence, 10).tag(0x8100, 6).tag(0x8100, 5),
        _ => data(sequence, 10).tag(0x8100, 5).tag(0x8100, 6),
    };
    let frames = (0..33).map(|n| of_flow(n % 11, 1 + n / 11 * 10));
    assert_eq!(payloads(&units(Rules::Endpoint, frames)), [30; 11]);
}

#[test]
fn every_bit_of_addresses_ports_and_tags_tells_flows_apart() {
    for like in [data(1, 0), data6(1, 0), data(1, 0).tag(0x8100, 5), data6(1, 0).tag(0x88A8, 5).tag(0x8100, 6)] {
        let (ip, tcp) = (like.ip_offset(), like.tcp_offset());
        let addresses = if like.v6 { ip + 8..ip + 40 } else { ip + 12..ip + 20 };
        let tags = (14..ip).filter(|byte| byte % 4 >= 2);
        for byte in addresses.chain(tcp..tcp + 4).chain(tags) {
            for bit in 0..8 {
                let here = |sequence| Tcp { sequence, payload: 5, ..like.clone() };
                let there = |sequence| {
                    let mut frame = here(sequence).frame();
                    frame[byte] ^= 1 << bit;
                    here(sequence).seal(frame)
                };
                let frames = [here(1).frame(), there(1), here(6).frame(), there(6)];
                assert_eq!(payloads(&units(Rules::Endpoint, frames)), [10, 10], "byte {byte}, bit {bit}");
            }
        }
    }
}

/// So many that several pairs have the same 32-bit hash, whatever the hash.
#[test]
fn two_hundred_thousand_flows_merge_each() {
    let of_flow = |n: u32, sequence| data(sequence, 2).hosts([(n >> 16) as u8, 9]).flow(n as u16).frame();
    let flows: Vec<u32> = (0..4 * 0x1_0000).filter(|n| n % 0x1_0000 < 50_000).collect();
    let mut engine = Engine::new(Config::new(Rules::Endpoint, 2 * flows.len() as u32), Slots::default());
    for sequence in [1, 3] {
        for flow in &flows {
            let frame = of_flow(*flow, sequence);
            let slot = engine.pool_mut().fill(&frame);
            engine.push(slot, frame.len() as u32, Checksums::Verified).unwrap();
        }
    }
    let mut unit = [0; 58];
    for flow in flows {
        assert_eq!(engine.pop_into(&mut unit).unwrap().unwrap().segments, 2);
        let first = segment(&of_flow(flow, 1));
        assert_eq!(segment(&unit).flow(), first.flow());
        assert!(segment(&unit).tcp_sum_is_true());
    }
    assert!(engine.is_empty());
}

#[test]
fn ports_that_differ_in_one_only_are_two_flows() {
    let mut other = data(11, 10);
    for index in [0, 1] {
        other.ports = [1000, 2000];
        other.ports[index] += 1;
        assert_eq!(payloads(&units(Rules::Endpoint, [data(1, 10), other.clone()])), [10, 10]);
    }
}

#[test]
fn verified_and_unknown_segments_merge_with_each_other() {
    for (first, second) in [(Checksums::Verified, Checksums::Unknown), (Checksums::Unknown, Checksums::Verified)] {
        let mut rig = Rig::new(Rules::Endpoint);
        rig.push_as(data(1, 100), first).push_as(data(101, 100), second);
        assert_eq!(payloads(&rig.finish()), [200]);
    }
}

#[test]
fn a_reader_who_keeps_up_gets_every_frame_by_itself() {
    let mut rig = Rig::new(Rules::Endpoint);
    for n in 0..10 {
        rig.push(data(1 + n * 10, 10));
        assert_eq!(rig.read(MAX_UNIT), Some(data(1 + n * 10, 10).frame()));
    }
    assert_eq!(rig.finish().len(), 10);
}

#[test]
fn what_stays_behind_a_cut_grows_on() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100)).push(data(101, 100)).push(data(201, 100));
    rig.read(54 + 200);
    rig.push(data(301, 100).psh());
    assert_eq!(payloads(&rig.finish()), [200, 200]);
}

#[test]
fn off_merges_nothing() {
    let frames = [data(1, 100), data(101, 100), data6(1, 9), data6(10, 9)];
    assert_eq!(payloads(&units(Rules::Off, frames)), [100, 100, 9, 9]);
}

#[test]
fn metadata_tell_length_segments_stride_and_offsets() {
    let mut rig = Rig::new(Rules::Endpoint);
    let tagged = |sequence, length| data6(sequence, length).tag(0x8100, 9).timestamps(1, 1);
    rig.push(tagged(1, 100)).push(tagged(101, 300)).push(tagged(401, 200));
    rig.finish();
    let info = rig.info(0);
    assert_eq!((info.length, info.segments, info.segment_size), (18 + 40 + 32 + 600, 3, 300));
    assert_eq!((info.ip, info.tcp, info.payload), (18, 58, 90));
}

#[test]
fn a_unit_does_not_inherit_the_timestamp_of_one_that_ended() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10).timestamps(1_000, 1)).push(data(11, 10).timestamps(1_000, 1).psh());
    for checksums in [Checksums::Unknown, Checksums::Verified] {
        rig.push_as(data(1, 10).flow(2), checksums).push_as(data(11, 10).flow(2).psh(), checksums);
    }
    assert_eq!(rig.finish().len(), 3);
}
