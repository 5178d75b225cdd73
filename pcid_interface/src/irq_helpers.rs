//! Interrupts from the interrupt scheme: vectors for messages. Everything here is to be opened before a driver leaves its
//! namespace.

use std::fs;
use std::io;

use libredox::Fd;
use libredox::flag::{O_CLOEXEC, O_CREAT, O_RDWR};

use crate::msi::MsiAddrAndData;

/// The vector of interrupt 0.
const FIRST_VECTOR: u8 = 32;

/// The local APIC of the processor that the system was started on.
///
/// # Errors
///
/// What the interrupt scheme said.
pub fn read_bsp_apic_id() -> io::Result<usize> {
    let bsp = Fd::open("/scheme/irq/bsp", O_RDWR | O_CLOEXEC, 0)?;
    let mut id = [0; 8];
    match bsp.read(&mut id)? {
        4 | 8 => usize::try_from(u64::from_le_bytes(id)).map_err(io::Error::other),
        read => Err(io::Error::new(io::ErrorKind::InvalidData, format!("/scheme/irq/bsp has {read} bytes, not 8"))),
    }
}

/// Reserves a free vector of a processor, as long as the handle lives; `None` when all are taken.
///
/// # Errors
///
/// What the interrupt scheme said.
pub fn allocate_single_interrupt_vector(cpu_id: usize) -> io::Result<Option<(u8, Fd)>> {
    let folder = format!("/scheme/irq/cpu-{cpu_id:02x}");
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse::<u8>().ok()) else { continue };
        let Some(vector) = number.checked_add(FIRST_VECTOR) else { continue };
        // Another driver may have been quicker.
        if let Ok(handle) = Fd::open(&format!("{folder}/{number}"), O_RDWR | O_CREAT | O_CLOEXEC, 0) {
            return Ok(Some((vector, handle)));
        }
    }
    Ok(None)
}

/// Reserves a vector of a processor, and makes the message that raises it.
///
/// # Errors
///
/// What the interrupt scheme said; none is free; or not on this kind of processor.
pub fn allocate_single_interrupt_vector_for_msi(cpu_id: usize) -> io::Result<(MsiAddrAndData, Fd)> {
    if !cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "interrupts by message are for x86 processors"));
    }
    let apic = u8::try_from(cpu_id).map_err(io::Error::other)?;
    let none = || io::Error::new(io::ErrorKind::StorageFull, format!("processor {cpu_id} has no free vector"));
    let (vector, handle) = allocate_single_interrupt_vector(cpu_id)?.ok_or_else(none)?;
    Ok((crate::msi::x86::message(apic, vector), handle))
}
