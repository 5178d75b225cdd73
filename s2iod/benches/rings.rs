//! What several receive rings cost and bring: the driver's work for a burst of frames of so many flows.
//!
//! The card's own work is not measured: it fills the rings before the clock starts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::cell::RefCell;
use std::rc::Rc;

use divan::Bencher;
use divan::counter::ItemsCount;
use model::wire::{Flows, Generator};
use model::{Config, Step};
use s2iod::host::{Host, SoftwareCard};
use s2iod::{Adapter, Options};
use xframe::constants::Asic;

const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x00, 0x00, 0x01];
/// Frames of a burst: what one ring takes.
const BURST: usize = 1024;

struct Rig {
    card: Rc<RefCell<SoftwareCard<Generator>>>,
    adapter: Adapter<Host<Generator>>,
    buffer: Vec<u8>,
}

impl Rig {
    fn new(rings: u8, flows: usize) -> Self {
        let wire = Generator::new(&Flows { flows, ..Flows::new(MAC) });
        let host = Host::new(Config::new(Asic::Herc, MAC), wire, 64 << 20).unwrap().with_messages();
        let card = host.card();
        let adapter = Adapter::bring_up(host, Options { rings, ..Options::default() }).unwrap();
        let mut rig = Self { card, adapter, buffer: vec![0; lro::MAX_UNIT] };
        while !rig.adapter.link_up() {
            rig.card.borrow_mut().step();
            rig.serve();
        }
        rig
    }

    /// The card receives a burst; its messages wait.
    fn fill(&self) {
        let mut received = 0;
        while received < BURST {
            match self.card.borrow_mut().step() {
                Step::Received { .. } => received += 1,
                Step::Held { .. } | Step::Discarded => panic!("a ring is too short"),
                _ => {}
            }
        }
    }

    /// Every message is served, and every unit read.
    fn drain(&mut self) {
        self.serve();
        loop {
            while self.adapter.receive(&mut self.buffer).unwrap().is_some() {}
            if !self.adapter.rearm().unwrap() {
                return;
            }
        }
    }

    fn serve(&mut self) {
        loop {
            let message = self.card.borrow_mut().take_message();
            let Some(message) = message else { return };
            self.adapter.service_vector(message.vector).unwrap();
        }
    }
}

fn main() {
    divan::main();
}

fn bursts(bencher: Bencher<'_, '_>, rings: u8, flows: usize) {
    let rig = RefCell::new(Rig::new(rings, flows));
    bencher
        .counter(ItemsCount::new(BURST))
        .with_inputs(|| rig.borrow().fill())
        .bench_local_values(|()| rig.borrow_mut().drain());
}

#[divan::bench(args = [1, 2, 3, 5, 8], sample_size = 1, sample_count = 200)]
fn one_flow(bencher: Bencher<'_, '_>, rings: u8) {
    bursts(bencher, rings, 1);
}

#[divan::bench(args = [1, 2, 3, 5, 8], sample_size = 1, sample_count = 200)]
fn thirty_two_flows(bencher: Bencher<'_, '_>, rings: u8) {
    bursts(bencher, rings, 32);
}

#[divan::bench(args = [1, 2, 3, 5, 8], sample_size = 1, sample_count = 200)]
fn a_thousand_flows(bencher: Bencher<'_, '_>, rings: u8) {
    bursts(bencher, rings, 1000);
}
