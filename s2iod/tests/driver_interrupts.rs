//! Interrupts: what they mean, when the line falls, and that no frame is ever forgotten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::Bench;
use common::frames::plain;
use s2iod::{Options, Serviced};
use xframe::bits::McErr;
use xframe::registers as reg;

const OURS: Serviced = Serviced { ours: true, received: false, sent: false, link: false };

#[test]
fn frames_raise_the_line_and_service_lowers_it() {
    let mut bench = Bench::new(Options::default());
    assert!(!bench.machine.line());
    bench.arrive([plain(1, 60), plain(2, 60)]);
    assert!(bench.machine.line());
    assert_eq!(bench.adapter.service().unwrap(), Serviced { received: true, ..OURS });
    assert!(!bench.machine.line());
    assert_eq!(bench.read_all().len(), 2);
}

#[test]
fn a_sent_frame_raises_the_line_and_service_lowers_it() {
    let mut bench = Bench::new(Options::default());
    bench.adapter.send(&plain(1, 60)).unwrap();
    bench.machine.step();
    assert!(bench.machine.line());
    assert_eq!(bench.adapter.service().unwrap(), Serviced { sent: true, ..OURS });
    assert!(!bench.machine.line());
}

#[test]
fn a_link_event_raises_the_line_and_service_lowers_it() {
    let mut bench = Bench::new(Options::default());
    bench.machine.card.borrow_mut().set_link(false);
    bench.machine.step();
    assert!(bench.machine.line());
    assert_eq!(bench.adapter.service().unwrap(), Serviced { link: true, ..OURS });
    assert!(!bench.machine.line());
}

#[test]
fn everything_at_once_takes_one_service() {
    let mut bench = Bench::new(Options::default());
    bench.adapter.send(&plain(1, 60)).unwrap();
    bench.arrive([plain(2, 60)]);
    bench.machine.card.borrow_mut().set_link(false);
    bench.machine.step();
    assert_eq!(bench.adapter.service().unwrap(), Serviced { ours: true, received: true, sent: true, link: true });
    assert!(!bench.machine.line());
}

#[test]
fn an_interrupt_of_another_device_is_counted_and_changes_nothing() {
    let mut bench = Bench::new(Options::default());
    let before = bench.statistic("interrupts").unwrap();
    for _ in 0..3 {
        assert_eq!(bench.adapter.service().unwrap(), Serviced::default());
    }
    assert_eq!(bench.statistic("interrupts_not_ours"), Some(3));
    assert_eq!(bench.statistic("interrupts"), Some(before));
    bench.arrive([plain(1, 60)]);
    assert!(bench.machine.line(), "the receive interrupt is still open");
}

#[test]
fn an_interrupt_of_another_device_while_the_reader_works_is_not_ours() {
    let mut bench = Bench::new(Options::default());
    bench.arrive([plain(1, 60)]);
    bench.adapter.service().unwrap();
    bench.arrive([plain(2, 60)]);
    assert_eq!(bench.adapter.service().unwrap(), Serviced::default());
    assert_eq!(bench.read_all().len(), 2);
}

#[test]
fn frames_are_silent_while_the_reader_works_and_until_rearm() {
    let mut bench = Bench::new(Options::default());
    bench.arrive([plain(1, 60)]);
    bench.adapter.service().unwrap();
    for number in 2..10 {
        bench.arrive([plain(number, 60)]);
        assert!(!bench.machine.line());
    }
    assert_eq!(bench.read_all().len(), 9);
    bench.arrive([plain(10, 60)]);
    assert!(bench.machine.line());
}

#[test]
fn rearm_finds_a_frame_that_came_behind_the_last_look() {
    let mut bench = Bench::new(Options::default());
    bench.arrive([plain(1, 60)]);
    bench.adapter.service().unwrap();
    let mut buffer = [0; 100];
    assert!(bench.adapter.receive(&mut buffer).unwrap().is_some());
    assert!(bench.adapter.receive(&mut buffer).unwrap().is_none());
    bench.arrive([plain(2, 60)]);
    assert!(bench.adapter.rearm().unwrap());
    assert!(bench.adapter.receive(&mut buffer).unwrap().is_some());
    assert!(!bench.adapter.rearm().unwrap());
}

#[test]
fn rearm_that_finds_nothing_leaves_the_line_low() {
    let mut bench = Bench::new(Options::default());
    assert_eq!(bench.deliver([plain(1, 60)]).len(), 1);
    assert!(!bench.adapter.rearm().unwrap());
    assert!(!bench.machine.line());
}

#[test]
fn causes_that_nobody_serves_do_not_reach_the_line() {
    let bench = Bench::new(Options::default());
    bench.machine.write(reg::MC_INT_MASK, 0_u64);
    bench.machine.write(reg::MC_ERR_MASK, 0_u64);
    let cause = McErr::new().with_sm_err(true);
    bench.machine.card.borrow_mut().latch(reg::MC_ERR_REG, cause.into());
    assert!(!bench.machine.line());
}

#[test]
fn a_card_that_is_gone_says_so_from_then_on() {
    let mut bench = Bench::new(Options::default());
    bench.machine.mischief.borrow_mut().gone = true;
    assert!(bench.adapter.service().is_err());
    bench.machine.mischief.borrow_mut().gone = false;
    assert!(bench.adapter.service().is_err());
    assert!(bench.adapter.rearm().is_err());
    assert!(bench.adapter.is_gone());
}

#[test]
fn a_card_that_goes_while_the_reader_works_is_noticed_when_it_rearms() {
    let mut bench = Bench::new(Options::default());
    bench.arrive([plain(1, 60)]);
    bench.adapter.service().unwrap();
    bench.machine.mischief.borrow_mut().gone = true;
    assert!(bench.adapter.receive(&mut [0; 100]).unwrap().is_some());
    assert!(bench.adapter.rearm().is_err());
}
