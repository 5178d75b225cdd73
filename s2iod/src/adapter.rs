//! The adapter: one card, brought up, with its ring, its FIFO and the engine between ring and reader.

use lro::{Config, Engine, Info, TooSmall};
use xframe::bits::{GeneralInt, PicInt};
use xframe::registers as reg;

use crate::bring_up::{self, Identity};
use crate::csr::{Csr, GONE};
use crate::dma::{PAGE, Slab};
use crate::error::Error;
use crate::link;
use crate::options::Options;
use crate::platform::Platform;
use crate::rx::RxRing;
use crate::slots::Slots;
use crate::tx::TxFifo;

/// A card that receives and sends.
pub struct Adapter<P: Platform> {
    pub(crate) platform: P,
    pub(crate) csr: Csr<P::Bar>,
    identity: Identity,
    pub(crate) options: Options,
    pub(crate) engine: Engine<Slots>,
    pub(crate) ring: RxRing,
    pub(crate) tx: TxFifo<P::Bar>,
    pub(crate) statistics: Slab,
    pub(crate) link_up: bool,
    /// Whether the receive cause is masked, because the reader is at work.
    rx_masked: bool,
    gone: bool,
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
}

/// What an interrupt was about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serviced {
    /// It was this card's.
    pub ours: bool,
    /// Frames were moved from the ring into the engine.
    pub received: bool,
    /// Transmit slots became free.
    pub sent: bool,
    /// The link changed.
    pub link: bool,
}

/// The card reads all ones: it has been pulled, or its bus is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// Why a frame was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// Every transmit slot is with the card.
    Full,
    /// Longer than the MTU and its framing.
    TooLong,
    /// The card is gone.
    Gone,
}

impl<P: Platform> Adapter<P> {
    /// Resets the card, configures it, and lets it receive as soon as the link is up.
    ///
    /// # Errors
    ///
    /// What failed, by register and step. The card is stopped then.
    pub fn bring_up(mut platform: P, options: Options) -> Result<Self, Error> {
        options.check()?;
        let csr = Csr::new(platform.bar(0).map_err(Error::platform("map the registers (BAR 0)"))?);
        let doorbells = platform.bar(2).map_err(Error::platform("map the doorbells (BAR 2)"))?;
        let statistics = platform.slab(PAGE).map_err(Error::platform("allocate the statistics block"))?;
        let longest = options.longest_frame();
        let slots = Slots::new(&mut platform, options.rx_slots + options.rx_spare, longest.into())?;
        let mut ring = RxRing::new(&mut platform, options.rx_slots, longest)?;
        let mut engine = Engine::new(engine_config(&options), slots);
        let tx = TxFifo::new(&mut platform, doorbells, options.tx_slots, longest.into())?;
        let identity = bring_up::configure(&mut platform, &csr, &options, &statistics)?;
        ring.refill(engine.pool_mut());
        if let Err(error) = bring_up::start(&mut platform, &csr, &ring) {
            bring_up::stop::<P>(&csr);
            return Err(error);
        }
        let mut adapter = Self {
            platform,
            csr,
            identity,
            options,
            engine,
            ring,
            tx,
            statistics,
            link_up: false,
            rx_masked: false,
            gone: false,
            counters: Counters::default(),
        };
        adapter.unmask();
        Ok(adapter)
    }

    /// Opens the causes that this driver serves: link, transmit, receive.
    fn unmask(&mut self) {
        self.csr.write(reg::PIC_INT_MASK, !u64::from(PicInt::new().with_gpio(true)));
        link::listen(&self.csr);
        self.csr.write(reg::TX_TRAFFIC_MASK, 0_u64);
        self.csr.write(reg::RX_TRAFFIC_MASK, 0_u64);
        self.csr.write(reg::GENERAL_INT_MASK, !u64::from(causes()));
        self.csr.read(reg::GENERAL_INT_STATUS);
    }

    /// Serves an interrupt: masks the receive cause and moves finished frames into the engine, reclaims transmit slots,
    /// follows the link.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn service(&mut self) -> Result<Serviced, Gone> {
        let status = self.csr.read(reg::GENERAL_INT_STATUS);
        if status == GONE {
            self.gone = true;
        }
        if self.gone {
            return Err(Gone);
        }
        let pending = GeneralInt::from(status & u64::from(causes()));
        if pending == GeneralInt::new() || (self.rx_masked && pending == GeneralInt::new().with_rxtraffic(true)) {
            self.counters.not_ours += 1;
            return Ok(Serviced::default());
        }
        self.counters.interrupts += 1;
        let mut serviced = Serviced { ours: true, ..Serviced::default() };
        if pending.rxtraffic() {
            self.csr.write(reg::RX_TRAFFIC_MASK, u64::MAX);
            // Acknowledged before the ring is looked at: a frame that completes from here on raises the cause again.
            self.csr.write(reg::RX_TRAFFIC_INT, u64::MAX);
            self.csr.read(reg::RX_TRAFFIC_INT);
            self.rx_masked = true;
            serviced.received = self.look_at_ring();
        }
        if pending.txtraffic() {
            self.csr.write(reg::TX_TRAFFIC_INT, u64::MAX);
            serviced.sent = self.tx.reclaim() > 0;
        }
        if pending.txpic() && PicInt::from(self.csr.read(reg::PIC_INT_STATUS)).gpio() {
            self.follow_link();
            serviced.link = true;
        }
        Ok(serviced)
    }

    fn follow_link(&mut self) {
        if let Some(up) = link::event(&self.csr) {
            self.counters.link_changes += 1;
            self.link_up = up;
            log::info!("link {}", if up { "up" } else { "down" });
        }
    }

    /// Moves finished frames into the engine; whether there were any.
    fn look_at_ring(&mut self) -> bool {
        let taken = self.ring.take(&mut self.engine);
        self.ring.refill(self.engine.pool_mut());
        taken > 0
    }

    /// Copies the oldest unit to the start of `buffer`, as much of it as fits between segments. `None`: nothing has come.
    /// A frame that arrived longer than the buffer stays, [`TooSmall`] says how long it is, and
    /// [`receive_truncated`](Self::receive_truncated) takes it.
    ///
    /// # Errors
    ///
    /// [`TooSmall`], as above.
    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<Info>, TooSmall> {
        self.ring.take(&mut self.engine);
        let taken = self.engine.pop_into(buffer)?;
        if taken.is_some() {
            self.ring.refill(self.engine.pool_mut());
        }
        Ok(taken)
    }

    /// Copies the first bytes of the oldest frame, however long it is.
    pub fn receive_truncated(&mut self, buffer: &mut [u8]) -> Option<Info> {
        let unit = self.engine.front_alone()?;
        let info = unit.info();
        unit.copy_to(buffer);
        self.engine.consume();
        self.ring.refill(self.engine.pool_mut());
        Some(info)
    }

    /// Opens the receive cause again, then looks at the ring once more; whether frames came in between. Call it when
    /// [`receive`](Self::receive) had nothing.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn rearm(&mut self) -> Result<bool, Gone> {
        if self.rx_masked && !self.gone {
            self.csr.write(reg::RX_TRAFFIC_MASK, 0_u64);
            self.gone = self.csr.read(reg::RX_TRAFFIC_MASK) == GONE;
            self.rx_masked = false;
        }
        if self.gone {
            return Err(Gone);
        }
        self.look_at_ring();
        Ok(!self.engine.is_empty())
    }

    /// Sends a frame, Ethernet header first, FCS left out.
    ///
    /// # Errors
    ///
    /// Why it was not sent.
    pub fn send(&mut self, frame: &[u8]) -> Result<(), SendError> {
        if self.gone {
            return Err(SendError::Gone);
        }
        // The FCS is the card's.
        if frame.len() > usize::from(self.options.longest_frame()) - 4 {
            return Err(SendError::TooLong);
        }
        if self.has_room() && self.tx.send(frame) { Ok(()) } else { Err(SendError::Full) }
    }

    /// Whether a frame can be sent now.
    pub fn has_room(&mut self) -> bool {
        self.tx.has_room() || self.tx.reclaim() > 0
    }

    /// Whether a frame can be received now. Looks at the ring.
    pub fn has_frames(&mut self) -> bool {
        self.look_at_ring();
        !self.engine.is_empty()
    }

    /// Whether the card no longer answers.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// The factory address and the chip.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Whether the link is up.
    pub fn link_up(&self) -> bool {
        self.link_up
    }

    /// Receive slots that the card can still fill.
    pub fn rx_slots_in_card(&self) -> u32 {
        self.ring.in_card()
    }

    /// The engine's counters.
    pub fn lro_stats(&self) -> &lro::Stats {
        self.engine.stats()
    }
}

impl<P: Platform> Drop for Adapter<P> {
    /// The memory of the rings goes with the adapter: the card must be at rest before.
    fn drop(&mut self) {
        bring_up::stop::<P>(&self.csr);
    }
}

/// The causes that reach the host.
fn causes() -> GeneralInt {
    GeneralInt::new().with_txpic(true).with_txtraffic(true).with_rxtraffic(true)
}

/// The engine that the options ask for: room for every slot, so that it is never full.
fn engine_config(options: &Options) -> Config {
    let defaults = Config::new(options.rules, options.rx_slots + options.rx_spare);
    Config {
        sessions: options.lro_sessions.unwrap_or(defaults.sessions),
        max_segments: options.lro_max_segments.unwrap_or(defaults.max_segments),
        seed: seed(),
        ..defaults
    }
}

/// Something that a stranger cannot know, from the standard library's own hash seed.
fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
