//! Owns the bits of the transmit DMA: FIFO partitions, TTI entries and error causes.

use bitfield_struct::bitfield;

/// Transmit DMA blocks, as in `TXDMA_INT_STATUS`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TxdmaInt {
    /// Pointer FIFO controller.
    pub pfc_int: bool,
    /// Transmit DMA arbiter.
    pub tda_int: bool,
    /// Packet DMA controllers.
    pub pcc_int: bool,
    /// Transmit traffic interrupts.
    pub tti_int: bool,
    /// Large send offload.
    pub lso_int: bool,
    /// Transmit protocol assist.
    pub tpa_int: bool,
    /// State machine.
    pub sm_int: bool,
    #[bits(57)]
    __: u64,
}

/// Pointer FIFO controller errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PfcErr {
    #[bits(7)]
    __: u64,
    /// Single-bit ECC.
    pub ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Double-bit ECC.
    pub ecc_db_err: bool,
    #[bits(7)]
    __: u64,
    /// State machine.
    pub sm_err_alarm: bool,
    #[bits(7)]
    __: u64,
    /// Doorbell written out of order.
    pub misc_0_err: bool,
    /// FIFO full or disabled.
    pub misc_1_err: bool,
    #[bits(6)]
    __: u64,
    /// Bus error.
    pub pcix_err: bool,
    #[bits(24)]
    __: u64,
}

/// Transmit DMA arbiter errors, a bit per FIFO where there are eight.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TdaErr {
    /// Single-bit ECC.
    pub fn_ecc_sg_err: u8,
    /// Double-bit ECC.
    pub fn_ecc_db_err: u8,
    #[bits(6)]
    __: u64,
    /// State machine 0.
    pub sm0_err_alarm: bool,
    /// State machine 1.
    pub sm1_err_alarm: bool,
    #[bits(15)]
    __: u64,
    /// Bus error.
    pub pcix_err: bool,
    #[bits(24)]
    __: u64,
}

/// Packet DMA controller errors, a bit per PCC where there are eight.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PccErr {
    /// Fragment buffer, single-bit ECC.
    pub fb_ecc_sg_err: u8,
    /// Transmit buffer, single-bit ECC.
    pub txb_ecc_sg_err: u8,
    /// Fragment buffer, double-bit ECC.
    pub fb_ecc_db_err: u8,
    /// Transmit buffer, double-bit ECC.
    pub txb_ecc_db_err: u8,
    /// State machine.
    pub sm_err_alarm: u8,
    /// Write error.
    pub wr_err_alarm: u8,
    /// Serious error.
    pub n_serr: u8,
    /// PCC 6, checksum over fragments overflow.
    pub pcc6_cof_ov_err: bool,
    /// PCC 7, checksum over fragments overflow.
    pub pcc7_cof_ov_err: bool,
    /// PCC 6, large send overflow.
    pub pcc6_lso_ov_err: bool,
    /// PCC 7, large send overflow.
    pub pcc7_lso_ov_err: bool,
    #[bits(4)]
    __: u64,
}

/// Transmit traffic interrupt errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TtiErr {
    #[bits(7)]
    __: u64,
    /// Single-bit ECC.
    pub ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Double-bit ECC.
    pub ecc_db_err: bool,
    #[bits(7)]
    __: u64,
    /// State machine.
    pub sm_err_alarm: bool,
    #[bits(40)]
    __: u64,
}

/// Large send errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct LsoErr {
    #[bits(12)]
    __: u64,
    /// PCC 6 sent too much.
    pub lso6_send_oflow: bool,
    /// PCC 7 sent too much.
    pub lso7_send_oflow: bool,
    /// PCC 6 gave up, as with an MSS of 0.
    pub lso6_abort: bool,
    /// PCC 7 gave up, as with an MSS of 0.
    pub lso7_abort: bool,
    #[bits(6)]
    __: u64,
    /// PCC 6 state machine.
    pub lso6_sm_err_alarm: bool,
    /// PCC 7 state machine.
    pub lso7_sm_err_alarm: bool,
    #[bits(40)]
    __: u64,
}

/// Transmit protocol assist errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TpaErr {
    #[bits(7)]
    __: u64,
    /// A frame that did not parse was dropped.
    pub tx_frm_drop: bool,
    #[bits(15)]
    __: u64,
    /// State machine.
    pub sm_err_alarm: bool,
    #[bits(40)]
    __: u64,
}

/// Transmit state machine error.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct SmErr {
    #[bits(15)]
    __: u64,
    /// State machine.
    pub sm_sm_err_alarm: bool,
    #[bits(48)]
    __: u64,
}

/// Two FIFOs: word `n` holds FIFOs `2n` and `2n + 1`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TxFifoPartition {
    /// Enables all FIFOs (word 0 only).
    pub en: bool,
    #[bits(4)]
    __: u64,
    /// Priority of the even FIFO, 0 highest.
    #[bits(3)]
    pub even_pri: u8,
    #[bits(11)]
    __: u64,
    /// TxDLs of the even FIFO, less one.
    #[bits(13)]
    pub even_len: u16,
    #[bits(5)]
    __: u64,
    /// Priority of the odd FIFO.
    #[bits(3)]
    pub odd_pri: u8,
    #[bits(11)]
    __: u64,
    /// TxDLs of the odd FIFO, less one.
    #[bits(13)]
    pub odd_len: u16,
}

/// Timer and utilisation ranges of a transmit traffic interrupt.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TtiData1 {
    #[bits(6)]
    __: u64,
    /// Ticks of 64 clocks.
    #[bits(26)]
    pub timer_val: u32,
    #[bits(6)]
    __: u64,
    /// Cancel the timer when an interrupt is sent anyway.
    pub timer_ac_en: bool,
    /// Interrupt at every expiry, traffic or not.
    pub timer_ci_en: bool,
    #[bits(1)]
    __: u64,
    /// Upper bound of range A, percent of the link.
    #[bits(7)]
    pub urng_a: u8,
    #[bits(1)]
    __: u64,
    /// Upper bound of range B.
    #[bits(7)]
    pub urng_b: u8,
    #[bits(1)]
    __: u64,
    /// Upper bound of range C; above it is D.
    #[bits(7)]
    pub urng_c: u8,
}

/// Lists to complete before a transmit traffic interrupt, by utilisation range.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TtiData2 {
    /// Range A.
    pub a: u16,
    /// Range B.
    pub b: u16,
    /// Range C.
    pub c: u16,
    /// Range D.
    pub d: u16,
}

/// Which frames the transmit protocol assist lets pass.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TxPaCfg {
    #[bits(1)]
    __: u64,
    /// Frame errors.
    pub ignore_frm_err: bool,
    /// Unknown SNAP OUIs.
    pub ignore_snap_oui: bool,
    /// Unknown LLC control fields.
    pub ignore_llc_ctrl: bool,
    #[bits(2)]
    __: u64,
    /// Other layer 2 errors.
    pub ignore_l2_err: bool,
    #[bits(57)]
    __: u64,
}
