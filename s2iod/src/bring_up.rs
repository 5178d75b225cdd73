//! Bringing up either chip: reset, configuration, start. One function per step, in the order the hardware wants.

mod bus;
mod configure;
mod moderation;
mod profile;
mod receive;
mod reset;
mod start;

use std::time::Duration;

use xframe::bits::{AdapterControl, AdapterStatus, PrcCtrl};
use xframe::constants::Asic;
use xframe::registers as reg;
use xframe::swapper::Interrupts;

use crate::csr::{Csr, GONE};
use crate::dma::Slab;
use crate::error::Error;
use crate::options::Options;
use crate::platform::Platform;

pub(crate) use bus::bus;
pub(crate) use profile::{Profile, read_id};
pub(crate) use start::start;

/// What bring-up finds out about the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The chip.
    pub asic: Asic,
    /// Its revision.
    pub revision: u8,
    /// The factory address.
    pub mac: [u8; 6],
}

/// Resets the card, whatever state it is in. When this has worked, the card touches no memory any more.
///
/// # Errors
///
/// What failed, by register and step. The card is left as it is then.
pub(crate) fn reset<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    profile: &Profile,
    interrupts: Interrupts,
) -> Result<(), Error> {
    if csr.read(reg::GENERAL_INT_STATUS) == GONE {
        // Its windows may be closed.
        profile.restore(platform)?;
    }
    reset::set_swapper(csr, interrupts)?;
    reset::reset_core(platform, csr, profile)?;
    reset::set_swapper(csr, interrupts)?;
    if profile.asic == Asic::Xena {
        reset::free_eeprom(platform, csr);
        reset::reset_core(platform, csr, profile)?;
        reset::set_swapper(csr, interrupts)?;
    }
    reset::clear_after_reset(platform, csr, profile.asic)
}

/// Configures a card that has been reset; it does not receive or send yet. Returns its address, which is `known` if that is
/// known from before.
///
/// # Errors
///
/// What failed, by register and step.
pub(crate) fn configure<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    profile: &Profile,
    options: &Options,
    statistics: &Slab,
    known: Option<[u8; 6]>,
) -> Result<[u8; 6], Error> {
    let asic = profile.asic;
    let mac = reset::factory_address(platform, csr, known)?;
    reset::release_blocks(platform, csr, asic)?;
    let mhz = configure::clock(csr, asic)?;
    configure::mac(csr, options);
    configure::xaui(platform, csr, asic);
    configure::transmit(csr, profile, options);
    receive::rings(csr, asic, options);
    receive::steering(platform, csr, options)?;
    configure::statistics(csr, asic, statistics);
    moderation::moderation(platform, csr, mhz, options)?;
    configure::pause(csr, options);
    configure::bus(csr, profile, mhz);
    configure::indicators(csr, profile);
    Ok(mac)
}

/// Pauses of a millisecond.
const fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Stops reception, transmission and every interrupt: what must hold before the memory of the rings may go.
pub(crate) fn stop<P: Platform>(csr: &Csr<P::Bar>) {
    for mask in [reg::GENERAL_INT_MASK, reg::RX_TRAFFIC_MASK, reg::TX_TRAFFIC_MASK, reg::PIC_INT_MASK] {
        csr.write(mask, u64::MAX);
    }
    csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_cntl_en(false));
    for control in reg::PRC_CTRL.iter() {
        csr.update(control, |control: PrcCtrl| control.with_rc_enabled(false));
    }
    csr.read(reg::GENERAL_INT_STATUS);
}

/// Waits a little until a card that was stopped has finished what it was about to write; whether it has.
pub(crate) fn rest<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>) -> bool {
    let budget = (20, milliseconds(5));
    let resting = |status| {
        let status = AdapterStatus::from(status);
        status.rc_prc_quiescent() == u8::MAX && status.rdma_ready() && status.tdma_ready()
    };
    csr.wait(platform, reg::ADAPTER_STATUS, "the card at rest", budget, resting).is_ok()
}
