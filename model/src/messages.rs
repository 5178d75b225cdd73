//! Owns MSI-X: the vector table, which messages wait behind a mask, and which are to be sent.

use xframe::bits::{TxpicInt, XmsiAccess};
use xframe::constants::VECTORS;
use xframe::registers::{
    RX_MAT, RX_TRAFFIC_INT, TX_MAT, TX_TRAFFIC_INT, TXPIC_INT_REG, XMSI_ACCESS, XMSI_ADDRESS, XMSI_DATA, XMSI_MASK_REG,
};

use crate::card::Width;
use crate::chip::Chip;
use crate::interrupts;

/// An interrupt message on its way to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number in the vector table.
    pub vector: u8,
    /// Where the table says to write it.
    pub address: u64,
    /// What the table says to write.
    pub data: u32,
}

/// Byte offset of the pending bits in window 4.
const PENDING: u64 = 0x400;
const MASKED: u32 = 1;

/// Table entry: address low, address high, data, control.
type Entry = [u32; 4];
const POWER_ON: Entry = [0, 0, 0, MASKED];

pub(crate) struct Vectors {
    table: [Entry; VECTORS],
    /// Bit `n` (from the least significant): vector `n` fired behind a mask.
    pending: u64,
    /// Bit `n`: vector `n` is to be sent.
    outbox: u64,
    /// Whether the condition of vector 0 held when last looked at.
    raised: bool,
}

impl Vectors {
    pub const fn new() -> Self {
        Self { table: [POWER_ON; VECTORS], pending: 0, outbox: 0, raised: false }
    }

    pub fn take(&mut self) -> Option<Message> {
        if self.outbox == 0 {
            return None;
        }
        let vector = self.outbox.trailing_zeros();
        self.outbox &= self.outbox - 1;
        let [low, high, data, _] = self.table.get(vector as usize).copied().unwrap_or(POWER_ON);
        Some(Message { vector: vector as u8, address: u64::from(high) << 32 | u64::from(low), data })
    }

    fn masked(&self) -> u64 {
        let bit = |(vector, entry): (usize, &Entry)| u64::from(entry[3] & MASKED) << vector;
        self.table.iter().enumerate().map(bit).fold(0, |mask, bit| mask | bit)
    }
}

impl Chip {
    /// The next message that is really sent: one may be lost, or sent twice, if that was asked for.
    pub fn take_message(&mut self) -> Option<Message> {
        let mut message = self.vectors.take()?;
        while self.faults.lose_messages > 0 {
            self.faults.lose_messages -= 1;
            message = self.vectors.take()?;
        }
        if self.faults.repeat_messages > 0 {
            self.faults.repeat_messages -= 1;
            self.vectors.outbox |= 1 << message.vector;
        }
        Some(message)
    }

    pub fn vectors_read(&self, offset: u64, width: Width) -> u64 {
        let quad = |at: u64| -> u64 {
            if at == PENDING {
                return self.vectors.pending;
            }
            let entry = self.vectors.table.get((at / 16) as usize).copied().unwrap_or([0; 4]);
            let [a, b, c, d] = entry.map(u64::from);
            if at & 8 == 0 { b << 32 | a } else { d << 32 | c }
        };
        quad(offset & !7) >> (8 * (offset & 7)) & width.ones()
    }

    /// Writes whole 32-bit words, as the table wants to be written.
    pub fn vectors_write(&mut self, offset: u64, width: Width, value: u64) {
        let words = [value as u32, (value >> 32) as u32];
        for (index, word) in words.into_iter().take(width.bytes() / 4).enumerate() {
            let at = (offset / 4) as usize + index;
            let entry = self.vectors.table.get_mut(at / 4);
            if let Some(slot) = entry.and_then(|entry| entry.get_mut(at % 4)) {
                *slot = word;
            }
        }
        self.release_messages();
    }

    /// The table's second entrance, through registers.
    pub fn xmsi_command(&mut self, command: XmsiAccess) {
        let Some([low, high, data, _]) = self.vectors.table.get_mut(usize::from(command.no())) else { return };
        if command.wr_rdn() {
            let address = self.store.get(XMSI_ADDRESS);
            (*low, *high) = (address as u32, (address >> 32) as u32);
            *data = self.store.get(XMSI_DATA) as u32;
        } else {
            let (address, data) = (u64::from(*high) << 32 | u64::from(*low), u64::from(*data));
            self.store.set(XMSI_ADDRESS, address);
            self.store.set(XMSI_DATA, data);
        }
        self.store.set(XMSI_ACCESS, command.with_strobe(false).into());
    }

    /// Vectors that may not be sent now.
    fn blocked(&self) -> u64 {
        let table = if self.config.external_vectors { 0 } else { self.vectors.masked() };
        table | self.store.get(XMSI_MASK_REG).reverse_bits()
    }

    /// Whether the device's own mask or the table's holds `vector` back.
    pub fn vector_blocked(&self, vector: u8) -> bool {
        self.blocked() >> vector.min(63) & 1 != 0
    }

    fn send(&mut self, vector: u8) {
        if usize::from(vector) >= VECTORS || !self.pci.messages() {
            return;
        }
        let bit = 1 << vector;
        if self.blocked() & bit != 0 {
            self.vectors.pending |= bit;
        } else {
            self.vectors.outbox |= bit;
        }
    }

    /// Sends what no mask holds back any more. Vector 0 goes only if its cause still lasts.
    pub fn release_messages(&mut self) {
        if self.vectors.pending == 0 {
            return;
        }
        let mut free = self.vectors.pending & !self.blocked();
        self.vectors.pending &= !free;
        if !interrupts::pending(&self.store) {
            free &= !1;
        }
        self.vectors.outbox |= free;
    }

    /// Sends vector 0 whenever an unmasked cause appears, or is unmasked.
    pub fn refresh_messages(&mut self) {
        if !self.pci.messages() {
            self.vectors.raised = false;
            return;
        }
        let raised = interrupts::pending(&self.store);
        if raised && !self.vectors.raised {
            self.send(0);
        }
        self.vectors.raised = raised;
    }

    /// A receive entry fired: its ring's vector goes out whether or not the cause was latched before or is masked.
    pub fn fire_rti(&mut self, ring: usize) {
        self.store.latch(RX_TRAFFIC_INT, 1 << 63 >> ring);
        let vector = self.store.get(RX_MAT).to_be_bytes().get(ring).copied().unwrap_or(0);
        if vector != 0 {
            self.send(vector);
        }
    }

    /// A transmit entry fired. Unless it has a vector of its own it shows up as a cause of vector 0.
    pub fn fire_tti(&mut self, entry: usize) {
        self.store.latch(TX_TRAFFIC_INT, 1 << 63 >> entry);
        let word = TX_MAT.at(entry / 8).map_or(0, |at| self.store.get(at));
        let vector = word.to_be_bytes().get(entry % 8).copied().unwrap_or(0);
        if vector != 0 {
            self.send(vector);
        }
    }

    /// The scheduled timer expired. Its message knows no masks of causes.
    pub fn fire_scheduled(&mut self, vector: u8) {
        self.store.latch(TXPIC_INT_REG, TxpicInt::new().with_sched_intr(true).into());
        self.send(vector);
    }
}
