//! Any schedule of traffic, steps, interrupts lost or doubled, faults, resets, flaps and closes: what the card delivered is
//! read, once and in order; what was written leaves in order or is counted; readers and writers are never forgotten.
//!
//! `PROPTEST_CASES` says how many schedules are tried, 1,000 if it is not set.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "schedules/ledger.rs"]
mod ledger;
#[path = "schedules/platform.rs"]
mod platform;
#[path = "schedules/world.rs"]
mod world;

use proptest::collection::vec;
use proptest::prelude::*;
use s2iod::Options;
use xframe::constants::Asic;

use ledger::FLOWS;
use world::{Event, Fault, World};

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        3 => Just(Fault::Fatal),
        2 => Just(Fault::Counted),
        2 => Just(Fault::PowerCut),
        1 => Just(Fault::RingStops),
        1 => Just(Fault::EnableDrops),
        2 => (1..6_u8).prop_map(Fault::ResetsFail),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (60_usize..=1_514).prop_map(Event::Frame),
        8 => (0..FLOWS, 1_usize..=1_460).prop_map(|(flow, length)| Event::Segment(flow, length)),
        9 => (1_usize..20).prop_map(Event::Steps),
        5 => Just(Event::Interrupt),
        2 => Just(Event::InterruptLost),
        1 => Just(Event::InterruptDoubled),
        4 => (0_u16..3_000).prop_map(Event::Watch),
        6 => (prop_oneof![Just(1_514_usize), Just(65_557)], any::<bool>())
            .prop_map(|(length, waits)| Event::Read(length, waits)),
        5 => (60_usize..=1_514, any::<bool>()).prop_map(|(length, waits)| Event::Write(length, waits)),
        1 => Just(Event::Reopen),
        1 => any::<bool>().prop_map(Event::Plug),
        1 => Just(Event::Statistics),
        1 => prop_oneof![Just(1_500_u16), Just(3_000), Just(9_000)].prop_map(Event::Mtu),
        2 => fault().prop_map(Event::Fault),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let rules = prop_oneof![Just(lro::Rules::Off), Just(lro::Rules::Endpoint), Just(lro::Rules::Forward)];
    let rings = prop_oneof![2 => Just(1), 1 => 2_u8..=3];
    (rules, rings, 8_u32..=16, 0_u32..=8, 2_u32..=6).prop_map(|(rules, rings, rx_slots, rx_spare, tx_slots)| Options {
        rules,
        rings,
        rx_slots,
        rx_spare,
        tx_slots,
        ..Options::default()
    })
}

fn cases() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    ProptestConfig { cases: if asked { default.cases } else { 1_000 }, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn nothing_that_was_delivered_is_lost_and_nobody_is_forgotten(
        herc in prop::bool::weighted(0.8), messages: bool, options in options(), events in vec(event(), 0..120),
    ) {
        let asic = if herc { Asic::Herc } else { Asic::Xena };
        let mut world = World::new(asic, messages, options);
        for event in events {
            world.happen(event);
        }
        world.end();
    }
}
