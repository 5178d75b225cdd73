//! The host: the software card with every step and every reset in the ledger, and resets that fail when they are to.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::{Config, Step};
use s2iod::dma::Slab;
use s2iod::host::{Host, SoftwareCard, Window};
use s2iod::platform::{Bar, Interrupts, Platform};
use xframe::bits::{Command, SwReset};
use xframe::constants::Asic;
use xframe::registers as reg;

use crate::ledger::{Cable, Ledger, MAC};

const MEMORY: usize = 2 << 20;
/// Steps within a pause.
const STEPS: usize = 64;

pub type Card = SoftwareCard<Cable>;

/// One step, in the ledger.
pub fn step(card: &RefCell<Card>, ledger: &RefCell<Ledger>) -> Step {
    let step = card.borrow_mut().step();
    ledger.borrow_mut().stepped(step);
    step
}

pub struct Tracked {
    host: Host<Cable>,
    ledger: Rc<RefCell<Ledger>>,
    /// So many resets will leave the card broken.
    failures: Rc<Cell<u8>>,
    broken: Rc<Cell<bool>>,
}

impl Tracked {
    pub fn new(asic: Asic, messages: bool) -> Self {
        let cable = Cable::default();
        let ledger = Rc::clone(&cable.ledger);
        let host = Host::new(Config::new(asic, MAC), cable, MEMORY).unwrap();
        let host = if messages { host.with_messages() } else { host };
        Self { host, ledger, failures: Rc::default(), broken: Rc::default() }
    }

    pub fn card(&self) -> Rc<RefCell<Card>> {
        self.host.card()
    }

    pub fn ledger(&self) -> Rc<RefCell<Ledger>> {
        Rc::clone(&self.ledger)
    }

    pub fn failures(&self) -> Rc<Cell<u8>> {
        Rc::clone(&self.failures)
    }

    fn steps(&self) {
        let card = self.host.card();
        for _ in 0..STEPS {
            if step(&card, &self.ledger) == Step::Idle {
                break;
            }
        }
    }
}

impl Platform for Tracked {
    type Bar = TrackedBar;

    fn bar(&mut self, index: u8) -> io::Result<TrackedBar> {
        Ok(TrackedBar {
            window: self.host.bar(index)?,
            registers: index == 0,
            ledger: Rc::clone(&self.ledger),
            failures: Rc::clone(&self.failures),
            broken: Rc::clone(&self.broken),
        })
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

    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        self.host.connect(interrupts)
    }

    fn sleep(&mut self, _: Duration) {
        self.steps();
    }

    fn wait_for_interrupt(&mut self, _: Duration) -> io::Result<bool> {
        self.steps();
        let card = self.host.card();
        let mut card = card.borrow_mut();
        Ok(card.line() || card.take_message().is_some())
    }
}

pub struct TrackedBar {
    window: Window<Cable>,
    registers: bool,
    ledger: Rc<RefCell<Ledger>>,
    failures: Rc<Cell<u8>>,
    broken: Rc<Cell<bool>>,
}

impl Bar for TrackedBar {
    fn read(&self, offset: u64) -> u64 {
        let read = self.window.read(offset);
        // Its address memory never gets done.
        let busy = self.registers && self.broken.get() && offset == u64::from(reg::RMAC_ADDR_CMD_MEM.offset());
        if busy { read | u64::from(Command::new().with_strobe(true)) } else { read }
    }

    fn write(&self, offset: u64, value: u64) {
        self.window.write(offset, value);
        if self.registers
            && offset == u64::from(reg::SW_RESET.offset())
            && SwReset::from(value).xena() == SwReset::ACTIVE
        {
            self.ledger.borrow_mut().reset();
            self.broken.set(self.failures.get() > 0);
            self.failures.set(self.failures.get().saturating_sub(1));
        }
    }

    fn write32(&self, offset: u64, value: u32) {
        self.window.write32(offset, value);
    }
}
