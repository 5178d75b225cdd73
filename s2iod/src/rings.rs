//! Reception: the rings, an engine behind each, and whose turn it is to be read.

use lro::{Config, Engine, Info, Stats, TooSmall};

use crate::error::Error;
use crate::options::Options;
use crate::platform::Platform;
use crate::rx::{Errors, RxRing};
use crate::slots::Slots;

/// A ring, and the engine that its frames go to. Order holds within a ring: each flow belongs to one.
pub(crate) struct Ring {
    pub rx: RxRing,
    engine: Engine<Slots>,
}

/// Every ring. Reads take one unit from each in turn, so that no ring has to wait until another is empty.
pub(crate) struct Rings {
    rings: Box<[Ring]>,
    /// The ring that the next read begins with.
    turn: usize,
}

impl Ring {
    fn new(platform: &mut impl Platform, options: &Options) -> Result<Self, Error> {
        let longest = options.longest_frame();
        let slots = Slots::new(platform, options.rx_slots + options.rx_spare, longest.into())?;
        let rx = RxRing::new(platform, options.rx_slots, longest, options.fcs())?;
        Ok(Self { rx, engine: Engine::new(engine_config(options), slots) })
    }

    fn refill(&mut self) {
        self.rx.refill(self.engine.pool_mut());
    }

    /// Moves finished frames into the engine; whether the card had completed any RxD.
    fn look(&mut self) -> bool {
        let taken = self.rx.take(&mut self.engine);
        self.refill();
        taken > 0
    }

    #[inline]
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<Info>, TooSmall> {
        let taken = self.rx.take(&mut self.engine);
        let unit = self.engine.pop_into(buffer)?;
        // Frames that go no further free their slots, too.
        if unit.is_some() || taken > 0 {
            self.refill();
        }
        Ok(unit)
    }

    fn receive_truncated(&mut self, buffer: &mut [u8]) -> Option<Info> {
        let unit = self.engine.front_alone()?;
        let info = unit.info();
        unit.copy_to(buffer);
        self.engine.consume();
        self.refill();
        Some(info)
    }
}

impl Rings {
    /// As many rings as `options` say. Nothing is posted yet.
    ///
    /// # Errors
    ///
    /// The system has no memory for them.
    pub fn new(platform: &mut impl Platform, options: &Options) -> Result<Self, Error> {
        let rings = (0..options.rings).map(|_| Ring::new(platform, options)).collect::<Result<_, _>>()?;
        Ok(Self { rings, turn: 0 })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Ring> {
        self.rings.iter()
    }

    /// Copies the oldest unit of the next ring that has one. One that does not fit stays, and its ring keeps its turn.
    #[inline]
    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<Info>, TooSmall> {
        for _ in 0..self.rings.len() {
            let Some(ring) = self.rings.get_mut(self.turn) else { break };
            let unit = ring.receive(buffer)?;
            self.pass_on();
            if unit.is_some() {
                return Ok(unit);
            }
        }
        Ok(None)
    }

    /// Copies the first bytes of the oldest frame of the next ring that has one, however long it is.
    pub fn receive_truncated(&mut self, buffer: &mut [u8]) -> Option<Info> {
        for _ in 0..self.rings.len() {
            let unit = self.rings.get_mut(self.turn)?.receive_truncated(buffer);
            self.pass_on();
            if unit.is_some() {
                return unit;
            }
        }
        None
    }

    #[inline]
    fn pass_on(&mut self) {
        self.turn = if self.turn + 1 < self.rings.len() { self.turn + 1 } else { 0 };
    }

    /// Moves finished frames of every ring into its engine; whether there were any.
    #[inline]
    pub fn look(&mut self) -> bool {
        self.rings.iter_mut().fold(false, |found, ring| ring.look() | found)
    }

    /// The same for one ring.
    pub fn look_at(&mut self, ring: usize) -> bool {
        self.rings.get_mut(ring).is_some_and(Ring::look)
    }

    /// Whether no frame waits in any engine.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rings.iter().all(|ring| ring.engine.is_empty())
    }

    /// Gives every ring as many free slots as it may have.
    pub fn refill(&mut self) {
        self.rings.iter_mut().for_each(Ring::refill);
    }

    /// Takes the rings back from a card that has been reset: what it had completed goes to the engines.
    pub fn take_back(&mut self, longest: u16) {
        for Ring { rx, engine } in &mut self.rings {
            rx.take_back(engine, longest);
        }
    }

    /// Makes room for frames of up to `longest` bytes. Frames that have come stay where they are.
    ///
    /// # Errors
    ///
    /// The system has no memory for it; longer slots that some rings have got by then do no harm.
    pub fn lengthen(&mut self, platform: &mut impl Platform, longest: usize) -> Result<(), Error> {
        self.rings.iter_mut().try_for_each(|ring| ring.engine.pool_mut().lengthen(platform, longest))
    }

    /// RxDs that the card has.
    pub fn in_card(&self) -> u32 {
        self.rings.iter().map(|ring| ring.rx.in_card()).sum()
    }

    /// RxDs that the card has completed since the driver came.
    pub fn completed(&self) -> u64 {
        self.rings.iter().map(|ring| ring.rx.completed()).sum()
    }

    /// Frames that did not reach the reader.
    pub fn errors(&self) -> Errors {
        self.rings.iter().map(|ring| ring.rx.errors()).sum()
    }

    /// The engines' counters, added up.
    pub fn lro_stats(&self) -> Stats {
        self.rings.iter().map(|ring| *ring.engine.stats()).sum()
    }
}

/// The engine that the options ask for: room for every slot of its ring, so that it is never full.
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
