//! Calls on the frames: who is answered first and with what, and how calls are given up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "front/mod.rs"]
mod world;

use s2iod::front::{Call, Errno, LAST_DELAY, Op};
use world::{MAX_FRAME, ROOM, World, frame};

// Reading frames.

#[test]
fn a_read_gets_the_oldest_frame() {
    let mut world = World::new();
    let handle = world.open("");
    world.arrive(frame(1));
    world.arrive(frame(2));
    assert_eq!(world.try_read(handle), Ok(1));
    assert_eq!(world.try_read(handle), Ok(2));
}

#[test]
fn a_nonblocking_read_without_frames_is_eagain() {
    let mut world = World::new();
    let handle = world.open("");
    assert_eq!(world.try_read(handle), Err(Errno::EAGAIN));
    assert_eq!(world.front.counters().reads_empty, 1);
}

#[test]
fn a_blocking_read_waits_for_its_frame() {
    let mut world = World::new();
    let handle = world.open("");
    let tag = world.read(handle);
    assert_eq!(world.answers(), []);
    world.arrive(frame(1));
    assert_eq!(world.answers(), [(tag, Ok(64))]);
}

#[test]
fn blocking_reads_are_answered_in_the_order_in_which_they_came() {
    let mut world = World::new();
    let (one, two) = (world.open(""), world.open(""));
    let tags = [world.read(two), world.read(one), world.read(two)];
    world.arrive(frame(1));
    world.arrive(frame(2));
    assert_eq!(world.answers(), [(tags[0], Ok(64)), (tags[1], Ok(64))]);
    world.arrive(frame(3));
    assert_eq!(world.answers(), [(tags[2], Ok(64))]);
}

#[test]
fn a_frame_that_comes_amid_a_batch_goes_to_the_read_that_waits_and_not_to_a_later_one() {
    let mut world = World::new();
    let handle = world.open("");
    let waits = world.read(handle);
    let later = world.batch(|card| card.arrive(frame(1)), handle, Op::Read { offset: 0 }, true);
    assert_eq!(world.answers(), [(0, Ok(0)), (later, Err(Errno::EAGAIN))]);
    world.serve_interrupts();
    assert_eq!(world.answers(), [(waits, Ok(64))]);
}

#[test]
fn a_short_buffer_gets_the_start_of_the_frame_and_is_counted() {
    let mut world = World::new();
    let handle = world.open("");
    world.arrive(frame(1));
    world.arrive(frame(2));
    assert_eq!(world.read_at(handle, 0, 10), Ok(frame(1)[..10].to_vec()));
    assert_eq!(world.front.counters().reads_truncated, 1);
    assert_eq!(world.try_read(handle), Ok(2));
    assert_eq!(world.front.counters().reads_truncated, 1);
}

#[test]
fn a_read_of_no_bytes_takes_no_frame() {
    let mut world = World::new();
    let handle = world.open("");
    world.arrive(frame(1));
    assert_eq!(world.read_at(handle, 0, 0), Ok(vec![]));
    assert_eq!(world.try_read(handle), Ok(1));
}

// Writing frames.

#[test]
fn a_written_frame_goes_to_the_card_whole() {
    let mut world = World::new();
    let handle = world.open("");
    assert_eq!(world.try_write(handle, frame(1)), Ok(64));
    assert_eq!(world.card.sent, [frame(1)]);
}

#[test]
fn a_frame_shorter_than_its_header_is_einval() {
    let mut world = World::new();
    let handle = world.open("");
    for length in [0, 1, 13] {
        assert_eq!(world.try_write(handle, vec![0; length]), Err(Errno::EINVAL));
    }
    assert_eq!(world.try_write(handle, vec![0; 14]), Ok(14));
}

#[test]
fn a_frame_longer_than_the_card_takes_is_emsgsize() {
    let mut world = World::new();
    let handle = world.open("");
    assert_eq!(world.try_write(handle, vec![0; MAX_FRAME]), Ok(MAX_FRAME));
    assert_eq!(world.try_write(handle, vec![0; MAX_FRAME + 1]), Err(Errno::EMSGSIZE));
}

#[test]
fn a_nonblocking_write_without_room_is_eagain() {
    let mut world = World::new();
    let handle = world.open("");
    for number in 0..ROOM as u32 {
        assert_eq!(world.try_write(handle, frame(number)), Ok(64));
    }
    assert_eq!(world.try_write(handle, frame(9)), Err(Errno::EAGAIN));
    assert_eq!(world.card.sent.len(), ROOM);
    assert_eq!(world.front.counters().writes_full, 1);
}

#[test]
fn blocking_writes_without_room_wait_and_go_out_in_order() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    let tags = [1, 2, 3].map(|number| world.write(handle, frame(number)));
    assert_eq!(world.answers(), []);
    world.reclaim(2);
    assert_eq!(world.answers(), [(tags[0], Ok(64)), (tags[1], Ok(64))]);
    world.reclaim(1);
    assert_eq!(world.answers(), [(tags[2], Ok(64))]);
    assert_eq!(world.card.sent, [frame(1), frame(2), frame(3)]);
}

#[test]
fn a_nonblocking_write_does_not_overtake_one_that_waits() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    let waits = world.write(handle, frame(1));
    let later = world.batch(|card| card.reclaim(1), handle, Op::Write { offset: 0 }, true);
    assert_eq!(world.answers(), [(0, Ok(0)), (later, Err(Errno::EAGAIN))]);
    world.serve_interrupts();
    assert_eq!(world.answers(), [(waits, Ok(64))]);
    assert_eq!(world.card.sent, [frame(1)]);
}

#[test]
fn reads_that_wait_do_not_hold_up_writes() {
    let mut world = World::new();
    let handle = world.open("");
    world.read(handle);
    assert_eq!(world.try_write(handle, frame(1)), Ok(64));
}

// Giving up.

#[test]
fn a_cancelled_read_is_eintr_and_takes_no_frame() {
    let mut world = World::new();
    let handle = world.open("");
    let (first, second) = (world.read(handle), world.read(handle));
    assert!(world.front.cancel(&first));
    assert_eq!(world.answers(), [(first, Err(Errno::EINTR))]);
    world.arrive(frame(1));
    assert_eq!(world.answers(), [(second, Ok(64))]);
    assert_eq!(world.front.counters().calls_cancelled, 1);
}

#[test]
fn a_cancelled_write_is_eintr_and_is_not_sent() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    let (first, second) = (world.write(handle, frame(1)), world.write(handle, frame(2)));
    assert!(world.front.cancel(&first));
    world.reclaim(4);
    assert_eq!(world.answers(), [(first, Err(Errno::EINTR)), (second, Ok(64))]);
    assert_eq!(world.card.sent, [frame(2)]);
}

#[test]
fn cancelling_what_is_answered_or_unknown_changes_nothing() {
    let mut world = World::new();
    let handle = world.open("");
    let tag = world.write(handle, frame(1));
    assert!(!world.front.cancel(&tag));
    assert!(!world.front.cancel(&99));
    assert_eq!(world.answers(), [(tag, Ok(64))]);
}

#[test]
fn a_call_cancelled_before_it_was_served_is_eintr() {
    let mut world = World::new();
    let handle = world.open("");
    let call = Call { tag: 7, handle, op: Op::Write { offset: 0 }, buffer: frame(1), nonblock: true };
    world.front.submit(call);
    assert!(world.front.cancel(&7));
    world.service();
    assert_eq!(world.answers(), [(7, Err(Errno::EINTR))]);
    assert!(world.card.sent.is_empty());
}

#[test]
fn closing_answers_the_handles_pending_calls_with_ebadf_and_no_others() {
    let mut world = World::new();
    let (closes, stays) = (world.open(""), world.open(""));
    world.card.room = 0;
    let tags = [world.read(closes), world.read(stays), world.write(closes, frame(1)), world.write(stays, frame(2))];
    world.front.close(closes).unwrap();
    assert_eq!(world.answers(), [(tags[0], Err(Errno::EBADF)), (tags[2], Err(Errno::EBADF))]);
    world.arrive(frame(3));
    world.reclaim(1);
    assert_eq!(world.answers(), [(tags[1], Ok(64)), (tags[3], Ok(64))]);
    assert_eq!(world.card.sent, [frame(2)]);
}

#[test]
fn a_card_that_is_gone_answers_every_call_with_eio() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    let tags = [world.read(handle), world.read(handle), world.write(handle, frame(1))];
    world.card.vanish();
    world.serve_interrupts();
    assert_eq!(world.answers(), tags.map(|tag| (tag, Err(Errno::EIO))));
    assert_eq!(world.try_read(handle), Err(Errno::EIO));
    assert_eq!(world.try_write(handle, frame(2)), Err(Errno::EIO));
}

// Cost.

#[test]
fn calls_allocate_nothing_once_the_queues_have_grown() {
    let mut world = World::new();
    let handle = world.open("");
    world.card.room = 0;
    let mut buffers: Vec<Vec<u8>> = (0..8).map(|_| vec![0; 1_500]).collect();
    let mut frames: Vec<Vec<u8>> = (0..10).map(frame).collect();
    let mut round = || {
        for (tag, buffer) in (0..).zip(buffers.drain(..)) {
            let op = if tag < 4 { Op::Read { offset: 0 } } else { Op::Write { offset: 0 } };
            world.front.submit(Call { tag, handle, op, buffer, nonblock: tag % 4 == 0 });
        }
        world.service();
        for frame in frames.drain(..5) {
            world.arrive(frame);
        }
        for tag in 4..8 {
            world.front.cancel(&tag);
        }
        while let Some(completion) = world.front.next_completion() {
            buffers.push(completion.buffer);
        }
        assert_eq!(buffers.len(), 8);
        world.pass(LAST_DELAY);
        assert!(world.front.next_event().is_some());
        world.card.frames.clear();
        world.pass(LAST_DELAY);
    };
    round();
    let counts = allocation_counter::measure(round);
    assert_eq!(counts.count_total, 0);
}
