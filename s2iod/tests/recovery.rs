//! Recovery: what it saves, what it loses, and when the card is given up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::broken::{NOW, bench, break_it, options, works};
use common::frames::{plain, segments};
use common::{Bench, MAC};
use s2iod::{Options, SendError, State};
use xframe::bits::MacCfg;
use xframe::registers as reg;

// What it saves, what it loses.

#[test]
fn every_frame_that_the_card_had_delivered_is_read_after_it() {
    let mut bench = bench();
    let frames: Vec<_> = (0..24).map(|number| plain(number, 100)).collect();
    bench.arrive(frames[..10].to_vec());
    bench.settle();
    bench.arrive(frames[10..].to_vec());
    break_it(&bench);
    bench.adapter.watch(NOW);
    assert_eq!(bench.statistic("recoveries"), Some(1));
    assert!(bench.read_all() == frames);
    works(&mut bench);
}

#[test]
fn frames_that_had_come_are_read_while_the_card_is_being_reset() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
    bench.arrive([plain(1, 60), plain(2, 60)]);
    break_it(&bench);
    assert_eq!(bench.adapter.watch(NOW), State::Recovering);
    assert_eq!(bench.read_all(), [plain(1, 60), plain(2, 60)]);
    assert_eq!(bench.adapter.send(&plain(3, 60)), Err(SendError::Full));
    assert_eq!(bench.adapter.send(&plain(3, 2_000)), Err(SendError::TooLong));
    assert!(!bench.adapter.link_up());
    assert!(!bench.machine.line());
}

#[test]
fn a_flow_goes_on_merging_after_it() {
    let mut bench = bench();
    let segments = segments(8, 1_000);
    bench.arrive(segments[..4].to_vec());
    break_it(&bench);
    bench.adapter.watch(NOW);
    bench.settle();
    bench.arrive(segments[4..].to_vec());
    bench.settle();
    let units = bench.read_all();
    assert_eq!(units.iter().map(Vec::len).collect::<Vec<_>>(), [54 + 8_000]);
}

#[test]
fn frames_that_were_not_sent_are_lost_and_counted_and_their_slots_come_back() {
    let mut bench = bench();
    for _ in 0..8 {
        bench.adapter.send(&plain(1, 60)).unwrap();
    }
    assert!(!bench.adapter.has_room());
    for _ in 0..3 {
        bench.machine.card.borrow_mut().step();
    }
    break_it(&bench);
    bench.adapter.watch(NOW);
    let sent = bench.cable().from_card.len() as u64;
    assert!((1..=3).contains(&sent));
    assert_eq!((bench.statistic("tx_frames"), bench.statistic("tx_lost")), (Some(8), Some(8 - sent)));
    works(&mut bench);
}

#[test]
fn options_and_address_are_as_before() {
    let mut bench = Bench::new(Options { promiscuous: true, mtu: 4_000, ..options() });
    break_it(&bench);
    bench.adapter.watch(NOW);
    assert!(MacCfg::from(bench.machine.read(reg::MAC_CFG)).rmac_prom_enable());
    assert_eq!(bench.adapter.identity().mac, MAC);
    bench.settle();
    assert_eq!(bench.deliver([plain(1, 4_014)]), [plain(1, 4_014)]);
}

#[test]
fn no_statistic_ever_goes_back() {
    let mut bench = bench();
    let all = |bench: &mut Bench| {
        let mut text = String::new();
        bench.adapter.write_stats(&mut text).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let lines = lines.filter(|(name, _)| *name != "rx_slots_in_card");
        // Some are words.
        let counts = lines.filter_map(|(name, value)| Some((name.to_owned(), value.parse::<u64>().ok()?)));
        counts.collect::<Vec<_>>()
    };
    let mut before = all(&mut bench);
    for round in 0..6 {
        bench.deliver([plain(1, 60), plain(2, 500)]);
        bench.adapter.send(&plain(3, 60)).unwrap();
        bench.settle();
        match round % 3 {
            0 => break_it(&bench),
            1 => bench.machine.card.borrow_mut().reset(),
            _ => {}
        }
        bench.adapter.service().unwrap();
        bench.adapter.watch(NOW * (round + 1));
        bench.settle();
        let after = all(&mut bench);
        for ((name, old), (same, new)) in before.iter().zip(&after) {
            assert!(name == same && new >= old, "{name} {old} -> {same} {new}");
        }
        before = after;
    }
    // A power cut takes with it what was not told; a reset takes nothing.
    assert!(bench.statistic("rmac_vld_frms") >= Some(8));
    assert_eq!(bench.statistic("tx_frames"), Some(6));
}

#[test]
fn the_card_s_counters_go_on_where_they_were() {
    let mut bench = bench();
    bench.deliver([plain(1, 60), plain(2, 60), plain(3, 60)]);
    break_it(&bench);
    bench.adapter.watch(NOW);
    bench.settle();
    assert_eq!(bench.statistic("rmac_vld_frms"), Some(3));
    bench.deliver([plain(4, 60)]);
    assert_eq!(bench.statistic("rmac_vld_frms"), Some(4));
}

// When it does not help.

#[test]
fn attempts_that_fail_are_repeated_after_pauses_that_double() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
    break_it(&bench);
    let mut attempts = Vec::new();
    let mut failed = 0;
    for second in 0..200 {
        assert_eq!(bench.adapter.watch(NOW + Duration::from_secs(second)), State::Recovering);
        let count = bench.statistic("recoveries_failed").unwrap();
        if count > failed {
            attempts.push(second);
            failed = count;
        }
    }
    assert_eq!(attempts, [0, 1, 3, 7, 15, 31, 63, 127, 191]);
    bench.machine.mischief.borrow_mut().stuck = None;
    assert_eq!(bench.adapter.watch(NOW + Duration::from_secs(300)), State::Running);
    works(&mut bench);
}

#[test]
fn a_card_that_fails_again_and_again_is_not_reset_all_the_time() {
    let mut bench = bench();
    for half_second in 0..240 {
        break_it(&bench);
        bench.adapter.watch(NOW + Duration::from_millis(500) * half_second);
    }
    assert!(bench.statistic("recoveries") < Some(10), "{:?}", bench.statistic("recoveries"));
}

#[test]
fn a_card_that_does_not_come_back_from_a_reset_is_tried_again_and_given_up_when_nobody_answers() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().identity = Some(0xDEAD_BEEF);
    break_it(&bench);
    assert_eq!(bench.adapter.watch(NOW), State::Recovering);
    assert_eq!(bench.statistic("recoveries_failed"), Some(1));
    bench.machine.mischief.borrow_mut().identity = Some(u32::MAX);
    assert_eq!(bench.adapter.watch(NOW + Duration::from_secs(1)), State::Gone);
    assert_eq!(bench.statistic("recoveries_failed"), Some(1));
}

#[test]
fn a_card_that_is_pulled_out_is_gone_and_what_it_had_delivered_is_read_first() {
    let mut bench = bench();
    bench.arrive([plain(1, 60), plain(2, 60)]);
    bench.machine.mischief.borrow_mut().gone = true;
    let slept = bench.machine.mischief.borrow().slept;
    assert_eq!(bench.adapter.watch(NOW), State::Gone);
    let mut buffer = [0; 100];
    for _ in 0..2 {
        assert!(bench.adapter.receive(&mut buffer).unwrap().is_some());
    }
    assert!(bench.adapter.receive(&mut buffer).unwrap().is_none());
    assert!(bench.adapter.rearm().is_err() && bench.adapter.service().is_err());
    assert_eq!(bench.adapter.send(&plain(3, 60)), Err(SendError::Gone));
    assert_eq!(bench.machine.mischief.borrow().slept, slept, "nothing waits for a card that is gone");
}
