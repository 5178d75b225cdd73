//! Interrupt moderation, by the software card's clock: how many frames share an interrupt, and how long they wait for it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::frames::plain;
use common::{Bench, Machine, config};
use model::{Config, Step, Time};
use s2iod::Options;
use s2iod::platform::Interrupts;
use xframe::bits::{Command, RtiData1, RtiData2};
use xframe::registers as reg;

const MICROSECOND: Duration = Duration::from_micros(1);

/// A card whose time passes only as frames and the test let it.
fn bench(options: Options) -> Bench {
    let bench = Bench::on(Machine::new(Config { time: Time::Host, ..config() }), options);
    assert_eq!(bench.adapter.interrupts(), Interrupts::Line);
    bench
}

/// Frames come back to back, each interrupt is served at once and everything is read; how many shared each interrupt.
fn shared(bench: &mut Bench, frames: u32) -> Vec<u32> {
    bench.cable().to_card.extend((0..frames).map(|number| plain(number, 1_514)));
    let (mut counts, mut came) = (Vec::new(), 0);
    loop {
        match bench.machine.card.borrow_mut().step() {
            Step::Received { .. } => came += 1,
            Step::Idle => return counts,
            _ => {}
        }
        if bench.serve() {
            bench.read_all();
            counts.push(std::mem::take(&mut came));
        }
    }
}

/// How long it takes until the card interrupts.
fn wait(bench: &Bench, at_most: u32) -> Option<u32> {
    (0..=at_most).find(|_| {
        let interrupts = bench.machine.line();
        bench.machine.card.borrow_mut().elapse(MICROSECOND);
        interrupts
    })
}

#[test]
fn on_a_busy_link_as_many_frames_share_an_interrupt_as_the_option_says() {
    for rx_frames in [1, 8, 64, 200] {
        let mut bench = bench(Options { rx_frames, rx_usecs: 100_000, ..Options::default() });
        let counts = shared(&mut bench, 1_000);
        assert_eq!(counts.first(), Some(&1), "the link was not busy at first");
        assert_eq!(counts.last(), Some(&rx_frames.into()));
    }
}

#[test]
fn an_interrupt_comes_before_the_ring_is_full() {
    let mut bench = bench(Options { rx_slots: 16, rx_spare: 16, rx_usecs: 100_000, ..Options::default() });
    assert_eq!(shared(&mut bench, 1_000).last(), Some(&8));
}

#[test]
fn on_an_idle_link_the_first_frame_interrupts() {
    let mut bench = bench(Options::default());
    for number in 0..10 {
        bench.machine.card.borrow_mut().elapse(Duration::from_millis(1));
        bench.arrive([plain(number, 60)]);
        assert!(bench.serve());
        assert_eq!(bench.read_all().len(), 1);
    }
}

/// The timers of receive entries may tick eight times as fast as reckoned with.
#[test]
fn received_frames_wait_for_their_interrupt_no_longer_than_the_option_says() {
    for rx_usecs in [2_000, 4_000, 16_000] {
        let mut bench = bench(Options { rx_usecs, ..Options::default() });
        let counts = shared(&mut bench, 700);
        assert_eq!(counts.last(), Some(&64));
        let waited = wait(&bench, rx_usecs).unwrap();
        // The first of up to 63 frames, each 1.23 microseconds long, has waited since it came.
        assert!((rx_usecs / 8 - 80..=rx_usecs).contains(&waited), "{waited} of {rx_usecs}");
        bench.serve();
        assert_eq!(bench.read_all().len() as u32, 700 - counts.iter().sum::<u32>());
    }
}

#[test]
fn slots_of_sent_frames_wait_for_their_interrupt_as_long_as_the_option_says() {
    for tx_usecs in [50, 400, 4_000] {
        let mut bench = bench(Options { tx_usecs, ..Options::default() });
        for number in 0..3 {
            bench.adapter.send(&plain(number, 60)).unwrap();
        }
        bench.machine.step();
        let waited = wait(&bench, tx_usecs + 1).unwrap();
        assert!((tx_usecs - 1..=tx_usecs + 1).contains(&waited), "{waited} of {tx_usecs}");
        assert!(bench.adapter.service().unwrap().sent);
    }
}

#[test]
fn sent_frames_interrupt_at_once_when_there_are_few_slots() {
    for (tx_frames, tx_slots, first) in [(128, 256, 16), (128, 64, 4), (8, 256, 1), (128, 2, 1)] {
        let mut bench = bench(Options { tx_frames, tx_slots, ..Options::default() });
        let mut sent = 0;
        while !bench.machine.line() {
            bench.adapter.send(&plain(sent, 60)).unwrap();
            bench.machine.step();
            sent += 1;
            bench.machine.card.borrow_mut().elapse(20 * MICROSECOND);
        }
        assert_eq!(sent, first, "{tx_frames} frames, {tx_slots} slots");
    }
}

#[test]
fn every_ring_has_the_same_entry() {
    let bench = Bench::new(Options { rings: 8, rx_slots: 64, rx_spare: 64, rx_frames: 20, ..Options::default() });
    for ring in 0..8 {
        bench.machine.write(reg::RTI_COMMAND_MEM, Command::read(ring));
        bench.machine.step();
        let counts = RtiData2::from(bench.machine.read(reg::RTI_DATA2_MEM));
        assert_eq!([counts.a(), counts.b(), counts.c(), counts.d()], [1, 2, 10, 20], "ring {ring}");
        let timer = RtiData1::from(bench.machine.read(reg::RTI_DATA1_MEM));
        assert_eq!((timer.timer_val(), timer.timer_ac_en()), (266 * 2_000 / 64, true), "ring {ring}");
    }
}
