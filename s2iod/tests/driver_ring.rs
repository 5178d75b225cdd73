//! The receive ring: order, wrap-around, every slot, and what happens when the reader lags.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frames::plain;
use common::{Bench, Machine, config};
use model::{Config, Step};
use s2iod::Options;
use xframe::statistics::RMAC_DROP_FRMS;

const RECEIVED: Step = Step::Received { ring: 0 };
const HELD: Step = Step::Held { ring: 0 };

fn frames(numbers: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    numbers.map(|number| plain(number, 60 + (number * 37 % 1_455) as usize)).collect()
}

fn bench(rx_slots: u32, rx_spare: u32) -> Bench {
    Bench::new(Options { rx_slots, rx_spare, ..Options::default() })
}

#[test]
fn frames_of_every_length_come_as_they_were_sent() {
    let mut bench = bench(1_024, 1_024);
    let frames: Vec<_> = (14..=1_518).map(|length| plain(length as u32, length)).collect();
    assert!(bench.deliver(frames.clone()) == frames);
}

#[test]
fn jumbo_frames_come_as_they_were_sent() {
    let mut bench = Bench::new(Options { mtu: 9_600, rx_slots: 64, rx_spare: 64, ..Options::default() });
    let frames: Vec<_> = (0..60).map(|number| plain(number, 9_614 - number as usize * 131)).collect();
    assert!(bench.deliver(frames.clone()) == frames);
}

/// Blocks have 127 RxDs: rings that end just before, at and behind the end of a block.
#[test]
fn order_holds_round_and_round_rings_of_every_size() {
    for rx_slots in [8, 9, 63, 125, 126, 127, 128, 253, 254, 255, 380, 1_000] {
        let mut bench = bench(rx_slots, 3);
        for round in 0..12 {
            let frames = frames(round * 100_000..round * 100_000 + rx_slots * 2 / 3);
            assert!(bench.deliver(frames.clone()) == frames, "{rx_slots} slots, round {round}");
        }
    }
}

#[test]
fn a_frame_at_a_time_goes_round_the_ring() {
    let mut bench = bench(8, 0);
    for frame in frames(0..1_000) {
        assert!(bench.deliver([frame.clone()]) == [frame]);
    }
}

#[test]
fn every_slot_of_the_ring_takes_a_frame() {
    for rx_slots in [8, 126, 127, 128, 254] {
        let mut bench = bench(rx_slots, 0);
        let frames = frames(0..rx_slots + 2);
        let steps = bench.arrive(frames.clone());
        assert_eq!(steps.iter().filter(|step| **step == RECEIVED).count(), rx_slots as usize);
        assert_eq!(steps.iter().filter(|step| **step == HELD).count(), 2);
        bench.settle();
        assert!(bench.read_all()[..rx_slots as usize] == frames[..rx_slots as usize]);
    }
}

#[test]
fn a_reader_that_lags_never_starves_the_card_while_any_slot_is_free() {
    let (rx_slots, rx_spare) = (16, 40);
    let mut bench = bench(rx_slots, rx_spare);
    let frames = frames(0..rx_slots + rx_spare);
    for frame in &frames {
        assert_eq!(bench.arrive([frame.clone()]).first(), Some(&RECEIVED));
        // The daemon looks at the ring, and nobody reads.
        assert!(bench.adapter.has_frames());
    }
    assert_eq!(bench.adapter.rx_slots_in_card(), 0);
    assert!(bench.read_all() == frames);
    assert_eq!(bench.adapter.rx_slots_in_card(), rx_slots);
}

#[test]
fn the_ring_is_full_again_while_slots_are_free() {
    let mut bench = bench(16, 40);
    for taken in 1..=40 {
        bench.arrive([plain(taken, 60)]);
        bench.adapter.has_frames();
        assert_eq!(bench.adapter.rx_slots_in_card(), 16, "{taken} frames wait");
    }
    bench.arrive([plain(41, 60)]);
    bench.adapter.has_frames();
    assert_eq!(bench.adapter.rx_slots_in_card(), 15);
}

#[test]
fn what_finds_no_slot_waits_in_the_card_and_nothing_is_lost() {
    let mut bench = bench(16, 4);
    let frames = frames(0..500);
    let steps = bench.arrive(frames.clone());
    assert!(steps.contains(&HELD) && !steps.contains(&Step::Discarded));
    let mut read = Vec::new();
    while read.len() < frames.len() {
        let before = read.len();
        bench.settle();
        read.extend(bench.read_all());
        assert!(read.len() > before, "stuck at {before} frames");
    }
    assert!(read == frames);
}

#[test]
fn what_the_card_cannot_hold_either_is_lost_and_counted() {
    let machine = Machine::new(Config { packet_memory: 100 * 60, ..config() });
    let mut bench = Bench::on(machine, Options { rx_slots: 16, rx_spare: 0, ..Options::default() });
    let frames: Vec<_> = (0..200).map(|number| plain(number, 60)).collect();
    bench.arrive(frames.clone());
    let mut read = bench.read_all();
    for _ in 0..10 {
        bench.settle();
        read.extend(bench.read_all());
    }
    assert!(read == frames[..116]);
    assert_eq!(bench.machine.card.borrow().counter(RMAC_DROP_FRMS), 84);
    assert_eq!(bench.statistic("rmac_drop_frms"), Some(84));
}

#[test]
fn the_ring_is_refilled_while_the_reader_reads() {
    let mut bench = bench(8, 0);
    let frames = frames(0..200);
    assert_eq!(bench.arrive(frames.clone()).iter().filter(|step| **step == HELD).count(), 192);
    let mut buffer = [0; 1_514];
    for (frame, left) in frames.iter().zip((0..200).rev()) {
        let unit = bench.adapter.receive(&mut buffer).unwrap().unwrap();
        assert!(buffer[..unit.length] == frame[..]);
        // The slot just read is the card's again, long before the reader finds the end.
        let step = bench.machine.card.borrow_mut().step();
        assert_eq!(step == RECEIVED, left >= 8, "{left} left");
    }
}
