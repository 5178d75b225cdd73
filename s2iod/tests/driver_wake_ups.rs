//! Nobody sleeps for ever: whenever in the driver's work the card does its own, every frame and every slot is noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::cell::{Cell, RefCell};

use common::daemon::{Daemon, READ, WRITE};
use common::frames::{plain, segment};
use common::mischief::{MOMENTS, pass, schedules};
use common::{Bench, Machine, config};
use model::Step;
use s2iod::Options;
use xframe::registers as reg;

/// A ring and a FIFO of few slots.
fn small() -> Options {
    Options { rx_slots: 8, rx_spare: 2, tx_slots: 2, ..Options::default() }
}

fn three() -> Vec<Vec<u8>> {
    (0..3).map(|number| plain(number, 60)).collect()
}

/// A card whose interrupts are a line, and one whose interrupts are messages.
fn benches() -> [Bench; 2] {
    let benches = [Machine::new, Machine::with_messages].map(|machine| Bench::on(machine(config()), small()));
    let vectors = benches.each_ref().map(|bench| bench.machine.read(reg::RX_MAT));
    assert!(vectors[0] == 0 && vectors[1] != 0);
    benches
}

/// A host that works only when an interrupt tells it to, as the daemon does, and then reads until nothing is left. Between
/// all of its accesses to the card, and between all of its calls, there is a moment at which the card can step.
fn work(bench: &mut Bench) -> Vec<Vec<u8>> {
    let (card, mischief) = (bench.machine.card.clone(), bench.machine.mischief.clone());
    let mut read = Vec::new();
    let mut buffer = [0; 100];
    while bench.serve() {
        loop {
            pass(&mischief, &card);
            match bench.adapter.receive(&mut buffer).unwrap() {
                Some(unit) => read.push(buffer[..unit.length].to_vec()),
                None => {
                    pass(&mischief, &card);
                    if !bench.adapter.rearm().unwrap() {
                        break;
                    }
                }
            }
        }
        pass(&mischief, &card);
    }
    read
}

/// Has a card receive three frames at the moments of every schedule.
fn never_forgets(mut bench: Bench, mut frames: Vec<Vec<u8>>) {
    let mut longest = 0;
    for schedule in schedules() {
        bench.cable().to_card.extend(frames.clone());
        bench.machine.mischief.borrow_mut().follow(schedule);
        let mut read = Vec::new();
        while read.len() < 3 {
            // The host sleeps: time passes for the card alone.
            let idle = bench.machine.card.borrow_mut().step() == Step::Idle;
            let before = bench.machine.mischief.borrow().accesses;
            read.extend(work(&mut bench));
            let woken = bench.machine.mischief.borrow().accesses > before;
            assert!(!idle || woken, "{schedule:?}: asleep for ever with {} frames read", read.len());
        }
        // Order holds within a ring.
        if bench.adapter.vectors() > 2 {
            read.sort();
            frames.sort();
        }
        assert!(read == frames, "{schedule:?}");
        // What served the last timer may have stopped receive interrupts: a reader that sleeps has opened them.
        bench.settle();
        assert!(bench.read_all().is_empty());
        longest = longest.max(bench.machine.mischief.borrow().accesses);
    }
    assert!((10..MOMENTS).contains(&longest), "{longest} moments in the longest schedule");
}

#[test]
fn no_frame_is_forgotten_whenever_it_comes() {
    benches().into_iter().for_each(|bench| never_forgets(bench, three()));
}

#[test]
fn no_frame_of_any_ring_is_forgotten_whenever_it_comes() {
    for machine in [Machine::new, Machine::with_messages] {
        let mut bench = Bench::on(machine(config()), Options { rings: 3, ..small() });
        let mut flow_of = |ring| {
            let received = Step::Received { ring };
            let flow = (0..100).find(|flow| bench.arrive([segment(*flow, 1, 10)]).contains(&received)).unwrap();
            segment(flow, 1, 10)
        };
        let frames = vec![flow_of(1), plain(1, 60), flow_of(2)];
        bench.settle();
        bench.read_all();
        never_forgets(bench, frames);
    }
}

/// Has the card step before every moment of the daemon's work and the client's, in every combination: `begin` hands in
/// what is to be done, `client` does what a client does in answer, until it says that all is done.
fn never_asleep(begin: impl Fn(&mut Daemon), client: impl Fn(&mut Daemon) -> bool) {
    for bench in benches() {
        let mut daemon = Daemon::of(bench);
        let mut longest = 0;
        for schedule in schedules() {
            daemon.bench.machine.mischief.borrow_mut().follow(schedule);
            begin(&mut daemon);
            while !client(&mut daemon) {
                let idle = daemon.bench.machine.card.borrow_mut().step() == Step::Idle;
                let woken = daemon.serve_interrupts();
                assert!(!idle || woken, "{schedule:?}: asleep for ever");
            }
            daemon.settle();
            assert_eq!(daemon.answer(), None);
            while daemon.events().is_some() {}
            longest = longest.max(daemon.bench.machine.mischief.borrow().accesses);
        }
        assert!((8..MOMENTS).contains(&longest), "{longest} moments in the longest schedule");
    }
}

#[test]
fn a_reader_that_waits_gets_every_frame_whenever_it_comes() {
    let read = RefCell::new(Vec::new());
    never_asleep(
        |daemon| {
            read.borrow_mut().clear();
            daemon.bench.cable().to_card.extend(three());
            daemon.call(READ, vec![0; 100], false);
        },
        |daemon| {
            while let Some((_, frame)) = daemon.answer() {
                read.borrow_mut().push(frame.unwrap());
                daemon.pass();
                if *read.borrow() == three() {
                    return true;
                }
                daemon.call(READ, vec![0; 100], false);
            }
            false
        },
    );
}

#[test]
fn a_reader_that_is_told_gets_every_frame_whenever_it_comes() {
    let read = RefCell::new(Vec::new());
    never_asleep(
        |daemon| {
            read.borrow_mut().clear();
            daemon.bench.cable().to_card.extend(three());
        },
        |daemon| {
            while daemon.events().is_some_and(|events| events.read) {
                daemon.pass();
                while let Ok(frame) = daemon.try_read(100) {
                    read.borrow_mut().push(frame);
                    daemon.pass();
                }
            }
            *read.borrow() == three()
        },
    );
}

#[test]
fn a_writer_that_waits_gets_every_frame_out_whenever_room_comes() {
    let answered = Cell::new(0);
    never_asleep(
        |daemon| {
            answered.set(0);
            for number in 0..5 {
                daemon.call(WRITE, plain(number, 60), false);
                daemon.pass();
            }
        },
        |daemon| {
            while let Some((_, written)) = daemon.answer() {
                assert!(written.unwrap() == plain(answered.get(), 60));
                answered.set(answered.get() + 1);
            }
            let done = answered.get() == 5 && daemon.bench.cable().from_card.len() == 5;
            if done {
                assert!(daemon.sent() == (0..5).map(|number| plain(number, 60)).collect::<Vec<_>>());
            }
            done
        },
    );
}
