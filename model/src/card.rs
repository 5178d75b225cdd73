//! Owns the card's face to the outside: windows, configuration space, steps, interrupts, cable.

use std::time::Duration;

use xframe::registers::{Access, Register, lookup};
use xframe::statistics::Field;

use crate::chip::Chip;
use crate::config::Config;
use crate::fault::{Bus, Fault, Faults};
use crate::interrupts;
use crate::memory::Memory;
use crate::messages::Message;
use crate::wire::Wire;

/// A window of the card, by its base address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// Window 0, 32 KiB: registers.
    Registers,
    /// Window 2, 1 MiB: doorbells.
    Doorbells,
    /// Window 4, 8 KiB: MSI-X table and pending bits (Herc).
    Vectors,
}

/// Bytes of one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One.
    Byte,
    /// Two.
    Word,
    /// Four.
    Dword,
    /// Eight.
    Qword,
}

impl Width {
    /// How many bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Word => 2,
            Self::Dword => 4,
            Self::Qword => 8,
        }
    }

    /// As many bytes of ones: what a bus reads where nobody answers.
    pub const fn ones(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes())
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: until the host acts or a frame comes, no further step will either. Frames may be waiting for an RxD.
    Idle,
    /// The link's state was latched.
    Link,
    /// A timer expired.
    Timer,
    /// A list of this FIFO was completed.
    Sent {
        /// The FIFO.
        fifo: usize,
    },
    /// A frame was completed into an RxD of this ring, with or without an error code.
    Received {
        /// The ring.
        ring: usize,
    },
    /// A frame was put into packet memory, for this ring has no RxD to give.
    Held {
        /// The ring.
        ring: usize,
    },
    /// A frame from the wire ended here: not for us, malformed, or no room for it. The counters say why.
    Discarded,
}

/// A software Xframe. It has no thread and no clock: a schedule of accesses and steps is all the concurrency there is, and
/// the same schedule gives the same result.
///
/// It starts as after power-on: nothing answers before the host has set the memory bit of the PCI command register, and
/// nothing moves before it has set the bus master bit.
///
/// ```
/// use model::wire::Loopback;
/// use model::{Bar, Card, Config, MasterAbort, Memory, Step, Width};
/// use xframe::constants::Asic;
/// use xframe::registers::PIF_RD_SWAPPER_FB;
/// use xframe::swapper::FEEDBACK;
///
/// /// A host without memory.
/// struct Nothing;
///
/// impl Memory for Nothing {
///     fn read(&mut self, bus: u64, _: &mut [u8]) -> Result<(), MasterAbort> {
///         Err(MasterAbort { bus })
///     }
///     fn write(&mut self, bus: u64, _: &[u8]) -> Result<(), MasterAbort> {
///         Err(MasterAbort { bus })
///     }
/// }
///
/// let config = Config::new(Asic::Herc, [0x00, 0x0C, 0xFC, 1, 2, 3]);
/// let mut card = Card::new(config, Nothing, Loopback::new(16));
/// let feedback = PIF_RD_SWAPPER_FB.offset().into();
/// assert_eq!(card.read(Bar::Registers, feedback, Width::Qword), u64::MAX);
///
/// card.config_write(0x04, Width::Word, 0x0006);
/// assert_eq!(card.read(Bar::Registers, feedback, Width::Qword), FEEDBACK.swap_bytes());
/// assert_eq!(card.step(), Step::Idle);
/// ```
pub struct Card<M, W> {
    chip: Chip,
    memory: M,
    wire: W,
}

impl<M: Memory, W: Wire> Card<M, W> {
    /// A card between the host's `memory` and a `wire`.
    pub fn new(config: Config, memory: M, wire: W) -> Self {
        let mut chip = Chip::new(config);
        chip.core_reset(0);
        Self { chip, memory, wire }
    }

    /// A host read, little-endian. All ones while memory decoding is off; zero in the holes of the map.
    pub fn read(&mut self, bar: Bar, offset: u64, width: Width) -> u64 {
        if !self.chip.pci.memory() || self.chip.faults.gone {
            return width.ones();
        }
        let value = match bar {
            Bar::Registers => self.chip.csr_read(offset, width),
            Bar::Doorbells => self.chip.doorbell_read(offset, width),
            Bar::Vectors => self.chip.vectors_read(offset, width),
        };
        self.chip.refresh_messages();
        value
    }

    /// A host write, little-endian. Nothing happens while memory decoding is off.
    pub fn write(&mut self, bar: Bar, offset: u64, width: Width, value: u64) {
        if !self.chip.pci.memory() || self.chip.faults.gone {
            return;
        }
        match bar {
            Bar::Registers => self.chip.csr_write(&mut self.memory, offset, width, value),
            Bar::Doorbells => self.chip.doorbell_write(offset, width, value),
            Bar::Vectors => self.chip.vectors_write(offset, width, value),
        }
        self.chip.refresh_messages();
    }

    /// A read of configuration space, little-endian. All ones while a reset is in progress.
    pub fn config_read(&mut self, offset: u16, width: Width) -> u64 {
        if self.chip.faults.gone {
            return width.ones();
        }
        self.chip.pci.read(offset, width)
    }

    /// A write of configuration space, little-endian. Lost while a reset is in progress.
    pub fn config_write(&mut self, offset: u16, width: Width, value: u64) {
        if self.chip.faults.gone {
            return;
        }
        self.chip.pci.write(offset, width, value);
        self.chip.refresh_messages();
    }

    /// The bus resets the card: everything is as after power-on. What the card was about to say is not said any more.
    pub fn reset(&mut self) {
        self.chip.core_reset(0);
    }

    /// Whether the card takes frames from the wire now, if any come.
    pub fn receiving(&self) -> bool {
        self.chip.receiving()
    }

    /// Does at most one unit of work: one list, one frame, one timer or one link event.
    pub fn step(&mut self) -> Step {
        if self.chip.faults.gone {
            return Step::Idle;
        }
        let mut bus = Bus { memory: &mut self.memory, abort: self.chip.faults.take_abort() };
        let step = self.chip.step(&mut bus, &mut self.wire);
        if bus.abort {
            // Nothing went over the bus: the next access fails instead.
            self.chip.faults.take_in(Fault::Abort);
        }
        self.chip.refresh_messages();
        step
    }

    /// Time of the host's passes: the timers that are due expire.
    pub fn elapse(&mut self, time: Duration) {
        self.chip.elapse(&mut self.memory, time);
        self.chip.refresh_messages();
    }

    /// How long it is until a timer expires or the card looks again for a descriptor that it waits for; `None` if it will
    /// do nothing by itself.
    pub fn patience(&self) -> Option<Duration> {
        self.chip.patience()
    }

    /// Lets every periodic timer expire once: continuous interrupts, periodic statistics, the scheduled interrupt.
    pub fn tick(&mut self) {
        self.chip.tick(&mut self.memory);
        self.chip.refresh_messages();
    }

    /// Level of the INTA# line.
    pub fn line(&self) -> bool {
        !self.chip.faults.gone
            && self.chip.pci.line()
            && !self.chip.pci.messages()
            && interrupts::pending(&self.chip.store)
    }

    /// The next MSI-X message to deliver, the lowest vector first.
    pub fn take_message(&mut self) -> Option<Message> {
        self.chip.take_message()
    }

    /// Has something go wrong.
    pub fn inject(&mut self, fault: Fault) {
        match fault {
            Fault::Alarm(register, causes) => self.latch(register, causes),
            Fault::Link(up) => self.set_link(up),
            other => drop(self.chip.faults.take_in(other)),
        }
    }

    /// Nothing goes wrong any more, and the cable is as it was at first; what has gone wrong, has.
    pub fn repair(&mut self) {
        self.chip.faults = Faults::default();
        self.set_link(self.chip.config.link);
    }

    /// Plugs the cable in or pulls it out.
    pub fn set_link(&mut self, up: bool) {
        self.chip.set_cable(up);
        self.chip.refresh_messages();
    }

    /// Makes the hardware find `causes` in a register of latched causes, as an ECC error or a bus error would. Other
    /// registers stay as they are.
    pub fn latch(&mut self, register: Register, causes: u64) {
        if lookup(register.offset()).is_some_and(|(entry, _)| entry.access == Access::W1C) {
            self.chip.store.latch(register, causes);
            self.chip.refresh_messages();
        }
    }

    /// A statistics counter as it stands now, high word included.
    pub fn counter(&self, field: Field) -> u64 {
        self.chip.counters.get(field)
    }

    /// The host's memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The host's memory.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The wire.
    pub fn wire(&self) -> &W {
        &self.wire
    }

    /// The wire.
    pub fn wire_mut(&mut self) -> &mut W {
        &mut self.wire
    }

    /// Takes the card apart and gives the wire back.
    pub fn into_wire(self) -> W {
        self.wire
    }
}
