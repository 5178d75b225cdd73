//! The driver's platform on any host: the software card, in the same process and the same thread.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::{Card, Config, MasterAbort, Memory, Step, Width, Wire};

use crate::dma::{PAGE, Slab};
use crate::platform::{Bar, Interrupts, Platform, VECTORS};

/// Where the host's memory starts on the bus. Above 4 GiB, so that an address cut to 32 bits finds nothing.
const BUS: u64 = 0x1_0000_0000;
/// Steps that the card gets for a pause, whatever its length, unless it comes to rest before.
const STEPS_PER_PAUSE: usize = 1024;
/// Configuration space: command word, and its memory and bus master bits.
const COMMAND: u16 = 0x04;
const MEMORY_AND_MASTER: u64 = 0b110;

/// Configuration space: MSI-X Message Control, and its enable bit.
const MSIX_CONTROL: u16 = 0x92;
const MSIX_ENABLE: u64 = 1 << 15;
/// Where messages are written to.
const MESSAGE_ADDRESS: u64 = 0xFEE0_0000;

/// The software card between memory of this process and a wire.
pub type SoftwareCard<W> = Card<Arena, W>;

/// A host with a software card in it.
pub struct Host<W> {
    card: Rc<RefCell<SoftwareCard<W>>>,
    arena: Slab,
    used: usize,
    messages: bool,
}

impl<W: Wire> Host<W> {
    /// A card at the end of `wire`, in a host with `bytes` of memory for the driver, with bus mastering on as pcid leaves
    /// it.
    ///
    /// # Errors
    ///
    /// There is not so much memory.
    pub fn new(config: Config, wire: W, bytes: usize) -> io::Result<Self> {
        let arena = Slab::allocate(bytes, BUS)?;
        let whole = arena.part(0..arena.len()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut card = Card::new(config, Arena(whole), wire);
        card.config_write(COMMAND, Width::Word, MEMORY_AND_MASTER);
        Ok(Self { card: Rc::new(RefCell::new(card)), arena, used: 0, messages: false })
    }

    /// The same host with an interrupt controller that takes messages: [`SoftwareCard::take_message`] gives them. Without,
    /// the card has its line only.
    #[must_use]
    pub fn with_messages(self) -> Self {
        Self { messages: true, ..self }
    }

    /// The card, for whoever owns the schedule: steps, the wire, the interrupt line.
    pub fn card(&self) -> Rc<RefCell<SoftwareCard<W>>> {
        Rc::clone(&self.card)
    }
}

impl<W: Wire> Platform for Host<W> {
    type Bar = Window<W>;

    fn bar(&mut self, index: u8) -> io::Result<Window<W>> {
        let bar = match index {
            0 => model::Bar::Registers,
            2 => model::Bar::Doorbells,
            4 => model::Bar::Vectors,
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(Window { card: self.card(), bar })
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        let end = self.used + bytes.next_multiple_of(PAGE);
        let slab = self.arena.part(self.used..end).ok_or(io::ErrorKind::OutOfMemory)?;
        self.used = end;
        Ok(slab)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        Ok(self.card.borrow_mut().config_read(offset.into(), Width::Dword) as u32)
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        self.card.borrow_mut().config_write(offset.into(), Width::Dword, value.into());
        Ok(())
    }

    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        let enable = match interrupts {
            Interrupts::MsiX if self.messages => MSIX_ENABLE,
            Interrupts::MsiX => return Err(io::ErrorKind::Unsupported.into()),
            Interrupts::Line | Interrupts::Polling => 0,
        };
        let mut card = self.card.borrow_mut();
        for vector in 0..u64::from(VECTORS) {
            // Address, data, and a control word that does not mask it.
            let entry = [MESSAGE_ADDRESS, vector];
            for (at, word) in entry.into_iter().enumerate() {
                card.write(model::Bar::Vectors, vector * 16 + at as u64 * 8, Width::Qword, word);
            }
        }
        let control = card.config_read(MSIX_CONTROL, Width::Word) & !MSIX_ENABLE;
        card.config_write(MSIX_CONTROL, Width::Word, control | enable);
        Ok(())
    }

    fn wait_for_interrupt(&mut self, time: Duration) -> io::Result<bool> {
        let mut card = self.card.borrow_mut();
        for _ in 0..STEPS_PER_PAUSE {
            if card.line() || card.take_message().is_some() {
                return Ok(true);
            }
            if card.step() == Step::Idle {
                card.elapse(time);
                break;
            }
        }
        Ok(card.line() || card.take_message().is_some())
    }

    fn sleep(&mut self, time: Duration) {
        let mut card = self.card.borrow_mut();
        for _ in 0..STEPS_PER_PAUSE {
            if card.step() == Step::Idle {
                break;
            }
        }
        card.elapse(time);
    }
}

/// A window of the software card.
pub struct Window<W> {
    card: Rc<RefCell<SoftwareCard<W>>>,
    bar: model::Bar,
}

impl<W: Wire> Bar for Window<W> {
    fn read(&self, offset: u64) -> u64 {
        self.card.borrow_mut().read(self.bar, offset, Width::Qword)
    }

    fn write(&self, offset: u64, value: u64) {
        self.card.borrow_mut().write(self.bar, offset, Width::Qword, value);
    }

    fn write32(&self, offset: u64, value: u32) {
        self.card.borrow_mut().write(self.bar, offset, Width::Dword, value.into());
    }
}

/// The host's memory as the card reaches it.
pub struct Arena(Slab);

impl Arena {
    /// Where a bus address lies in the arena, wherever the range that starts there ends.
    fn offset(bus: u64) -> Option<usize> {
        usize::try_from(bus.checked_sub(BUS)?).ok()
    }
}

impl Memory for Arena {
    fn read(&mut self, bus: u64, into: &mut [u8]) -> Result<(), MasterAbort> {
        let done = Self::offset(bus).is_some_and(|offset| self.0.copy_out(offset, into));
        done.then_some(()).ok_or(MasterAbort { bus })
    }

    fn write(&mut self, bus: u64, from: &[u8]) -> Result<(), MasterAbort> {
        let done = Self::offset(bus).is_some_and(|offset| self.0.copy_in(offset, from));
        done.then_some(()).ok_or(MasterAbort { bus })
    }
}
