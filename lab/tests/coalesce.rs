//! `lab coalesce`: what it makes of a capture.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::fs;
use std::time::Duration;

use common::frames::{Tcp, damaged, joinable, other, run_of, segment, streams};
use common::{Lab, SHIPPED, bytes, packets};
use model::capture;

const HEADERS: usize = 14 + 20 + 20;

#[test]
fn batches_of_one_give_back_the_file() {
    let lab = Lab::new();
    for rules in ["seed", "endpoint", "forward", "off"] {
        let converted = lab.convert(&format!("coalesce --rules {rules} --batch 1"), SHIPPED);
        converted.adds_up();
        assert_eq!(converted.count("joins"), 0);
        assert!(fs::read(SHIPPED).unwrap() == fs::read(lab.path("units.pcap")).unwrap(), "{rules}");
    }
}

#[test]
fn without_rules_any_batch_gives_back_the_file() {
    let lab = Lab::new();
    for batch in [1, 7, 64, 1_000, 100_000] {
        let converted = lab.convert(&format!("coalesce --rules off --batch {batch}"), SHIPPED);
        converted.adds_up();
        assert!(fs::read(SHIPPED).unwrap() == fs::read(lab.path("units.pcap")).unwrap(), "{batch}");
    }
}

#[test]
fn units_carry_every_byte_of_every_flow_in_order() {
    let lab = Lab::new();
    let arrived = streams(&capture::read(SHIPPED).unwrap());
    for rules in ["seed", "endpoint", "forward"] {
        for batch in [7, 64, 1_000] {
            let converted = lab.convert(&format!("coalesce --rules {rules} --batch {batch}"), SHIPPED);
            converted.adds_up();
            assert!(converted.count("joins") > 100);
            assert!(streams(&converted.units) == arrived, "{rules}, {batch}");
        }
    }
}

#[test]
fn units_verify_at_a_receiver_that_checks_everything() {
    let units = Lab::new().convert("coalesce", SHIPPED).units;
    assert!(units.iter().any(|unit| unit.data.len() > 40_000));
    for unit in units {
        assert!(Tcp::parse(&unit.data).unwrap().checksums_are_good());
        assert_eq!(unit.original_length as usize, unit.data.len());
    }
}

#[test]
fn undrained_every_joinable_segment_joins() {
    let converted = Lab::new().convert("coalesce --batch 100000 --rules endpoint", SHIPPED);
    assert_eq!(converted.ended("size"), 0);
    assert_eq!(converted.count("joins"), joinable(&capture::read(SHIPPED).unwrap()));
}

#[test]
fn a_unit_has_at_most_64_kib_of_ip() {
    let lab = Lab::new();
    let converted = lab.convert("coalesce --batch 100", lab.capture("in.pcap", &packets(run_of(0, 100, 1_000))));
    let lengths: Vec<usize> = converted.units.iter().map(|unit| unit.data.len() - HEADERS).collect();
    assert_eq!(lengths, [65_000, 35_000]);
    assert_eq!(converted.ended("size"), 1);
}

#[test]
fn seed_leaves_ipv6_alone() {
    let units = Lab::new().convert("coalesce --rules seed", SHIPPED).units;
    let of_ipv6 = |frame: &[u8]| frame[12..14] == [0x86, 0xDD];
    assert!(units.iter().all(|unit| !of_ipv6(&unit.data) || unit.data.len() <= 1_514));
    assert!(units.iter().any(|unit| !of_ipv6(&unit.data) && unit.data.len() > 1_514));
}

#[test]
fn a_unit_has_the_time_of_its_last_segment() {
    let lab = Lab::new();
    let input = packets(run_of(0, 5, 100).into_iter().chain(run_of(1, 3, 100)).chain([other(1, 60)]));
    let converted = lab.convert("coalesce", lab.capture("in.pcap", &input));
    let times: Vec<Duration> = converted.units.iter().map(|unit| unit.time).collect();
    assert_eq!(times, [input[4].time, input[7].time, input[8].time]);
}

#[test]
fn nanoseconds_are_kept() {
    let lab = Lab::new();
    let path = lab.path("in.pcap");
    let time = Duration::new(1_700_000_000, 123_456_789);
    let mut writer = capture::Writer::create(&path, capture::Resolution::Nano).unwrap();
    writer.write(time, 154, &segment(0, 1, 100)).unwrap();
    writer.finish().unwrap();
    assert_eq!(lab.convert("coalesce", path).units[0].time, time);
}

#[test]
fn a_batch_ends_every_unit() {
    let lab = Lab::new();
    let input = lab.capture("in.pcap", &packets(run_of(0, 10, 100)));
    let lengths = |batch: usize| {
        let units = lab.convert(&format!("coalesce --batch {batch}"), &input).units;
        units.iter().map(|unit| (unit.data.len() - HEADERS) / 100).collect::<Vec<_>>()
    };
    assert_eq!(lengths(1), [1; 10]);
    assert_eq!(lengths(4), [4, 4, 2]);
    assert_eq!(lengths(10), [10]);
    assert_eq!(lengths(11), [10]);
}

#[test]
fn no_unit_has_more_segments_than_allowed() {
    let lab = Lab::new();
    let input = lab.capture("in.pcap", &packets(run_of(0, 10, 100)));
    let converted = lab.convert("coalesce --max-segments 4", input);
    let lengths: Vec<usize> = converted.units.iter().map(|unit| unit.data.len() - HEADERS).collect();
    assert_eq!(lengths, [400, 400, 200]);
    assert_eq!(converted.ended("segments"), 2);
}

#[test]
fn flows_beyond_the_sessions_do_not_merge() {
    let lab = Lab::new();
    let turns = run_of(0, 10, 100).into_iter().zip(run_of(1, 10, 100)).flat_map(|(one, two)| [one, two]);
    let input = lab.capture("in.pcap", &packets(turns));
    let converted = lab.convert("coalesce --sessions 1", &input);
    assert_eq!((converted.count("units"), converted.ended("sessions")), (11, 10));
    assert_eq!(lab.convert("coalesce --sessions 2", &input).count("units"), 2);
}

#[test]
fn seed_has_32_sessions_and_endpoint_has_one_for_each_frame() {
    let lab = Lab::new();
    let rounds = (0..2).flat_map(|round| (0..40).map(move |flow| segment(flow, 1 + round * 100, 100)));
    let input = lab.capture("in.pcap", &packets(rounds));
    assert_eq!(lab.convert("coalesce --rules seed --batch 80", &input).count("joins"), 32);
    assert_eq!(lab.convert("coalesce --rules endpoint --batch 80", &input).count("joins"), 40);
}

#[test]
fn no_merged_unit_is_longer_than_the_buffer() {
    let lab = Lab::new();
    let converted = lab.convert("coalesce --buffer 4000", SHIPPED);
    assert!(converted.units.iter().all(|unit| unit.data.len() <= 4_000));
    assert!(converted.units.iter().any(|unit| unit.data.len() > 3_000));
    assert!(converted.ended("buffer") > 100);
    converted.adds_up();
}

#[test]
fn a_frame_longer_than_the_buffer_leaves_whole_and_is_counted() {
    let lab = Lab::new();
    let input = packets([segment(0, 1, 100), other(7, 300), segment(0, 101, 100)]);
    let path = lab.capture("in.pcap", &input);
    let converted = lab.convert("coalesce --buffer 254", &path);
    assert_eq!(converted.count("longer_than_buffer"), 1);
    assert_eq!(converted.count("joins"), 1);
    assert!(bytes(&converted.units).contains(&input[1].data.as_slice()));
    assert!(lab.text("coalesce --buffer 254", &path).contains("1 frame"));
}

#[test]
fn an_engine_that_is_full_before_the_batch_says_so() {
    let lab = Lab::new();
    let input = lab.capture("in.pcap", &packets((0..300_000).map(|number| other(number, 18))));
    let converted = lab.convert("coalesce --batch 300000", &input);
    assert_eq!(converted.count("drained_early"), 1);
    assert_eq!(converted.units.len(), 300_000);
    let numbers = converted.units.iter().map(|unit| u32::from_be_bytes(unit.data[14..18].try_into().unwrap()));
    assert!(numbers.eq(0..300_000));
    assert!(lab.text("coalesce --batch 300000", &input).contains("full 1 time"));
}

#[test]
fn a_frame_that_was_cut_short_passes_unchanged_and_ends_its_flow_s_unit() {
    let lab = Lab::new();
    let mut input = packets(run_of(0, 5, 100));
    input[2].data.truncate(100);
    let path = lab.capture("in.pcap", &input);
    let converted = lab.convert("coalesce", &path);
    let lengths: Vec<usize> = converted.units.iter().map(|unit| unit.data.len()).collect();
    assert_eq!(lengths, [HEADERS + 200, 100, HEADERS + 200]);
    assert_eq!(converted.units[1], input[2]);
    assert_eq!(converted.count("cut_short"), 1);
    assert!(lab.text("coalesce", &path).contains("cut short"));
}

#[test]
fn a_frame_cut_in_its_headers_passes_unchanged() {
    let lab = Lab::new();
    for length in [0, 1, 13, 14, 20, 33, 40, 53] {
        let mut input = packets(run_of(0, 3, 100));
        input[1].data.truncate(length);
        let converted = lab.convert("coalesce", lab.capture("in.pcap", &input));
        assert!(converted.units.contains(&input[1]), "{length}");
        converted.adds_up();
    }
}

#[test]
fn frames_that_are_no_tcp_pass_unchanged_between_segments() {
    let lab = Lab::new();
    let input = packets([segment(0, 1, 100), other(1, 60), other(2, 1_514), segment(0, 101, 100), other(3, 9_000)]);
    let units = lab.convert("coalesce", lab.capture("in.pcap", &input)).units;
    let others: Vec<_> = bytes(&units).into_iter().filter(|frame| frame[12..14] == [0x88, 0xB5]).collect();
    assert_eq!(others, [&input[1].data[..], &input[2].data, &input[4].data]);
    assert_eq!(units.len(), 4);
}

#[test]
fn a_wrong_checksum_does_not_merge() {
    let lab = Lab::new();
    let frames = run_of(0, 4, 100).into_iter().enumerate();
    let input = packets(frames.map(|(at, frame)| if at == 1 { damaged(frame) } else { frame }));
    let converted = lab.convert("coalesce", lab.capture("in.pcap", &input));
    assert_eq!(bytes(&converted.units)[..2], bytes(&input)[..2]);
    assert_eq!(converted.units.len(), 3);
    assert!(converted.ended("checksum") > 0);
}

#[test]
fn trusted_checksums_are_not_looked_at_and_the_summary_says_so() {
    let lab = Lab::new();
    let path = lab.capture("in.pcap", &packets(run_of(0, 3, 100).into_iter().map(damaged)));
    let trusted = lab.convert("coalesce --trust-checksums", &path);
    assert_eq!(trusted.summary["checksums_trusted"], true);
    assert_eq!(trusted.count("joins"), 2);
    // The damage is still there: a merged unit carries what its segments carried.
    assert_eq!(streams(&trusted.units), streams(&capture::read(&path).unwrap()));
    assert!(!Tcp::parse(&trusted.units[0].data).unwrap().checksums_are_good());
    assert!(lab.text("coalesce --trust-checksums", &path).contains("checksums were not looked at"));
    assert!(!lab.text("coalesce", &path).contains("checksums were not looked at"));
}

#[test]
fn pcapng_is_read_as_pcap_is() {
    let lab = Lab::new();
    let input = packets(run_of(0, 10, 100));
    let next_generation = lab.file("in.pcapng", pcapng(&input));
    let (one, other) =
        (lab.convert("coalesce", next_generation), lab.convert("coalesce", lab.capture("in.pcap", &input)));
    assert_eq!(one.units, other.units);
    assert_eq!(one.count("joins"), 9);
}

/// A section header, an interface of Ethernet with microseconds, and a block for each packet.
fn pcapng(packets: &[capture::Packet]) -> Vec<u8> {
    let block = |kind: u32, body: Vec<u8>| {
        let length = (12 + body.len() as u32).to_le_bytes();
        [kind.to_le_bytes().as_slice(), &length, &body, &length].concat()
    };
    let version = [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0];
    let mut file = block(0x0A0D_0D0A, [version.as_slice(), &[0xFF; 8]].concat());
    file.extend(block(1, vec![1, 0, 0, 0, 0, 0, 0, 0]));
    for packet in packets {
        let time = packet.time.as_micros() as u64;
        let lengths = [packet.data.len() as u32, packet.original_length];
        let words = [0, (time >> 32) as u32, time as u32, lengths[0], lengths[1]];
        let mut body = words.map(u32::to_le_bytes).concat();
        body.extend(&packet.data);
        body.resize(body.len().next_multiple_of(4), 0);
        file.extend(block(6, body));
    }
    file
}

#[test]
fn a_capture_without_packets_gives_one_without_packets() {
    let lab = Lab::new();
    let converted = lab.convert("coalesce", lab.capture("in.pcap", &[]));
    assert_eq!((converted.count("frames"), converted.units.len()), (0, 0));
}

#[test]
fn the_summary_for_people_names_the_file_and_what_happened() {
    let lab = Lab::new();
    let input = lab.capture("in.pcap", &packets(run_of(0, 10, 100)));
    let text = lab.text("coalesce --batch 5", &input);
    assert!(text.starts_with(&format!("{}: 10 frames in, 2 units out\n", input.display())), "{text}");
    assert!(text.contains("10 segments in 2 merged units (8 joins)"), "{text}");
}

#[test]
fn input_and_output_can_be_one_file() {
    let lab = Lab::new();
    let path = lab.capture("in.pcap", &packets(run_of(0, 10, 100)));
    assert!(lab.run("coalesce", &path, &path).status.success());
    assert_eq!(capture::read(&path).unwrap().len(), 1);
    assert_eq!(lab.contents().len(), 1);
}
