//! `lab coalesce`: a capture through the engine alone.

use std::time::Duration;

use lro::{Checksums, Config, Engine, Full, Pool, TooSmall};
use model::capture::{self, Packet, Reader, Writer};

use crate::cli::CaptureArgs;
use crate::summary::Summary;

/// Frames in the largest engine: 1 GiB of frames of 4 KiB, far beyond any ring.
const MAX_FRAMES: u32 = 1 << 18;

/// The packets that the engine holds.
#[derive(Default)]
struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
    /// The packet that the engine released last: the last segment of the unit that left.
    last: (Duration, u32),
}

impl Packets {
    /// A slot for a packet.
    fn take(&mut self, packet: Packet) -> u32 {
        if let Some(slot) = self.free.pop()
            && let Some(place) = self.slots.get_mut(slot as usize)
        {
            *place = packet;
            return slot;
        }
        self.slots.push(packet);
        // The engine holds fewer than 2^18 frames.
        (self.slots.len() - 1) as u32
    }

    fn get(&self, slot: u32) -> Option<&Packet> {
        self.slots.get(slot as usize)
    }
}

impl Pool for Packets {
    fn bytes(&self, slot: u32) -> &[u8] {
        self.get(slot).map_or(&[], |packet| &packet.data)
    }

    fn release(&mut self, slot: u32) {
        if let Some(packet) = self.get(slot) {
            self.last = (packet.time, packet.original_length);
        }
        self.free.push(slot);
    }
}

/// The engine between a capture and the units' capture.
struct Session<'a> {
    arguments: &'a CaptureArgs,
    engine: Engine<Packets>,
    out: Writer,
    summary: Summary,
    /// The reader's copy of a unit.
    unit: Vec<u8>,
}

/// Runs the capture through the engine.
///
/// # Errors
///
/// A file that cannot be read or written.
pub fn coalesce(arguments: &CaptureArgs) -> anyhow::Result<()> {
    let reader = Reader::open(&arguments.input)?;
    let mut session = Session {
        arguments,
        engine: Engine::new(config(arguments), Packets::default()),
        out: Writer::create(&arguments.output, reader.resolution())?,
        summary: Summary { checksums_trusted: arguments.trust_checksums, ..Summary::default() },
        unit: Vec::new(),
    };
    let mut arrived = 0;
    for packet in reader {
        session.arrive(packet?)?;
        arrived += 1;
        if arrived == arguments.batch {
            arrived = 0;
            session.drain()?;
        }
    }
    session.drain()?;
    session.out.finish()?;
    session.summary.count(session.engine.stats());
    session.summary.print(arguments.json, &arguments.input)
}

/// The engine that the arguments ask for, sized to the batch.
fn config(arguments: &CaptureArgs) -> Config {
    let frames = arguments.batch.min(MAX_FRAMES);
    let defaults = Config::new(arguments.rules.into(), frames);
    Config {
        sessions: arguments.sessions.unwrap_or(defaults.sessions),
        max_segments: arguments.max_segments.unwrap_or(defaults.max_segments),
        ..defaults
    }
}

impl Session<'_> {
    /// A frame arrives.
    fn arrive(&mut self, packet: Packet) -> Result<(), capture::Error> {
        self.summary.frames += 1;
        let whole = packet.data.len() as u64 == u64::from(packet.original_length);
        self.summary.cut_short += u64::from(!whole);
        let checksums = match (whole, self.arguments.trust_checksums) {
            (false, _) => Checksums::Bad,
            (true, true) => Checksums::Verified,
            (true, false) => Checksums::Unknown,
        };
        let length = packet.data.len() as u32;
        let slot = self.engine.pool_mut().take(packet);
        while self.engine.push(slot, length, checksums) == Err(Full) {
            self.summary.drained_early += 1;
            self.drain()?;
        }
        Ok(())
    }

    /// The reader takes all that is queued.
    fn drain(&mut self) -> Result<(), capture::Error> {
        loop {
            let unit = match self.engine.front(self.arguments.buffer) {
                Err(TooSmall { .. }) => {
                    self.summary.longer_than_buffer += 1;
                    self.engine.front_alone()
                }
                Ok(unit) => unit,
            };
            let Some(unit) = unit else { return Ok(()) };
            let info = unit.info();
            self.unit.resize(info.length, 0);
            unit.copy_to(&mut self.unit);
            self.engine.consume();
            let (time, original_length) = self.engine.pool().last;
            let original_length = if info.segments == 1 { original_length } else { info.length as u32 };
            self.out.write(time, original_length, &self.unit)?;
        }
    }
}
