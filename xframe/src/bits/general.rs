//! Owns the bits of the general block: top-level interrupt, reset, status and control words.

use bitfield_struct::bitfield;

use super::BusMode;

/// Top-level causes, and their mask at `GENERAL_INT_MASK`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct GeneralInt {
    /// PIC, transmit side: link changes, timers, management ports.
    pub txpic: bool,
    /// Transmit DMA error.
    pub txdma: bool,
    /// Transmit MAC error.
    pub txmac: bool,
    /// Transmit XGXS error.
    pub txxgxs: bool,
    #[bits(4)]
    __: u64,
    /// A TTI fired.
    pub txtraffic: bool,
    #[bits(23)]
    __: u64,
    /// PIC, receive side.
    pub rxpic: bool,
    /// Receive DMA error.
    pub rxdma: bool,
    /// Receive MAC error or link change.
    pub rxmac: bool,
    /// Memory controller error.
    pub mc: bool,
    /// Receive XGXS error.
    pub rxxgxs: bool,
    #[bits(3)]
    __: u64,
    /// An RTI fired.
    pub rxtraffic: bool,
    #[bits(23)]
    __: u64,
}

/// A byte per block; `SwReset::ACTIVE` resets or holds it.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct SwReset {
    /// The whole core; clears itself when done.
    pub xena: u8,
    /// Reload from flash; clears itself.
    pub flash: u8,
    /// Electro-optical interface, held until 0 is written.
    pub eoi: u8,
    /// XGXS, held until 0 is written.
    pub xgxs: u8,
    #[bits(32)]
    __: u64,
}

/// Readiness of every block, and the link.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct AdapterStatus {
    /// Transmit DMA.
    pub tdma_ready: bool,
    /// Receive DMA.
    pub rdma_ready: bool,
    /// Pointer FIFO controller.
    pub pfc_ready: bool,
    /// Nothing left to send.
    pub tmac_buf_empty: bool,
    #[bits(1)]
    __: u64,
    /// Host interface at rest.
    pub pic_quiescent: bool,
    /// The far end reports a fault: link down.
    pub rmac_remote_fault: bool,
    /// No signal: link down.
    pub rmac_local_fault: bool,
    /// One bit per PCC; 0 until the adapter was enabled once since reset.
    pub rmac_pcc_idle: u8,
    /// One bit per ring's PRC.
    pub rc_prc_quiescent: u8,
    /// RLDRAM.
    pub mc_dram_ready: bool,
    /// Receive queues in RLDRAM.
    pub mc_queues_ready: bool,
    /// Herc is still initialising after reset.
    pub ric_running: bool,
    #[bits(3)]
    __: u64,
    /// Core clock locked.
    pub m_pll_lock: bool,
    /// Bus clock locked; never on a Herc in a PCI-33 slot.
    pub p_pll_lock: bool,
    #[bits(32)]
    __: u64,
}

/// Enable, laser and LED.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct AdapterControl {
    #[bits(7)]
    __: u64,
    /// Moves frames; the hardware clears it when the link faults.
    pub cntl_en: bool,
    #[bits(7)]
    __: u64,
    /// Laser.
    pub eoi_tx_on: bool,
    #[bits(7)]
    __: u64,
    /// Link LED.
    pub led_on: bool,
    #[bits(12)]
    __: u64,
    /// Unused.
    #[bits(4)]
    pub udpi: u8,
    #[bits(8)]
    __: u64,
    /// Unused.
    pub wait_int: bool,
    #[bits(6)]
    __: u64,
    /// *Active low*: 0 turns ECC on.
    pub ecc_en: bool,
    #[bits(8)]
    __: u64,
}

/// Cause of a serious error: only a reset helps.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct SerrSource {
    /// Host interface.
    pub pic: bool,
    /// Transmit DMA.
    pub txdma: bool,
    /// Receive DMA.
    pub rxdma: bool,
    /// MAC.
    pub mac: bool,
    /// Memory controller.
    pub mc: bool,
    /// XGXS.
    pub xgxs: bool,
    #[bits(58)]
    __: u64,
}

/// The slot a Herc sits in.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PciMode {
    /// Bus type and clock.
    #[bits(4)]
    pub info: BusMode,
    #[bits(4)]
    __: u64,
    /// The slot is 32 bits wide.
    pub mode_32_bits: bool,
    /// The mode could not be told.
    pub mode_unknown_mode: bool,
    #[bits(54)]
    __: u64,
}
