//! What is counted: frames, units, bytes, and one reason for each unit that left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{HEADERS4, MORE_FRAGMENTS, RST, data, data6, pure_ack};
use common::other::arp;
use common::rig::Rig;
use common::traffic::{play, steps};
use lro::{Config, End, MAX_UNIT, Rules, Stats};
use proptest::prelude::*;
use std::collections::HashSet;

#[test]
fn a_new_engine_has_counted_nothing() {
    let rig = Rig::new(Rules::Endpoint);
    assert_eq!(*rig.stats(), Stats::default());
    assert!(End::ALL.iter().all(|reason| rig.ended(*reason) == 0));
}

#[test]
fn frames_are_counted_when_pushed_units_when_they_left() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10));
    assert_eq!((rig.stats().frames, rig.stats().units), (2, 0));
    rig.read(MAX_UNIT);
    assert_eq!((rig.stats().frames, rig.stats().units), (2, 1));
    rig.finish();
}

#[test]
fn merged_units_and_their_segments_are_counted_apart() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10)).push(data(21, 10)).push(pure_ack(31, 9)).push(arp(1));
    rig.finish();
    let stats = rig.stats();
    assert_eq!((stats.units, stats.merged_units, stats.merged_segments), (3, 1, 3));
}

#[test]
fn a_unit_that_had_ended_before_a_barrier_keeps_its_reason() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10).psh()).push(data(11, 10)).push(data(21, 10).fragment(1));
    rig.finish();
    let ended = [End::Push, End::Barrier].map(|reason| rig.stats().ended(reason));
    assert_eq!(ended, [1, 2], "the open unit and the fragment itself ended for the barrier");
}

#[test]
fn bytes_are_those_that_left() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 2).padded()).push(data(3, 3).padded()).push(pure_ack(6, 1).padded());
    rig.finish();
    assert_eq!(rig.stats().bytes, (HEADERS4 + 5 + 60) as u64);
}

#[test]
fn a_view_that_is_not_consumed_counts_nothing() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10));
    assert!(rig.engine.front(MAX_UNIT).unwrap().is_some());
    assert_eq!(rig.stats().units, 0);
    rig.finish();
    assert_eq!(rig.stats().units, 1);
}

#[test]
fn reasons_have_names_of_their_own() {
    let names: HashSet<&str> = End::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), End::ALL.len());
    assert!(names.iter().all(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')));
}

/// Provokes one unit that ends for this reason.
fn provoke(rig: &mut Rig, reason: End) {
    rig.push(data(1, 100));
    match reason {
        End::Read => rig,
        End::Buffer => {
            rig.push(data(101, 100));
            rig.read(HEADERS4 + 100);
            rig
        }
        End::Push => rig.push(data(101, 100).psh()),
        End::Size => rig.push(data(101, 65_396)),
        End::Segments => rig.push(data(101, 1)).push(data(102, 1)),
        End::Sequence => rig.push(data(301, 100)),
        End::Header => rig.push(data(101, 100).ttl(9)),
        End::Acknowledgment => rig.push(data(101, 100).ack(0)),
        End::Timestamp => rig.push(data(101, 9).flow(9).timestamps(9, 9)).push(data(110, 9).flow(9).timestamps(8, 9)),
        End::SegmentSize => rig.push(data(101, 101)),
        End::Identification => rig.push(data(101, 100).id(7)),
        End::Flags => rig.push(data(101, 0).flags(RST)),
        End::Options => rig.push(data6(1, 9).options(vec![1; 4])),
        End::Empty => rig.push(pure_ack(101, 9)),
        End::Checksum => rig.push(data(101, 100).damaged()),
        End::Barrier => rig.push(data(101, 100).fragment(MORE_FRAGMENTS)),
        End::Opaque => rig.push(arp(1)),
        End::Sessions => rig.push(data(1, 1).flow(1)).push(data(1, 1).flow(2)),
    };
}

#[test]
fn each_reason_has_a_case_that_is_counted_under_it() {
    for reason in End::ALL {
        let rules = match reason {
            End::SegmentSize | End::Identification => Rules::Forward,
            _ => Rules::Endpoint,
        };
        let mut rig = Rig::with(Config { sessions: 2, max_segments: 3, ..Config::new(rules, 8) });
        provoke(&mut rig, reason);
        rig.finish();
        assert!(rig.ended(reason) > 0, "{reason:?} in {:?}", rig.stats());
    }
}

proptest! {
    #[test]
    fn the_counters_agree_with_what_left(
        rules in prop_oneof![Just(Rules::Off), Just(Rules::Seed), Just(Rules::Endpoint), Just(Rules::Forward)],
        sessions in 0..40_u32,
        steps in steps(60),
    ) {
        let mut rig = Rig::with(Config { sessions, ..Config::new(rules, 40) });
        play(&mut rig, &steps);
        rig.finish();
        let stats = *rig.stats();
        let merged: Vec<_> = rig.departures.iter().filter(|unit| unit.info.segments > 1).collect();
        prop_assert_eq!(stats.frames, rig.arrivals.len() as u64);
        prop_assert_eq!(stats.units, rig.departures.len() as u64);
        prop_assert_eq!(stats.bytes, rig.departures.iter().map(|unit| unit.frame.len() as u64).sum::<u64>());
        prop_assert_eq!(stats.merged_units, merged.len() as u64);
        prop_assert_eq!(stats.merged_segments, merged.iter().map(|unit| u64::from(unit.info.segments)).sum::<u64>());
        prop_assert_eq!(End::ALL.iter().map(|reason| stats.ended(*reason)).sum::<u64>(), stats.units);
    }
}
