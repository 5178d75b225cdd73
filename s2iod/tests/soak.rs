//! Traffic as fast as it goes, for minutes, while everything that can go wrong does: nothing that the card delivered is lost,
//! repeated or out of order, writers are answered, and no memory is lost.
//!
//! Not run by default: `cargo test --release -p s2iod --test soak -- --ignored --nocapture`. `S2IOD_SOAK_SECONDS` says how long,
//! 600 if it is not set.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, dead_code, missing_docs)]

#[path = "schedules/ledger.rs"]
mod ledger;
#[path = "schedules/platform.rs"]
mod platform;
#[path = "schedules/world.rs"]
mod world;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use s2iod::Options;
use xframe::constants::Asic;

use ledger::FLOWS;
use world::{Event, Fault, World};

/// Events before everything that came must have been read.
const ROUND: usize = 4_000;
/// Memory by which the longest queue of all may differ, in KiB. A few bytes lost with each of millions of events are more.
const SLACK: u64 = 4_096;

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Fatal),
        Just(Fault::Counted),
        Just(Fault::PowerCut),
        Just(Fault::RingStops),
        Just(Fault::EnableDrops),
        (1..4_u8).prop_map(Fault::ResetsFail),
    ]
}

/// Full traffic, and now and then something else.
fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2_000 => (0..FLOWS).prop_map(|flow| Event::Segment(flow, 1_448)),
        200 => (60_usize..=1_514).prop_map(Event::Frame),
        600 => (8_usize..64).prop_map(Event::Steps),
        200 => Just(Event::Interrupt),
        600 => any::<bool>().prop_map(|waits| Event::Read(65_557, waits)),
        400 => (60_usize..=1_514, any::<bool>()).prop_map(|(length, waits)| Event::Write(length, waits)),
        100 => (0_u16..500).prop_map(Event::Watch),
        20 => Just(Event::InterruptLost),
        20 => Just(Event::InterruptDoubled),
        2 => Just(Event::Reopen),
        2 => any::<bool>().prop_map(Event::Plug),
        2 => Just(Event::Statistics),
        4 => fault().prop_map(Event::Fault),
    ]
}

/// Memory of this process that is in use, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[ignore = "takes minutes"]
fn minutes_of_traffic_and_faults_lose_neither_frames_nor_memory() {
    let seconds = std::env::var("S2IOD_SOAK_SECONDS").map_or(600, |seconds| seconds.parse().unwrap());
    let (start, duration) = (Instant::now(), Duration::from_secs(seconds));
    let options = Options { rx_slots: 256, rx_spare: 64, tx_slots: 64, ..Options::default() };
    let mut worlds = [(Asic::Herc, true), (Asic::Herc, false), (Asic::Xena, false)]
        .map(|(asic, messages)| World::new(asic, messages, options));
    let (mut runner, events) = (TestRunner::deterministic(), event());
    let (mut rounds, mut settled) = (0, None);
    while start.elapsed() < duration {
        let world = &mut worlds[rounds % 3];
        for _ in 0..ROUND {
            world.happen(events.new_tree(&mut runner).unwrap().current());
        }
        world.end();
        rounds += 1;
        if start.elapsed() > duration / 4 {
            settled.get_or_insert_with(memory);
        }
    }
    let (settled, now) = (settled.expect("time for a few rounds"), memory());
    println!("{} events, {settled} KiB after a quarter of the time, {now} KiB at the end", rounds * ROUND);
    assert!(now <= settled + SLACK, "memory grew from {settled} to {now} KiB");
}
