//! Owns the bits of the memory controller and XGXS: receive queues, RLDRAM and error causes.

use bitfield_struct::bitfield;

/// Memory controller, and its mask at `MC_INT_MASK`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct McInt {
    /// An unmasked error.
    pub mc_int: bool,
    #[bits(63)]
    __: u64,
}

/// Memory controller errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct McErr {
    #[bits(2)]
    __: u64,
    /// Ingress queue, low half, single-bit ECC (Herc).
    pub itq_ecc_sg_err_l: bool,
    /// Ingress queue, high half, single-bit ECC (Herc).
    pub itq_ecc_sg_err_u: bool,
    /// RLDRAM, low half, single-bit ECC (Herc).
    pub rld_ecc_sg_err_l: bool,
    /// RLDRAM, high half, single-bit ECC (Herc).
    pub rld_ecc_sg_err_u: bool,
    /// Egress queue, low half, single-bit ECC.
    pub etq_ecc_sg_err_l: bool,
    /// Egress queue, high half, single-bit ECC.
    pub etq_ecc_sg_err_u: bool,
    #[bits(2)]
    __: u64,
    /// Ingress queue, low half, double-bit ECC (Herc).
    pub itq_ecc_db_err_l: bool,
    /// Ingress queue, high half, double-bit ECC (Herc).
    pub itq_ecc_db_err_u: bool,
    /// RLDRAM, low half, double-bit ECC (Herc).
    pub rld_ecc_db_err_l: bool,
    /// RLDRAM, high half, double-bit ECC (Herc).
    pub rld_ecc_db_err_u: bool,
    /// Egress queue, low half, double-bit ECC.
    pub etq_ecc_db_err_l: bool,
    /// Egress queue, high half, double-bit ECC.
    pub etq_ecc_db_err_u: bool,
    #[bits(1)]
    __: u64,
    /// Interface 0, single-bit ECC.
    pub miri_ecc_sg_err_0: bool,
    /// Interface 0, double-bit ECC.
    pub miri_ecc_db_err_0: bool,
    /// Interface 1, single-bit ECC.
    pub miri_ecc_sg_err_1: bool,
    /// Interface 1, double-bit ECC.
    pub miri_ecc_db_err_1: bool,
    #[bits(1)]
    __: u64,
    /// Interface 0, critical.
    pub miri_cri_err_0: bool,
    /// Interface 1, critical.
    pub miri_cri_err_1: bool,
    #[bits(7)]
    __: u64,
    /// State machine.
    pub sm_err: bool,
    #[bits(7)]
    __: u64,
    /// PLL lost its lock.
    pub pl_lock_n: bool,
    #[bits(24)]
    __: u64,
}

/// MiB of RLDRAM per ring.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RxQueueCfg {
    /// Ring 0.
    pub q0_sz: u8,
    /// Ring 1.
    pub q1_sz: u8,
    /// Ring 2.
    pub q2_sz: u8,
    /// Ring 3.
    pub q3_sz: u8,
    /// Ring 4.
    pub q4_sz: u8,
    /// Ring 5.
    pub q5_sz: u8,
    /// Ring 6.
    pub q6_sz: u8,
    /// Ring 7.
    pub q7_sz: u8,
}

/// RLDRAM mode register; its upper half must be written first.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct McRldramMrs {
    #[bits(39)]
    __: u64,
    /// Applies `RX_QUEUE_CFG`.
    pub queue_size_enable: bool,
    #[bits(7)]
    __: u64,
    /// Starts the RLDRAM.
    pub mrs_enable: bool,
    /// Mode register value.
    pub mode: u16,
}

/// RLDRAM self-test; its lower half must be written first.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct McRldramTestCtrl {
    #[bits(7)]
    __: u64,
    /// Write pass rather than read pass.
    pub write: bool,
    #[bits(7)]
    __: u64,
    /// Start.
    pub go: bool,
    #[bits(7)]
    __: u64,
    /// Finished.
    pub done: bool,
    #[bits(7)]
    __: u64,
    /// Passed.
    pub pass: bool,
    #[bits(15)]
    __: u64,
    /// Test mode.
    pub mode: bool,
    #[bits(16)]
    __: u64,
}

/// XGXS sides, and their mask at `XGXS_INT_MASK`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct XgxsInt {
    /// Transmit.
    pub txgxs: bool,
    /// Receive.
    pub rxgxs: bool,
    #[bits(62)]
    __: u64,
}

/// Transmit XGXS errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TxgxsErr {
    #[bits(7)]
    __: u64,
    /// Single-bit ECC.
    pub ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Double-bit ECC.
    pub ecc_db_err: bool,
    #[bits(15)]
    __: u64,
    /// Elastic store underflow.
    pub estore_uflow: bool,
    #[bits(7)]
    __: u64,
    /// State machine.
    pub tx_sm_err: bool,
    #[bits(24)]
    __: u64,
}

/// Receive XGXS errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RxgxsErr {
    #[bits(7)]
    __: u64,
    /// Elastic store overflow.
    pub estore_oflow: bool,
    #[bits(31)]
    __: u64,
    /// State machine.
    pub rx_sm_err: bool,
    #[bits(24)]
    __: u64,
}
