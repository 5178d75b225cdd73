//! Under way, driver, engine, front and card allocate nothing and free nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::frames::plain;
use common::{Bench, MAC, Machine, config};
use model::Config;
use model::wire::{Flows, Generator, Versions};
use s2iod::Options;
use s2iod::front::{Call, Front, Handle, Op};

const NOW: Duration = Duration::from_secs(1);

fn bench(options: Options) -> Bench<Generator> {
    let flows = Flows { flows: 8, burst: 3, versions: Versions::Both, payload: 1_400, ..Flows::new(MAC) };
    // What the card holds is its own memory: little of it, so that it has been full before anything is measured.
    let config = Config { packet_memory: 100_000, ..config() };
    Bench::on(Machine::with_wire(config, Generator::new(&flows)), options)
}

/// A reader that is slower than the wire, and a writer; the card does `steps` before the driver has its turn.
fn turn(bench: &mut Bench<Generator>, steps: usize, buffer: &mut [u8], frame: &[u8]) {
    for _ in 0..steps {
        bench.machine.card.borrow_mut().step();
    }
    if bench.machine.line() {
        bench.adapter.service().unwrap();
    }
    let _full = bench.adapter.send(frame);
    while bench.adapter.receive(buffer).unwrap().is_some() {}
    bench.adapter.rearm().unwrap();
}

#[test]
fn ring_fifo_and_engine_allocate_nothing() {
    for options in [
        Options::default(),
        // A ring that is always full: the card holds frames, and drops some.
        Options { rx_slots: 16, rx_spare: 8, tx_slots: 4, ..Options::default() },
        Options { rings: 3, rx_slots: 64, rx_spare: 64, ..Options::default() },
    ] {
        let mut bench = bench(options);
        let mut buffer = vec![0; lro::MAX_UNIT];
        let frame = plain(1, 1_514);
        let mut go = || (0..500).for_each(|round| turn(&mut bench, round % 100, &mut buffer, &frame));
        go();
        let allocations = allocation_counter::measure(go);
        assert_eq!((allocations.count_total, allocations.count_current), (0, 0));
        assert!(bench.adapter.lro_stats().merged_units > 500);
        assert!(bench.machine.card.borrow().wire().taken() > 500);
    }
}

/// A client that has two reads and a write under way at all times.
struct Client {
    front: Front<u8, Vec<u8>>,
    frames: Handle,
    answered: u64,
}

impl Client {
    fn submit(&mut self, tag: u8, buffer: Vec<u8>) {
        let op = if tag < 2 { Op::Read { offset: 0 } } else { Op::Write { offset: 0 } };
        self.front.submit(Call { tag, handle: self.frames, op, buffer, nonblock: false });
    }

    fn turn(&mut self, bench: &mut Bench<Generator>, steps: usize) {
        for _ in 0..steps {
            bench.machine.card.borrow_mut().step();
        }
        if bench.machine.line() {
            bench.adapter.service().unwrap();
        }
        self.front.service(&mut bench.adapter, NOW);
        while let Some(answer) = self.front.next_completion() {
            answer.result.unwrap();
            self.answered += 1;
            self.submit(answer.tag, answer.buffer);
        }
        while self.front.next_event().is_some() {}
    }
}

#[test]
fn the_front_allocates_nothing() {
    let mut bench = bench(Options { rx_slots: 64, rx_spare: 64, tx_slots: 4, ..Options::default() });
    let mut front = Front::new();
    let frames = front.open("", 0, true).unwrap();
    let mut client = Client { front, frames, answered: 0 };
    client.submit(0, vec![0; lro::MAX_UNIT]);
    client.submit(1, vec![0; 1_500]);
    client.submit(2, plain(1, 1_514));
    let mut go = || (0..500).for_each(|round| client.turn(&mut bench, round % 100));
    go();
    let allocations = allocation_counter::measure(go);
    assert_eq!((allocations.count_total, allocations.count_current), (0, 0));
    assert!(client.answered > 2_000, "{}", client.answered);
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocation_counter::measure(|| drop(vec![1_u8])).count_total, 1);
}
