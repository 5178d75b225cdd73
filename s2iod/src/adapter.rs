//! The adapter: one card, with its rings, its FIFO and the engines between rings and reader.

mod recovery;
mod service;
mod transfer;
mod watchdog;

use std::time::Duration;

use xframe::constants::Asic;

use crate::alarms::Alarms;
use crate::bring_up::{self, Identity, Profile};
use crate::card_counters::CardCounters;
use crate::csr::Csr;
use crate::error::Error;
use crate::filter::Multicast;
use crate::health::{Health, State};
use crate::interrupts::{self, RingMasks};
use crate::options::Options;
use crate::platform::{Interrupts, Platform};
use crate::rings::Rings;
use crate::tx::TxFifo;

pub use service::{Gone, Serviced};
pub use transfer::SendError;
use watchdog::Watchdog;

/// A card that receives and sends.
pub struct Adapter<P: Platform> {
    pub(crate) platform: P,
    pub(crate) csr: Csr<P::Bar>,
    profile: Profile,
    mac: Option<[u8; 6]>,
    /// The slot, in words.
    bus: String,
    pub(crate) options: Options,
    pub(crate) rings: Rings,
    pub(crate) tx: TxFifo<P::Bar>,
    pub(crate) card_counters: CardCounters,
    pub(crate) alarms: Alarms,
    pub(crate) link_up: bool,
    interrupts: Interrupts,
    /// Rings whose interrupts are held back, because the reader is at work.
    masks: RingMasks,
    pub(crate) health: Health,
    watchdog: Watchdog,
    /// The time of the last look.
    now: Duration,
    pub(crate) multicast: Multicast,
    pub(crate) counters: Counters,
}

/// What the driver counts beside ring, FIFO and engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Interrupts that were this card's.
    pub interrupts: u64,
    /// Interrupts that were not.
    pub not_ours: u64,
    /// Link events.
    pub link_changes: u64,
    /// Faults that a reset was to help.
    pub faults: u64,
    /// Resets that helped.
    pub recoveries: u64,
    /// Resets that did not.
    pub recoveries_failed: u64,
}

impl<P: Platform> Adapter<P> {
    /// Resets the card, configures it, and lets it receive as soon as the link is up.
    ///
    /// # Errors
    ///
    /// What failed, by register and step. The card is stopped then.
    pub fn bring_up(mut platform: P, options: Options) -> Result<Self, Error> {
        options.check()?;
        let profile = Profile::read(&mut platform)?;
        let csr = Csr::new(platform.bar(0).map_err(Error::platform("map the registers (BAR 0)"))?);
        let doorbells = platform.bar(2).map_err(Error::platform("map the doorbells (BAR 2)"))?;
        let card_counters = CardCounters::new(&mut platform, profile.asic)?;
        let multicast = Multicast::new(profile.asic);
        let options = possible(options, profile.asic);
        let rings = Rings::new(&mut platform, &options)?;
        let tx = TxFifo::new(&mut platform, doorbells, options.tx_slots, options.longest_frame().into())?;
        let mut adapter = Self {
            platform,
            csr,
            profile,
            mac: None,
            bus: String::new(),
            interrupts: options.interrupts,
            masks: RingMasks::new(options.rings),
            options,
            rings,
            tx,
            card_counters,
            alarms: Alarms::new(),
            link_up: false,
            health: Health::new(),
            watchdog: Watchdog::default(),
            now: Duration::ZERO,
            multicast,
            counters: Counters::default(),
        };
        adapter.start()?;
        adapter.health.works(Duration::ZERO);
        adapter.introduce();
        Ok(adapter)
    }

    /// Says in the log what card this is.
    fn introduce(&self) {
        let Profile { asic, revision, product, serial, .. } = &self.profile;
        let [a, b, c, d, e, f] = self.identity().mac;
        log::info!(
            "{product}, serial number {serial}: {asic:?} revision {revision}, \
             {}, address {a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}, interrupts by {:?}",
            self.bus,
            self.interrupts
        );
    }

    /// From any state of the card to one in which it receives and sends. Its rings are taken back on the way: frames that
    /// it had completed go to the engine, frames that it had not sent are lost.
    fn start(&mut self) -> Result<(), Error> {
        bring_up::reset(&mut self.platform, &self.csr, &self.profile, self.interrupts.swapper())?;
        self.rings.take_back(self.options.longest_frame());
        self.tx.take_back();
        self.card_counters.restart();
        self.multicast.forget();
        let started = self.configure_and_start();
        if started.is_err() {
            bring_up::stop::<P>(&self.csr);
        }
        started
    }

    fn configure_and_start(&mut self) -> Result<(), Error> {
        let (platform, csr, options) = (&mut self.platform, &self.csr, &self.options);
        let block = self.card_counters.block();
        self.mac = Some(bring_up::configure(platform, csr, &self.profile, options, block, self.mac)?);
        self.bus = bring_up::bus(platform, csr, self.profile.asic);
        self.multicast.apply(platform, csr)?;
        self.rings.refill();
        bring_up::start(platform, csr, self.profile.asic, &self.rings)?;
        // Messages that are held back would seem not to come.
        self.masks.unmask();
        self.interrupts = interrupts::connect(platform, csr, self.profile.asic, self.interrupts, self.masks);
        self.unmask();
        Ok(())
    }

    /// How the card is.
    #[inline]
    pub fn state(&self) -> State {
        self.health.state()
    }

    /// Whether the card no longer answers.
    #[inline]
    pub fn is_gone(&self) -> bool {
        self.state() == State::Gone
    }

    /// The factory address and the chip.
    pub fn identity(&self) -> Identity {
        Identity { asic: self.profile.asic, revision: self.profile.revision, mac: self.mac.unwrap_or_default() }
    }

    /// How interrupts come: as the options want it, or the next best that has worked.
    pub fn interrupts(&self) -> Interrupts {
        self.interrupts
    }

    /// What the card calls itself; empty if it does not say.
    pub fn product(&self) -> &str {
        &self.profile.product
    }

    /// The card's serial number; empty if it does not say.
    pub fn serial(&self) -> &str {
        &self.profile.serial
    }

    /// Kind, rate and width of the bus, as far as the card tells them.
    pub fn bus(&self) -> &str {
        &self.bus
    }

    /// Whether the link is up.
    pub fn link_up(&self) -> bool {
        self.link_up
    }

    /// Receive slots that the card can still fill.
    pub fn rx_slots_in_card(&self) -> u32 {
        self.rings.in_card()
    }

    /// Frames that the card has not sent, as far as it has been looked.
    pub fn tx_slots_in_card(&self) -> usize {
        self.tx.in_card()
    }

    /// Vectors in use with MSI-X, from 0: that of everything else, and one for each ring.
    pub fn vectors(&self) -> u8 {
        self.options.vectors()
    }

    /// The engines' counters, added up.
    pub fn lro_stats(&self) -> lro::Stats {
        self.rings.lro_stats()
    }
}

impl<P: Platform> Drop for Adapter<P> {
    /// The memory of the rings goes with the adapter: the card must be at rest before.
    fn drop(&mut self) {
        if self.state() == State::Running {
            bring_up::stop::<P>(&self.csr);
            if !bring_up::rest(&mut self.platform, &self.csr) {
                log::warn!("the card does not come to rest; it is reset");
                // Nothing else stops it, and nothing more can be done if this fails.
                let _ = bring_up::reset(&mut self.platform, &self.csr, &self.profile, self.interrupts.swapper());
            }
        }
    }
}

/// What of the options the chip can do.
fn possible(options: Options, asic: Asic) -> Options {
    if asic == Asic::Herc || options.rings == 1 {
        return options;
    }
    log::warn!("this chip tells no flow from another: it has one ring");
    Options { rings: 1, ..options }
}
