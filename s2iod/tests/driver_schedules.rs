//! Any schedule of traffic, steps, interrupts, reads, writes and flaps: nothing is lost, repeated, changed or reordered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frames::{payload_of, plain, segment};
use common::{Bench, Machine, config};
use lro::Rules;
use model::Config;
use proptest::collection::vec;
use proptest::prelude::*;
use s2iod::Options;

const FLOWS: u16 = 3;

/// What can happen next.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A frame that is no TCP comes over the wire, of so many bytes.
    Frame(usize),
    /// The next segment of a flow comes over the wire, with so much payload.
    Segment(u16, usize),
    /// The card does so many steps.
    Steps(usize),
    /// The driver serves the interrupt, if there is one.
    Service,
    /// Somebody reads with a buffer of so many bytes.
    Read(usize),
    /// Somebody sends a frame of so many bytes.
    Send(usize),
    /// The cable is pulled out or plugged in.
    Plug(bool),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (60_usize..=1_514).prop_map(Event::Frame),
        8 => (0..FLOWS, 1_usize..=1_460).prop_map(|(flow, length)| Event::Segment(flow, length)),
        8 => (1_usize..20).prop_map(Event::Steps),
        4 => Just(Event::Service),
        6 => prop_oneof![Just(1_514_usize), Just(4_000), Just(lro::MAX_UNIT)].prop_map(Event::Read),
        4 => (60_usize..=1_514).prop_map(Event::Send),
        1 => any::<bool>().prop_map(Event::Plug),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let rules = prop_oneof![Just(Rules::Off), Just(Rules::Seed), Just(Rules::Endpoint)];
    (rules, 8_u32..=16, 0_u32..=8, 2_u32..=6).prop_map(|(rules, rx_slots, rx_spare, tx_slots)| Options {
        rules,
        rx_slots,
        rx_spare,
        tx_slots,
        ..Options::default()
    })
}

/// What came and left, seen from outside.
#[derive(Default, PartialEq)]
struct Traffic {
    /// Frames that are no TCP.
    frames: Vec<Vec<u8>>,
    /// The bytes of each flow.
    flows: [Vec<u8>; FLOWS as usize],
}

impl Traffic {
    fn add(&mut self, unit: &[u8]) {
        if unit[12..14] != [0x08, 0x00] {
            self.frames.push(unit.to_vec());
            return;
        }
        let flow = usize::from(u16::from_be_bytes([unit[34], unit[35]]) - 1_000);
        let sequence = u32::from_be_bytes(unit[38..42].try_into().unwrap());
        assert_eq!(sequence as usize, 1 + self.flows[flow].len(), "flow {flow} is out of sequence");
        self.flows[flow].extend_from_slice(payload_of(unit));
    }
}

/// A bench, and what went in and came out of it.
struct Run {
    bench: Bench,
    arrived: Traffic,
    read: Traffic,
    sent: Vec<Vec<u8>>,
    numbers: u32,
}

impl Run {
    fn new(options: Options) -> Self {
        let bench = Bench::on(Machine::new(Config { packet_memory: usize::MAX, ..config() }), options);
        let (arrived, read) = (Traffic::default(), Traffic::default());
        Self { bench, arrived, read, sent: Vec::new(), numbers: 0 }
    }

    fn happen(&mut self, event: Event) {
        self.numbers += 1;
        match event {
            Event::Frame(length) => self.arrive(plain(self.numbers, length)),
            Event::Segment(flow, length) => {
                let sequence = 1 + self.arrived.flows[usize::from(flow)].len() as u32;
                self.arrive(segment(flow, sequence, length));
            }
            Event::Steps(steps) => {
                for _ in 0..steps {
                    self.bench.machine.card.borrow_mut().step();
                }
            }
            Event::Service => {
                if self.bench.machine.line() {
                    self.bench.adapter.service().unwrap();
                }
            }
            Event::Read(length) => {
                self.read(length);
            }
            Event::Send(length) => {
                let frame = plain(self.numbers, length);
                if self.bench.adapter.send(&frame).is_ok() {
                    self.sent.push(frame);
                }
            }
            Event::Plug(up) => self.bench.machine.card.borrow_mut().set_link(up),
        }
    }

    fn arrive(&mut self, frame: Vec<u8>) {
        self.arrived.add(&frame);
        self.bench.cable().to_card.push_back(frame);
    }

    /// Whether there was something to read, or has come since.
    fn read(&mut self, length: usize) -> bool {
        let mut buffer = vec![0; length];
        match self.bench.adapter.receive(&mut buffer).unwrap() {
            Some(unit) => self.read.add(&buffer[..unit.length]),
            None => return self.bench.adapter.rearm().unwrap(),
        }
        true
    }

    /// The cable is in, and everybody works until nothing is left to do.
    fn end(&mut self) {
        self.bench.machine.card.borrow_mut().set_link(true);
        loop {
            self.bench.settle();
            let mut read = 0;
            while self.read(lro::MAX_UNIT) {
                read += 1;
            }
            if read == 0 {
                return;
            }
        }
    }
}

proptest! {
    #[test]
    fn everything_arrives_in_order_and_as_it_was(options in options(), events in vec(event(), 1..300)) {
        let mut run = Run::new(options);
        events.into_iter().for_each(|event| run.happen(event));
        run.end();
        prop_assert!(run.read.frames == run.arrived.frames);
        prop_assert!(run.read.flows == run.arrived.flows);
        prop_assert!(run.bench.cable().from_card == run.sent);
        prop_assert_eq!(run.bench.adapter.rx_slots_in_card(), options.rx_slots);
        prop_assert!(run.bench.adapter.has_room());
    }
}
