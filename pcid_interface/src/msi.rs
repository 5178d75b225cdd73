//! Interrupts by message: what a function says of them, and what is written into its table.

use serde::{Deserialize, Serialize};

use crate::{Error, PciBar, Result};

/// A message: what is written where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MsiAddrAndData {
    /// Physical address.
    pub addr: u64,
    /// The four bytes that are written there.
    pub data: u32,
}

/// What a function says of its MSI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MsiInfo {
    /// Binary logarithm of the number of messages that it can send.
    pub log2_multiple_message_capable: u8,
    /// Whether it can write above 4 GiB.
    pub is_64bit: bool,
    /// Whether single messages can be kept back.
    pub has_per_vector_masking: bool,
}

/// What a function says of its MSI-X.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MsixInfo {
    /// The register of the memory that the table is in.
    pub table_bar: u8,
    /// Where in it the table begins.
    pub table_offset: u32,
    /// Entries of the table.
    pub table_size: u16,
    /// The register of the memory that the bits of pending messages are in.
    pub pba_bar: u8,
    /// Where in it they begin.
    pub pba_offset: u32,
}

/// Bytes of a table's entry: address in two halves, data, control.
pub const ENTRY_SIZE: usize = 16;

impl MsixInfo {
    /// Checks that table and pending bits lie in memory of the function.
    ///
    /// # Errors
    ///
    /// [`Error::MsixOutside`].
    pub fn validate(&self, bars: &[PciBar; 6]) -> Result<()> {
        let table = u64::from(self.table_size) * ENTRY_SIZE as u64;
        // A bit for each entry, in words of eight bytes.
        let pending = u64::from(self.table_size).div_ceil(64) * 8;
        lies_within(bars, "table", self.table_bar, self.table_offset, table)?;
        lies_within(bars, "array of pending bits", self.pba_bar, self.pba_offset, pending)
    }
}

fn lies_within(bars: &[PciBar; 6], what: &'static str, bar: u8, offset: u32, bytes: u64) -> Result<()> {
    let register = bars.get(usize::from(bar)).copied().unwrap_or(PciBar::None);
    let size = register.memory().map_or(0, |(_, size)| size);
    if u64::from(offset) + bytes <= size {
        return Ok(());
    }
    Err(Error::MsixOutside { what, bar, offset, bytes, found: register.to_string() })
}

/// Messages as x86 processors take them.
pub mod x86 {
    use super::MsiAddrAndData;

    /// The message that interrupts the processor of this local APIC with this vector, edge-triggered.
    #[must_use]
    pub const fn message(apic: u8, vector: u8) -> MsiAddrAndData {
        MsiAddrAndData { addr: 0xFEE0_0000 | (apic as u64) << 12, data: vector as u32 }
    }
}

#[cfg(target_os = "redox")]
pub use table::MappedMsixRegs;

#[cfg(target_os = "redox")]
mod table {
    //! The table itself, in memory of the function.

    use super::{ENTRY_SIZE, MsiAddrAndData, MsixInfo};
    use crate::{Channel, MappedBar, MemoryType, PciFunctionHandle, Result};

    /// Control word of an entry: its message is kept back.
    const MASKED: u32 = 1;

    /// A function's MSI-X table.
    #[derive(Debug)]
    pub struct MappedMsixRegs {
        bar: MappedBar,
        info: MsixInfo,
    }

    impl MsixInfo {
        /// Maps the table, with every message kept back.
        ///
        /// # Errors
        ///
        /// [`Error::MsixOutside`](crate::Error::MsixOutside), and those of [`PciFunctionHandle::map_bar`].
        pub fn map_and_mask_all(self, handle: &mut PciFunctionHandle<Channel>) -> Result<MappedMsixRegs> {
            self.validate(&handle.config().func.bars)?;
            let bar = handle.map_bar(self.table_bar, MemoryType::Uncacheable)?;
            let mut table = MappedMsixRegs { bar, info: self };
            for entry in 0..self.table_size {
                table.mask(entry);
            }
            Ok(table)
        }
    }

    impl MappedMsixRegs {
        /// What the function says of the table.
        #[must_use]
        pub fn info(&self) -> MsixInfo {
            self.info
        }

        /// Sets the message of an entry, which is to be masked; whether there is such an entry.
        pub fn write_addr_and_data(&mut self, entry: u16, message: MsiAddrAndData) -> bool {
            self.write(entry, 0, message.addr as u32)
                && self.write(entry, 1, (message.addr >> 32) as u32)
                && self.write(entry, 2, message.data)
        }

        /// Keeps the message of an entry back; whether there is such an entry.
        pub fn mask(&mut self, entry: u16) -> bool {
            self.write(entry, 3, MASKED)
        }

        /// Lets the message of an entry go; whether there is such an entry.
        pub fn unmask(&mut self, entry: u16) -> bool {
            self.write(entry, 3, 0)
        }

        fn write(&mut self, entry: u16, word: usize, value: u32) -> bool {
            let offset = self.info.table_offset as usize + usize::from(entry) * ENTRY_SIZE + word * 4;
            entry < self.info.table_size && self.bar.write32(offset, value)
        }
    }
}
