//! Owns the command word that all indirect tables share: TTI, RTI, CAM, DSCP, port and hash tables.

use bitfield_struct::bitfield;

/// Command of an indirect table: fill the data registers, write this, wait until `strobe` reads 0, then (for a read)
/// take the data registers.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct Command {
    #[bits(7)]
    __: u64,
    /// 1 writes the entry, 0 reads it.
    pub we: bool,
    #[bits(7)]
    __: u64,
    /// Start; clears itself.
    pub strobe: bool,
    #[bits(8)]
    __: u64,
    /// Entry. The tables that have fewer than 256 use its low bits only: RTI three, TTI, DSCP and Xena's CAM six.
    pub offset: u8,
    #[bits(32)]
    __: u64,
}

impl Command {
    /// Writes the data registers into entry `offset`.
    pub const fn write(offset: u8) -> Self {
        Self::new().with_we(true).with_strobe(true).with_offset(offset)
    }

    /// Reads entry `offset` into the data registers.
    pub const fn read(offset: u8) -> Self {
        Self::new().with_strobe(true).with_offset(offset)
    }
}
