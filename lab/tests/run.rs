//! `lab run`: a capture through card, driver, engine and scheme.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::path::Path;

use common::frames::{damaged, other, pause, run_of, segment, streams};
use common::{Lab, SHIPPED, bytes, packets};
use model::capture;

/// `run` and `coalesce` with the same options make the same units of a capture.
fn agree(lab: &Lab, options: &str, input: impl AsRef<Path>) {
    let (run, coalesce) =
        (lab.convert(&format!("run {options}"), &input), lab.convert(&format!("coalesce {options}"), &input));
    run.adds_up();
    assert!(bytes(&run.units) == bytes(&coalesce.units), "{options}");
    for count in ["units", "merged_units", "merged_segments", "joins", "ended"] {
        assert_eq!(run.summary[count], coalesce.summary[count], "{options}: {count}");
    }
}

#[test]
fn its_units_are_those_of_the_engine_alone() {
    let lab = Lab::new();
    for rules in ["seed", "endpoint", "forward", "off"] {
        for batch in [1, 7, 64, 1_000] {
            agree(&lab, &format!("--rules {rules} --batch {batch}"), SHIPPED);
        }
    }
}

#[test]
fn every_limit_holds_as_with_the_engine_alone() {
    let lab = Lab::new();
    for options in ["--buffer 4000", "--max-segments 4", "--sessions 1 --batch 500", "--buffer 9000 --batch 1000"] {
        agree(&lab, options, SHIPPED);
    }
}

#[test]
fn batches_of_one_give_back_the_frames() {
    let lab = Lab::new();
    let converted = lab.convert("run --batch 1", SHIPPED);
    assert!(bytes(&converted.units) == bytes(&capture::read(SHIPPED).unwrap()));
    assert_eq!(converted.dropped(), [0; 0]);
}

#[test]
fn frames_for_others_and_tags_are_kept() {
    let lab = Lab::new();
    let mut tagged = other(1, 100);
    tagged.splice(12..12, [0x88, 0xA8, 0, 5, 0x81, 0x00, 0xE0, 7]);
    let mut multicast = other(2, 80);
    multicast[..6].copy_from_slice(&[0x01, 0x00, 0x5E, 1, 2, 3]);
    let input = packets([tagged, multicast, other(3, 14), other(4, 15), other(5, 59), other(6, 9_614)]);
    let converted = lab.convert("run", lab.capture("in.pcap", &input));
    assert_eq!(bytes(&converted.units), bytes(&input));
}

#[test]
fn the_card_s_verdict_keeps_damage_out_of_units() {
    let lab = Lab::new();
    let frames = run_of(0, 4, 100).into_iter().enumerate();
    let input = packets(frames.map(|(at, frame)| if at == 1 { damaged(frame) } else { frame }));
    let path = lab.capture("in.pcap", &input);
    agree(&lab, "", &path);
    assert_eq!(lab.convert("run", &path).count("joins"), 1);
}

#[test]
fn frames_that_the_card_drops_are_listed() {
    let lab = Lab::new();
    let giant = other(3, 9_700);
    let input = packets([segment(0, 1, 100), pause(), segment(0, 101, 100), giant, other(5, 60)]);
    let path = lab.capture("in.pcap", &input);
    let converted = lab.convert("run", &path);
    converted.adds_up();
    assert_eq!(converted.dropped(), [2, 4]);
    assert_eq!(converted.units.len(), 2);
    assert_eq!(converted.count("joins"), 1);
    assert!(lab.text("run", &path).contains("packets 2, 4"));
}

#[test]
fn a_frame_that_was_cut_short_is_listed_as_no_wire_can_carry_it() {
    let lab = Lab::new();
    let mut input = packets(run_of(0, 3, 100));
    input[1].data.truncate(80);
    let converted = lab.convert("run", lab.capture("in.pcap", &input));
    converted.adds_up();
    assert_eq!((converted.dropped(), converted.count("cut_short")), (vec![2], 1));
    assert_eq!(bytes(&converted.units), [&input[0].data[..], &input[2].data]);
}

#[test]
fn a_frame_longer_than_the_buffer_is_truncated_and_counted() {
    let lab = Lab::new();
    let input = packets([other(1, 300), other(2, 100), other(3, 101)]);
    let path = lab.capture("in.pcap", &input);
    let converted = lab.convert("run --buffer 100", &path);
    assert_eq!(bytes(&converted.units), [&input[0].data[..100], &input[1].data, &input[2].data[..100]]);
    assert_eq!(converted.count("truncated"), 2);
    assert!(lab.text("run --buffer 100", &path).contains("truncated"));
}

#[test]
fn more_frames_than_slots_are_taken_in_turns_and_none_is_lost() {
    let lab = Lab::new();
    let input = packets(run_of(0, 20_000, 10));
    let converted = lab.convert("run --batch 20000", lab.capture("in.pcap", &input));
    converted.adds_up();
    assert_eq!(streams(&converted.units), streams(&input));
    assert_eq!(converted.count("drained_early"), 1);
}

#[test]
fn as_many_frames_as_slots_are_one_batch() {
    let lab = Lab::new();
    let input = lab.capture("in.pcap", &packets(run_of(0, 16_384, 3)));
    agree(&lab, "--batch 16384", input);
}

#[test]
fn times_never_go_back() {
    let units = Lab::new().convert("run", SHIPPED).units;
    assert!(units.is_sorted_by_key(|unit| unit.time));
    assert_eq!(units.last().unwrap().time, capture::read(SHIPPED).unwrap().last().unwrap().time);
}
