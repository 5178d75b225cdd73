//! The zero-copy way out: `front` shows a unit, `consume` takes it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{HEADERS4, MORE_FRAGMENTS, data, data6};
use common::other::arp;
use common::parse::payloads;
use common::rig::Rig;
use common::traffic::{arrivals, play};
use lro::{Engine, Info, MAX_UNIT, Pool, Rules, TooSmall};
use proptest::prelude::*;

/// The bytes that `front` shows.
fn shown<P: Pool>(engine: &mut Engine<P>, limit: usize) -> Vec<u8> {
    let unit = engine.front(limit).unwrap().unwrap();
    [unit.header()].into_iter().chain(unit.payloads()).flatten().copied().collect()
}

#[test]
fn a_frame_that_leaves_as_it_came_has_no_header_and_one_slice() {
    for frame in [arp(1), data(1, 100).frame(), data(1, 1).padded().frame(), data(1, 9).fragment(1).frame()] {
        let mut rig = Rig::new(Rules::Endpoint);
        rig.push(frame.clone());
        let unit = rig.engine.front(MAX_UNIT).unwrap().unwrap();
        assert!(unit.header().is_empty());
        assert_eq!(unit.payloads().collect::<Vec<_>>(), [&frame[..]]);
    }
}

#[test]
fn a_merged_unit_has_a_header_and_a_slice_for_each_segment() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10).padded()).push(data(11, 300)).push(data(311, 5).padded());
    let unit = rig.engine.front(MAX_UNIT).unwrap().unwrap();
    assert_eq!(unit.header().len(), HEADERS4);
    assert_eq!(unit.payloads().map(<[u8]>::len).collect::<Vec<_>>(), [10, 300, 5]);
}

#[test]
fn payload_slices_lie_in_the_slots_themselves() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100)).push(data(101, 100));
    let unit = rig.engine.front(MAX_UNIT).unwrap().unwrap();
    let shown: Vec<_> = unit.payloads().map(<[u8]>::as_ptr).collect();
    let slots: Vec<_> = [0, 1].map(|slot| rig.engine.pool().bytes(slot)[HEADERS4..].as_ptr()).into();
    assert_eq!(shown, slots);
}

#[test]
fn a_slot_that_is_prefetched_is_still_the_callers() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100));
    rig.engine.prefetch(0);
    rig.push(data(101, 100));
    assert_eq!((rig.engine.len(), rig.engine.stats().frames), (2, 2));
    assert_eq!(rig.finish().len(), 1);
}

#[test]
fn metadata_and_header_agree() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data6(1, 100).tag(0x8100, 1)).push(data6(101, 50).tag(0x8100, 1));
    let unit = rig.engine.front(MAX_UNIT).unwrap().unwrap();
    let info = unit.info();
    assert_eq!(usize::from(info.payload), unit.header().len());
    assert_eq!(info.length, unit.header().len() + unit.payloads().map(<[u8]>::len).sum::<usize>());
}

#[test]
fn showing_again_shows_the_same() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10));
    assert_eq!(shown(&mut rig.engine, MAX_UNIT), shown(&mut rig.engine, MAX_UNIT));
    assert_eq!(rig.engine.len(), 2);
    rig.finish();
}

#[test]
fn the_view_shown_last_is_the_one_that_is_taken() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10)).push(data(21, 10));
    for (limit, left) in [(MAX_UNIT, 3), (HEADERS4 + 20, 3)] {
        shown(&mut rig.engine, limit);
        assert_eq!(rig.engine.len(), left);
    }
    rig.engine.consume();
    assert_eq!(rig.engine.len(), 1);
}

#[test]
fn a_frame_pushed_between_showing_and_taking_is_not_taken() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10));
    shown(&mut rig.engine, MAX_UNIT);
    rig.push(data(21, 10)).push(data(31, 10));
    rig.engine.consume();
    assert_eq!(rig.engine.len(), 2);
    rig.push(data(41, 10));
    assert_eq!(payloads(&rig.drain(MAX_UNIT)), [30]);
    assert_eq!((rig.stats().units, rig.stats().merged_segments), (2, 5));
}

#[test]
fn a_frame_pushed_between_that_ends_the_unit_is_behind_it() {
    for between in [data(21, 0), data(21, 10).fragment(MORE_FRAGMENTS), data(500, 10)] {
        let mut rig = Rig::new(Rules::Endpoint);
        rig.push(data(1, 10)).push(data(11, 10));
        shown(&mut rig.engine, MAX_UNIT);
        rig.push(between.clone()).push(data(21, 10));
        rig.engine.consume();
        assert_eq!(rig.engine.len(), 2);
        assert_eq!(rig.read(MAX_UNIT), Some(between.frame()));
        assert_eq!(rig.read(MAX_UNIT), Some(data(21, 10).frame()));
    }
}

#[test]
fn taking_a_cut_unit_leaves_the_rest_to_grow() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10));
    shown(&mut rig.engine, HEADERS4 + 10);
    rig.push(data(21, 10));
    rig.engine.consume();
    rig.push(data(31, 10));
    assert_eq!(payloads(&rig.drain(MAX_UNIT)), [30]);
}

#[test]
fn consume_without_a_view_takes_nothing() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.engine.consume();
    rig.push(data(1, 10)).push(arp(1));
    rig.engine.consume();
    assert_eq!(rig.engine.len(), 2);
    rig.read(MAX_UNIT);
    rig.engine.consume();
    assert_eq!(rig.engine.len(), 1);
    rig.finish();
}

#[test]
fn one_view_is_taken_once() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(arp(1)).push(arp(2));
    shown(&mut rig.engine, MAX_UNIT);
    rig.engine.consume();
    rig.engine.consume();
    assert_eq!(rig.engine.len(), 1);
}

#[test]
fn the_oldest_frame_can_be_shown_alone() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10).padded()).push(data(11, 10)).push(data(21, 10));
    let unit = rig.engine.front_alone().unwrap();
    assert_eq!((unit.info().segments, unit.info().length, unit.header().len()), (1, 64, 0));
    assert_eq!(unit.payloads().collect::<Vec<_>>(), [data(1, 10).frame()]);
    rig.engine.consume();
    assert_eq!(payloads(&rig.drain(MAX_UNIT)), [20]);
}

#[test]
fn a_truncating_reader_takes_the_first_bytes_of_one_frame_only() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 1).trailer(9)).push(data(2, 5));
    let mut buffer = [0; 58];
    assert_eq!(rig.engine.front(buffer.len()).err(), Some(TooSmall { needs: 64 }));
    assert_eq!(rig.engine.front_alone().unwrap().copy_to(&mut buffer), 58);
    assert_eq!(buffer, data(1, 1).trailer(9).frame()[..58]);
    rig.engine.consume();
    assert_eq!(payloads(&rig.drain(MAX_UNIT)), [5]);
}

#[test]
fn an_empty_engine_shows_nothing() {
    let mut rig = Rig::new(Rules::Endpoint);
    assert!(rig.engine.front(MAX_UNIT).unwrap().is_none());
    assert!(rig.engine.front_alone().is_none());
}

#[test]
fn copy_to_a_short_buffer_copies_what_fits() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10)).push(data(21, 10));
    let whole = shown(&mut rig.engine, MAX_UNIT);
    for length in 0..=whole.len() {
        let mut buffer = vec![0xCC; length];
        let unit = rig.engine.front(MAX_UNIT).unwrap().unwrap();
        assert_eq!(unit.copy_to(&mut buffer), length);
        assert_eq!(buffer, whole[..length]);
    }
}

#[test]
fn copy_to_a_long_buffer_tells_the_length() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10)).push(arp(1));
    for length in [HEADERS4 + 20, 42] {
        assert_eq!(rig.engine.front(MAX_UNIT).unwrap().unwrap().copy_to(&mut [0; 100]), length);
        rig.engine.consume();
    }
}

#[test]
fn an_engine_is_empty_when_no_frame_is_queued() {
    let mut rig = Rig::new(Rules::Endpoint);
    assert!(rig.engine.is_empty());
    rig.push(data(1, 10));
    assert!(!rig.engine.is_empty());
    rig.read(MAX_UNIT);
    assert!(rig.engine.is_empty());
}

#[test]
fn nothing_is_written_behind_the_unit() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 10)).push(data(11, 10)).push(arp(1));
    for _ in 0..2 {
        let mut buffer = [0xCC; 200];
        let Info { length, .. } = rig.engine.pop_into(&mut buffer).unwrap().unwrap();
        assert!(buffer[length..].iter().all(|byte| *byte == 0xCC));
    }
}

#[test]
fn a_refused_pop_writes_nothing() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100));
    let mut buffer = [0xCC; 153];
    assert!(rig.engine.pop_into(&mut buffer).is_err());
    assert_eq!(buffer, [0xCC; 153]);
}

proptest! {
    #[test]
    fn both_ways_out_give_the_same_units(steps in arrivals(60), buffer in 60..3000_usize) {
        let mut rigs = [Rig::new(Rules::Endpoint), Rig::new(Rules::Endpoint)];
        for rig in &mut rigs {
            play(rig, &steps);
        }
        let [copies, views] = &mut rigs;
        while let Some(copy) = copies.pop(buffer) {
            prop_assert_eq!(views.read(buffer), Some(copy));
        }
        prop_assert_eq!(views.read(buffer), None);
        prop_assert_eq!(copies.stats(), views.stats());
        let infos = |rig: &Rig| rig.departures.iter().map(|unit| unit.info).collect::<Vec<_>>();
        prop_assert_eq!(infos(copies), infos(views));
    }
}
