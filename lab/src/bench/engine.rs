//! Owns this project's engine as a contestant: frames pushed, units taken, with and without a copy.

use std::hint::black_box;

use anyhow::{Result, bail};
use lro::{Checksums, Config, Engine, Full, MAX_UNIT, Pool, Rules, TooSmall};

use super::buffer::Buffer;
use super::contestant::Player;
use super::frames::{FRAME, Frames, SLOT};

/// How many frames ahead heads are fetched.
const AHEAD: u32 = 3;

/// The ring's slots, as the engine borrows them.
struct Slots<'a> {
    memory: &'a [u8],
    released: u64,
}

impl Pool for Slots<'_> {
    #[inline]
    fn bytes(&self, slot: u32) -> &[u8] {
        let from = slot as usize * SLOT;
        self.memory.get(from..from + SLOT).unwrap_or_default()
    }

    #[inline]
    fn release(&mut self, _: u32) {
        self.released += 1;
    }
}

/// The engine, and a reader that takes everything after every `drain` frames.
pub struct Coalesce<'a> {
    engine: Engine<Slots<'a>>,
    frames: u32,
    drain: usize,
    checksums: Checksums,
    buffer: Buffer,
    /// Takes all units; how many there were.
    take: fn(&mut Engine<Slots<'a>>, &mut [u8]) -> Result<u32, TooSmall>,
    units: u32,
}

impl<'a> Coalesce<'a> {
    /// Takes the units where they lie: headers made true, payloads not touched.
    pub fn view(frames: &'a Frames, drain: usize) -> Self {
        Self::new(frames, drain, Checksums::Verified, view)
    }

    /// Copies the units out.
    pub fn copy(frames: &'a Frames, drain: usize, checksums: Checksums) -> Self {
        Self::new(frames, drain, checksums, copy)
    }

    fn new(
        frames: &'a Frames,
        drain: usize,
        checksums: Checksums,
        take: fn(&mut Engine<Slots<'a>>, &mut [u8]) -> Result<u32, TooSmall>,
    ) -> Self {
        let slots = Slots { memory: frames.memory(), released: 0 };
        let frames = frames.count() as u32;
        let config = Config { seed: 0x5EED, ..Config::new(Rules::Endpoint, frames) };
        let engine = Engine::new(config, slots);
        Self { engine, frames, drain, checksums, buffer: Buffer::new(), take, units: 0 }
    }
}

impl Player for Coalesce<'_> {
    fn play(&mut self) -> Result<()> {
        self.units = 0;
        for first in (0..self.frames).step_by(self.drain) {
            let end = self.frames.min(first + self.drain as u32);
            for slot in first..end {
                self.engine.prefetch((slot + AHEAD).min(end - 1));
                if let Err(Full) = self.engine.push(slot, FRAME as u32, self.checksums) {
                    bail!("the engine is full");
                }
            }
            match (self.take)(&mut self.engine, self.buffer.bytes()) {
                Ok(units) => self.units += units,
                Err(TooSmall { needs }) => bail!("a frame needs {needs} bytes"),
            }
        }
        Ok(())
    }

    fn units(&self) -> Option<u32> {
        Some(self.units)
    }
}

fn view(engine: &mut Engine<Slots<'_>>, _: &mut [u8]) -> Result<u32, TooSmall> {
    let mut units = 0;
    while let Some(unit) = engine.front(MAX_UNIT)? {
        black_box((unit.info(), unit.header()));
        engine.consume();
        units += 1;
    }
    Ok(units)
}

fn copy(engine: &mut Engine<Slots<'_>>, buffer: &mut [u8]) -> Result<u32, TooSmall> {
    let mut units = 0;
    while let Some(info) = engine.pop_into(buffer)? {
        black_box(info);
        units += 1;
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(flows: usize, drain: usize) -> u32 {
        let frames = Frames::new(flows, 128).unwrap();
        let mut player = Coalesce::view(&frames, drain);
        for _ in 0..2 {
            player.play().unwrap();
        }
        assert_eq!(player.engine.pool().released, 256);
        player.units().unwrap()
    }

    #[test]
    fn a_pass_gives_as_many_units_as_flows_and_sizes_allow() {
        // 45 segments of 1,448 bytes fit 65,535 bytes of IP.
        assert_eq!(units(1, 64), 4);
        assert_eq!(units(1, 128), 3);
        assert_eq!(units(32, 64), 64);
        assert_eq!(units(128, 64), 128);
    }

    #[test]
    fn units_are_the_same_however_they_are_taken() {
        let frames = Frames::new(3, 128).unwrap();
        for checksums in [Checksums::Verified, Checksums::Unknown] {
            let mut player = Coalesce::copy(&frames, 64, checksums);
            player.play().unwrap();
            assert_eq!(player.units(), Some(6));
        }
    }
}
