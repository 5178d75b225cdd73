//! An engine with its memory and a diary of all that went in and came out.

use lro::{Checksums, Config, End, Engine, Full, Info, MAX_UNIT, Rules, Stats, TooSmall};

use super::judge::judge;
use super::slots::Slots;

/// A frame that was pushed.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub frame: Vec<u8>,
    pub checksums: Checksums,
}

/// A unit that was read.
#[derive(Clone, Debug)]
pub struct Departure {
    pub frame: Vec<u8>,
    pub info: Info,
    /// The length of the reader's buffer.
    pub buffer: usize,
    /// How many frames had been pushed by then.
    pub after: usize,
}

/// Frames that a rig's engine can queue unless said otherwise.
pub const CAPACITY: u32 = 256;

pub struct Rig {
    pub config: Config,
    pub engine: Engine<Slots>,
    pub arrivals: Vec<Arrival>,
    pub departures: Vec<Departure>,
    buffer: Vec<u8>,
}

impl Rig {
    pub fn new(rules: Rules) -> Self {
        Self::with(Config::new(rules, CAPACITY))
    }

    pub fn with(config: Config) -> Self {
        let engine = Engine::new(config, Slots::default());
        Self { config, engine, arrivals: Vec::new(), departures: Vec::new(), buffer: Vec::new() }
    }

    /// Pushes a frame of which nobody checked anything.
    pub fn push(&mut self, frame: impl Into<Vec<u8>>) -> &mut Self {
        self.push_as(frame, Checksums::Unknown)
    }

    pub fn push_all(&mut self, frames: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> &mut Self {
        frames.into_iter().fold(self, Self::push)
    }

    /// Pushes a frame that must find room.
    pub fn push_as(&mut self, frame: impl Into<Vec<u8>>, checksums: Checksums) -> &mut Self {
        self.try_push(frame, checksums).unwrap();
        self
    }

    /// Pushes a frame; if the engine is full, its slot is the caller's and is freed here.
    pub fn try_push(&mut self, frame: impl Into<Vec<u8>>, checksums: Checksums) -> Result<(), Full> {
        let frame = frame.into();
        let pool = self.engine.pool_mut();
        let slot = pool.fill(&frame);
        let releases = pool.releases();
        if let Err(full) = self.engine.push(slot, frame.len() as u32, checksums) {
            assert_eq!(self.engine.pool().releases(), releases, "a refused frame is not the engine's to release");
            lro::Pool::release(self.engine.pool_mut(), slot);
            return Err(full);
        }
        self.arrivals.push(Arrival { frame, checksums });
        Ok(())
    }

    /// Reads one unit by `front` and `consume`. A frame that is longer than the buffer is read whole and alone.
    pub fn read(&mut self, buffer: usize) -> Option<Vec<u8>> {
        let queued = self.engine.len();
        let unit = match self.engine.front(buffer) {
            Err(TooSmall { needs }) => {
                assert!(needs > buffer, "{needs} bytes fit {buffer}");
                assert_eq!(self.engine.len(), queued, "a refusal changes nothing");
                let unit = self.engine.front_alone();
                assert_eq!(unit.as_ref().unwrap().info().length, needs);
                unit
            }
            unit => unit.unwrap(),
        };
        let Some(unit) = unit else {
            assert_eq!(queued, 0, "a queued frame can be read at once");
            return None;
        };
        let info = unit.info();
        let frame: Vec<u8> = [unit.header()].into_iter().chain(unit.payloads()).flatten().copied().collect();
        self.buffer.resize(info.length, 0);
        assert_eq!(unit.copy_to(&mut self.buffer), frame.len());
        assert_eq!(self.buffer, frame, "copied and shown bytes differ");
        self.engine.consume();
        Some(self.left(frame, info, buffer, queued))
    }

    /// Reads one unit by `pop_into`, as [`read`](Self::read) does otherwise.
    pub fn pop(&mut self, buffer: usize) -> Option<Vec<u8>> {
        let queued = self.engine.len();
        self.buffer.resize(buffer, 0);
        match self.engine.pop_into(&mut self.buffer) {
            Err(_) => self.read(buffer),
            Ok(None) => {
                assert_eq!(queued, 0, "a queued frame can be read at once");
                None
            }
            Ok(Some(info)) => {
                let frame = self.buffer[..info.length].to_vec();
                Some(self.left(frame, info, buffer, queued))
            }
        }
    }

    fn left(&mut self, frame: Vec<u8>, info: Info, buffer: usize, queued: usize) -> Vec<u8> {
        assert_eq!(queued - self.engine.len(), info.segments as usize, "segments and slots differ");
        assert_eq!(self.engine.pool().in_use(), self.engine.len(), "a slot is released when its last byte left");
        self.departures.push(Departure { frame: frame.clone(), info, buffer, after: self.arrivals.len() });
        frame
    }

    /// Reads until nothing is left.
    pub fn drain(&mut self, buffer: usize) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| self.read(buffer)).collect()
    }

    /// Reads all that is left, has the judge look at everything since the rig was made, and returns every unit.
    pub fn finish(&mut self) -> Vec<Vec<u8>> {
        self.drain(MAX_UNIT);
        assert_eq!(self.engine.pool().in_use(), 0, "a slot was kept");
        let faults = judge(&self.config, &self.arrivals, &self.departures);
        assert!(faults.is_empty(), "the contract is broken: {faults:#?}");
        self.departures.iter().map(|departure| departure.frame.clone()).collect()
    }

    pub fn stats(&self) -> &Stats {
        self.engine.stats()
    }

    /// How many units ended for this reason.
    pub fn ended(&self, reason: End) -> u64 {
        self.engine.stats().ended(reason)
    }

    /// What was said of the unit that left as number `index`.
    pub fn info(&self, index: usize) -> Info {
        self.departures[index].info
    }
}

/// Pushes `batch` frames at a time and reads all that is queued after each batch; judged.
pub fn coalesce(rules: Rules, frames: &[Vec<u8>], batch: usize, buffer: usize) -> Vec<Vec<u8>> {
    let mut rig = Rig::with(Config::new(rules, batch.min(frames.len()) as u32));
    for batch in frames.chunks(batch) {
        for frame in batch {
            rig.push(frame.clone());
        }
        rig.drain(buffer);
    }
    rig.finish()
}

/// What a reader sees who comes when all frames have arrived; judged.
pub fn units(rules: Rules, frames: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Vec<Vec<u8>> {
    let frames: Vec<Vec<u8>> = frames.into_iter().map(Into::into).collect();
    coalesce(rules, &frames, frames.len(), MAX_UNIT)
}
