//! The driver on the software card: each behaviour one test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Bench, MAC};
use s2iod::Options;

fn frame(length: usize, seed: u8) -> Vec<u8> {
    let mut frame: Vec<u8> = (0..length).map(|at| (at as u8).wrapping_mul(31).wrapping_add(seed)).collect();
    frame[..6].copy_from_slice(&MAC);
    frame[12..14].copy_from_slice(&[0x88, 0xB5]);
    frame
}

#[test]
fn the_factory_address_is_read_from_the_card() {
    assert_eq!(Bench::new(Options::default()).adapter.identity().mac, MAC);
}

#[test]
fn frames_are_read_in_the_order_they_came() {
    let mut bench = Bench::new(Options::default());
    let frames: Vec<_> = (0..10).map(|seed| frame(60 + usize::from(seed) * 100, seed)).collect();
    bench.arrive(frames.clone());
    assert_eq!(bench.read_all(2000), frames);
}

#[test]
fn frames_go_round_the_ring_many_times() {
    let mut bench = Bench::new(Options { rx_slots: 200, rx_spare: 50, ..Options::default() });
    for round in 0..40 {
        let frames: Vec<_> = (0..150).map(|seed| frame(80, seed ^ round)).collect();
        bench.arrive(frames.clone());
        assert_eq!(bench.read_all(2000), frames, "round {round}");
    }
}

#[test]
fn a_frame_that_is_sent_reaches_the_wire() {
    let mut bench = Bench::new(Options::default());
    let sent = frame(300, 9);
    bench.adapter.send(&sent).unwrap();
    bench.step();
    assert_eq!(bench.cable().from_card, [sent]);
}
