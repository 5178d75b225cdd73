//! Owns the client's memory as far as it shared it: which bus addresses lie where, and the card's reads and writes of them.

use std::cell::Cell;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

use rustix::fs::{SealFlags, fcntl_get_seals, fstat};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use vm_memory::mmap::{MmapRegion, MmapRegionBuilder};
use vm_memory::{Bytes, FileOffset, VolatileMemory};

use super::message::MAX_MAPPINGS;
use crate::memory::{MasterAbort, Memory};

/// How the bytes of a mapping are reached.
enum Backing {
    /// By memory. Only files that can never shrink are mapped: an access behind the end of a file would kill the process.
    Mapped(MmapRegion),
    /// By system calls.
    File(File, u64),
    /// Not at all: the client kept it to itself.
    Unshared,
}

/// Bus addresses that mean bytes of a file.
struct Mapping {
    address: u64,
    size: u64,
    read: bool,
    write: bool,
    backing: Backing,
}

/// What a client asks for when it shares memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub address: u64,
    pub size: u64,
    /// Where in the file it starts.
    pub offset: u64,
    pub read: bool,
    pub write: bool,
}

/// All mappings, by ascending address; they do not overlap.
#[derive(Default)]
pub(crate) struct GuestMemory {
    mappings: Vec<Mapping>,
    /// The client was told that the card wants memory which it keeps to itself.
    complained: Cell<bool>,
}

impl GuestMemory {
    /// Shares a window of `file`, or tells of one that is not shared.
    pub fn map(&mut self, window: Window, file: Option<OwnedFd>) -> Result<(), Errno> {
        let end = window.address.checked_add(window.size).ok_or(Errno::INVAL)?;
        if window.size == 0 || window.offset.checked_add(window.size).is_none() {
            return Err(Errno::INVAL);
        }
        if self.mappings.len() >= MAX_MAPPINGS {
            return Err(Errno::NOSPC);
        }
        let at = self.mappings.partition_point(|mapping| mapping.address < window.address);
        let below = at.checked_sub(1).and_then(|below| self.mappings.get(below));
        if below.is_some_and(|below| below.address + below.size > window.address)
            || self.mappings.get(at).is_some_and(|above| above.address < end)
        {
            return Err(Errno::EXIST);
        }
        let backing = file.map_or(Ok(Backing::Unshared), |file| Backing::new(file, window))?;
        let Window { address, size, read, write, .. } = window;
        self.mappings.insert(at, Mapping { address, size, read, write, backing });
        Ok(())
    }

    /// Takes a mapping back, which must be one that was made.
    pub fn unmap(&mut self, address: u64, size: u64) -> Result<(), Errno> {
        let at = self.mappings.iter().position(|mapping| mapping.address == address && mapping.size == size);
        self.mappings.remove(at.ok_or(Errno::NOENT)?);
        Ok(())
    }

    /// Takes every mapping back.
    pub fn clear(&mut self) {
        self.mappings.clear();
    }

    /// The mapping that byte `bus` lies in, and where in it.
    fn find(&self, bus: u64) -> Option<(&Mapping, u64)> {
        let above = self.mappings.partition_point(|mapping| mapping.address <= bus);
        let mapping = self.mappings.get(above.checked_sub(1)?)?;
        let offset = bus - mapping.address;
        (offset < mapping.size).then_some((mapping, offset))
    }

    /// Calls `visit` with each mapping that the range lies in, where in it, and which bytes of the range are there.
    fn visit(
        &self,
        bus: u64,
        length: usize,
        mut visit: impl FnMut(&Mapping, u64, std::ops::Range<usize>) -> Option<()>,
    ) -> Result<(), MasterAbort> {
        let mut done = 0;
        while done < length {
            let at = bus.checked_add(done as u64).ok_or(MasterAbort { bus })?;
            let (mapping, offset) = self.find(at).ok_or(MasterAbort { bus: at })?;
            if matches!(mapping.backing, Backing::Unshared) && !self.complained.replace(true) {
                log::warn!("the card is sent to memory at {at:#x}, which the machine does not share (QEMU: share=on)");
            }
            let here = usize::try_from(mapping.size - offset).unwrap_or(usize::MAX).min(length - done);
            visit(mapping, offset, done..done + here).ok_or(MasterAbort { bus: at })?;
            done += here;
        }
        Ok(())
    }
}

impl Memory for GuestMemory {
    fn read(&mut self, bus: u64, into: &mut [u8]) -> Result<(), MasterAbort> {
        let length = into.len();
        self.visit(bus, length, |mapping, offset, range| mapping.read(offset, into.get_mut(range)?))
    }

    fn write(&mut self, bus: u64, from: &[u8]) -> Result<(), MasterAbort> {
        self.visit(bus, from.len(), |mapping, _, _| mapping.writable().then_some(()))?;
        self.visit(bus, from.len(), |mapping, offset, range| mapping.write(offset, from.get(range)?))
    }
}

impl Backing {
    fn new(file: OwnedFd, window: Window) -> Result<Self, Errno> {
        let file = File::from(file);
        let length = u64::try_from(fstat(&file)?.st_size).map_err(|_| Errno::INVAL)?;
        // The sum was found not to wrap before.
        if window.offset.saturating_add(window.size) > length || !file.metadata().is_ok_and(|data| data.is_file()) {
            return Err(Errno::INVAL);
        }
        if !fcntl_get_seals(&file).is_ok_and(|seals| seals.contains(SealFlags::SHRINK)) {
            return Ok(Self::File(file, window.offset));
        }
        let write = if window.write { ProtFlags::WRITE } else { ProtFlags::empty() };
        let size = usize::try_from(window.size).map_err(|_| Errno::NOMEM)?;
        let region = MmapRegionBuilder::new(size)
            .with_mmap_prot((ProtFlags::READ | write).bits() as i32)
            .with_mmap_flags((MapFlags::SHARED | MapFlags::NORESERVE).bits() as i32)
            .with_file_offset(FileOffset::new(file, window.offset))
            .build();
        region.map(Self::Mapped).map_err(|_| Errno::NOMEM)
    }
}

impl Mapping {
    fn writable(&self) -> bool {
        self.write && !matches!(self.backing, Backing::Unshared)
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> Option<()> {
        match &self.backing {
            _ if !self.read => None,
            Backing::Mapped(region) => read_mapped(region, usize::try_from(offset).ok()?, into),
            Backing::File(file, start) => file.read_exact_at(into, start + offset).ok(),
            Backing::Unshared => None,
        }
    }

    fn write(&self, offset: u64, from: &[u8]) -> Option<()> {
        match &self.backing {
            _ if !self.write => None,
            Backing::Mapped(region) => write_mapped(region, usize::try_from(offset).ok()?, from),
            Backing::File(file, start) => file.write_all_at(from, start + offset).ok(),
            Backing::Unshared => None,
        }
    }
}

/// A whole word is read at once and before all that is read later, for it may say that the rest is ready.
fn read_mapped(region: &MmapRegion, offset: usize, into: &mut [u8]) -> Option<()> {
    let slice = region.get_slice(offset, into.len()).ok()?;
    if let Some(word) = whole_word(into)
        && let Ok(value) = slice.load::<u64>(0, Ordering::Acquire)
    {
        *word = value.to_ne_bytes();
        return Some(());
    }
    slice.read_slice(into, 0).ok()
}

/// A whole word is written at once and after all that was written before, for it may say that the rest is ready.
fn write_mapped(region: &MmapRegion, offset: usize, from: &[u8]) -> Option<()> {
    let slice = region.get_slice(offset, from.len()).ok()?;
    if let Ok(word) = <[u8; 8]>::try_from(from)
        && slice.store(u64::from_ne_bytes(word), 0, Ordering::Release).is_ok()
    {
        return Some(());
    }
    slice.write_slice(from, 0).ok()
}

fn whole_word(bytes: &mut [u8]) -> Option<&mut [u8; 8]> {
    bytes.try_into().ok()
}
