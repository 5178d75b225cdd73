//! How interrupts reach the host: chosen, connected, tried out, masked.

use std::time::Duration;

use xframe::bits::{GeneralInt, PicInt, ScheduledIntCtrl, TxpicInt};
use xframe::constants::{Asic, config};
use xframe::registers as reg;
use xframe::swapper::{self, SwapperCtrl};

use crate::csr::{Csr, GONE};
use crate::platform::{Bar, FIRST_RING_VECTOR, Interrupts, Platform};

/// How long an interrupt that was asked for is waited for.
const PATIENCE: Duration = Duration::from_millis(100);
/// MSI Message Control: its enable bit, in the word of the capability. MSI-X does not work without.
const MSI_ENABLE: u32 = 1 << 16;
/// `XMSI_MASK_REG`: every vector but 0, which is never held back.
const ALL_BUT_FIRST: u64 = !(1 << 63);

/// Which rings' interrupts are held back: a bit for each ring, ring 0 most significant, as the registers have them.
#[derive(Clone, Copy)]
pub(crate) struct RingMasks {
    /// Rings that there are.
    rings: u8,
    masked: u8,
}

impl RingMasks {
    /// Masks of so many rings, none of them held back.
    pub fn new(rings: u8) -> Self {
        Self { rings: !u8::MAX.checked_shr(rings.into()).unwrap_or(0), masked: 0 }
    }

    pub fn any(self) -> bool {
        self.masked != 0
    }

    pub fn mask(&mut self, ring: u8) {
        self.masked |= self.rings & 0x80_u8.checked_shr(ring.into()).unwrap_or(0);
    }

    pub fn mask_all(&mut self) {
        self.masked = self.rings;
    }

    pub fn unmask(&mut self) {
        self.masked = 0;
    }

    /// `XMSI_MASK_REG`: what is held back, and the vectors that nobody uses.
    fn vectors(self) -> u64 {
        let bits = |rings: u8| (u64::from(rings) << 56) >> FIRST_RING_VECTOR;
        ALL_BUT_FIRST & !bits(self.rings) | bits(self.masked)
    }

    /// `RX_MAT`: the vector of each ring, 0 for those that are not there.
    fn map(self) -> u64 {
        let vector = |ring: u8| if self.rings & 0x80 >> ring == 0 { 0 } else { FIRST_RING_VECTOR + ring };
        u64::from_be_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(vector))
    }
}

impl Interrupts {
    /// Its name among the options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MsiX => "msix",
            Self::Line => "intx",
            Self::Polling => "polling",
        }
    }

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
pub(crate) fn connect<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    asic: Asic,
    wanted: Interrupts,
    rings: RingMasks,
) -> Interrupts {
    if wanted == Interrupts::MsiX && asic == Asic::Herc {
        match connect_messages(platform, csr, rings) {
            Ok(()) if all_work(platform, csr, rings) => return Interrupts::MsiX,
            Ok(()) => log::warn!("no MSI-X message has come: the interrupt line is used"),
            Err(error) => log::info!("no MSI-X ({error}): the interrupt line is used"),
        }
        disconnect_messages(platform, csr);
    }
    if wanted != Interrupts::Polling {
        match platform.connect(Interrupts::Line) {
            Ok(()) if works(platform, csr, Interrupts::Line, FIRST_RING_VECTOR) => return Interrupts::Line,
            Ok(()) => log::warn!("no interrupt has come: the card is polled"),
            Err(error) => log::warn!("no interrupt line ({error}): the card is polled"),
        }
    }
    Interrupts::Polling
}

/// Each ring gets a vector of its own; everything else is vector 0's.
fn connect_messages<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, rings: RingMasks) -> std::io::Result<()> {
    platform.connect(Interrupts::MsiX)?;
    let msi = platform.config_read(config::MSI)?;
    platform.config_write(config::MSI, msi | MSI_ENABLE)?;
    csr.update(reg::RX_MAT, |vectors: u64| vectors | rings.map());
    csr.write(reg::XMSI_MASK_REG, rings.vectors());
    Ok(())
}

/// Whether the message of every ring comes.
fn all_work<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, rings: RingMasks) -> bool {
    let vectors = (FIRST_RING_VECTOR..).take(rings.rings.count_ones() as usize);
    vectors.into_iter().all(|vector| works(platform, csr, Interrupts::MsiX, vector))
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
fn works<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, way: Interrupts, vector: u8) -> bool {
    let cause = TxpicInt::new().with_sched_intr(true);
    if way == Interrupts::Line {
        csr.write(reg::TXPIC_INT_MASK, !u64::from(cause));
        csr.write(reg::PIC_INT_MASK, !u64::from(PicInt::new().with_tx(true)));
        csr.write(reg::GENERAL_INT_MASK, !u64::from(GeneralInt::new().with_txpic(true)));
    }
    let once = ScheduledIntCtrl::new().with_timer_en(true).with_one_shot(true).with_int2msi(vector);
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

/// Keeps receive interrupts back, on MSI-X those of `rings`: the card remembers that there was one. The line is one for
/// all.
pub(crate) fn mask_receive<B: Bar>(csr: &Csr<B>, way: Interrupts, rings: RingMasks) {
    match way {
        Interrupts::MsiX => {
            csr.write(reg::XMSI_MASK_REG, rings.vectors());
            csr.read(reg::XMSI_MASK_REG);
        }
        Interrupts::Line | Interrupts::Polling => {
            csr.write(reg::RX_TRAFFIC_MASK, u64::MAX);
            // Acknowledged before the rings are looked at: a frame that completes from here on raises the cause again.
            csr.write(reg::RX_TRAFFIC_INT, u64::MAX);
            csr.read(reg::RX_TRAFFIC_INT);
        }
    }
}

/// Lets receive interrupts come again; whether the card has answered.
pub(crate) fn unmask_receive<B: Bar>(csr: &Csr<B>, way: Interrupts, rings: RingMasks) -> bool {
    let (register, open) = match way {
        Interrupts::MsiX => (reg::XMSI_MASK_REG, rings.vectors()),
        Interrupts::Line | Interrupts::Polling => (reg::RX_TRAFFIC_MASK, 0),
    };
    csr.write(register, open);
    csr.read(register) != GONE
}

#[cfg(test)]
mod tests {
    use super::RingMasks;

    #[test]
    fn vector_0_is_never_masked_and_vectors_without_a_ring_always_are() {
        for (rings, open) in [(1, 0x3FFF_FFFF_FFFF_FFFF), (3, 0x0FFF_FFFF_FFFF_FFFF), (8, 0x007F_FFFF_FFFF_FFFF)] {
            let mut masks = RingMasks::new(rings);
            assert_eq!((masks.vectors(), masks.any()), (open, false), "{rings} rings");
            masks.mask_all();
            assert_eq!((masks.vectors(), masks.any()), (u64::MAX >> 1, true), "{rings} rings");
            masks.unmask();
            assert_eq!(masks.vectors(), open, "{rings} rings");
        }
    }

    #[test]
    fn a_ring_s_mask_holds_back_its_vector_only() {
        let mut masks = RingMasks::new(8);
        masks.mask(2);
        assert_eq!(masks.vectors(), 0x007F_FFFF_FFFF_FFFF | 1 << 63 >> 3);
        masks.mask(7);
        assert_eq!(masks.vectors(), 0x007F_FFFF_FFFF_FFFF | 1 << 63 >> 3 | 1 << 63 >> 8);
    }

    #[test]
    fn a_ring_that_is_not_there_has_no_mask() {
        let mut masks = RingMasks::new(2);
        (2..=u8::MAX).for_each(|ring| masks.mask(ring));
        assert!(!masks.any());
    }

    #[test]
    fn each_ring_has_the_vector_behind_its_number() {
        assert_eq!(RingMasks::new(1).map(), 0x0100_0000_0000_0000);
        assert_eq!(RingMasks::new(3).map(), 0x0102_0300_0000_0000);
        assert_eq!(RingMasks::new(8).map(), 0x0102_0304_0506_0708);
    }
}
