//! Memory that the card reaches: contiguous pages from the kernel, mapped into this process.
#![allow(unsafe_code, reason = "mapping memory, and sharing it with a device, cannot be expressed without")]

use std::io;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use libredox::Fd;
use libredox::call::{MmapArgs, call_ro, mmap, munmap};
use libredox::flag::{MAP_PRIVATE, O_CLOEXEC, PROT_READ, PROT_WRITE};
use syscall::CallFlags;

use crate::dma::{PAGE, Slab};

/// Zeroed pages that lie next to each other. Where the processor's caches do not see a device's writes, without caches.
const CONTIGUOUS: &str = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
    "zeroed@wb?phys_contiguous"
} else {
    "zeroed@uc?phys_contiguous"
};

/// The kernel's memory scheme. It can be asked in the null namespace, too.
pub(super) struct Memory {
    root: Fd,
    translation: Fd,
}

impl Memory {
    /// Opens the scheme.
    pub fn open() -> io::Result<Self> {
        let root = Fd::open("/scheme/memory/scheme-root", O_CLOEXEC, 0)?;
        let translation = root.openat("translation", O_CLOEXEC, 0)?;
        Ok(Self { root, translation })
    }

    /// Zeroed memory, contiguous on the bus. The kernel has up to 4 MiB in one piece.
    pub fn slab(&self, bytes: usize) -> io::Result<Slab> {
        // What the kernel takes anyway.
        let length = bytes.max(PAGE).next_power_of_two();
        let pages = self.root.openat(CONTIGUOUS, O_CLOEXEC, 0)?;
        let request = MmapArgs {
            addr: ptr::null_mut(),
            length,
            prot: PROT_READ | PROT_WRITE,
            flags: MAP_PRIVATE,
            fd: pages.raw(),
            offset: 0,
        };
        // SAFETY: no address is asked for, so the kernel takes one that nothing is mapped at.
        let mapped = unsafe { mmap(request) }?;
        let base = NonNull::new(mapped.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping { base, length };
        let bus = self.translate(base.addr().get())?;
        let last = length - PAGE;
        if self.translate(base.addr().get() + last)? != bus + last as u64 {
            return Err(io::Error::other("the kernel's memory is not contiguous"));
        }
        // SAFETY: the mapping is page-aligned, readable and writable, lives as long as its owner, and is nobody else's in
        // this process. The card gets its place on the bus from descriptors only.
        Ok(unsafe { Slab::from_raw(base, length, bus, Rc::new(mapping)) })
    }

    /// Where on the bus memory of this process is.
    fn translate(&self, address: usize) -> io::Result<u64> {
        let mut place = address.to_ne_bytes();
        call_ro(self.translation.raw(), &mut place, CallFlags::empty(), &[])?;
        Ok(usize::from_ne_bytes(place) as u64)
    }
}

/// Mapped pages.
struct Mapping {
    base: NonNull<u8>,
    length: usize,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is what `mmap` returned, and it is unmapped once. Should that fail, it stays mapped.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.length) };
    }
}
