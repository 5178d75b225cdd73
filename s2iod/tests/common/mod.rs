//! The driver on the software card, for tests: one thread, every step the test's own.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;
use std::rc::Rc;

use model::{Config, Step, Wire};
use s2iod::host::{Host, SoftwareCard};
use s2iod::{Adapter, Options};
use xframe::constants::Asic;

pub const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x12, 0x34, 0x56];

/// A cable whose ends the test holds.
#[derive(Default)]
pub struct Cable {
    pub to_card: VecDeque<Vec<u8>>,
    pub from_card: Vec<Vec<u8>>,
}

impl Wire for Cable {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let Some(next) = self.to_card.pop_front() else { return false };
        *frame = next;
        true
    }

    fn send(&mut self, frame: &[u8]) {
        self.from_card.push(frame.to_vec());
    }
}

/// A card that has been brought up.
pub struct Bench {
    pub card: Rc<RefCell<SoftwareCard<Cable>>>,
    pub adapter: Adapter<Host<Cable>>,
}

impl Bench {
    /// Brings the card up and waits for the link.
    pub fn new(options: Options) -> Self {
        let mut bench = Self::without_link(Config::new(Asic::Herc, MAC), options);
        bench.settle();
        assert!(bench.adapter.link_up(), "the link comes up by itself");
        bench
    }

    /// Brings the card up and lets nothing happen yet.
    pub fn without_link(config: Config, options: Options) -> Self {
        let host = Host::new(config, Cable::default(), 64 << 20).unwrap();
        let card = host.card();
        let adapter = Adapter::bring_up(host, options).unwrap();
        Self { card, adapter }
    }

    pub fn cable(&self) -> RefMut<'_, Cable> {
        RefMut::map(self.card.borrow_mut(), |card| card.wire_mut())
    }

    /// Steps the card until it is idle, without serving an interrupt.
    pub fn step(&self) {
        let mut card = self.card.borrow_mut();
        for _ in 0..100_000 {
            if card.step() == Step::Idle {
                return;
            }
        }
        panic!("the card never comes to rest");
    }

    /// Steps the card and serves its interrupts until neither has anything left.
    pub fn settle(&mut self) {
        for _ in 0..1000 {
            self.step();
            if !self.card.borrow().line() {
                return;
            }
            self.adapter.service().unwrap();
        }
        panic!("the interrupt line never falls");
    }

    /// Frames arrive and the card has written them.
    pub fn arrive(&mut self, frames: impl IntoIterator<Item = Vec<u8>>) {
        self.cable().to_card.extend(frames);
        self.step();
    }

    /// Reads until there is nothing more.
    pub fn read_all(&mut self, buffer: usize) -> Vec<Vec<u8>> {
        let mut units = Vec::new();
        let mut bytes = vec![0; buffer];
        while let Some(unit) = self.adapter.receive(&mut bytes).unwrap() {
            units.push(bytes[..unit.length].to_vec());
        }
        units
    }
}
