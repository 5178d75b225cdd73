//! When writers are told of room, and what a subscription is told at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "front/mod.rs"]
mod world;

use s2iod::front::{Errno, Events, Op};
use world::{READ, WRITE, World, frame};

// Writers.

#[test]
fn a_writer_that_was_turned_away_is_told_once_when_there_is_room() {
    let mut world = World::new();
    let (turned_away, _other) = (world.open(""), world.open(""));
    world.card.room = 0;
    assert_eq!(world.try_write(turned_away, frame(1)), Err(Errno::EAGAIN));
    assert_eq!(world.events(), []);
    world.reclaim(1);
    assert_eq!(world.events(), [(turned_away, WRITE)]);
    world.reclaim(1);
    world.service();
    assert_eq!(world.events(), []);
}

#[test]
fn a_writer_that_was_turned_away_is_told_after_those_that_wait() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    world.write(handle, frame(1));
    assert_eq!(world.try_write(handle, frame(2)), Err(Errno::EAGAIN));
    world.reclaim(1);
    assert_eq!(world.events(), []);
    world.reclaim(1);
    assert_eq!(world.events(), [(handle, WRITE)]);
}

#[test]
fn room_that_comes_amid_a_batch_is_for_the_write_that_waits_and_not_told() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    world.write(handle, frame(1));
    world.batch(|card| card.reclaim(1), handle, Op::Write { offset: 0 }, true);
    assert_eq!(world.events(), []);
    world.serve_interrupts();
    assert_eq!(world.events(), []);
}

// Subscriptions.

#[test]
fn a_subscription_tells_what_is_ready_at_that_moment() {
    let mut world = World::new();
    let handle = world.open("");
    assert_eq!(world.front.fevent(handle, &mut world.card), Ok(WRITE));
    world.card.frames.push_back(frame(1));
    world.card.room = 0;
    assert_eq!(world.front.fevent(handle, &mut world.card), Ok(READ));
}

#[test]
fn a_subscription_does_not_promise_room_that_is_for_a_write_that_waits() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    world.write(handle, frame(1));
    world.card.room = 1;
    assert_eq!(world.front.fevent(handle, &mut world.card), Ok(Events::default()));
}

#[test]
fn a_subscription_that_found_nothing_is_told_what_comes() {
    let mut world = World::new();
    let (stopped, handle) = (world.open(""), world.open(""));
    world.arrive(frame(1));
    world.try_read(stopped).unwrap();
    world.card.room = 0;
    world.events();
    assert_eq!(world.front.fevent(handle, &mut world.card), Ok(Events::default()));
    world.arrive(frame(2));
    world.reclaim(1);
    assert!(world.events().contains(&(handle, Events { read: true, write: true })));
}

#[test]
fn a_handle_that_is_not_on_the_frames_is_never_ready() {
    let mut world = World::new();
    let (mac, stats) = (world.open("mac"), world.open("stats"));
    world.arrive(frame(1));
    for handle in [mac, stats] {
        assert_eq!(world.front.fevent(handle, &mut world.card), Ok(Events::default()));
    }
    assert_eq!(world.events(), []);
}
