//! The link goes down and comes back: the driver follows, and frames flow again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frames::plain;
use common::{Bench, Machine, config};
use model::Config;
use s2iod::{Options, SendError};
use xframe::bits::AdapterControl;
use xframe::registers as reg;

fn plug(bench: &Bench, up: bool) {
    bench.machine.card.borrow_mut().set_link(up);
}

fn control(bench: &Bench) -> AdapterControl {
    bench.machine.read(reg::ADAPTER_CONTROL).into()
}

/// A bench whose cable is pulled out from the start.
fn unplugged() -> Bench {
    let machine = Machine::new(Config { link: false, ..config() });
    let adapter = machine.bring_up(Options { tx_slots: 4, ..Options::default() }).unwrap();
    let mut bench = Bench { machine, adapter };
    bench.settle();
    bench
}

#[test]
fn without_a_cable_the_link_is_down_and_frames_stay_on_the_wire() {
    let mut bench = unplugged();
    assert!(!bench.adapter.link_up() && !control(&bench).cntl_en() && !control(&bench).led_on());
    assert!(bench.deliver([plain(1, 60)]).is_empty());
}

#[test]
fn a_cable_that_is_plugged_in_brings_the_link_up_and_frames_flow() {
    let mut bench = unplugged();
    bench.cable().to_card.push_back(plain(1, 60));
    plug(&bench, true);
    bench.settle();
    assert!(bench.adapter.link_up() && control(&bench).cntl_en() && control(&bench).led_on());
    assert!(bench.read_all() == [plain(1, 60)]);
}

#[test]
fn a_cable_that_is_pulled_out_takes_the_link_down() {
    let mut bench = Bench::new(Options::default());
    plug(&bench, false);
    bench.settle();
    assert!(!bench.adapter.link_up() && !control(&bench).cntl_en() && !control(&bench).led_on());
    assert!(bench.deliver([plain(1, 60)]).is_empty());
}

#[test]
fn frames_that_had_come_before_are_read_while_the_link_is_down() {
    let mut bench = Bench::new(Options::default());
    bench.arrive([plain(1, 60), plain(2, 60)]);
    plug(&bench, false);
    bench.settle();
    assert!(bench.read_all() == [plain(1, 60), plain(2, 60)]);
}

#[test]
fn both_directions_work_after_every_of_many_flaps() {
    let mut bench = Bench::new(Options::default());
    for number in 0..50 {
        plug(&bench, false);
        bench.settle();
        assert!(!bench.adapter.link_up());
        plug(&bench, true);
        bench.settle();
        assert!(bench.adapter.link_up());
        assert!(bench.deliver([plain(number, 60)]) == [plain(number, 60)]);
        bench.adapter.send(&plain(number, 70)).unwrap();
        bench.settle();
        assert!(std::mem::take(&mut bench.cable().from_card) == [plain(number, 70)]);
    }
    assert_eq!(bench.statistic("link_changes"), Some(101));
}

#[test]
fn frames_that_are_sent_without_a_link_wait_for_it_and_more_than_slots_are_refused() {
    let mut bench = unplugged();
    for number in 0..4 {
        bench.adapter.send(&plain(number, 60)).unwrap();
    }
    bench.settle();
    assert_eq!(bench.adapter.send(&plain(4, 60)), Err(SendError::Full));
    plug(&bench, true);
    bench.settle();
    assert!(bench.cable().from_card == (0..4).map(|number| plain(number, 60)).collect::<Vec<_>>());
    assert!(bench.adapter.has_room());
}

#[test]
fn a_link_that_stays_as_it_is_does_not_interrupt() {
    let mut bench = Bench::new(Options::default());
    for up in [true, false] {
        plug(&bench, up);
        bench.settle();
        let before = bench.statistic("interrupts");
        plug(&bench, up);
        bench.settle();
        assert_eq!(bench.statistic("interrupts"), before);
    }
}

/// What can happen to a link that flaps.
#[derive(Clone, Copy, Debug)]
enum Event {
    Toggle,
    Step,
    Service,
}

#[test]
fn whatever_order_flaps_steps_and_service_come_in_the_driver_ends_with_the_truth() {
    const LENGTH: u32 = 7;
    let mut bench = Bench::new(Options::default());
    let mut up = true;
    for schedule in 0..3_u32.pow(LENGTH) {
        let events = (0..LENGTH).map(|place| match schedule / 3_u32.pow(place) % 3 {
            0 => Event::Toggle,
            1 => Event::Step,
            _ => Event::Service,
        });
        for event in events.clone() {
            match event {
                Event::Toggle => {
                    up = !up;
                    plug(&bench, up);
                }
                Event::Step => drop(bench.machine.card.borrow_mut().step()),
                Event::Service if bench.machine.line() => drop(bench.adapter.service().unwrap()),
                Event::Service => {}
            }
        }
        bench.settle();
        assert_eq!(bench.adapter.link_up(), up, "{:?}", events.collect::<Vec<_>>());
        assert_eq!(control(&bench).cntl_en(), up, "{:?}", events.collect::<Vec<_>>());
    }
}
