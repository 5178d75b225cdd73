//! The card's interrupts as the kernel's interrupt scheme has them. Opened once, before the driver leaves its namespace.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use libredox::Fd;
use libredox::flag::{O_CLOEXEC, O_CREAT, O_RDWR};
use pcid_interface::LegacyInterruptLine;
use pcid_interface::irq_helpers::{allocate_single_interrupt_vector_for_msi, read_bsp_apic_id};
use pcid_interface::msi::MsiAddrAndData;

/// Bytes of an interrupt's number.
const COUNT: usize = 8;

/// An interrupt, and the number of the last one that was seen.
pub(super) struct Irq {
    handle: Fd,
    seen: Cell<u64>,
}

impl Irq {
    fn new(handle: Fd) -> Self {
        Self { handle, seen: Cell::new(0) }
    }

    pub fn descriptor(&self) -> usize {
        self.handle.raw()
    }

    /// The number of the last interrupt; `None` when it has been released.
    pub fn take(&self) -> io::Result<Option<u64>> {
        let mut count = [0; COUNT];
        Ok((self.handle.read(&mut count)? == COUNT).then(|| u64::from_ne_bytes(count)))
    }

    /// Releases interrupt `count`; `false` when another has come since.
    pub fn release(&self, count: u64) -> io::Result<bool> {
        Ok(self.handle.write(&count.to_ne_bytes())? == COUNT)
    }

    /// Forgets what has come so far; returns its number if it is to be released. A message is not: it silences nothing.
    pub fn settle(&self) -> io::Result<Option<u64>> {
        let count = self.take()?;
        self.seen.set(count.unwrap_or_default());
        Ok(count)
    }

    /// Whether one has come since [`settle`](Self::settle).
    pub fn has_come(&self) -> io::Result<bool> {
        Ok(self.take()?.is_some_and(|count| count != self.seen.get()))
    }
}

/// The line, and the vectors that messages raise.
pub(super) struct Irqs {
    line: Option<Irq>,
    messages: Vec<(MsiAddrAndData, Irq)>,
}

impl Irqs {
    /// Opens what there is of `line`, and reserves `vectors` for messages. What is missing is logged, and found missing when
    /// it is to be used.
    pub fn open(line: Option<LegacyInterruptLine>, vectors: u8) -> Rc<Self> {
        let line = line.and_then(|line| {
            let opened = open_line(line);
            opened.inspect_err(|error| log::warn!("interrupt line {line} cannot be opened: {error}")).ok()
        });
        let messages = if vectors > 0 { reserve(vectors) } else { Ok(Vec::new()) };
        let messages = messages.unwrap_or_else(|error| {
            log::info!("no vectors for messages: {error}");
            Vec::new()
        });
        Rc::new(Self { line, messages })
    }

    pub fn line(&self) -> io::Result<&Irq> {
        self.line.as_ref().ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "the card has no interrupt line"))
    }

    /// The message of each vector, and its interrupt.
    pub fn messages(&self) -> io::Result<&[(MsiAddrAndData, Irq)]> {
        if self.messages.is_empty() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "no vectors are reserved for messages"));
        }
        Ok(&self.messages)
    }
}

fn open_line(line: LegacyInterruptLine) -> io::Result<Irq> {
    let (path, create) = line.path().ok_or(io::ErrorKind::Unsupported)?;
    let create = if create { O_CREAT } else { 0 };
    Ok(Irq::new(Fd::open(&path, O_RDWR | O_CLOEXEC | create, 0)?))
}

/// Vectors of the processor that the system was started on.
fn reserve(vectors: u8) -> io::Result<Vec<(MsiAddrAndData, Irq)>> {
    let processor = read_bsp_apic_id()?;
    let reserve = |_| allocate_single_interrupt_vector_for_msi(processor);
    (0..vectors).map(reserve).map(|reserved| reserved.map(|(message, handle)| (message, Irq::new(handle)))).collect()
}
