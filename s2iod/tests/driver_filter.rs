//! Which frames the driver takes, by their destination address.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frames::to;
use common::{Bench, MAC};
use s2iod::Options;

const SOMEBODY: [u8; 6] = [0x00, 0x0C, 0xFC, 0x12, 0x34, 0x57];
const EVERYBODY: [u8; 6] = [0xFF; 6];
const GROUP: [u8; 6] = [0x01, 0x00, 0x5E, 0, 0, 1];

/// Whether a frame to `destination` comes through.
fn takes(bench: &mut Bench, destination: [u8; 6]) -> bool {
    let read = bench.deliver([to(destination)]);
    assert!(read.is_empty() || read == [to(destination)]);
    !read.is_empty()
}

#[test]
fn frames_for_this_card_and_for_everybody_are_taken_and_no_others() {
    let mut bench = Bench::new(Options::default());
    assert!(takes(&mut bench, MAC));
    assert!(takes(&mut bench, EVERYBODY));
    assert!(!takes(&mut bench, SOMEBODY));
    assert!(!takes(&mut bench, GROUP));
    assert_eq!(bench.statistic("rmac_da_discard"), Some(2));
}

#[test]
fn a_promiscuous_driver_takes_every_frame() {
    let mut bench = Bench::new(Options { promiscuous: true, ..Options::default() });
    for destination in [MAC, EVERYBODY, SOMEBODY, GROUP] {
        assert!(takes(&mut bench, destination));
    }
}

#[test]
fn pause_frames_end_in_the_card() {
    let mut bench = Bench::new(Options { promiscuous: true, ..Options::default() });
    let mut pause = to([0x01, 0x80, 0xC2, 0, 0, 1]);
    pause[12..18].copy_from_slice(&[0x88, 0x08, 0, 1, 0, 9]);
    assert!(bench.deliver([pause]).is_empty());
    assert_eq!(bench.statistic("rmac_pause_ctrl_frms"), Some(1));
}

#[test]
fn tags_stay_in_the_frame() {
    let mut bench = Bench::new(Options::default());
    let frame = common::frames::tagged(to(MAC));
    assert!(bench.deliver([frame.clone()]) == [frame]);
}
