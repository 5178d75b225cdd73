//! Memory of the function, mapped into this process, and safe to read and write: every access is checked and volatile.
#![allow(unsafe_code, reason = "mapping a device's memory, and reaching it, cannot be expressed without")]

use std::ptr::{self, NonNull};

use libredox::call::{MmapArgs, mmap, munmap};
use libredox::flag::{MAP_SHARED, PROT_READ, PROT_WRITE};

use crate::{Channel, Error, PciFunctionHandle, Result};

/// How the processor reaches mapped memory. The numbers are pcid's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MemoryType {
    /// Through its caches.
    Writeback = 0,
    /// Directly, every access by itself: what registers need.
    Uncacheable = 1,
    /// Directly, but writes may be gathered.
    WriteCombining = 2,
    /// As registers need it on ARM.
    DeviceMemory = 3,
}

/// The memory that a base address register decodes. Unmapped when dropped.
#[derive(Debug)]
pub struct MappedBar {
    base: NonNull<u8>,
    size: usize,
}

impl PciFunctionHandle<Channel> {
    /// Maps the memory that register `bir` decodes.
    ///
    /// # Errors
    ///
    /// [`Error::NoMemory`] or [`Error::Map`].
    pub fn map_bar(&mut self, bir: u8, memory_type: MemoryType) -> Result<MappedBar> {
        let register = self.config().func.bars.get(usize::from(bir)).copied();
        let no_memory = || Error::NoMemory { index: bir, found: format!("{register:?}") };
        let (_, size) = register.and_then(|register| register.memory()).ok_or_else(no_memory)?;
        let size = usize::try_from(size).ok().filter(|size| *size > 0).ok_or_else(no_memory)?;
        let request = MmapArgs {
            addr: ptr::null_mut(),
            length: size,
            prot: PROT_READ | PROT_WRITE,
            flags: MAP_SHARED,
            fd: self.channel().0.raw(),
            offset: u64::from(bir) << 61 | u64::from(memory_type as u8) << 59,
        };
        // SAFETY: no address is asked for, so the kernel takes one that nothing is mapped at.
        let mapped = unsafe { mmap(request) }.map_err(|error| Error::Map { index: bir, error: error.into() })?;
        let base = NonNull::new(mapped.cast()).ok_or_else(no_memory)?;
        Ok(MappedBar { base, size })
    }
}

impl MappedBar {
    /// Where the mapping begins, for accesses that these methods do not have.
    #[must_use]
    pub fn ptr(&self) -> NonNull<u8> {
        self.base
    }

    /// Bytes of the mapping.
    #[must_use]
    pub fn bar_size(&self) -> usize {
        self.size
    }

    /// Reads four bytes; `None` unless `offset` is a multiple of four within the mapping.
    #[must_use]
    #[inline]
    pub fn read32(&self, offset: usize) -> Option<u32> {
        let place = self.place::<u32>(offset)?;
        // SAFETY: `place` has checked bounds and alignment; nothing else in this process refers to the mapping.
        Some(unsafe { place.read_volatile() })
    }

    /// Reads eight bytes; `None` unless `offset` is a multiple of eight within the mapping.
    #[must_use]
    #[inline]
    pub fn read64(&self, offset: usize) -> Option<u64> {
        let place = self.place::<u64>(offset)?;
        // SAFETY: as in `read32`.
        Some(unsafe { place.read_volatile() })
    }

    /// Writes four bytes; `false`, and nothing written, unless `offset` is a multiple of four within the mapping.
    #[inline]
    pub fn write32(&self, offset: usize, value: u32) -> bool {
        let Some(place) = self.place::<u32>(offset) else { return false };
        // SAFETY: as in `read32`. That the device may write to memory then is a matter of what it was told of memory.
        unsafe { place.write_volatile(value) };
        true
    }

    /// Writes eight bytes; `false`, and nothing written, unless `offset` is a multiple of eight within the mapping.
    #[inline]
    pub fn write64(&self, offset: usize, value: u64) -> bool {
        let Some(place) = self.place::<u64>(offset) else { return false };
        // SAFETY: as in `write32`.
        unsafe { place.write_volatile(value) };
        true
    }

    #[inline]
    fn place<T>(&self, offset: usize) -> Option<NonNull<T>> {
        let end = offset.checked_add(size_of::<T>())?;
        if end > self.size || !offset.is_multiple_of(size_of::<T>()) {
            return None;
        }
        // SAFETY: within the mapping, which begins at a page.
        Some(unsafe { self.base.byte_add(offset) }.cast())
    }
}

impl Drop for MappedBar {
    fn drop(&mut self) {
        // SAFETY: this is what `mmap` returned, and it is unmapped once. Should that fail, it stays mapped.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.size) };
    }
}
