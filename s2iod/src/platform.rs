//! All that the driver knows of the world outside: a window to registers, memory that the card reads, a pause.

use std::io;
use std::time::Duration;

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
}
