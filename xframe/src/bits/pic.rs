//! Owns the bits of the host interface (PIC): causes, timers and statistics DMA.

use bitfield_struct::bitfield;

/// Causes within the PIC, and their mask at `PIC_INT_MASK`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PicInt {
    /// Transmit side and scheduled timer.
    pub tx: bool,
    /// Flash.
    pub flsh: bool,
    /// Management data port.
    pub mdio: bool,
    /// EEPROM bus.
    pub iic: bool,
    /// Link and parity.
    pub gpio: bool,
    #[bits(27)]
    __: u64,
    /// Receive side (SPDM).
    pub rx: bool,
    #[bits(31)]
    __: u64,
}

/// Transmit-side PIC causes.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TxpicInt {
    /// Single-bit ECC error.
    pub ecc_sg_err: bool,
    /// Double-bit ECC error.
    pub ecc_db_err: bool,
    #[bits(6)]
    __: u64,
    /// Flash read state machine.
    pub flashr_r_fsm_err: bool,
    /// Flash write state machine.
    pub flashr_w_fsm_err: bool,
    /// Initiator transmit state machine.
    pub ini_tx_fsm_serr: bool,
    /// Initiator transmit-out state machine.
    pub ini_txo_fsm_err: bool,
    #[bits(1)]
    __: u64,
    /// Target retry state machine.
    pub trt_fsm_serr: bool,
    /// Split retry state machine.
    pub srt_fsm_serr: bool,
    /// Host read state machine.
    pub pifr_fsm_serr: bool,
    #[bits(5)]
    __: u64,
    /// Write control send state machine.
    pub wrc_tx_send_fsm_serr: bool,
    #[bits(1)]
    __: u64,
    /// Read control request state machine.
    pub rrc_tx_req_fsm_serr: bool,
    #[bits(18)]
    __: u64,
    /// The scheduled timer expired.
    pub sched_intr: bool,
    #[bits(5)]
    __: u64,
    /// Initiator receive state machine.
    pub ini_rx_fsm_serr: bool,
    #[bits(1)]
    __: u64,
    /// Read arbiter receive state machine.
    pub ra_rx_fsm_serr: bool,
    #[bits(11)]
    __: u64,
    /// An error of the PCI status word reflected here.
    pub pci_status: bool,
    #[bits(1)]
    __: u64,
}

/// Receive-side PIC causes.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RxpicInt {
    /// A write to the socket-pair table is done.
    pub ready: bool,
    #[bits(43)]
    __: u64,
    /// A socket-pair entry was overwritten.
    pub overwrite_err: bool,
    #[bits(10)]
    __: u64,
    /// Parity error in the socket-pair table.
    pub perr: bool,
    #[bits(8)]
    __: u64,
}

/// Flash causes; the causes themselves are at `FLSH_INT_REG`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct FlshInt {
    #[bits(62)]
    __: u64,
    /// Access error.
    pub err: bool,
    /// Cycle state machine.
    pub cycle_fsm_err: bool,
}

/// Management port causes; the causes themselves are at `MDIO_INT_REG`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct MdioInt {
    /// Bus error towards the optics.
    pub mdio_bus_err: bool,
    #[bits(7)]
    __: u64,
    /// Bus error towards the XGXS.
    pub dtx_bus_err: bool,
    #[bits(30)]
    __: u64,
    /// Link alarm of the optical module.
    pub lasi: bool,
    #[bits(24)]
    __: u64,
}

/// EEPROM bus causes; the causes themselves are at `IIC_INT_REG`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct IicInt {
    #[bits(4)]
    __: u64,
    /// Bus state machine.
    pub bus_fsm_err: bool,
    /// Bit state machine.
    pub bit_fsm_err: bool,
    /// Cycle state machine.
    pub cycle_fsm_err: bool,
    /// Request state machine.
    pub req_fsm_err: bool,
    /// No acknowledge.
    pub ack_err: bool,
    #[bits(55)]
    __: u64,
}

/// Parity and link causes, and their mask at `GPIO_INT_MASK`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct GpioInt {
    /// PCI data parity error: only a reset helps.
    pub dp_err_int: bool,
    /// The debounced link is down (Herc).
    pub link_down: bool,
    /// The debounced link is up (Herc).
    pub link_up: bool,
    #[bits(61)]
    __: u64,
}

/// Host interface options.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PicControl {
    /// Where receive alarms are reported.
    pub rx_alarm_map_1: bool,
    /// One-shot traffic interrupts.
    pub one_shot_tint: bool,
    #[bits(9)]
    __: u64,
    /// Limit of split transactions that transmit may use.
    #[bits(5)]
    pub shared_splits: u8,
    #[bits(48)]
    __: u64,
}

/// The scheduled interrupt timer.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct ScheduledIntCtrl {
    /// Runs.
    pub timer_en: bool,
    /// Stops after one expiry.
    pub one_shot: bool,
    #[bits(8)]
    __: u64,
    /// MSI(-X) message sent at expiry.
    #[bits(6)]
    pub int2msi: u8,
    #[bits(16)]
    __: u64,
    /// PCI clocks between expiries.
    pub period: u32,
}

/// How long a transmit request may wait for the bus.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TxReqTimeout {
    /// Clocks.
    pub val: u32,
    #[bits(31)]
    __: u64,
    /// Enable.
    pub en: bool,
}

/// Length of the statistics DMA.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct StatByteCnt {
    #[bits(4)]
    __: u64,
    /// Bytes.
    #[bits(12)]
    pub stat_bc: u16,
    #[bits(48)]
    __: u64,
}

/// Statistics DMA control.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct StatCfg {
    /// Start; clears itself after a one-shot transfer.
    pub stat_en: bool,
    /// One transfer only.
    pub one_shot_en: bool,
    #[bits(6)]
    __: u64,
    /// PCI-X no-snoop attribute.
    pub stat_ns_en: bool,
    /// PCI-X relaxed-ordering attribute.
    pub stat_ro: bool,
    #[bits(22)]
    __: u64,
    /// Period in units of 1,000 PCI clocks.
    pub set_updt_period: u32,
}

/// Link fault behaviour.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct MiscControl {
    /// How a link fault is handled.
    pub fault_behaviour: bool,
    /// Keeps REQ# asserted through a write.
    pub ext_req_en: bool,
    #[bits(27)]
    __: u64,
    /// How long the link must be stable before it is reported: 0 at once, 7 two seconds.
    #[bits(3)]
    pub link_stability_prd: u8,
    #[bits(32)]
    __: u64,
}

/// Descriptor write-back size.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct PicControl2 {
    #[bits(13)]
    __: u64,
    /// Bytes of the TxD written back.
    #[bits(3)]
    pub txd_write_bc: u8,
    #[bits(48)]
    __: u64,
}
