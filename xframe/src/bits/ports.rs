//! Owns the bits of the management ports: MSI-X table, optics, EEPROMs and GPIO.

use bitfield_struct::bitfield;

/// Command of the MSI-X table port (`XMSI_ADDRESS`, `XMSI_DATA`).
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct XmsiAccess {
    #[bits(7)]
    __: u64,
    /// 1 writes the table, 0 reads it.
    pub wr_rdn: bool,
    #[bits(7)]
    __: u64,
    /// Start; clears itself.
    pub strobe: bool,
    #[bits(10)]
    __: u64,
    /// Vector.
    #[bits(6)]
    pub no: u8,
    #[bits(32)]
    __: u64,
}

/// Clause-45 management cycle to the optics; `DTX_CONTROL` is the same to the XGXS.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct MdioControl {
    /// Register index.
    pub mmd_indx_addr: u16,
    #[bits(3)]
    __: u64,
    /// Device.
    #[bits(5)]
    pub mmd_dev_addr: u8,
    #[bits(3)]
    __: u64,
    /// Port.
    #[bits(5)]
    pub mms_prt_addr: u8,
    /// Data.
    pub mdio_data: u16,
    #[bits(8)]
    __: u64,
    /// `MdioControl::START` starts the cycle.
    #[bits(4)]
    pub ctrl_start_trans: u8,
    /// 0 address, 1 write, 2 read and increment, 3 read.
    #[bits(2)]
    pub op: u8,
    #[bits(2)]
    __: u64,
}

/// EEPROM access over I2C.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct I2cControl {
    #[bits(1)]
    __: u64,
    /// 5 names the EEPROM.
    #[bits(3)]
    pub dev_id: u8,
    #[bits(1)]
    __: u64,
    /// Byte address.
    #[bits(11)]
    pub addr: u16,
    #[bits(6)]
    __: u64,
    /// Bytes to move, less one.
    #[bits(2)]
    pub byte_cnt: u8,
    /// 1 reads, 0 writes.
    pub read: bool,
    /// Result: refused.
    pub nack: bool,
    #[bits(2)]
    __: u64,
    /// `I2cControl::START` starts; its lowest bit reads 1 when done.
    #[bits(4)]
    pub cntl_start: u8,
    /// Data, the first byte most significant.
    pub set_data: u32,
}

/// EEPROM access over SPI (Herc).
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct SpiControl {
    /// `SpiControl::KEY`, else the access is ignored.
    #[bits(4)]
    pub key: u8,
    /// Selects the EEPROM.
    pub sel1: bool,
    /// Result: refused.
    pub nack: bool,
    /// Result: finished.
    pub done: bool,
    /// Start.
    pub req: bool,
    #[bits(21)]
    __: u64,
    /// Bytes to move; 0 means 8.
    #[bits(3)]
    pub bytecnt: u8,
    /// SPI opcode: 2 write, 3 read.
    pub cmd: u8,
    /// Byte address.
    #[bits(24)]
    pub addr: u32,
}

/// GPIO pins of Xena; the beacon LED of Herc.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct GpioControl {
    #[bits(8)]
    __: u64,
    /// Level of pin 0.
    pub gpio_0: bool,
    #[bits(7)]
    __: u64,
    /// Output driver of pin 0.
    pub gpio_0_enable: bool,
    #[bits(47)]
    __: u64,
}
