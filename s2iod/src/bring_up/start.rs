//! Start: the rings are given to the card, its packet memory turned on, the laser lit.

use xframe::bits::BusMode;
use xframe::bits::{AdapterControl, AdapterStatus, McRldramMrs, PciMode, PrcCtrl, RingMode};
use xframe::constants::Asic;
use xframe::registers as reg;

use super::milliseconds;
use crate::csr::Csr;
use crate::error::Error;
use crate::platform::{Bar, Platform};
use crate::rings::Rings;

/// Clocks before the card looks again at an RxD that it found with the host.
const BACKOFF: u32 = 0x1000;

/// Lets the card receive into `rings`. The adapter itself is enabled when the link comes up.
///
/// # Errors
///
/// [`Error::Wait`] when the card does not come to rest.
pub(crate) fn start<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, asic: Asic, rings: &Rings) -> Result<(), Error> {
    let enabled = PrcCtrl::new()
        .with_rc_enabled(true)
        .with_ring_mode(RingMode::OneBuffer)
        .with_group_reads(asic == Asic::Herc)
        .with_rxd_backoff_interval(BACKOFF);
    let hashing = rings.iter().count() > 1;
    for (number, ring) in rings.iter().enumerate() {
        let (Some(first), Some(control)) = (reg::PRC_RXD0.at(number), reg::PRC_CTRL.at(number)) else { break };
        ring.rx.start(csr, first, control, enabled.with_rth_disable(hashing && number == 0).into());
    }
    let mrs = McRldramMrs::from(csr.read(reg::MC_RLDRAM_MRS));
    csr.write_upper_first(reg::MC_RLDRAM_MRS, mrs.with_queue_size_enable(true).with_mrs_enable(true));
    platform.sleep(milliseconds(100));
    // Active low: ECC on.
    csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_ecc_en(false));
    let second_pll = has_second_pll(csr, asic);
    csr.wait(platform, reg::ADAPTER_STATUS, "the card at rest", (10, milliseconds(50)), |status| {
        AdapterStatus::from(status).quiescent(second_pll)
    })?;
    csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_eoi_tx_on(true));
    Ok(())
}

/// Whether the second PLL ever locks: not on Xena, and not at 33 MHz.
fn has_second_pll<B: Bar>(csr: &Csr<B>, asic: Asic) -> bool {
    asic == Asic::Herc && PciMode::from(csr.read(reg::PCI_MODE)).info() != BusMode::Pci33
}
