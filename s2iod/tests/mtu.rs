//! The MTU changes while the card runs: what was held stays readable, what comes is as long as it may be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::frames::{plain, segments};
use common::{Bench, Machine, config};
use s2iod::{Error, Options, SendError};
use xframe::registers as reg;

fn bench() -> Bench {
    Bench::new(Options { rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() })
}

/// Frames of up to the MTU come and leave, many more than there are slots, and no longer ones.
fn works(bench: &mut Bench, mtu: u16) {
    bench.settle();
    let longest = usize::from(mtu) + 14;
    for round in 0..10 {
        let frames: Vec<_> = (0..16).map(|number| plain(round * 16 + number, longest)).collect();
        assert!(bench.deliver(frames.clone()) == frames, "{mtu}");
        bench.cable().from_card.clear();
        bench.adapter.send(&frames[0]).unwrap();
        bench.settle();
        assert!(bench.cable().from_card[0][..longest] == frames[0]);
    }
    assert!(bench.deliver([plain(1, longest + 20)]).is_empty());
    assert_eq!(bench.adapter.send(&plain(1, longest + 20)), Err(SendError::TooLong));
    assert_eq!(bench.adapter.rx_slots_in_card(), 16);
}

#[test]
fn every_mtu_can_follow_every_other() {
    let mut bench = bench();
    let mtus = [1_500, 9_000, 46, 4_000, 2_026, 2_027, 9_596, 100, 1_500];
    for mtu in mtus {
        bench.adapter.set_mtu(mtu).unwrap();
        works(&mut bench, mtu);
    }
    assert_eq!((bench.statistic("faults"), bench.statistic("recoveries")), (Some(0), Some(0)));
}

#[test]
fn frames_that_were_held_are_read_afterwards_however_often_it_changes() {
    let mut bench = bench();
    let frames: Vec<_> = (0..10).map(|number| plain(number, 1_514)).collect();
    for (held, mtu) in frames.chunks(2).zip([3_000, 6_000, 9_000, 46, 1_500]) {
        bench.arrive(held.to_vec());
        bench.adapter.set_mtu(mtu).unwrap();
        bench.settle();
        if mtu == 46 {
            bench.adapter.set_mtu(1_500).unwrap();
            bench.settle();
        }
    }
    assert!(bench.read_all() == frames);
    works(&mut bench, 1_500);
}

#[test]
fn while_every_slot_is_held_the_card_gets_one_for_each_that_is_read() {
    let mut bench = bench();
    let frames: Vec<_> = (0..32).map(|number| plain(number, 100)).collect();
    bench.arrive(frames[..16].to_vec());
    bench.settle();
    bench.arrive(frames[16..].to_vec());
    bench.adapter.set_mtu(9_000).unwrap();
    assert_eq!(bench.adapter.rx_slots_in_card(), 0);
    let mut buffer = [0; 100];
    for (number, frame) in frames.iter().enumerate() {
        assert_eq!(bench.adapter.receive(&mut buffer).unwrap().unwrap().length, 100);
        assert!(buffer == frame[..]);
        assert_eq!(bench.adapter.rx_slots_in_card(), 16.min(number as u32 + 1));
    }
    works(&mut bench, 9_000);
}

#[test]
fn a_unit_may_have_segments_in_slots_of_both_sizes() {
    let mut bench = bench();
    let segments = segments(8, 1_000);
    bench.arrive(segments[..4].to_vec());
    bench.adapter.set_mtu(9_000).unwrap();
    bench.settle();
    bench.arrive(segments[4..].to_vec());
    bench.settle();
    let units = bench.read_all();
    assert_eq!(units.iter().map(Vec::len).collect::<Vec<_>>(), [8_054]);
    assert!(units[0][54..] == segments.iter().flat_map(|segment| &segment[54..]).copied().collect::<Vec<_>>());
    works(&mut bench, 9_000);
}

#[test]
fn frames_that_the_card_has_not_sent_are_lost_and_their_slots_are_not() {
    let mut bench = bench();
    for _ in 0..8 {
        bench.adapter.send(&plain(1, 60)).unwrap();
    }
    bench.adapter.set_mtu(9_000).unwrap();
    assert_eq!(bench.statistic("tx_lost"), Some(8));
    works(&mut bench, 9_000);
}

#[test]
fn what_cannot_be_leaves_everything_as_it_was() {
    let mut bench = bench();
    for mtu in [0, 45, 9_601, u16::MAX] {
        assert!(matches!(bench.adapter.set_mtu(mtu), Err(Error::Option { option: "--mtu", .. })));
    }
    works(&mut bench, 1_500);
    assert_eq!(bench.statistic("link_changes"), Some(1));
}

#[test]
fn without_memory_for_longer_slots_it_stays_as_it_was() {
    let options = Options { rx_slots: 2_048, rx_spare: 1_024, tx_slots: 8, ..Options::default() };
    let mut bench = Bench::on(Machine::new(config()), options);
    let error = bench.adapter.set_mtu(9_600).unwrap_err();
    assert!(matches!(error, Error::Platform { .. }), "{error}");
    assert_eq!(bench.statistic("mtu"), Some(1_500));
    assert_eq!(bench.deliver([plain(1, 1_514)]), [plain(1, 1_514)]);
}

#[test]
fn a_card_that_does_not_come_up_again_is_tried_again_with_the_new_one() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
    bench.adapter.set_mtu(3_000).unwrap();
    assert_eq!(bench.statistic("recoveries_failed"), Some(1));
    bench.machine.mischief.borrow_mut().stuck = None;
    bench.adapter.watch(Duration::from_secs(1));
    works(&mut bench, 3_000);
}
