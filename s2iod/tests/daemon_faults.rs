//! What befalls the card, through the daemon's loop: found in time, told to clients, and over when it is over.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
mod kernel;

use std::time::Duration;

use common::frames::plain;
use common::{Bench, Machine, config};
use kernel::Answer;
use kernel::system::{System, arrive, done, line, small, systems};
use s2iod::front::Errno;
use xframe::bits::SmErr;
use xframe::registers as reg;

#[test]
fn a_card_that_is_pulled_under_traffic_is_told_to_everybody() {
    for mut system in systems() {
        let tags = [system.read(system.frames, false), system.read(system.frames, false)];
        arrive(&mut system, 0..1);
        assert_eq!(system.answer(), Some(done(tags[0], 0)));
        system.mischief.borrow_mut().gone = true;
        system.elapse(Duration::from_secs(1));
        assert_eq!(system.answer(), Some(Answer::Done(tags[1], Err(Errno::EIO))));
        let write = system.write(system.frames, plain(1, 60), true);
        system.settle();
        let answers = system.answers();
        assert!(answers.contains(&Answer::Done(write, Err(Errno::EIO))), "{answers:?}");
        assert_eq!(system.try_read(), Err(Errno::EIO));
        // And then there is nothing left to be looked after.
        system.elapse(Duration::from_secs(60));
        let before = system.wakes;
        system.elapse(Duration::from_secs(3600));
        assert_eq!(system.wakes, before);
    }
}

/// A cause that only a reset helps.
fn break_it(system: &System) {
    let cause = SmErr::new().with_sm_sm_err_alarm(true);
    system.card.borrow_mut().latch(reg::SM_ERR_REG, cause.into());
}

/// The card has had one fault, and receives again.
fn works_again(system: &mut System) {
    system.answers();
    assert_eq!((system.statistic("faults"), system.statistic("recoveries")), (1, 1));
    while system.try_read().is_ok() {}
    arrive(system, 100..101);
    assert!(system.told());
    assert_eq!(system.try_read(), Ok(plain(100, 60)));
}

#[test]
fn a_fault_at_rest_is_found_with_the_next_frame_that_comes() {
    for mut system in systems() {
        system.elapse(Duration::from_secs(60));
        break_it(&system);
        system.elapse(Duration::from_secs(60));
        assert_eq!(system.statistic("faults"), 0);
        arrive(&mut system, 0..1);
        system.elapse(Duration::from_secs(1));
        works_again(&mut system);
    }
}

#[test]
fn a_fault_at_rest_is_found_with_the_next_read_of_a_frame() {
    let mut system = line();
    arrive(&mut system, 0..10);
    system.elapse(Duration::from_secs(60));
    system.answers();
    break_it(&system);
    assert_eq!(system.try_read(), Ok(plain(0, 60)));
    system.elapse(Duration::from_secs(1));
    works_again(&mut system);
}

#[test]
fn a_fault_at_rest_is_found_with_the_next_frame_that_is_sent() {
    for mut system in systems() {
        system.elapse(Duration::from_secs(60));
        // Registers and configuration space are as after power-on: nothing is sent any more.
        system.card.borrow_mut().reset();
        system.write(system.frames, plain(0, 60), true);
        system.elapse(Duration::from_secs(1));
        works_again(&mut system);
    }
}

#[test]
fn a_card_that_no_reset_helps_is_tried_until_one_does() {
    let mut system = line();
    break_it(&system);
    system.mischief.borrow_mut().identity = Some(0);
    arrive(&mut system, 0..1);
    system.elapse(Duration::from_secs(20));
    system.answers();
    assert!(system.statistic("recoveries_failed") >= 4, "after 0, 1, 2, 4 and 8 seconds");
    system.mischief.borrow_mut().identity = None;
    system.elapse(Duration::from_secs(30));
    works_again(&mut system);
}

#[test]
fn a_card_that_comes_back_without_messages_is_heard_on_its_line() {
    let mut system = System::new(Bench::on(Machine::with_messages(config()), small()));
    let waiting = system.read(system.frames, false);
    system.mischief.borrow_mut().messages_refused = true;
    break_it(&system);
    system.elapse(Duration::from_secs(1));
    assert_eq!(system.statistic("recoveries"), 1);
    arrive(&mut system, 0..1);
    assert_eq!(system.answers(), [done(waiting, 0)]);
}
