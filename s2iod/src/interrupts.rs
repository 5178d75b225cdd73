//! How interrupts reach the host: chosen, connected, tried out, masked.

use std::time::Duration;

use xframe::bits::{GeneralInt, PicInt, ScheduledIntCtrl, TxpicInt};
use xframe::constants::{Asic, config};
use xframe::registers as reg;
use xframe::swapper::{self, SwapperCtrl};

use crate::csr::{Csr, GONE};
use crate::platform::{Bar, Interrupts, Platform, RECEIVE_VECTOR};

/// How long an interrupt that was asked for is waited for.
const PATIENCE: Duration = Duration::from_millis(100);
/// MSI Message Control: its enable bit, in the word of the capability. MSI-X does not work without.
const MSI_ENABLE: u32 = 1 << 16;
/// `XMSI_MASK_REG`: every vector but 0.
const RECEIVE_MASKED: u64 = !(1 << 63);
/// `XMSI_MASK_REG`: every vector but those that are used.
const RECEIVE_OPEN: u64 = RECEIVE_MASKED & !(1 << 63 >> RECEIVE_VECTOR);

impl Interrupts {
    /// The byte order of messages that goes with it.
    pub(crate) fn swapper(self) -> swapper::Interrupts {
        match self {
            Self::MsiX => swapper::Interrupts::MsiX,
            Self::Line | Self::Polling => swapper::Interrupts::Line,
        }
    }

    /// The causes that show in `GENERAL_INT_STATUS`.
    pub(crate) fn causes(self) -> GeneralInt {
        let both = GeneralInt::new().with_txpic(true).with_txtraffic(true).with_rxmac(true);
        both.with_rxtraffic(self != Self::MsiX)
    }
}

/// Connects the interrupts of a card that has been configured: as `wanted`, or else in the next best way. Each way is tried
/// out before it is relied on.
pub(crate) fn connect<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, asic: Asic, wanted: Interrupts) -> Interrupts {
    if wanted == Interrupts::MsiX && asic == Asic::Herc {
        match connect_messages(platform, csr) {
            Ok(()) if works(platform, csr, wanted) => return Interrupts::MsiX,
            Ok(()) => log::warn!("no MSI-X message has come: the interrupt line is used"),
            Err(error) => log::info!("no MSI-X ({error}): the interrupt line is used"),
        }
        disconnect_messages(platform, csr);
    }
    if wanted != Interrupts::Polling {
        match platform.connect(Interrupts::Line) {
            Ok(()) if works(platform, csr, Interrupts::Line) => return Interrupts::Line,
            Ok(()) => log::warn!("no interrupt has come: the card is polled"),
            Err(error) => log::warn!("no interrupt line ({error}): the card is polled"),
        }
    }
    Interrupts::Polling
}

/// Ring 0 gets a vector of its own; everything else is vector 0's.
fn connect_messages<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>) -> std::io::Result<()> {
    platform.connect(Interrupts::MsiX)?;
    let msi = platform.config_read(config::MSI)?;
    platform.config_write(config::MSI, msi | MSI_ENABLE)?;
    csr.update(reg::RX_MAT, |vectors: u64| vectors | u64::from(RECEIVE_VECTOR) << 56);
    csr.write(reg::XMSI_MASK_REG, RECEIVE_OPEN);
    Ok(())
}

/// Back to the line. What fails here has not been on.
fn disconnect_messages<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>) {
    csr.write(reg::RX_MAT, 0_u64);
    csr.update(reg::SWAPPER_CTRL, |paths: SwapperCtrl| paths.with_xmsi_se(true));
    if let Ok(msi) = platform.config_read(config::MSI) {
        let _ = platform.config_write(config::MSI, msi & !MSI_ENABLE);
    }
}

/// Has the card's timer interrupt once; whether that has come. A platform that cannot tell is believed.
fn works<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, way: Interrupts) -> bool {
    let cause = TxpicInt::new().with_sched_intr(true);
    if way == Interrupts::Line {
        csr.write(reg::TXPIC_INT_MASK, !u64::from(cause));
        csr.write(reg::PIC_INT_MASK, !u64::from(PicInt::new().with_tx(true)));
        csr.write(reg::GENERAL_INT_MASK, !u64::from(GeneralInt::new().with_txpic(true)));
    }
    let once = ScheduledIntCtrl::new().with_timer_en(true).with_one_shot(true).with_int2msi(RECEIVE_VECTOR);
    csr.write(reg::SCHEDULED_INT_CTRL, once);
    let came = platform.wait_for_interrupt(PATIENCE);
    let latched = TxpicInt::from(csr.read(reg::TXPIC_INT_REG)).sched_intr();
    csr.write(reg::SCHEDULED_INT_CTRL, 0_u64);
    for mask in [reg::GENERAL_INT_MASK, reg::PIC_INT_MASK, reg::TXPIC_INT_MASK] {
        csr.write(mask, u64::MAX);
    }
    csr.write(reg::TXPIC_INT_REG, cause);
    csr.read(reg::GENERAL_INT_STATUS);
    match came {
        Ok(came) => came && latched,
        Err(error) => {
            log::debug!("interrupts cannot be tried out: {error}");
            true
        }
    }
}

/// Keeps receive interrupts back; on MSI-X the card remembers that there was one.
pub(crate) fn mask_receive<B: Bar>(csr: &Csr<B>, way: Interrupts) {
    match way {
        Interrupts::MsiX => {
            csr.write(reg::XMSI_MASK_REG, RECEIVE_MASKED);
            csr.read(reg::XMSI_MASK_REG);
        }
        Interrupts::Line | Interrupts::Polling => {
            csr.write(reg::RX_TRAFFIC_MASK, u64::MAX);
            // Acknowledged before the ring is looked at: a frame that completes from here on raises the cause again.
            csr.write(reg::RX_TRAFFIC_INT, u64::MAX);
            csr.read(reg::RX_TRAFFIC_INT);
        }
    }
}

/// Lets receive interrupts come again; whether the card has answered.
pub(crate) fn unmask_receive<B: Bar>(csr: &Csr<B>, way: Interrupts) -> bool {
    let (register, open) = match way {
        Interrupts::MsiX => (reg::XMSI_MASK_REG, RECEIVE_OPEN),
        Interrupts::Line | Interrupts::Polling => (reg::RX_TRAFFIC_MASK, 0),
    };
    csr.write(register, open);
    csr.read(register) != GONE
}
