//! Messages: what each vector tells, and that nothing is forgotten in between.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
#[path = "lossy/mod.rs"]
mod lossy;

use common::frames::{plain, segments};
use lossy::Bench;
use model::{Bar as Window, Width};
use xframe::registers as reg;

// Receive.

#[test]
fn frames_send_the_ring_s_message_and_nothing_else() {
    let mut bench = Bench::new();
    bench.arrive([plain(1, 60)]);
    bench.step();
    assert!(!bench.card.borrow().line());
    assert_eq!(bench.messages(), [1]);
    assert!(bench.adapter.service_vector(1).unwrap().received);
    assert_eq!(bench.read_all(), [plain(1, 60)]);
}

#[test]
fn frames_are_silent_while_the_reader_works_and_told_when_it_has_read_all() {
    let mut bench = Bench::new();
    bench.arrive([plain(1, 60)]);
    bench.step();
    assert!(bench.serve());
    bench.arrive([plain(2, 60), plain(3, 60)]);
    bench.step();
    assert!(bench.messages().is_empty());
    for number in 1..=3 {
        assert_eq!(bench.read(), Some(plain(number, 60)));
    }
    assert_eq!(bench.read(), None);
    assert!(!bench.adapter.rearm().unwrap());
    bench.messages();
    bench.arrive([plain(4, 60)]);
    bench.step();
    assert_eq!(bench.messages(), [1]);
}

#[test]
fn no_frame_is_forgotten_whenever_the_card_steps() {
    /// What the host does in turn: serves a message, reads, or lets the card do a step.
    const LENGTH: u32 = 9;
    let mut bench = Bench::new();
    for schedule in 0..3_u32.pow(LENGTH) {
        bench.arrive((0..3).map(|number| plain(number, 60)));
        let mut read = Vec::new();
        // The reader comes only if it has been told, and stays until it finds nothing.
        let mut told = false;
        for place in 0..LENGTH {
            match schedule / 3_u32.pow(place) % 3 {
                0 => told |= bench.serve(),
                1 if told => match bench.read() {
                    Some(frame) => read.push(frame),
                    None => told = bench.adapter.rearm().unwrap(),
                },
                1 => {}
                _ => {
                    bench.card.borrow_mut().step();
                }
            }
        }
        for _ in 0..6 {
            bench.step();
            told |= bench.serve();
            if told {
                read.extend(bench.read_all());
                told = false;
            }
        }
        assert_eq!(read.len(), 3, "{schedule}");
    }
}

// Transmit and link.

#[test]
fn frames_that_were_sent_and_the_link_send_message_0() {
    let mut bench = Bench::new();
    for number in 0..8 {
        bench.adapter.send(&plain(number, 60)).unwrap();
    }
    bench.step();
    assert_eq!(bench.messages(), [0]);
    assert!(bench.adapter.service_vector(0).unwrap().sent);
    assert!(bench.messages().is_empty());
    bench.card.borrow_mut().set_link(false);
    bench.step();
    assert_eq!(bench.messages(), [0]);
    assert!(bench.adapter.service_vector(0).unwrap().link);
    assert!(!bench.adapter.link_up());
}

#[test]
fn what_happens_while_message_0_is_served_is_told_by_another() {
    let mut bench = Bench::new();
    for round in 0..200 {
        for number in 0..8 {
            bench.adapter.send(&plain(number, 60)).unwrap();
        }
        // More is sent, before or after the driver has looked.
        for _ in 0..round % 20 {
            bench.card.borrow_mut().step();
        }
        bench.serve();
        bench.settle();
        assert!(bench.adapter.has_room());
        bench.card.borrow_mut().wire_mut().from_card.clear();
    }
    let seen = bench.card.borrow_mut().read(Window::Registers, reg::GENERAL_INT_STATUS.offset().into(), Width::Qword);
    assert_eq!(seen & 0x0080_0000_0000_0000, 0, "transmit is not acknowledged");
}

#[test]
fn traffic_in_both_directions_loses_nothing() {
    let mut bench = Bench::new();
    let mut read = 0;
    for (number, segment) in segments(1_000, 500).into_iter().enumerate() {
        bench.arrive([segment]);
        if number % 3 == 0 {
            bench.adapter.send(&plain(number as u32, 100)).unwrap();
        }
        if number % 5 == 4 {
            bench.settle();
            read += bench.read_all().iter().map(|unit| unit.len() - 54).sum::<usize>();
        }
    }
    assert_eq!(read, 500_000);
    assert_eq!(bench.card.borrow().wire().from_card.len(), 334);
}
