//! `lab run`: a capture through the software card, the driver's ring, the engine and the scheme.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::bail;
use model::capture::{Packet, Reader, Writer};
use model::{Step, Wire};
use s2iod::Options;
use s2iod::front::Errno;
use xframe::constants::MAX_MTU;

use crate::cli::CaptureArgs;
use crate::rig::Rig;
use crate::summary::Summary;

/// Receive slots of the largest ring, and of all rings and spare slots together.
const MAX_RING: u32 = 4096;
const MAX_SLOTS: u32 = 16_384;
const MIN_RING: u32 = 8;

/// A wire that carries a batch of numbered frames to the card, and nothing back.
#[derive(Default)]
struct Batch {
    frames: VecDeque<(u64, Vec<u8>)>,
    /// The number of the frame that the card took last.
    last: u64,
}

impl Wire for Batch {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let Some((number, next)) = self.frames.pop_front() else { return false };
        self.last = number;
        *frame = next;
        true
    }

    fn send(&mut self, _: &[u8]) {}
}

/// A driver between a capture and the units' capture.
struct Session {
    rig: Rig<Batch>,
    out: Writer,
    summary: Summary,
    /// When the newest frame was captured.
    time: Duration,
    /// Frames that the card has taken and not yet written to a slot: it had none.
    held: u64,
    /// The reader's buffer.
    buffer: Vec<u8>,
}

/// Runs the capture through the driver.
///
/// # Errors
///
/// A file that cannot be read or written, or a driver that does not come up.
pub fn run(arguments: &CaptureArgs) -> anyhow::Result<()> {
    if arguments.trust_checksums {
        bail!("--trust-checksums goes with `coalesce` only: here the card verifies them");
    }
    let reader = Reader::open(&arguments.input)?;
    let mut session = Session {
        out: Writer::create(&arguments.output, reader.resolution())?,
        rig: Rig::new(Batch::default(), options(arguments))?,
        summary: Summary::default(),
        time: Duration::ZERO,
        held: 0,
        buffer: vec![0; arguments.buffer],
    };
    let mut arrived = 0;
    for packet in reader {
        session.send(packet?);
        arrived += 1;
        if arrived == arguments.batch {
            arrived = 0;
            session.batch()?;
        }
    }
    session.batch()?;
    session.out.finish()?;
    session.summary.count(&session.rig.lro_stats());
    session.summary.truncated = session.rig.reads_truncated();
    session.summary.print(arguments.json, &arguments.input)
}

/// The driver's options: every frame is taken, however long the card can take it, and a batch fits.
fn options(arguments: &CaptureArgs) -> Options {
    let slots = arguments.batch.clamp(MIN_RING, MAX_SLOTS);
    let rx_slots = slots.min(MAX_RING);
    Options {
        rules: arguments.rules.into(),
        lro_sessions: arguments.sessions,
        lro_max_segments: arguments.max_segments,
        mtu: MAX_MTU,
        rx_slots,
        rx_spare: slots - rx_slots,
        promiscuous: true,
        ..Options::default()
    }
}

impl Session {
    /// Puts a frame on the wire.
    fn send(&mut self, packet: Packet) {
        self.summary.frames += 1;
        self.time = packet.time;
        let number = self.summary.frames;
        if packet.data.len() as u64 == u64::from(packet.original_length) {
            self.rig.wire(|wire| wire.frames.push_back((number, packet.data)));
        } else {
            // What the capture has of it is no frame that a wire could carry.
            self.summary.cut_short += 1;
            self.summary.dropped.push(number);
        }
    }

    /// The frames on the wire arrive, then the reader takes all.
    fn batch(&mut self) -> anyhow::Result<()> {
        loop {
            self.arrive();
            self.drain()?;
            if self.held == 0 && self.rig.wire(|wire| wire.frames.is_empty()) {
                return Ok(());
            }
            self.summary.drained_early += 1;
        }
    }

    /// Lets card and driver work until every frame is in the engine or no slot is left.
    fn arrive(&mut self) {
        loop {
            match self.rig.step() {
                Step::Idle if self.rig.serve_interrupt() => {}
                // No interrupt comes while the receive cause is masked: a look frees the slots that the card waits for.
                Step::Idle if self.held > 0 && self.rig.look() => {}
                Step::Idle => return,
                Step::Held { .. } => self.held += 1,
                Step::Received { .. } => self.held = self.held.saturating_sub(1),
                Step::Discarded => {
                    let number = self.rig.wire(|wire| wire.last);
                    self.summary.dropped.push(number);
                }
                _ => {}
            }
        }
    }

    /// The reader takes all that is queued.
    fn drain(&mut self) -> anyhow::Result<()> {
        loop {
            let Some(read) = self.rig.read(std::mem::take(&mut self.buffer)) else { return Ok(()) };
            self.buffer = read.buffer;
            match read.result {
                Ok(length) => {
                    let unit = self.buffer.get(..length).unwrap_or_default();
                    self.out.write(self.time, unit.len() as u32, unit)?;
                }
                Err(Errno::EAGAIN) => return Ok(()),
                Err(errno) => bail!("read from the scheme: {errno}"),
            }
        }
    }
}
