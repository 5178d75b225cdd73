//! Bringing up Xframe II (Herc): reset, configuration, start. One function per step, in the order the hardware wants.

mod configure;
mod reset;
mod start;

use std::time::Duration;

use xframe::constants::Asic;
use xframe::registers as reg;

use crate::csr::Csr;
use crate::dma::Slab;
use crate::error::Error;
use crate::options::Options;
use crate::platform::Platform;

pub(crate) use start::start;

/// What bring-up finds out about the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The chip.
    pub asic: Asic,
    /// The factory address.
    pub mac: [u8; 6],
}

/// Resets the card and configures it; it does not receive or send yet.
///
/// # Errors
///
/// What failed, by register and step. The card is left as it is then.
pub(crate) fn configure<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    options: &Options,
    statistics: &Slab,
) -> Result<Identity, Error> {
    let asic = reset::identify(platform)?;
    reset::set_swapper(csr)?;
    reset::reset(platform, csr)?;
    reset::set_swapper(csr)?;
    reset::clear_after_reset(platform, csr)?;
    let mac = reset::factory_address(platform, csr)?;
    reset::release_blocks(platform, csr)?;
    configure::mac(csr, options);
    configure::xaui(platform, csr, asic);
    configure::transmit(csr, options);
    configure::receive(csr, asic, options);
    configure::steering(platform, csr)?;
    configure::statistics(csr, asic, statistics);
    configure::moderation(platform, csr)?;
    configure::pause(csr);
    configure::bus(csr)?;
    Ok(Identity { asic, mac })
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
    csr.update(reg::ADAPTER_CONTROL, |control: xframe::bits::AdapterControl| control.with_cntl_en(false));
    csr.update(reg::PRC_CTRL.first(), |control: xframe::bits::PrcCtrl| control.with_rc_enabled(false));
    csr.read(reg::GENERAL_INT_STATUS);
}
