//! Owns the bits of the receive DMA: rings, RTI entries and error causes.

use bitfield_struct::bitfield;

use super::RingMode;

/// Receive DMA blocks, and their mask at `RXDMA_INT_MASK`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RxdmaInt {
    /// Receive controller.
    pub rc_int: bool,
    /// Receive protocol assist.
    pub rpa_int: bool,
    /// Receive DMA arbiter.
    pub rda_int: bool,
    /// Receive traffic interrupts.
    pub rti_int: bool,
    #[bits(60)]
    __: u64,
}

/// Receive DMA arbiter errors, a bit per ring where there are eight.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RdaErr {
    /// Descriptor, single-bit ECC.
    pub rxdn_ecc_sg_err: u8,
    /// Descriptor, double-bit ECC.
    pub rxdn_ecc_db_err: u8,
    #[bits(7)]
    __: u64,
    /// Frame, single-bit ECC.
    pub frm_ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Frame, double-bit ECC.
    pub frm_ecc_db_n_aerr: bool,
    #[bits(6)]
    __: u64,
    /// State machine 1.
    pub sm1_err_alarm: bool,
    /// State machine 0.
    pub sm0_err_alarm: bool,
    #[bits(7)]
    __: u64,
    /// Other error.
    pub misc_err: bool,
    #[bits(7)]
    __: u64,
    /// Bus error.
    pub pcix_err: bool,
    #[bits(7)]
    __: u64,
    /// Descriptor ECC, serious.
    pub rxd_ecc_db_serr: bool,
}

/// Receive controller errors, a bit per ring where there are eight.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RcErr {
    /// Single-bit ECC.
    pub prcn_ecc_sg_err: u8,
    /// Double-bit ECC.
    pub prcn_ecc_db_err: u8,
    #[bits(7)]
    __: u64,
    /// Frame transfer, single-bit ECC.
    pub ftc_ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Frame transfer, double-bit ECC.
    pub ftc_ecc_db_err: bool,
    /// State machine of a PRC.
    pub prcn_sm_err_alarm: u8,
    #[bits(7)]
    __: u64,
    /// State machine of the frame transfer.
    pub ftc_sm_err_alarm: bool,
    /// Write to a ring failed.
    pub rda_fail_wr_rn: u8,
    #[bits(8)]
    __: u64,
}

/// Bus errors of the PRCs, a bit per ring.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PrcPcixErr {
    /// Abort on a descriptor read.
    pub ab_rd_rn: u8,
    /// Parity error on a descriptor read.
    pub dp_rd_rn: u8,
    /// Abort on a descriptor write.
    pub ab_wr_rn: u8,
    /// Parity error on a descriptor write.
    pub dp_wr_rn: u8,
    /// Abort on a frame write.
    pub ab_f_wr_rn: u8,
    /// Parity error on a frame write.
    pub dp_f_wr_rn: u8,
    #[bits(16)]
    __: u64,
}

/// Receive protocol assist errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RpaErr {
    #[bits(7)]
    __: u64,
    /// Single-bit ECC.
    pub ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Double-bit ECC.
    pub ecc_db_err: bool,
    #[bits(6)]
    __: u64,
    /// A flush was asked for.
    pub flush_request: bool,
    /// State machine.
    pub sm_err_alarm: bool,
    #[bits(7)]
    __: u64,
    /// Credits ran out.
    pub credit_err: bool,
    #[bits(32)]
    __: u64,
}

/// Receive traffic interrupt errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtiErr {
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

/// Priority of each ring, 0 highest.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RxQueuePriority {
    #[bits(5)]
    __: u64,
    /// Ring 0.
    #[bits(3)]
    pub queue_0_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 1.
    #[bits(3)]
    pub queue_1_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 2.
    #[bits(3)]
    pub queue_2_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 3.
    #[bits(3)]
    pub queue_3_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 4.
    #[bits(3)]
    pub queue_4_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 5.
    #[bits(3)]
    pub queue_5_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 6.
    #[bits(3)]
    pub queue_6_priority: u8,
    #[bits(5)]
    __: u64,
    /// Ring 7.
    #[bits(3)]
    pub queue_7_priority: u8,
}

/// Control of one ring.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PrcCtrl {
    #[bits(7)]
    __: u64,
    /// Takes descriptors; going from 0 to 1 starts at the ring's first block.
    pub rc_enabled: bool,
    #[bits(6)]
    __: u64,
    /// Shape of the descriptors.
    #[bits(2)]
    pub ring_mode: RingMode,
    #[bits(6)]
    __: u64,
    /// PCI-X no-snoop for descriptors.
    pub no_snoop_desc: bool,
    /// PCI-X no-snoop for buffers.
    pub no_snoop_buff: bool,
    #[bits(7)]
    __: u64,
    /// No hashing for this ring (Herc).
    pub rth_disable: bool,
    #[bits(5)]
    __: u64,
    /// Completions drive TTI `56 + ring` (Herc).
    pub bimodal_interrupt: bool,
    /// Fetches descriptors in groups (Herc).
    pub group_reads: bool,
    #[bits(1)]
    __: u64,
    /// Clocks before a host-owned descriptor is read again.
    #[bits(24)]
    pub rxd_backoff_interval: u32,
}

/// Timer and utilisation ranges of a receive traffic interrupt.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtiData1 {
    #[bits(3)]
    __: u64,
    /// Ticks.
    #[bits(29)]
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

/// Frames to complete before a receive traffic interrupt, by utilisation range.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtiData2 {
    /// Range A.
    pub a: u16,
    /// Range B.
    pub b: u16,
    /// Range C.
    pub c: u16,
    /// Range D.
    pub d: u16,
}

/// Receive protocol assist options.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RxPaCfg {
    #[bits(1)]
    __: u64,
    /// Passes frame errors.
    pub ignore_frm_err: bool,
    /// Passes unknown SNAP OUIs.
    pub ignore_snap_oui: bool,
    /// Passes unknown LLC control fields.
    pub ignore_llc_ctrl: bool,
    #[bits(2)]
    __: u64,
    /// Splits headers from payload.
    pub scatter_mode: bool,
    #[bits(8)]
    __: u64,
    /// Moves the VLAN tag from the frame to the descriptor; set at reset.
    pub strip_vlan_tag_mode: bool,
    #[bits(48)]
    __: u64,
}
