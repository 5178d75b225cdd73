//! The card's function as pcid gives it: registers, configuration space, interrupts; and memory from the kernel.

use std::io;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use pcid_interface::msi::MappedMsixRegs;
use pcid_interface::{MappedBar, MemoryType, PciFeature, PciFeatureInfo, PciFunctionHandle};
use xframe::constants::config;

use super::dma::Memory;
use super::irqs::{Irq, Irqs};
use crate::csr::GONE;
use crate::dma::Slab;
use crate::platform::{Bar, Interrupts, Platform};

/// Capability identifier of MSI-X, the low byte of its first word, and the bit of that word that turns it on.
const MSIX_CAPABILITY: u32 = 0x11;
const MSIX_ENABLE: u32 = 1 << 31;
/// Between two looks for an interrupt that is being tried out.
const LOOK: Duration = Duration::from_millis(1);

/// One card.
pub struct RedoxPlatform {
    function: PciFunctionHandle,
    memory: Memory,
    irqs: Rc<Irqs>,
    table: Option<MappedMsixRegs>,
    /// How the card interrupts at the moment.
    connected: Interrupts,
}

impl RedoxPlatform {
    pub(super) fn new(function: PciFunctionHandle, memory: Memory, irqs: Rc<Irqs>) -> Self {
        Self { function, memory, irqs, table: None, connected: Interrupts::Polling }
    }

    fn connect_messages(&mut self) -> io::Result<()> {
        let irqs = Rc::clone(&self.irqs);
        let messages = irqs.messages()?;
        let table = match self.table.take() {
            Some(table) => table,
            None => self.map_table()?,
        };
        let table = self.table.insert(table);
        for (entry, (message, irq)) in (0..).zip(messages) {
            if !(table.mask(entry) && table.write_addr_and_data(entry, *message) && table.unmask(entry)) {
                return Err(io::Error::other("the card's MSI-X table is too short"));
            }
            irq.settle()?;
        }
        Ok(self.function.enable_feature(PciFeature::MsiX)?)
    }

    fn map_table(&mut self) -> io::Result<MappedMsixRegs> {
        match self.function.feature_info(PciFeature::MsiX)? {
            PciFeatureInfo::MsiX(info) => Ok(info.map_and_mask_all(&mut self.function)?),
            other => Err(io::Error::other(format!("pcid describes MSI-X as {other:?}"))),
        }
    }

    /// pcid can turn a feature on only.
    fn disconnect_messages(&mut self) -> io::Result<()> {
        let control = self.config_read(config::MSIX)?;
        if control & 0xFF == MSIX_CAPABILITY && control & MSIX_ENABLE != 0 {
            self.config_write(config::MSIX, control & !MSIX_ENABLE)?;
        }
        Ok(())
    }

    /// Whether any of the interrupts in use has come.
    fn interrupt_has_come(&self) -> io::Result<bool> {
        match self.connected {
            Interrupts::MsiX => any_has_come(self.irqs.messages()?.iter().map(|(_, irq)| irq)),
            Interrupts::Line => self.irqs.line()?.has_come(),
            Interrupts::Polling => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

fn any_has_come<'a>(irqs: impl Iterator<Item = &'a Irq>) -> io::Result<bool> {
    for irq in irqs {
        if irq.has_come()? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Platform for RedoxPlatform {
    type Bar = Window;

    fn bar(&mut self, index: u8) -> io::Result<Window> {
        Ok(Window(self.function.map_bar(index, MemoryType::Uncacheable)?))
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        self.memory.slab(bytes)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        Ok(self.function.read_config(offset.into())?)
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        Ok(self.function.write_config(offset.into(), value)?)
    }

    fn sleep(&mut self, time: Duration) {
        thread::sleep(time);
    }

    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        match interrupts {
            Interrupts::MsiX => self.connect_messages()?,
            Interrupts::Line => {
                self.disconnect_messages()?;
                let line = self.irqs.line()?;
                if let Some(count) = line.settle()? {
                    line.release(count)?;
                }
            }
            Interrupts::Polling => self.disconnect_messages()?,
        }
        self.connected = interrupts;
        Ok(())
    }

    fn wait_for_interrupt(&mut self, time: Duration) -> io::Result<bool> {
        let start = Instant::now();
        loop {
            if self.interrupt_has_come()? {
                return Ok(true);
            }
            if start.elapsed() >= time {
                return Ok(false);
            }
            thread::sleep(LOOK);
        }
    }
}

/// A window of the card. What lies outside of it reads as from a card that is gone.
pub struct Window(MappedBar);

impl Bar for Window {
    #[inline]
    fn read(&self, offset: u64) -> u64 {
        self.0.read64(offset as usize).unwrap_or(GONE)
    }

    #[inline]
    fn write(&self, offset: u64, value: u64) {
        self.0.write64(offset as usize, value);
    }

    #[inline]
    fn write32(&self, offset: u64, value: u32) {
        self.0.write32(offset as usize, value);
    }
}
