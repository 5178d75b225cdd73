//! A receive ring full of prebuilt frames, and the engine fed from it: what every measurement times.

use std::hint::black_box;

use lro::{Checksums, Config, Engine, MAX_UNIT, Pool, Rules};

use crate::frame::{Tcp, data, data6};

/// Bytes of a slot, as drivers cut their rings: each frame's headers lie in memory of their own.
const SLOT: usize = 2048;
/// Bytes of every frame: an MTU of 1,500.
const FRAME: usize = 14 + 1500;

/// Which IP versions the flows have.
#[derive(Clone, Copy, Debug)]
pub enum Ip {
    V4,
    V6,
    /// Every other flow.
    Mixed,
}

/// Frame memory as a driver has it: one area, slots in a row.
pub struct Slots {
    memory: Vec<u8>,
    pub released: u64,
}

impl Pool for Slots {
    #[inline]
    fn bytes(&self, slot: u32) -> &[u8] {
        &self.memory[slot as usize * SLOT..][..SLOT]
    }

    #[inline]
    fn release(&mut self, _slot: u32) {
        self.released += 1;
    }
}

/// Frames of `flows` flows, round robin, each in sequence: full segments with timestamps.
///
/// A drained engine has no open unit, so the ring can be played again and again.
pub struct Ring {
    pub engine: Engine<Slots>,
    buffer: Vec<u8>,
}

impl Ring {
    pub fn new(flows: usize, slots: usize, ip: Ip) -> Self {
        let mut memory = vec![0; slots * SLOT];
        for (index, place) in memory.chunks_exact_mut(SLOT).enumerate() {
            let frame = segment(index % flows, index / flows, ip).frame();
            place[..FRAME].copy_from_slice(&frame);
        }
        let config = Config { seed: 0x5EED, ..Config::new(Rules::Endpoint, slots as u32) };
        Self { engine: Engine::new(config, Slots { memory, released: 0 }), buffer: vec![0; MAX_UNIT] }
    }

    /// Pushes the frames of the ring from `slot` on.
    #[inline]
    fn push(&mut self, slot: usize, count: usize) {
        for slot in slot..slot + count {
            self.engine.push(slot as u32, FRAME as u32, Checksums::Verified).expect("a drained engine has room");
        }
    }

    /// Pushes `batch` frames from `slot` on, then drains the engine without a copy.
    #[inline]
    pub fn view(&mut self, slot: usize, batch: usize) {
        self.push(slot, batch);
        while let Some(unit) = self.engine.front(MAX_UNIT).expect("every frame fits") {
            black_box((unit.info(), unit.header()));
            self.engine.consume();
        }
    }

    /// Pushes `batch` frames from `slot` on, then copies all units out.
    #[inline]
    pub fn copy(&mut self, slot: usize, batch: usize) {
        self.push(slot, batch);
        while let Some(info) = self.engine.pop_into(&mut self.buffer).expect("every frame fits") {
            black_box(info);
        }
    }

    /// The payloads of the ring, slot by slot.
    pub fn payloads(&self) -> Vec<&[u8]> {
        let headers = 14 + 20 + 32;
        let memory = &self.engine.pool().memory;
        memory.chunks_exact(SLOT).map(|slot| &slot[headers..FRAME]).collect()
    }
}

/// The `n`th segment of a flow, 1,500 bytes of IP.
fn segment(flow: usize, n: usize, ip: Ip) -> Tcp {
    let v6 = match ip {
        Ip::V4 => false,
        Ip::V6 => true,
        Ip::Mixed => flow % 2 == 1,
    };
    let payload = 1500 - 20 - 12 - if v6 { 40 } else { 20 };
    let sequence = 1 + (n * payload) as u32;
    let like = if v6 { data6(sequence, payload) } else { data(sequence, payload) };
    like.flow(flow as u16).timestamps(1 + n as u32, 1)
}
