//! A forwarder's rules where they differ from `Endpoint`: what joins besides, what does not, and the reason that is counted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{ACK, CWR, DONT_FRAGMENT, ECE, FIN, RST, SYN, Tcp, URG, data, data6};
use common::parse::{payloads, segment};
use common::rig::{Rig, units};
use lro::{End, Rules};

#[track_caller]
fn leave(frames: impl IntoIterator<Item = Tcp>, expected: &[usize]) {
    assert_eq!(payloads(&units(Rules::Forward, frames)), expected);
}

/// The second segment may not join the first, for this reason.
#[track_caller]
fn apart(reason: End, first: Tcp, second: Tcp) {
    let mut rig = Rig::new(Rules::Forward);
    rig.push_all([first.clone(), second.clone()]);
    assert_eq!(rig.finish(), [first.frame(), second.frame()]);
    assert_eq!(rig.ended(reason), 1, "{reason:?} of {:?}", rig.stats());
}

/// A segment that never shares a unit: both the one before it and itself end for this reason.
#[track_caller]
fn alone(reason: End, middle: Tcp) {
    let mut rig = Rig::new(Rules::Forward);
    let like = |sequence| Tcp { v6: middle.v6, ..data(sequence, 9) };
    rig.push_all([like(1), middle.clone(), like(19)]);
    assert_eq!(rig.finish(), [like(1).frame(), middle.frame(), like(19).frame()]);
    assert_eq!(rig.ended(reason), 2, "{reason:?} of {:?}", rig.stats());
}

#[test]
fn equal_options_of_any_kind_merge() {
    for options in [vec![1; 4], vec![2, 4, 5, 180], vec![8, 10, 0, 0, 0, 7, 0, 0, 0, 7, 1, 1], vec![1; 40]] {
        leave([data(1, 9), data(10, 9)].map(|frame| frame.options(options.clone())), &[18]);
        leave([data6(1, 9), data6(10, 9)].map(|frame| frame.options(options.clone())), &[18]);
    }
}

#[test]
fn options_that_differ_do_not_merge() {
    let differ = |second| apart(End::Header, data(1, 9).options(vec![1, 1, 1, 1]), data(10, 9).options(second));
    differ(vec![1, 1, 1, 0]);
    differ(vec![1; 8]);
    differ(vec![]);
}

#[test]
fn equal_extension_headers_merge() {
    for kind in [0, 60] {
        leave([data6(1, 9), data6(10, 9)].map(|frame| frame.extension(kind, &[1; 16])), &[18]);
    }
}

#[test]
fn extension_headers_that_differ_do_not_merge() {
    let extended = |sequence, byte| data6(sequence, 9).extension(60, &[byte; 8]);
    apart(End::Header, extended(1, 0), extended(10, 1));
    apart(End::Header, extended(1, 0), data6(10, 9));
    apart(End::Header, data6(1, 9), extended(10, 0));
}

#[test]
fn a_routing_header_never_merges() {
    alone(End::Options, data6(10, 9).extension(43, &[0; 8]));
    leave([data6(1, 9), data6(10, 9)].map(|frame| frame.extension(43, &[0; 8])), &[9, 9]);
}

#[test]
fn ipv4_options_never_merge() {
    alone(End::Options, data(10, 9).ip_options(vec![1; 4]));
}

#[test]
fn another_acknowledgment_window_or_timestamp_does_not_merge() {
    apart(End::Header, data(1, 9).ack(1), data(10, 9).ack(2));
    apart(End::Header, data(1, 9).window(1), data(10, 9).window(2));
    apart(End::Header, data(1, 9).timestamps(1, 1), data(10, 9).timestamps(2, 1));
    apart(End::Header, data(1, 9).timestamps(1, 1), data(10, 9).timestamps(1, 2));
}

#[test]
fn a_longer_segment_does_not_merge() {
    apart(End::SegmentSize, data(1, 9), data(10, 10));
}

#[test]
fn a_shorter_segment_ends_the_unit() {
    let mut rig = Rig::new(Rules::Forward);
    rig.push_all([data(1, 9), data(10, 8), data(18, 8)]);
    assert_eq!(payloads(&rig.finish()), [17, 8]);
    assert_eq!((rig.ended(End::SegmentSize), rig.ended(End::Read)), (1, 1));
}

#[test]
fn push_ends_the_unit_and_stays() {
    let units = units(Rules::Forward, [data(1, 9), data(10, 9).psh(), data(19, 9)]);
    assert_eq!(payloads(&units), [18, 9]);
    assert_eq!(segment(&units[0]).flags(), ACK | 0x08);
}

#[test]
fn an_identification_that_jumps_or_goes_back_does_not_merge() {
    for fragment in [DONT_FRAGMENT, 0] {
        for id in [7, 4, 0x8005] {
            let [first, second] = [data(1, 9).id(5), data(10, 9).id(id)].map(|frame| frame.fragment(fragment));
            apart(End::Identification, first, second);
        }
    }
}

#[test]
fn the_step_of_the_identification_may_not_change() {
    leave([data(1, 9).id(5), data(10, 9).id(6), data(19, 9).id(6)], &[18, 9]);
    leave([data(1, 9).id(5), data(10, 9).id(5), data(19, 9).id(6)], &[18, 9]);
}

#[test]
fn the_step_of_the_identification_is_told() {
    for (ids, step) in [([5, 5, 5], 0), ([5, 6, 7], 1), ([0xFFFF, 0, 1], 1)] {
        let mut rig = Rig::new(Rules::Forward);
        rig.push_all((0..3).map(|n| data(1 + 9 * n, 9).id(ids[n as usize])));
        rig.finish();
        assert_eq!(rig.info(0).ip_id_step, Some(step));
    }
}

#[test]
fn ipv6_has_no_step() {
    let mut rig = Rig::new(Rules::Forward);
    rig.push_all([data6(1, 9), data6(10, 9)]);
    rig.finish();
    assert_eq!((rig.info(0).segments, rig.info(0).ip_id_step), (2, None));
}

#[test]
fn congestion_window_reduced_merges_with_its_like_only() {
    let reduced = |sequence| data(sequence, 9).flags(ACK | CWR);
    leave([reduced(1), reduced(10)], &[18]);
    apart(End::Header, reduced(1), data(10, 9));
    apart(End::Header, data(1, 9), reduced(10));
}

#[test]
fn other_flags_never_merge() {
    for flags in [ACK | SYN, ACK | FIN, ACK | RST, ACK | URG, ACK | ECE, 0, CWR] {
        alone(End::Flags, data(10, 9).flags(flags));
        leave([data(1, 9).flags(flags), data(10, 9).flags(flags)], &[9, 9]);
    }
}

#[test]
fn a_checksum_of_ffff_does_not_merge() {
    alone(End::Checksum, data(10, 9).zero_sum(0xFFFF));
    alone(End::Checksum, data6(10, 9).zero_sum(0xFFFF));
    leave([data(1, 9), data(10, 9).zero_sum(0), data(19, 9)], &[27]);
}
