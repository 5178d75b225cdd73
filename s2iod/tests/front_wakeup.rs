//! When readers are told of frames: once, again if they stop early, and never in vain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "front/mod.rs"]
mod world;

use std::time::Duration;

use s2iod::front::{Errno, Events, FIRST_DELAY, LAST_DELAY, READS_PER_EVENT};
use world::{READ, World, frame};

const LONG: Duration = Duration::from_secs(3_600);

fn arrive(world: &mut World, numbers: std::ops::Range<u32>) {
    for number in numbers {
        world.arrive(frame(number));
    }
}

#[test]
fn the_first_frame_is_told_to_every_handle_on_the_frames() {
    let mut world = World::new();
    let (one, _mac, two) = (world.open(""), world.open("mac"), world.open(""));
    world.arrive(frame(1));
    assert_eq!(world.events(), [(one, READ), (two, READ)]);
}

#[test]
fn more_frames_are_not_told_while_readers_know_of_some() {
    let mut world = World::new();
    let handle = world.open("");
    arrive(&mut world, 0..3);
    assert!(world.told());
    world.try_read(handle).unwrap();
    arrive(&mut world, 3..10);
    world.service();
    assert!(!world.told());
}

#[test]
fn a_frame_after_eagain_is_told_again() {
    let mut world = World::new();
    let handle = world.open("");
    for number in 0..5 {
        world.arrive(frame(number));
        assert!(world.told());
        assert_eq!(world.try_read(handle), Ok(number));
        assert_eq!(world.try_read(handle), Err(Errno::EAGAIN));
    }
}

#[test]
fn a_frame_that_a_waiting_read_takes_is_not_told() {
    let mut world = World::new();
    let handle = world.open("");
    world.read(handle);
    world.arrive(frame(1));
    assert_eq!(world.answers().len(), 1);
    assert!(!world.told());
}

#[test]
fn frames_beyond_those_that_waiting_reads_take_are_told() {
    let mut world = World::new();
    let handle = world.open("");
    world.read(handle);
    world.card.frames.push_back(frame(1));
    world.card.arrive(frame(2));
    world.serve_interrupts();
    assert!(world.told());
}

#[test]
fn the_card_stays_disarmed_while_a_reader_pulls_and_is_armed_once_at_the_end() {
    let mut world = World::new();
    let handle = world.open("");
    world.arrive(frame(0));
    for number in 0..50 {
        assert_eq!(world.try_read(handle), Ok(number));
        world.arrive(frame(number + 1));
        assert!(!world.card.armed);
    }
    assert_eq!(world.card.armings, 0);
    assert_eq!(world.try_read(handle), Ok(50));
    assert_eq!(world.try_read(handle), Err(Errno::EAGAIN));
    assert!(world.card.armed);
    assert_eq!(world.card.armings, 1);
}

#[test]
fn a_frame_that_comes_while_the_card_is_being_armed_is_read_at_once() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.race = Some(frame(1));
    assert_eq!(world.try_read(handle), Ok(1));
    world.card.race = Some(frame(2));
    world.read(handle);
    assert_eq!(world.answers(), [(2, Ok(64))]);
}

#[test]
fn a_read_that_found_only_damaged_frames_goes_on_waiting_for_a_sound_one() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.race = Some(Vec::new());
    let tag = world.read(handle);
    assert!(!world.card.armed);
    world.pass(FIRST_DELAY);
    assert!(world.card.armed);
    world.arrive(frame(1));
    assert_eq!(world.answers(), [(tag, Ok(64))]);
}

#[test]
fn an_interrupt_without_frames_leaves_the_card_armed() {
    let mut world = World::new();
    world.open("");
    world.card.armed = false;
    world.card.interrupts = 1;
    world.serve_interrupts();
    assert!(world.card.armed);
    assert!(!world.told());
}

#[test]
fn readers_are_told_again_after_every_64_reads_without_eagain() {
    let mut world = World::new();
    let handle = world.open("");
    arrive(&mut world, 0..1_000);
    assert!(world.told());
    for read in 1..=200 {
        world.try_read(handle).unwrap();
        assert_eq!(world.told(), read % READS_PER_EVENT == 0, "read {read}");
    }
    assert_eq!(world.front.counters().events_repeated, 3);
}

#[test]
fn eagain_starts_the_count_of_64_anew() {
    let mut world = World::new();
    let handle = world.open("");
    arrive(&mut world, 0..63);
    for _ in 0..63 {
        world.try_read(handle).unwrap();
    }
    world.try_read(handle).unwrap_err();
    arrive(&mut world, 63..100);
    assert!(world.told());
    for _ in 0..30 {
        world.try_read(handle).unwrap();
    }
    assert!(!world.told());
}

#[test]
fn the_64th_read_arms_the_card_when_nothing_is_left() {
    let mut world = World::new();
    let handle = world.open("");
    arrive(&mut world, 0..64);
    assert!(world.told());
    for _ in 0..64 {
        world.try_read(handle).unwrap();
    }
    assert!(!world.told());
    assert!(world.card.armed);
    assert_eq!(world.front.deadline(), None);
}

#[test]
fn a_reader_that_does_not_read_is_told_again_after_10_ms_doubling_to_1_s() {
    let mut world = World::new();
    world.open("");
    world.arrive(frame(1));
    let mut told = Vec::new();
    let begin = world.now;
    world.events();
    while told.len() < 10 {
        world.now = world.front.deadline().unwrap();
        world.service();
        assert!(world.told());
        told.push((world.now - begin).as_millis());
    }
    assert_eq!(told, [10, 30, 70, 150, 310, 630, 1_270, 2_270, 3_270, 4_270]);
    assert_eq!((FIRST_DELAY.as_millis(), LAST_DELAY.as_millis()), (10, 1_000));
}

#[test]
fn frames_that_only_the_timer_finds_are_told_once() {
    let mut world = World::new();
    let handle = world.open("");
    world.read(handle);
    world.arrive(frame(1));
    world.arrive(frame(2));
    assert!(!world.told());
    world.pass(FIRST_DELAY);
    assert!(world.told());
    world.service();
    assert!(!world.told());
}

#[test]
fn a_read_starts_the_10_ms_anew() {
    let mut world = World::new();
    let handle = world.open("");
    arrive(&mut world, 0..10);
    world.pass(Duration::from_millis(500));
    world.try_read(handle).unwrap();
    world.events();
    world.pass(Duration::from_millis(9));
    assert!(!world.told());
    world.pass(Duration::from_millis(1));
    assert!(world.told());
}

/// For a caller that does not look at the clock for every read.
#[test]
fn readers_that_were_seen_start_the_10_ms_anew() {
    let mut world = World::new();
    let handle = world.open("");
    arrive(&mut world, 0..3);
    assert!(world.told());
    world.try_read(handle).unwrap();
    world.now += FIRST_DELAY;
    world.front.readers_seen(world.now);
    world.service();
    assert!(!world.told());
    assert_eq!(world.front.deadline(), Some(world.now + FIRST_DELAY));
    world.pass(FIRST_DELAY);
    assert!(world.told());
}

#[test]
fn readers_that_were_seen_start_no_timer_when_there_is_nothing_to_read() {
    let mut world = World::new();
    world.open("");
    world.front.readers_seen(world.now);
    assert_eq!(world.front.deadline(), None);
}

#[test]
fn a_timer_that_fires_early_does_nothing() {
    let mut world = World::new();
    world.open("");
    world.arrive(frame(1));
    world.events();
    let deadline = world.front.deadline();
    world.now += Duration::from_millis(9);
    world.service();
    assert!(!world.told());
    assert_eq!(world.front.deadline(), deadline);
}

#[test]
fn no_timer_runs_without_frames_or_while_a_read_waits_or_with_nobody_to_tell() {
    let mut world = World::new();
    assert_eq!(world.front.deadline(), None);
    let handle = world.open("");
    assert_eq!(world.front.deadline(), None);
    world.arrive(frame(1));
    assert!(world.front.deadline().is_some());
    world.try_read(handle).unwrap();
    world.read(handle);
    assert_eq!(world.front.deadline(), None);
    world.arrive(frame(2));
    world.arrive(frame(3));
    assert!(world.front.deadline().is_some());
    world.front.close(handle).unwrap();
    assert_eq!(world.front.deadline(), None);
}

#[test]
fn a_reader_that_comes_late_is_told_of_what_is_queued() {
    let mut world = World::new();
    arrive(&mut world, 0..3);
    world.pass(LONG);
    let handle = world.open("");
    world.pass(Duration::ZERO);
    assert_eq!(world.events(), [(handle, READ)]);
}

#[test]
fn the_last_reader_of_a_busy_time_leaves_and_the_next_is_told() {
    let mut world = World::new();
    let first = world.open("");
    arrive(&mut world, 0..2);
    world.try_read(first).unwrap();
    world.front.close(first).unwrap();
    let second = world.open("");
    world.pass(Duration::ZERO);
    assert_eq!(world.events(), [(second, READ)]);
}

#[test]
fn events_of_one_handle_are_merged_until_they_are_fetched() {
    let mut world = World::new();
    let handle = world.open("");
    world.arrive(frame(1));
    world.pass(Duration::from_secs(10));
    world.card.room = 0;
    world.try_write(handle, frame(2)).unwrap_err();
    world.reclaim(1);
    assert_eq!(world.events(), [(handle, Events { read: true, write: true })]);
    assert_eq!(world.events(), []);
}

#[test]
fn events_of_a_closed_handle_are_dropped_and_others_kept() {
    let mut world = World::new();
    let (one, two) = (world.open(""), world.open(""));
    world.arrive(frame(1));
    world.front.close(one).unwrap();
    assert_eq!(world.events(), [(two, READ)]);
}

#[test]
fn a_gone_card_is_told_once_and_not_again_after_readers_know() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.vanish();
    world.serve_interrupts();
    assert!(world.told());
    assert_eq!(world.try_read(handle), Err(Errno::EIO));
    world.pass(LONG);
    world.service();
    assert!(!world.told());
    assert_eq!(world.front.deadline(), None);
}

/// The reader is told, reads at most `k` frames and stops, with or without having seen the end;
/// then `later` frames come. It is told again, in time, and gets every frame once, in order.
#[test]
fn a_reader_that_stops_after_any_number_of_reads_is_told_again() {
    for queued in [1, 2, 63, 64, 65, 127, 128, 129, 200] {
        for k in 0..=queued + 1 {
            for later in [0, 1, 70] {
                stop_and_go_on(queued, k, later);
            }
        }
    }
}

fn stop_and_go_on(queued: u32, k: u32, later: u32) {
    let context = format!("{queued} queued, {k} read, {later} later");
    let mut world = World::new();
    let handle = world.open("");
    let mut expected = 0..queued + later;
    arrive(&mut world, 0..queued);
    assert!(world.told(), "{context}");
    for _ in 0..k {
        match world.try_read(handle) {
            Ok(number) => assert_eq!(Some(number), expected.next(), "{context}"),
            Err(errno) => assert_eq!((errno, k), (Errno::EAGAIN, queued + 1), "{context}"),
        }
    }
    arrive(&mut world, queued..queued + later);
    while expected.start < expected.end {
        world.pass(FIRST_DELAY);
        assert!(world.told(), "{context}: not told");
        while let Ok(number) = world.try_read(handle) {
            assert_eq!(Some(number), expected.next(), "{context}");
        }
    }
    world.pass(LONG);
    assert!(world.card.armed, "{context}");
    world.events();
    world.arrive(frame(0));
    assert!(world.told(), "{context}: not told after the end");
}
