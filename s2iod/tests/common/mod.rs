//! The driver on the software card, for tests: one thread, every step the test's own.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

pub mod broken;
pub mod daemon;
pub mod frames;
pub mod mischief;
pub mod rings;

use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;
use std::rc::Rc;

use model::{Bar, Config, Memory, Step, Width, Wire};
use s2iod::host::{Host, SoftwareCard};
use s2iod::{Adapter, Error, Options};
use xframe::constants::Asic;
use xframe::registers::{self as reg, Register};
use xframe::rxd;

use mischief::{Mischief, Mischievous};

pub const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x12, 0x34, 0x56];

/// Memory of the host, more than most tests' rings need. All of it is written when a machine is made.
const MEMORY: usize = 16 << 20;

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

/// A host with a card in it that no driver has touched.
pub struct Machine<W = Cable> {
    pub card: Rc<RefCell<SoftwareCard<W>>>,
    /// What stands between driver and card.
    pub mischief: Rc<RefCell<Mischief>>,
    platform: Mischievous<W>,
}

/// A card that has been brought up.
pub struct Bench<W: Wire = Cable> {
    pub machine: Machine<W>,
    pub adapter: Adapter<Mischievous<W>>,
}

pub fn config() -> Config {
    Config::new(Asic::Herc, MAC)
}

impl Machine {
    pub fn new(config: Config) -> Self {
        Self::with_wire(config, Cable::default())
    }

    /// A host with memory for the largest rings.
    pub fn large(config: Config) -> Self {
        Self::of(Host::new(config, Cable::default(), 64 << 20).unwrap())
    }

    /// A host whose interrupts are messages.
    pub fn with_messages(config: Config) -> Self {
        Self::of(Host::new(config, Cable::default(), MEMORY).unwrap().with_messages())
    }

    pub fn cable(&self) -> RefMut<'_, Cable> {
        RefMut::map(self.card.borrow_mut(), |card| card.wire_mut())
    }
}

impl<W: Wire> Machine<W> {
    pub fn with_wire(config: Config, wire: W) -> Self {
        Self::of(Host::new(config, wire, MEMORY).unwrap())
    }

    fn of(host: Host<W>) -> Self {
        let card = host.card();
        let mischief = Rc::new(RefCell::new(Mischief::default()));
        Self { platform: Mischievous::new(host, Rc::clone(&mischief)), card, mischief }
    }

    /// Lets a driver loose on it.
    pub fn bring_up(&self, options: Options) -> Result<Adapter<Mischievous<W>>, Error> {
        Adapter::bring_up(self.platform.clone(), options)
    }

    /// Why no driver can be brought up.
    pub fn fails(&self, options: Options) -> Error {
        match self.bring_up(options) {
            Ok(_) => panic!("the card came up"),
            Err(error) => error,
        }
    }

    /// A register, as a host reads it behind the driver's back.
    pub fn read(&self, register: Register) -> u64 {
        self.card.borrow_mut().read(Bar::Registers, register.offset().into(), Width::Qword)
    }

    /// Writes a register behind the driver's back.
    pub fn write(&self, register: Register, value: impl Into<u64>) {
        self.card.borrow_mut().write(Bar::Registers, register.offset().into(), Width::Qword, value.into());
    }

    pub fn line(&self) -> bool {
        self.card.borrow().line()
    }

    /// Steps the card until it is idle, without serving an interrupt; what it did.
    pub fn step(&self) -> Vec<Step> {
        let mut card = self.card.borrow_mut();
        let mut steps = Vec::new();
        while steps.len() < 100_000 {
            match card.step() {
                Step::Idle => return steps,
                step => steps.push(step),
            }
        }
        panic!("the card never comes to rest");
    }
}

impl Bench {
    /// Brings the card up and waits for the link.
    pub fn new(options: Options) -> Self {
        Self::on(Machine::new(config()), options)
    }

    pub fn cable(&self) -> RefMut<'_, Cable> {
        self.machine.cable()
    }

    /// Frames arrive and the card has written them, or holds them.
    pub fn arrive(&mut self, frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<Step> {
        self.cable().to_card.extend(frames);
        self.machine.step()
    }

    /// Frames arrive and are read, units and all.
    pub fn deliver(&mut self, frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
        self.arrive(frames);
        self.settle();
        self.read_all()
    }
}

impl<W: Wire> Bench<W> {
    /// Brings the card up and waits for the link.
    pub fn on(machine: Machine<W>, options: Options) -> Self {
        let adapter = machine.bring_up(options).unwrap();
        let mut bench = Self { machine, adapter };
        for _ in 0..100 {
            if bench.adapter.link_up() {
                return bench;
            }
            bench.machine.card.borrow_mut().step();
            bench.serve();
        }
        panic!("the link does not come up");
    }

    /// Serves the line or the next message; `false` if there is no interrupt.
    pub fn serve(&mut self) -> bool {
        let message = self.machine.card.borrow_mut().take_message();
        match message {
            Some(message) => self.adapter.service_vector(message.vector).unwrap(),
            None if self.machine.line() => self.adapter.service().unwrap(),
            None => return false,
        };
        true
    }

    /// Steps the card and serves its interrupts until neither has anything left.
    pub fn settle(&mut self) {
        for _ in 0..1_000 {
            self.machine.step();
            if !self.serve() {
                return;
            }
        }
        panic!("the card never ceases to interrupt");
    }

    /// Reads until there is nothing more, and opens the receive interrupt again.
    pub fn read_all(&mut self) -> Vec<Vec<u8>> {
        let mut units = Vec::new();
        let mut buffer = vec![0; lro::MAX_UNIT];
        loop {
            while let Some(unit) = self.adapter.receive(&mut buffer).unwrap() {
                units.push(buffer[..unit.length].to_vec());
            }
            if !self.adapter.rearm().unwrap() {
                return units;
            }
        }
    }

    /// Where RxD `index` of the ring's first block lies on the bus.
    fn rxd(&self, index: usize) -> u64 {
        assert!(index < xframe::block::RXDS);
        self.machine.read(reg::PRC_RXD0.first()) + (index * rxd::SIZE) as u64
    }

    fn rxd_word(&self, at: u64) -> u64 {
        let mut word = [0; 8];
        self.machine.card.borrow_mut().memory_mut().read(at, &mut word).unwrap();
        u64::from_le_bytes(word)
    }

    /// Alters what the card has written, or will find, in RxD `index` of the ring's first block.
    pub fn alter_rxd(
        &self,
        index: usize,
        change: impl FnOnce(rxd::Control1, rxd::Control2) -> (rxd::Control1, rxd::Control2),
    ) {
        let (one, two) = (self.rxd(index) + rxd::CONTROL_1 as u64, self.rxd(index) + rxd::CONTROL_2 as u64);
        let (control_1, control_2) = change(self.rxd_word(one).into(), self.rxd_word(two).into());
        let mut card = self.machine.card.borrow_mut();
        card.memory_mut().write(two, &u64::from(control_2).to_le_bytes()).unwrap();
        card.memory_mut().write(one, &u64::from(control_1).to_le_bytes()).unwrap();
    }

    /// A line of the statistics; `None` if there is none of that name.
    pub fn statistic(&mut self, name: &str) -> Option<u64> {
        let mut text = String::new();
        self.adapter.write_stats(&mut text).unwrap();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        Some(value.parse().unwrap())
    }
}
