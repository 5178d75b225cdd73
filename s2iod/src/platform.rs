//! All that the driver knows of the world outside: a window to registers, memory that the card reads, interrupts, a pause.

use std::io;
use std::time::Duration;

use xframe::constants::RINGS;

use crate::dma::Slab;

/// A mapped base address register. Offsets are bytes, multiples of the access's width, within the window.
pub trait Bar {
    /// Reads eight bytes.
    fn read(&self, offset: u64) -> u64;
    /// Writes eight bytes.
    fn write(&self, offset: u64, value: u64);
    /// Writes four bytes.
    fn write32(&self, offset: u64, value: u32);
}

/// How the card's interrupts reach the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupts {
    /// MSI-X messages: a vector for each ring from [`FIRST_RING_VECTOR`] on, vector 0 for the rest. Xframe II only.
    MsiX,
    /// The INTA# line, which other devices may share.
    Line,
    /// Not at all: the driver looks by itself, as often as it is called.
    Polling,
}

/// Vectors of MSI-X that this driver uses at the most, from 0; [`Options::vectors`](crate::Options::vectors) of them it
/// really does.
pub const VECTORS: u8 = FIRST_RING_VECTOR + RINGS as u8;
/// The vector of receive ring 0; the other rings' follow.
pub const FIRST_RING_VECTOR: u8 = 1;

/// What an operating system gives a PCI driver.
pub trait Platform {
    /// Its kind of mapping.
    type Bar: Bar;

    /// Maps base address register `index`: 0 the registers, 2 the doorbells.
    ///
    /// # Errors
    ///
    /// What the system said.
    fn bar(&mut self, index: u8) -> io::Result<Self::Bar>;

    /// Zeroed memory that the card can reach, `bytes` long, page-aligned, contiguous on the bus.
    ///
    /// # Errors
    ///
    /// What the system said.
    fn slab(&mut self, bytes: usize) -> io::Result<Slab>;

    /// Reads four bytes of configuration space.
    ///
    /// # Errors
    ///
    /// What the system said.
    fn config_read(&mut self, offset: u8) -> io::Result<u32>;

    /// Writes four bytes of configuration space.
    ///
    /// # Errors
    ///
    /// What the system said.
    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()>;

    /// Lets time pass for the card.
    fn sleep(&mut self, time: Duration);

    /// Directs the card's interrupts to this driver. The platform owns the MSI-X table, in BAR 4, and the MSI-X capability:
    /// for [`Interrupts::MsiX`] it fills in and unmasks the entries of all vectors in use and turns MSI-X on, for
    /// [`Interrupts::Line`] it turns MSI-X off. A reset of the card loses all of this; the driver calls again after each.
    ///
    /// # Errors
    ///
    /// The system or the card does not have what is asked for: the driver asks for the next best then.
    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        match interrupts {
            Interrupts::MsiX => Err(io::ErrorKind::Unsupported.into()),
            Interrupts::Line | Interrupts::Polling => Ok(()),
        }
    }

    /// Waits until an interrupt of the card comes, at most `time`; whether one came. The system may take it as served.
    ///
    /// # Errors
    ///
    /// It cannot be told: interrupts are then taken to work.
    fn wait_for_interrupt(&mut self, time: Duration) -> io::Result<bool> {
        let _ = time;
        Err(io::ErrorKind::Unsupported.into())
    }
}
