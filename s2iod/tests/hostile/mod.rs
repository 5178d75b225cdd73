//! A platform on which nothing can be relied on.

pub mod input;
pub mod world;

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::{Config, Memory, Step, Wire};
use s2iod::dma::Slab;
use s2iod::host::{Host, SoftwareCard, Window};
use s2iod::platform::{Bar, Platform};
use xframe::constants::Asic;

const MEMORY: usize = 2 << 20;
/// Where the host's memory starts on the bus.
const BUS: u64 = 0x1_0000_0000;
const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x12, 0x34, 0x56];

/// What lies: one in so many reads, 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    pub register: u64,
    pub config: u64,
    /// [`Malice::scribble`] does something.
    pub memory: bool,
    /// Nothing lies before the card has come up.
    pub quiet_start: bool,
}

impl Noise {
    pub const NONE: Self = Self { register: 0, config: 0, memory: false, quiet_start: false };
}

/// Numbers that nobody expects.
pub struct Dice {
    /// The first ones, last to first.
    given: Vec<u64>,
    seed: u64,
}

impl Dice {
    /// Numbers that differ for each seed.
    pub fn new(seed: u64) -> Self {
        Self { given: Vec::new(), seed }
    }

    /// The numbers that these bytes hold, and behind them whatever follows.
    pub fn of(bytes: &[u8]) -> Self {
        let given: Vec<u64> =
            bytes.chunks_exact(8).rev().map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        Self { seed: given.len() as u64, given }
    }

    fn roll(&mut self) -> u64 {
        if let Some(given) = self.given.pop() {
            return given;
        }
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.seed ^ self.seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }

    fn hits(&mut self, rarity: u64) -> bool {
        rarity > 0 && self.below(rarity) == 0
    }

    /// A word: noise, all ones, none, or a bit or two of what is true turned.
    fn lie(&mut self, truth: u64) -> u64 {
        match self.below(6) {
            0 => u64::MAX,
            1 => 0,
            2 => self.roll(),
            3 => self.roll() & self.roll() & self.roll(),
            _ => truth ^ 1 << self.below(64),
        }
    }
}

struct Shared {
    noise: Noise,
    dice: RefCell<Dice>,
    loud: Cell<bool>,
    accesses: Cell<u64>,
    slept: Cell<Duration>,
}

impl Shared {
    fn see(&self, truth: u64, rarity: u64) -> u64 {
        self.accesses.set(self.accesses.get() + 1);
        let mut dice = self.dice.borrow_mut();
        if self.loud.get() && dice.hits(rarity) { dice.lie(truth) } else { truth }
    }
}

/// A wire that the test fills.
#[derive(Default)]
pub struct Frames(Vec<Vec<u8>>);

impl Wire for Frames {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        self.0.pop().is_some_and(|next| {
            *frame = next;
            true
        })
    }

    fn send(&mut self, _: &[u8]) {}
}

/// The host as the driver sees it.
pub struct Chaos {
    host: Host<Frames>,
    shared: Rc<Shared>,
}

/// The card's side.
pub struct Malice {
    card: Rc<RefCell<SoftwareCard<Frames>>>,
    shared: Rc<Shared>,
}

pub fn platform(asic: Asic, noise: Noise, dice: Dice) -> (Chaos, Malice) {
    let host = Host::new(Config::new(asic, MAC), Frames::default(), MEMORY).unwrap();
    let shared = Rc::new(Shared {
        noise,
        dice: RefCell::new(dice),
        loud: Cell::new(!noise.quiet_start),
        accesses: Cell::default(),
        slept: Cell::default(),
    });
    let malice = Malice { card: host.card(), shared: Rc::clone(&shared) };
    (Chaos { host, shared }, malice)
}

impl Malice {
    pub fn step(&self, count: usize) {
        for _ in 0..count {
            if self.card.borrow_mut().step() == Step::Idle {
                break;
            }
        }
    }

    pub fn arrive(&self, length: usize) {
        let mut dice = self.shared.dice.borrow_mut();
        let frame = (0..length).map(|at| if at < 6 { MAC[at] } else { dice.roll() as u8 }).collect();
        self.card.borrow_mut().wire_mut().0.push(frame);
    }

    /// Writes over a few words of descriptors and frames.
    pub fn scribble(&self) {
        if !self.shared.noise.memory {
            return;
        }
        let mut dice = self.shared.dice.borrow_mut();
        for _ in 0..1 + dice.below(64) {
            // Descriptors are among the first pages.
            let reach = if dice.hits(2) { 16 << 10 } else { MEMORY as u64 };
            let at = BUS + dice.below(reach / 8) * 8;
            let mut word = [0; 8];
            self.card.borrow_mut().memory_mut().read(at, &mut word).unwrap();
            let lie = dice.lie(u64::from_le_bytes(word));
            self.card.borrow_mut().memory_mut().write(at, &lie.to_le_bytes()).unwrap();
        }
    }

    /// Accesses and waits since the last call. From here on the card may lie.
    pub fn take_effort(&self) -> (u64, Duration) {
        self.shared.loud.set(true);
        (self.shared.accesses.take(), self.shared.slept.take())
    }
}

impl Platform for Chaos {
    type Bar = ChaoticBar;

    fn bar(&mut self, index: u8) -> io::Result<ChaoticBar> {
        Ok(ChaoticBar { window: self.host.bar(index)?, shared: Rc::clone(&self.shared) })
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        self.host.slab(bytes)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        let truth = self.host.config_read(offset)?;
        let mut dice = self.shared.dice.borrow_mut();
        if self.shared.loud.get() && dice.hits(self.shared.noise.config) {
            return if dice.hits(8) {
                Err(io::ErrorKind::BrokenPipe.into())
            } else {
                Ok(dice.lie(truth.into()) as u32)
            };
        }
        Ok(truth)
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        self.host.config_write(offset, value)
    }

    fn sleep(&mut self, time: Duration) {
        self.shared.slept.set(self.shared.slept.get() + time);
        self.host.sleep(time);
    }
}

pub struct ChaoticBar {
    window: Window<Frames>,
    shared: Rc<Shared>,
}

impl Bar for ChaoticBar {
    fn read(&self, offset: u64) -> u64 {
        self.shared.see(self.window.read(offset), self.shared.noise.register)
    }

    fn write(&self, offset: u64, value: u64) {
        self.shared.accesses.set(self.shared.accesses.get() + 1);
        self.window.write(offset, value);
    }

    fn write32(&self, offset: u64, value: u32) {
        self.shared.accesses.set(self.shared.accesses.get() + 1);
        self.window.write32(offset, value);
    }
}
