//! What can stand between driver and card: bits that stick, a card that vanishes, steps in the middle of the driver's work.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::Wire;
use s2iod::dma::Slab;
use s2iod::host::{Host, SoftwareCard, Window};
use s2iod::platform::{Bar, Interrupts, Platform};
use xframe::registers::Register;

/// What goes wrong, and what the driver did meanwhile.
#[derive(Default)]
pub struct Mischief {
    /// Bits of a register that read as they will: register, which bits, what they read.
    pub stuck: Option<(Register, u64, u64)>,
    /// What the first word of configuration space reads.
    pub identity: Option<u32>,
    /// The system has no messages any more.
    pub messages_refused: bool,
    /// Every read gives all ones and every write is lost.
    pub gone: bool,
    /// Before which of the driver's accesses the card does a step, one for each entry, in ascending order.
    pub steps: VecDeque<usize>,
    /// Accesses to registers and doorbells so far, and the moments between them that a test adds with [`pass`].
    pub accesses: usize,
    /// How long the driver has waited.
    pub slept: Duration,
}

/// More moments than any schedule has.
pub const MOMENTS: usize = 56;

/// Schedules: before which moments of the host's work the card does its next three steps, in every combination.
pub fn schedules() -> impl Iterator<Item = [usize; 3]> {
    (0..MOMENTS).flat_map(|one| (one..MOMENTS).flat_map(move |two| (two..MOMENTS).map(move |three| [one, two, three])))
}

impl Mischief {
    /// Begins a schedule: moments are counted from here.
    pub fn follow(&mut self, schedule: [usize; 3]) {
        self.accesses = 0;
        self.steps = schedule.into();
    }

    /// One of the moments at which the card may step; how many steps are due.
    fn due(&mut self) -> usize {
        let due = self.steps.iter().take_while(|at| **at <= self.accesses).count();
        self.steps.drain(..due);
        self.accesses += 1;
        due
    }
}

/// Lets the card do the steps that are due before the driver goes on.
pub fn pass<W: Wire>(mischief: &RefCell<Mischief>, card: &RefCell<SoftwareCard<W>>) {
    let due = mischief.borrow_mut().due();
    for _ in 0..due {
        card.borrow_mut().step();
    }
}

/// The host with the card, for a driver that will find whatever the test wants. Clones are one host.
pub struct Mischievous<W> {
    host: Rc<RefCell<Host<W>>>,
    mischief: Rc<RefCell<Mischief>>,
}

impl<W> Mischievous<W> {
    pub fn new(host: Host<W>, mischief: Rc<RefCell<Mischief>>) -> Self {
        Self { host: Rc::new(RefCell::new(host)), mischief }
    }
}

impl<W> Clone for Mischievous<W> {
    fn clone(&self) -> Self {
        Self { host: Rc::clone(&self.host), mischief: Rc::clone(&self.mischief) }
    }
}

impl<W: Wire> Platform for Mischievous<W> {
    type Bar = MischievousBar<W>;

    fn bar(&mut self, index: u8) -> io::Result<MischievousBar<W>> {
        let mut host = self.host.borrow_mut();
        Ok(MischievousBar {
            window: host.bar(index)?,
            registers: index == 0,
            card: host.card(),
            mischief: Rc::clone(&self.mischief),
        })
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        self.host.borrow_mut().slab(bytes)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        let read = self.host.borrow_mut().config_read(offset)?;
        let mischief = self.mischief.borrow();
        Ok(match mischief.identity {
            _ if mischief.gone => u32::MAX,
            Some(identity) if offset == 0 => identity,
            _ => read,
        })
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        if self.mischief.borrow().gone {
            return Ok(());
        }
        self.host.borrow_mut().config_write(offset, value)
    }

    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        if interrupts == Interrupts::MsiX && self.mischief.borrow().messages_refused {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.host.borrow_mut().connect(interrupts)
    }

    fn wait_for_interrupt(&mut self, time: Duration) -> io::Result<bool> {
        self.mischief.borrow_mut().slept += time;
        self.host.borrow_mut().wait_for_interrupt(time)
    }

    fn sleep(&mut self, time: Duration) {
        self.mischief.borrow_mut().slept += time;
        self.host.borrow_mut().sleep(time);
    }
}

/// A window of the card.
pub struct MischievousBar<W> {
    window: Window<W>,
    registers: bool,
    card: Rc<RefCell<SoftwareCard<W>>>,
    mischief: Rc<RefCell<Mischief>>,
}

impl<W: Wire> Bar for MischievousBar<W> {
    fn read(&self, offset: u64) -> u64 {
        pass(&self.mischief, &self.card);
        let read = self.window.read(offset);
        let mischief = self.mischief.borrow();
        match mischief.stuck {
            _ if mischief.gone => u64::MAX,
            Some((register, bits, value)) if self.registers && u64::from(register.offset()) == offset => {
                read & !bits | value & bits
            }
            _ => read,
        }
    }

    fn write(&self, offset: u64, value: u64) {
        pass(&self.mischief, &self.card);
        if !self.mischief.borrow().gone {
            self.window.write(offset, value);
        }
    }

    fn write32(&self, offset: u64, value: u32) {
        pass(&self.mischief, &self.card);
        if !self.mischief.borrow().gone {
            self.window.write32(offset, value);
        }
    }
}
