//! Long transfers through card, ring, engine and front: every byte of every flow arrives, in sequence, in few reads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::{Bench, MAC, Machine, config};
use etherparse::{SlicedPacket, TransportSlice};
use lro::Rules;
use model::Step;
use model::wire::{Flows, Generator, Versions};
use s2iod::Options;
use s2iod::front::{Call, Front, Handle, Op};

/// A receiver at the end of the scheme.
struct Receiver {
    bench: Bench<Generator>,
    front: Front<(), Vec<u8>>,
    frames: Handle,
    /// Bytes received of each flow.
    received: Vec<u64>,
    units: u64,
    merged: u64,
}

impl Receiver {
    fn new(flows: &Flows, options: Options) -> Self {
        let mut front = Front::new();
        let frames = front.open("", 0, false).unwrap();
        let bench = Bench::on(Machine::with_wire(config(), Generator::new(flows)), options);
        Self { bench, front, frames, received: vec![0; flows.flows], units: 0, merged: 0 }
    }

    /// Up to `steps` steps of the card; whether it had anything to do.
    fn step(&mut self, steps: usize) -> bool {
        let mut idle = false;
        for _ in 0..steps {
            idle = self.bench.machine.card.borrow_mut().step() == Step::Idle;
            if self.bench.machine.line() {
                self.bench.adapter.service().unwrap();
                self.front.service(&mut self.bench.adapter, Duration::ZERO);
            }
        }
        !idle
    }

    /// One read that does not wait; whether there was a unit. Its bytes must be its flow's next.
    fn read(&mut self, buffer: &mut Vec<u8>) -> bool {
        let buffer_now = std::mem::take(buffer);
        let op = Op::Read { offset: 0 };
        self.front.submit(Call { tag: (), handle: self.frames, op, buffer: buffer_now, nonblock: true });
        self.front.service(&mut self.bench.adapter, Duration::ZERO);
        let done = self.front.next_completion().unwrap();
        *buffer = done.buffer;
        let Ok(length) = done.result else { return false };
        self.check(&buffer[..length]);
        true
    }

    fn check(&mut self, unit: &[u8]) {
        let packet = SlicedPacket::from_ethernet(unit).unwrap();
        let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!("no TCP") };
        let flow = usize::from(tcp.source_port() - Generator::source_port(0));
        let offset = self.received[flow];
        let sequence = Generator::first_sequence(flow).wrapping_add(offset as u32);
        assert_eq!(tcp.sequence_number(), sequence, "flow {flow} at {offset}");
        let right = tcp.payload().iter().zip(offset..).all(|(byte, at)| *byte == Generator::byte(flow, at));
        assert!(right && !tcp.payload().is_empty(), "flow {flow}: a byte behind {offset}");
        self.received[flow] += tcp.payload().len() as u64;
        self.units += 1;
        self.merged += u64::from(unit.len() > 1_514);
    }

    /// The wire is faster than the reader by `frames_per_read`; until the wire is silent and all is read.
    fn transfer(&mut self, frames_per_read: usize, buffer: usize) {
        let mut buffer = vec![0; buffer];
        loop {
            let moved = self.step(frames_per_read);
            let read = self.read(&mut buffer);
            if !moved && !read {
                return;
            }
        }
    }

    fn received_all(&self) {
        let card = self.bench.machine.card.borrow();
        for (flow, received) in self.received.iter().enumerate() {
            assert_eq!(*received, card.wire().offset(flow), "flow {flow}");
        }
    }
}

fn flows(flows: usize, frames: u64) -> Flows {
    Flows { flows, frames, versions: Versions::Both, payload: 1_428, ..Flows::new(MAC) }
}

#[test]
fn a_thousand_merged_units_carry_every_byte_in_sequence() {
    let mut receiver = Receiver::new(&flows(8, 40_000), Options::default());
    receiver.transfer(40, lro::MAX_UNIT);
    receiver.received_all();
    assert!(receiver.merged >= 1_000, "{} merged units", receiver.merged);
}

#[test]
fn a_saturated_wire_takes_a_tenth_of_the_reads() {
    for versions in [Versions::V4, Versions::V6] {
        // No more than the card and its packet memory hold.
        let mut receiver = Receiver::new(&Flows { versions, ..flows(8, 16_000) }, Options::default());
        receiver.transfer(1_024, lro::MAX_UNIT);
        receiver.received_all();
        assert!(receiver.units * 10 < 16_000, "{} reads", receiver.units);
    }
}

#[test]
fn a_reader_that_keeps_up_gets_segments_one_by_one() {
    let mut receiver = Receiver::new(&flows(8, 5_000), Options::default());
    receiver.transfer(1, lro::MAX_UNIT);
    receiver.received_all();
    assert_eq!(receiver.units, 5_000);
}

#[test]
fn every_rule_set_buffer_and_ring_delivers_every_byte() {
    for rules in [Rules::Off, Rules::Seed, Rules::Endpoint] {
        for buffer in [1_514, 5_000, lro::MAX_UNIT] {
            for (rx_slots, rx_spare) in [(8, 0), (127, 10), (1_024, 1_024)] {
                let options = Options { rules, rx_slots, rx_spare, ..Options::default() };
                let mut receiver = Receiver::new(&flows(5, 3_000), options);
                receiver.transfer(7, buffer);
                receiver.received_all();
                assert!((rules == Rules::Off || buffer == 1_514) == (receiver.merged == 0));
            }
        }
    }
}

#[test]
fn small_segments_merge_in_a_buffer_for_one_frame() {
    let mut receiver = Receiver::new(&Flows { payload: 100, ..flows(2, 10_000) }, Options::default());
    receiver.transfer(50, 1_500);
    receiver.received_all();
    assert!(receiver.units * 4 < 10_000, "{} reads", receiver.units);
}

#[test]
fn jumbo_segments_merge() {
    let options = Options { mtu: 9_000, rx_slots: 256, rx_spare: 256, ..Options::default() };
    let mut receiver = Receiver::new(&Flows { payload: 8_900, ..flows(3, 3_000) }, options);
    receiver.transfer(30, lro::MAX_UNIT);
    receiver.received_all();
    assert!(receiver.units * 4 < 3_000, "{} reads", receiver.units);
}
