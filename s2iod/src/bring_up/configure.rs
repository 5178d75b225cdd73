//! Configuration of every block, between reset and start.

use xframe::bits::{
    GpioControl, MiscControl, PciMode, PicControl, PicControl2, RmacMaxPyldLen, RmacPauseCfg, StatByteCnt,
    TxFifoPartition, TxPaCfg, TxReqTimeout,
};
use xframe::constants::{Asic, calendar, pause_thresholds};
use xframe::registers as reg;

use super::milliseconds;
use super::profile::Profile;
use crate::csr::Csr;
use crate::dma::Slab;
use crate::error::Error;
use crate::options::Options;
use crate::platform::{Bar, Platform};

/// Share of an Rx queue's RLDRAM, in 256ths, above which pause frames are sent.
const PAUSE_SHARE: u8 = 187;
/// Xena's PCI clock, at most.
const XENA_MHZ: u32 = 133;
/// Herc's clock in the fastest slots.
const FASTEST_MHZ: u32 = 266;
/// `PCC_ENABLE`: four of the eight.
const FOUR_PCCS: u64 = 0x0F00_0000_0000_0000;
/// `TMAC_AVG_IPG` for copper.
const CX4_GAP: u64 = 0x1700_0000_0000_0000;
/// `MAC_DEBUG_CTRL`: activity lights the LED.
const ACTIVITY_TO_LED: u64 = 0x0411_0404_0000_0000;
/// Pause quanta that a generated pause frame asks for.
const PAUSE_TIME: u16 = 0x100;

/// Which frames the MAC takes, and how long they may be. The FCS stays on the card unless it hashes, padding does not: the
/// host needs it to give a frame on as it came.
pub(super) fn mac<B: Bar>(csr: &Csr<B>, options: &Options) {
    csr.update_mac_cfg(|mac| {
        mac.with_tmac_enable(true)
            .with_rmac_enable(true)
            .with_tmac_append_pad(true)
            .with_rmac_strip_fcs(options.fcs() == 0)
            .with_rmac_strip_pad(false)
            .with_discard_pfrm(true)
            .with_bcast_enable(true)
            .with_rmac_prom_enable(options.promiscuous)
    });
    // Reading one register of each clock domain wakes it.
    for register in [reg::MAC_INT_MASK, reg::MC_INT_MASK, reg::XGXS_INT_MASK] {
        csr.read(register);
    }
    // The hardware allows 18 bytes of framing beyond it, 22 with one tag; a second tag needs four more.
    csr.write(reg::RMAC_MAX_PYLD_LEN, RmacMaxPyldLen::new().with_rmac_max_pyld_len(options.mtu + 4));
}

/// The XAUI transceivers.
pub(super) fn xaui<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, asic: Asic) {
    for pair in asic.xaui().chunks(2) {
        for &cycle in pair {
            csr.write_upper_first(reg::DTX_CONTROL, cycle);
        }
        platform.sleep(milliseconds(1));
    }
}

/// One transmit FIFO. Calendars before sizes, sizes before the enable bit.
pub(super) fn transmit<B: Bar>(csr: &Csr<B>, profile: &Profile, options: &Options) {
    for partition in reg::TX_FIFO_PARTITION.iter() {
        csr.write(partition, 0_u64);
    }
    let fifo_0 = TxFifoPartition::new().with_even_len((options.tx_slots - 1) as u16);
    csr.write(reg::TX_FIFO_PARTITION.first(), fifo_0);
    csr.update(reg::TX_PA_CFG, |protocol: TxPaCfg| {
        protocol
            .with_ignore_frm_err(true)
            .with_ignore_snap_oui(true)
            .with_ignore_llc_ctrl(true)
            .with_ignore_l2_err(true)
    });
    for (round, slots) in reg::TX_W_ROUND_ROBIN.iter().zip(calendar(1)) {
        csr.write(round, slots);
    }
    if profile.asic == Asic::Xena && profile.revision < 4 {
        // Arbitration among eight PCCs fails there.
        csr.write(reg::PCC_ENABLE, FOUR_PCCS);
    }
    csr.write(reg::TX_FIFO_PARTITION.first(), fifo_0.with_en(true));
}

/// Where the statistics block goes, and how long it is.
pub(super) fn statistics<B: Bar>(csr: &Csr<B>, asic: Asic, block: &Slab) {
    csr.write(reg::STAT_ADDR, block.bus(0));
    if asic == Asic::Herc {
        // It starts with the short block of Xena.
        csr.write(reg::STAT_BYTE_CNT, StatByteCnt::new().with_stat_bc(asic.statistics_size() as u16));
    }
}

/// Pause frames: sent when a queue fills up, obeyed when received, each as the options say.
pub(super) fn pause<B: Bar>(csr: &Csr<B>, options: &Options) {
    csr.write(reg::MC_PAUSE_THRESH_Q0Q3, pause_thresholds(PAUSE_SHARE));
    csr.write(reg::MC_PAUSE_THRESH_Q4Q7, pause_thresholds(PAUSE_SHARE));
    csr.update(reg::RMAC_PAUSE_CFG, |pause: RmacPauseCfg| {
        pause.with_gen_enable(options.pause.sends()).with_rx_enable(options.pause.obeys()).with_hg_ptime(PAUSE_TIME)
    });
    csr.update(reg::PIC_CONTROL, |control: PicControl| control.with_shared_splits(0));
}

/// The clock of the card's timers, in MHz. Xena has no register that tells.
pub(super) fn clock<B: Bar>(csr: &Csr<B>, asic: Asic) -> Result<u32, Error> {
    if asic == Asic::Xena {
        return Ok(XENA_MHZ);
    }
    let found = csr.read(reg::PCI_MODE);
    let mode = PciMode::from(found);
    mode.info().core_mhz().filter(|_| !mode.mode_unknown_mode()).ok_or(Error::BusMode { found })
}

/// What depends on the slot, how the card writes descriptors back, and how long a link must be stable (Herc).
pub(super) fn bus<B: Bar>(csr: &Csr<B>, profile: &Profile, mhz: u32) {
    if profile.is_cx4() {
        csr.write(reg::TMAC_AVG_IPG, CX4_GAP);
    }
    if profile.asic == Asic::Xena {
        return;
    }
    if mhz == FASTEST_MHZ {
        csr.write(reg::TXREQTIMEOUT, TxReqTimeout::new().with_val(0x7F).with_en(true));
        csr.write(reg::READ_RETRY_DELAY, 0_u64);
        csr.write(reg::WRITE_RETRY_DELAY, 0_u64);
    }
    csr.write(
        reg::MISC_CONTROL,
        MiscControl::new().with_fault_behaviour(true).with_ext_req_en(true).with_link_stability_prd(3),
    );
    csr.update(reg::PIC_CONTROL2, |control: PicControl2| control.with_txd_write_bc(0));
}

/// Later Xena boards want their link and activity indicators programmed.
pub(super) fn indicators<B: Bar>(csr: &Csr<B>, profile: &Profile) {
    if profile.asic == Asic::Xena && profile.subsystem & 0xFF >= 7 {
        csr.update(reg::GPIO_CONTROL, |gpio: GpioControl| gpio.with_gpio_0_enable(true));
        csr.write(reg::MAC_DEBUG_CTRL, ACTIVITY_TO_LED);
    }
}
