//! What the card finds of a frame's checksums decides whether it merges.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::Bench;
use common::frames::{
    HEADERS_4, HEADERS_6, damaged, datagram, fragmented, payload_of, plain, segment, segment_6, segments,
};
use lro::Rules;
use s2iod::Options;
use xframe::rxd::{CHECKSUM_GOOD, Control1, Control2, FrameType, TCode};

fn bench() -> Bench {
    Bench::new(Options::default())
}

/// Three segments arrive, with something else about the second than the card found; the segments of each unit.
fn units_with(change: impl Fn(Control1) -> Control1) -> Vec<usize> {
    units_of(segments(3, 100), change)
}

fn units_of(frames: Vec<Vec<u8>>, change: impl Fn(Control1) -> Control1) -> Vec<usize> {
    let mut bench = bench();
    bench.arrive(frames);
    bench.alter_rxd(1, |one: Control1, two: Control2| (change(one), two));
    bench.settle();
    bench.read_all().iter().map(|unit| payload_of(unit).len() / 100).collect()
}

#[test]
fn segments_that_the_card_verified_merge() {
    let mut bench = bench();
    let frames = segments(40, 1_448);
    let units = bench.deliver(frames.clone());
    assert_eq!(units.len(), 1);
    assert!(payload_of(&units[0]) == frames.iter().flat_map(|frame| payload_of(frame)).copied().collect::<Vec<_>>());
}

#[test]
fn segments_of_ipv6_merge() {
    let mut bench = bench();
    let units = bench.deliver([segment_6(0, 1, 500), segment_6(0, 501, 500)]);
    assert_eq!(units.iter().map(Vec::len).collect::<Vec<_>>(), [HEADERS_6 + 1_000]);
}

#[test]
fn under_seed_only_ipv4_merges() {
    let mut bench = Bench::new(Options { rules: Rules::Seed, ..Options::default() });
    assert_eq!(bench.deliver([segment_6(0, 1, 500), segment_6(0, 501, 500)]).len(), 2);
    assert_eq!(bench.deliver([segment(0, 1, 500), segment(0, 501, 500)]).len(), 1);
}

#[test]
fn with_lro_off_nothing_merges() {
    let mut bench = Bench::new(Options { rules: Rules::Off, ..Options::default() });
    assert!(bench.deliver(segments(10, 100)) == segments(10, 100));
}

#[test]
fn a_damaged_payload_does_not_merge_and_leaves_as_it_came() {
    let mut bench = bench();
    let mut frames = segments(4, 100);
    frames[1] = damaged(frames[1].clone());
    let units = bench.deliver(frames.clone());
    assert!(units[..2] == frames[..2]);
    assert_eq!(units[2..].iter().map(Vec::len).collect::<Vec<_>>(), [HEADERS_4 + 200]);
    assert_eq!(bench.statistic("rmac_err_tcp"), Some(1));
}

#[test]
fn a_damaged_ip_header_does_not_merge() {
    let mut bench = bench();
    let mut frames = segments(3, 100);
    frames[1][24] ^= 1;
    let units = bench.deliver(frames.clone());
    assert!(units == frames);
    assert_eq!(bench.statistic("rmac_hdr_err_ip"), Some(1));
}

#[test]
fn the_card_s_word_counts_when_a_checksum_is_wrong() {
    assert_eq!(units_with(|one| one), [3]);
    assert_eq!(units_with(|one| one.with_l4_checksum(0x1234)), [1, 1, 1]);
    assert_eq!(units_with(|one| one.with_l3_checksum(0)), [1, 1, 1]);
}

#[test]
fn the_card_s_word_counts_when_a_checksum_is_good() {
    let mut frames = segments(3, 100);
    frames[1] = damaged(frames[1].clone());
    assert_eq!(units_of(frames.clone(), |one| one), [1, 1, 1]);
    assert_eq!(units_of(frames, |one| one.with_l4_checksum(CHECKSUM_GOOD)), [3]);
}

/// The engine looks for itself where the card does not know: good segments merge, damaged ones do not.
#[test]
fn where_the_card_has_no_word_the_engine_verifies() {
    let unknown: [fn(Control1) -> Control1; 4] = [
        |one| one.with_proto_tcp(false).with_l4_checksum(0),
        |one| one.with_ip_frag(true).with_l4_checksum(0),
        |one| one.with_t_code(TCode::UnknownProtocol).with_l4_checksum(0),
        |one| one.with_frame_type(FrameType::Snap).with_l4_checksum(0),
    ];
    let mut damage = segments(3, 100);
    damage[1] = damaged(damage[1].clone());
    for change in unknown {
        assert_eq!(units_of(segments(3, 100), change), [3]);
        assert_eq!(units_of(damage.clone(), |one| change(one).with_l4_checksum(CHECKSUM_GOOD)), [1, 1, 1]);
    }
}

#[test]
fn datagrams_and_other_frames_pass_one_by_one() {
    let mut bench = bench();
    let frames = [datagram(1, 500), datagram(2, 500), plain(3, 60), damaged(datagram(4, 100)), datagram(5, 0)];
    assert!(bench.deliver(frames.clone()) == frames);
}

#[test]
fn a_fragment_ends_the_unit_before_it() {
    let mut bench = bench();
    let frames = segments(4, 100);
    let fragment = fragmented(frames[2].clone());
    let arriving = [frames[0].clone(), frames[1].clone(), fragment.clone(), frames[2].clone(), frames[3].clone()];
    let units = bench.deliver(arriving);
    assert!(units[1] == fragment);
    assert_eq!(units.iter().map(|unit| payload_of(unit).len()).collect::<Vec<_>>(), [200, 100, 200]);
}

#[test]
fn flows_merge_apart() {
    let mut bench = bench();
    let turns = (0..10).flat_map(|turn| (0..50).map(move |flow| segment(flow, 1 + turn * 100, 100)));
    let units = bench.deliver(turns);
    assert_eq!(units.len(), 50);
    assert!(units.iter().all(|unit| payload_of(unit).len() == 1_000));
}

#[test]
fn a_unit_has_no_more_segments_than_the_options_allow() {
    let mut bench = Bench::new(Options { lro_max_segments: Some(4), ..Options::default() });
    let units = bench.deliver(segments(10, 100));
    assert_eq!(units.iter().map(|unit| payload_of(unit).len()).collect::<Vec<_>>(), [400, 400, 200]);
}

#[test]
fn no_more_flows_merge_than_the_options_have_sessions_for() {
    let mut bench = Bench::new(Options { lro_sessions: Some(3), ..Options::default() });
    let turns = (0..10).flat_map(|turn| (0..5).map(move |flow| segment(flow, 1 + turn * 100, 100)));
    let mut lengths: Vec<_> = bench.deliver(turns).iter().map(|unit| payload_of(unit).len() / 100).collect();
    lengths.sort();
    assert_eq!(lengths, [&[1; 20][..], &[10, 10, 10]].concat());
}
