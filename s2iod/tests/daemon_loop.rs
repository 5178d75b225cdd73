//! The daemon's loop over a kernel of a few fields: requests in batches, answers, and no wake-up without a reason.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
mod kernel;

use std::time::Duration;

use common::frames::plain;
use common::{Bench, Machine, config};
use kernel::system::{System, arrive, done, line, small, systems};
use kernel::{Answer, Request};
use s2iod::Options;
use s2iod::daemon::{EVERY, PATIENCE, PAUSE, QUIET, Wake};
use s2iod::front::{Errno, Events, FIRST_DELAY, LAST_DELAY};
use s2iod::platform::Interrupts;

const READABLE: Events = Events { read: true, write: false };

#[test]
fn a_read_that_waits_is_answered_when_a_frame_comes() {
    for mut system in systems() {
        let tag = system.read(system.frames, false);
        system.settle();
        assert_eq!(system.answer(), None);
        arrive(&mut system, 0..1);
        assert_eq!(system.answer(), Some(done(tag, 0)));
    }
}

#[test]
fn two_readers_get_frames_in_the_order_in_which_they_came() {
    for mut system in systems() {
        let other = system.open("");
        let tags = [system.frames, other, system.frames].map(|handle| system.read(handle, false));
        system.settle();
        arrive(&mut system, 0..3);
        let answers: Vec<_> =
            system.answers().into_iter().filter(|answer| matches!(answer, Answer::Done(..))).collect();
        assert_eq!(answers, [done(tags[0], 0), done(tags[1], 1), done(tags[2], 2)]);
    }
}

#[test]
fn a_batch_of_requests_is_read_with_one_call_and_answered_with_one() {
    let mut system = line();
    arrive(&mut system, 0..5);
    assert!(system.told());
    let (reads, writes) = system.calls();
    let tags: Vec<_> = (0..5).map(|_| system.read(system.frames, true)).collect();
    assert!(system.wake());
    assert_eq!(system.calls(), (reads + 1, writes + 1));
    assert_eq!(system.answers(), tags.into_iter().zip(0..).map(|(tag, at)| done(tag, at)).collect::<Vec<_>>());
}

#[test]
fn a_call_that_is_given_up_is_answered_and_takes_no_frame() {
    for mut system in systems() {
        let tags = [system.read(system.frames, false), system.read(system.frames, false)];
        system.ask(Request::Cancel(tags[0]));
        system.settle();
        assert_eq!(system.answers(), [Answer::Done(tags[0], Err(Errno::EINTR))]);
        arrive(&mut system, 0..1);
        assert_eq!(system.answers(), [done(tags[1], 0)]);
        // Too late, or never there.
        system.ask(Request::Cancel(tags[1]));
        system.ask(Request::Cancel(999));
        system.settle();
        assert_eq!(system.answers(), []);
    }
}

#[test]
fn a_handle_that_is_closed_leaves_no_call_without_an_answer() {
    let mut system = line();
    let tags = [system.read(system.frames, false), system.read(system.frames, false)];
    let other = system.open("");
    let stays = system.read(other, false);
    system.settle();
    system.ask(Request::Close(system.frames));
    system.settle();
    assert_eq!(system.answers(), tags.map(|tag| Answer::Done(tag, Err(Errno::EBADF))));
    arrive(&mut system, 0..1);
    assert_eq!(system.answers(), [done(stays, 0)]);
}

#[test]
fn a_call_and_the_close_of_its_handle_in_one_batch_are_both_served() {
    let mut system = line();
    let tag = system.read(system.frames, false);
    system.ask(Request::Close(system.frames));
    system.settle();
    assert_eq!(system.answers(), [Answer::Done(tag, Err(Errno::EBADF))]);
}

#[test]
fn a_subscription_is_answered_with_what_is_ready() {
    let mut system = line();
    let ask = |system: &mut System| {
        system.ask(Request::Subscribe(system.frames));
        while system.wake() {}
        system.answers()
    };
    assert_eq!(ask(&mut system), [Answer::Ready(Ok(Events { read: false, write: true }))]);
    arrive(&mut system, 0..1);
    assert!(system.told());
    assert_eq!(ask(&mut system), [Answer::Ready(Ok(Events { read: true, write: true }))]);
}

#[test]
fn readers_are_told_once_for_frames_that_come_together() {
    for mut system in systems() {
        arrive(&mut system, 0..20);
        assert_eq!(system.answers(), [Answer::Told(system.frames, READABLE)]);
        for number in 0..20 {
            assert_eq!(system.try_read(), Ok(plain(number, 60)));
        }
        assert_eq!(system.try_read(), Err(Errno::EAGAIN));
        assert_eq!(system.answers(), []);
    }
}

#[test]
fn what_came_before_the_daemon_listened_is_not_lost_and_what_comes_later_wakes_it() {
    for machine in [Machine::new, Machine::with_messages] {
        let mut system = System::not_started(Bench::on(machine(config()), small()));
        system.cable().to_card.extend((0..3).map(|number| plain(number, 60)));
        system.settle();
        system.card.borrow_mut().set_link(false);
        system.settle();
        system.start();
        assert!(system.told());
        assert_eq!(system.statistic("link_changes"), 2);
        for number in 0..3 {
            assert_eq!(system.try_read(), Ok(plain(number, 60)));
        }
        assert_eq!(system.try_read(), Err(Errno::EAGAIN));
        system.card.borrow_mut().set_link(true);
        arrive(&mut system, 3..4);
        assert!(system.told());
    }
}

#[test]
fn a_card_at_rest_wakes_nobody() {
    for mut system in systems() {
        system.elapse(Duration::from_secs(60));
        let before = system.wakes;
        system.elapse(Duration::from_secs(3600));
        assert_eq!(system.wakes, before);
    }
}

#[test]
fn after_traffic_the_card_is_looked_after_for_a_while_only() {
    let mut system = line();
    system.elapse(Duration::from_secs(60));
    arrive(&mut system, 0..1);
    assert_eq!(system.try_read(), Ok(plain(0, 60)));
    assert_eq!(system.try_read(), Err(Errno::EAGAIN));
    let before = system.wakes;
    system.elapse(EVERY * (QUIET + 1));
    // The rounds, and the timer that was set for the reader.
    assert!((QUIET as usize..=QUIET as usize + 2).contains(&(system.wakes - before)), "{}", system.wakes - before);
    let before = system.wakes;
    system.elapse(Duration::from_secs(3600));
    assert_eq!(system.wakes, before);
}

#[test]
fn the_link_wakes_a_card_at_rest() {
    for mut system in systems() {
        system.elapse(Duration::from_secs(60));
        for up in [false, true] {
            system.card.borrow_mut().set_link(up);
            system.settle();
            let changes = system.statistic("link_changes");
            assert_eq!(changes, if up { 3 } else { 2 });
        }
    }
}

#[test]
fn a_reader_that_stops_is_told_again_more_and_more_rarely_and_loses_nothing() {
    let mut system = line();
    arrive(&mut system, 0..40);
    assert!(system.told());
    assert_eq!(system.try_read(), Ok(plain(0, 60)));
    let before = system.wakes;
    system.elapse(Duration::from_secs(60));
    assert!(system.told());
    let woken = system.wakes - before;
    // 10 ms, doubling, up to LAST_DELAY; and the rounds after the traffic.
    assert!(woken < 60 / LAST_DELAY.as_secs() as usize + 15, "{woken}");
    for number in 1..40 {
        assert_eq!(system.try_read(), Ok(plain(number, 60)));
    }
    assert_eq!(system.try_read(), Err(Errno::EAGAIN));
}

#[test]
fn a_reader_at_work_costs_no_look_at_the_clock() {
    let mut system = line();
    arrive(&mut system, 0..30);
    let before = system.kernel().looks;
    for number in 0..30 {
        assert_eq!(system.try_read(), Ok(plain(number, 60)));
    }
    assert_eq!(system.kernel().looks, before);
}

#[test]
fn a_slow_reader_is_not_taken_for_one_that_has_stopped() {
    let mut system = line();
    arrive(&mut system, 0..40);
    assert!(system.told());
    for number in 0..39 {
        assert_eq!(system.try_read(), Ok(plain(number, 60)));
        system.elapse(FIRST_DELAY / 2);
    }
    assert!(!system.told());
    // And now it stops.
    system.elapse(FIRST_DELAY * 2);
    assert!(system.told());
}

#[test]
fn writers_wait_for_room_and_are_answered_in_order() {
    for mut system in systems() {
        let tags: Vec<_> = (0..6).map(|number| system.write(system.frames, plain(number, 60), false)).collect();
        system.settle();
        assert_eq!(system.answers(), tags.into_iter().zip(0..).map(|(tag, at)| done(tag, at)).collect::<Vec<_>>());
        let sent = std::mem::take(&mut system.cable().from_card);
        assert_eq!(sent, (0..6).map(|number| plain(number, 60)).collect::<Vec<_>>());
    }
}

#[test]
fn an_unmounted_scheme_ends_the_daemon() {
    let mut system = line();
    system.kernel().unmounted = true;
    assert!(!system.daemon.serve(Wake::Scheme).unwrap());
}

#[test]
fn a_stranger_on_the_line_is_not_waited_for() {
    let mut system = line();
    system.kernel().stranger = true;
    for _ in 0..PATIENCE / 2 {
        assert!(system.wake());
    }
    system.kernel().stranger = false;
    system.settle();
    arrive(&mut system, 0..1);
    assert!(system.told(), "the line has been released after every interrupt of the stranger's");
}

#[test]
fn a_stranger_that_nobody_serves_does_not_keep_the_daemon_awake() {
    let mut system = line();
    system.elapse(Duration::from_secs(60));
    system.kernel().stranger = true;
    let before = system.wakes;
    system.elapse(Duration::from_secs(1));
    let woken = (system.wakes - before) as u32;
    // Each pause ends with the timer and brings an interrupt.
    let pauses = (Duration::from_secs(1).as_millis() / PAUSE.as_millis()) as u32;
    assert!(woken > pauses && woken <= PATIENCE + 2 * pauses + 2, "{woken}");
    // Its own frames still come.
    system.cable().to_card.push_back(plain(0, 60));
    system.elapse(PAUSE * 2);
    assert!(system.told());
}

#[test]
fn a_card_without_interrupts_is_looked_at() {
    let options = Options { interrupts: Interrupts::Polling, ..small() };
    let machine = Machine::new(config());
    let adapter = machine.bring_up(options).unwrap();
    let mut system = System::new(Bench { machine, adapter });
    system.elapse(Duration::from_secs(3));
    system.cable().to_card.extend((0..3).map(|number| plain(number, 60)));
    system.elapse(Duration::from_millis(10));
    assert!(system.told());
    for number in 0..3 {
        assert_eq!(system.try_read(), Ok(plain(number, 60)));
    }
}
