//! Whenever in the daemon's work and its client's the card does its own, no frame, no room and no wake-up is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
mod kernel;

use std::cell::RefCell;

use common::frames::plain;
use common::mischief::{MOMENTS, schedules};
use common::{Bench, Machine, config};
use kernel::Answer;
use kernel::system::System;
use model::Step;
use s2iod::Options;
use s2iod::front::Errno;

/// A ring and a FIFO of few slots.
fn small() -> Options {
    Options { rx_slots: 8, rx_spare: 2, tx_slots: 2, ..Options::default() }
}

fn three() -> Vec<Vec<u8>> {
    (0..3).map(|number| plain(number, 60)).collect()
}

/// Has the card step before every moment of the daemon's work and the client's, in every combination, on a line and with
/// messages: `begin` hands in what is to be done, `client` does what a client does when the daemon rests, until it says
/// that all is done. Time stands still, so that no timer helps.
fn never_asleep(begin: impl Fn(&mut System), client: impl Fn(&mut System) -> bool) {
    for machine in [Machine::new, Machine::with_messages] {
        let mut system = System::new(Bench::on(machine(config()), small()));
        let mut longest = 0;
        for schedule in schedules() {
            system.mischief.borrow_mut().follow(schedule);
            begin(&mut system);
            while !client(&mut system) {
                let woken = system.wake();
                let idle = system.card.borrow_mut().step() == Step::Idle;
                assert!(woken || !idle || system.wake(), "{schedule:?}: asleep for ever");
            }
            system.settle();
            system.answers();
            longest = longest.max(system.mischief.borrow().accesses);
        }
        assert!((8..MOMENTS).contains(&longest), "{longest} moments in the longest schedule");
    }
}

#[test]
fn a_reader_that_waits_gets_every_frame() {
    let read = RefCell::new(Vec::new());
    never_asleep(
        |system| {
            read.borrow_mut().clear();
            system.cable().to_card.extend(three());
            system.read(system.frames, false);
        },
        |system| {
            for answer in system.answers() {
                let Answer::Done(_, frame) = answer else { continue };
                read.borrow_mut().push(frame.unwrap());
                if *read.borrow() == three() {
                    return true;
                }
                system.pass();
                system.read(system.frames, false);
            }
            false
        },
    );
}

#[test]
fn a_reader_that_is_told_gets_every_frame_and_sleeps_at_eagain() {
    let read = RefCell::new(Vec::new());
    never_asleep(
        |system| {
            read.borrow_mut().clear();
            system.cable().to_card.extend(three());
        },
        |system| {
            for answer in system.answers() {
                match answer {
                    Answer::Told(_, ready) => {
                        assert!(ready.read);
                        system.read(system.frames, true);
                    }
                    Answer::Done(_, Ok(frame)) => {
                        read.borrow_mut().push(frame);
                        system.read(system.frames, true);
                    }
                    Answer::Done(_, Err(Errno::EAGAIN)) => {}
                    other => panic!("{other:?}"),
                }
                system.pass();
            }
            *read.borrow() == three()
        },
    );
}

#[test]
fn two_readers_that_wait_get_every_frame_once() {
    let read = RefCell::new(Vec::new());
    never_asleep(
        |system| {
            read.borrow_mut().clear();
            system.cable().to_card.extend(three());
            for _ in 0..3 {
                system.read(system.frames, false);
                system.pass();
            }
        },
        |system| {
            for answer in system.answers() {
                if let Answer::Done(_, frame) = answer {
                    read.borrow_mut().push(frame.unwrap());
                }
            }
            *read.borrow() == three()
        },
    );
}

#[test]
fn writers_that_wait_get_every_frame_out() {
    let written = RefCell::new(0);
    never_asleep(
        |system| {
            *written.borrow_mut() = 0;
            for number in 0..5 {
                system.write(system.frames, plain(number, 60), false);
                system.pass();
            }
        },
        |system| {
            for answer in system.answers() {
                let Answer::Done(_, frame) = answer else { panic!("{answer:?}") };
                assert_eq!(frame, Ok(plain(*written.borrow(), 60)));
                *written.borrow_mut() += 1;
            }
            let out = system.cable().from_card.len();
            let all = *written.borrow() == 5 && out == 5;
            if all {
                system.cable().from_card.clear();
            }
            all
        },
    );
}

#[test]
fn a_writer_that_is_turned_away_is_told_of_room() {
    let written = RefCell::new(0);
    never_asleep(
        |system| {
            *written.borrow_mut() = 0;
            system.write(system.frames, plain(0, 60), true);
        },
        |system| {
            for answer in system.answers() {
                match answer {
                    Answer::Done(_, Ok(_)) => *written.borrow_mut() += 1,
                    Answer::Done(_, Err(Errno::EAGAIN)) => continue,
                    Answer::Told(_, ready) if ready.write => {}
                    other => panic!("{other:?}"),
                }
                system.pass();
                if *written.borrow() < 5 {
                    system.write(system.frames, plain(*written.borrow(), 60), true);
                }
            }
            let all = *written.borrow() == 5 && system.cable().from_card.len() == 5;
            if all {
                system.cable().from_card.clear();
            }
            all
        },
    );
}
