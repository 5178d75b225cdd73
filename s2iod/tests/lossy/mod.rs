//! A host that takes messages and on which some interrupts are lost, and a driver on it.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::{Config, Step};
use s2iod::dma::Slab;
use s2iod::host::{self, Host, SoftwareCard};
use s2iod::platform::{Interrupts, Platform};
use s2iod::{Adapter, Options};
use xframe::constants::Asic;

use crate::common::{Cable, MAC};

/// A host on which some interrupts are lost.
pub struct Lossy {
    host: Host<Cable>,
    messages_lost: bool,
    line_lost: bool,
    connected: Rc<RefCell<Vec<Interrupts>>>,
}

impl Platform for Lossy {
    type Bar = host::Window<Cable>;

    fn bar(&mut self, index: u8) -> io::Result<Self::Bar> {
        self.host.bar(index)
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        self.host.slab(bytes)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        self.host.config_read(offset)
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        self.host.config_write(offset, value)
    }

    fn sleep(&mut self, time: Duration) {
        self.host.sleep(time);
    }

    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        self.connected.borrow_mut().push(interrupts);
        self.host.connect(interrupts)
    }

    fn wait_for_interrupt(&mut self, time: Duration) -> io::Result<bool> {
        let messages = self.connected.borrow().last() == Some(&Interrupts::MsiX);
        let lost = if messages { self.messages_lost } else { self.line_lost };
        Ok(self.host.wait_for_interrupt(time)? && !lost)
    }
}

pub struct Bench {
    pub card: Rc<RefCell<SoftwareCard<Cable>>>,
    pub adapter: Adapter<Lossy>,
    pub connected: Rc<RefCell<Vec<Interrupts>>>,
}

pub fn options() -> Options {
    Options { rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() }
}

impl Bench {
    pub fn new() -> Self {
        Self::with(Asic::Herc, options(), false, false)
    }

    pub fn with(asic: Asic, options: Options, messages_lost: bool, line_lost: bool) -> Self {
        let host = Host::new(Config::new(asic, MAC), Cable::default(), 4 << 20).unwrap().with_messages();
        let (card, connected) = (host.card(), Rc::default());
        let platform = Lossy { host, messages_lost, line_lost, connected: Rc::clone(&connected) };
        let adapter = Adapter::bring_up(platform, options).unwrap();
        let mut bench = Self { card, adapter, connected };
        bench.settle();
        bench
    }

    /// Vectors of the messages that were sent.
    pub fn messages(&self) -> Vec<u8> {
        let mut card = self.card.borrow_mut();
        std::iter::from_fn(|| card.take_message()).map(|message| message.vector).collect()
    }

    pub fn step(&self) {
        while self.card.borrow_mut().step() != Step::Idle {}
    }

    pub fn serve(&mut self) -> bool {
        let message = self.card.borrow_mut().take_message();
        if let Some(message) = message {
            self.adapter.service_vector(message.vector).unwrap();
        }
        message.is_some()
    }

    /// The card works and the driver serves, until neither has anything left to do.
    pub fn settle(&mut self) {
        loop {
            self.step();
            if !self.serve() {
                return;
            }
        }
    }

    pub fn arrive(&self, frames: impl IntoIterator<Item = Vec<u8>>) {
        self.card.borrow_mut().wire_mut().to_card.extend(frames);
    }

    pub fn read(&mut self) -> Option<Vec<u8>> {
        let mut buffer = vec![0; lro::MAX_UNIT];
        let unit = self.adapter.receive(&mut buffer).unwrap()?;
        buffer.truncate(unit.length);
        Some(buffer)
    }

    pub fn read_all(&mut self) -> Vec<Vec<u8>> {
        let mut units = Vec::new();
        loop {
            match self.read() {
                Some(unit) => units.push(unit),
                None if !self.adapter.rearm().unwrap() => return units,
                None => {}
            }
        }
    }
}
