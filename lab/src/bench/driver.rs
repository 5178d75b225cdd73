//! Owns `lab bench driver`: what the driver adds to the card and the copy, stage by stage.

use std::hint::black_box;

use anyhow::{Result, bail, ensure};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use lro::{MAX_UNIT, Rules};
use model::Step;
use model::wire::{Flows, Generator};
use s2iod::Options;
use s2iod::front::Errno;

use super::buffer::Buffer;
use super::clock;
use super::frames::{FRAME, Frames, PAYLOAD, SLOT};
use super::samples::median;
use crate::cli::DriverArgs;
use crate::rig::{MAC, Rig};

const FLOWS: [usize; 3] = [1, 32, 1000];
const RULES: [(Rules, &str); 2] = [(Rules::Endpoint, "endpoint"), (Rules::Off, "off")];
const PASSES: usize = 41;
const QUICK_PASSES: usize = 5;

/// Nanoseconds per frame of one pass: the card fills the ring, then the reader takes everything.
#[derive(Clone, Copy, Default)]
struct Pass {
    /// The software card and the wire behind it.
    card: f64,
    /// The interrupt: RxDs read, frames pushed into the engine, the ring filled up with spare slots.
    interrupt: f64,
    /// The reads: call, unit, copy, reply, ring filled up.
    reads: f64,
    /// A bare copy of the same bytes, just written to as many slots.
    copy: f64,
    /// Frames for each read.
    per_read: f64,
}

/// Measures every case and prints the table.
///
/// # Errors
///
/// A driver that does not come up, or that does not deliver.
pub fn driver(arguments: &DriverArgs) -> Result<()> {
    clock::pin()?;
    let passes = if arguments.quick { QUICK_PASSES } else { PASSES };
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header([
        "flows",
        "LRO",
        "frames/read",
        "interrupt",
        "reads",
        "of them copy",
        "driver's own",
        "Gbit/s",
        "card",
    ]);
    for (rules, name) in RULES {
        for flows in FLOWS {
            let Pass { card, interrupt, reads, copy, per_read } = measure(flows, rules, arguments.ring, passes)?;
            let own = interrupt + reads - copy;
            let gbits = (PAYLOAD * 8) as f64 / (interrupt + reads);
            let numbers = [per_read, interrupt, reads, copy, own, gbits, card].map(|number| format!("{number:.1}"));
            table.add_row([flows.to_string(), name.to_owned()].into_iter().chain(numbers));
        }
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("Nanoseconds per frame, medians of {passes} passes over a ring of {} frames\n\n{table}", arguments.ring);
    Ok(())
}

fn measure(flows: usize, rules: Rules, ring: u32, passes: usize) -> Result<Pass> {
    let options = Options { rules, rx_slots: ring, rx_spare: ring, ..Options::default() };
    let wire = Generator::new(&Flows { flows, payload: PAYLOAD as u16, ..Flows::new(MAC) });
    let mut rig = Rig::new(wire, options)?;
    let mut floor = Floor::new(ring as usize)?;
    let mut buffer = vec![0; MAX_UNIT];
    let mut samples = Vec::with_capacity(passes);
    // The first pass finds cold caches and a ring that no frame has lain in.
    for number in 0..=passes {
        let pass = play(&mut rig, &mut buffer, ring)?;
        let copy = floor.play() / f64::from(ring);
        if number > 0 {
            samples.push(Pass { copy, ..pass });
        }
    }
    let of = |stage: fn(&Pass) -> f64| median(samples.iter().map(stage));
    Ok(Pass {
        card: of(|pass| pass.card),
        interrupt: of(|pass| pass.interrupt),
        reads: of(|pass| pass.reads),
        copy: of(|pass| pass.copy),
        per_read: of(|pass| pass.per_read),
    })
}

/// One pass over the ring.
fn play(rig: &mut Rig<Generator>, buffer: &mut Vec<u8>, ring: u32) -> Result<Pass> {
    let start = clock::now();
    let mut came = 0;
    while came < ring {
        match rig.step() {
            Step::Received { .. } => came += 1,
            Step::Idle | Step::Held { .. } | Step::Discarded => bail!("the card does not fill the ring"),
            Step::Link | Step::Timer | Step::Sent { .. } => {}
        }
    }
    let filled = clock::now();
    if !rig.serve_interrupt() {
        rig.look();
    }
    let served = clock::now();
    let (mut reads, mut bytes) = (0_u32, 0);
    while let Some(read) = rig.read(std::mem::take(buffer)) {
        *buffer = read.buffer;
        match read.result {
            Ok(length) => (reads, bytes) = (reads + 1, bytes + length),
            Err(Errno::EAGAIN) => break,
            Err(errno) => bail!("read from the scheme: {errno}"),
        }
    }
    let read = clock::now();
    ensure!(bytes >= ring as usize * PAYLOAD, "frames are missing: {bytes} bytes came");
    let frames = f64::from(ring);
    Ok(Pass {
        card: (filled - start) as f64 / frames,
        interrupt: (served - filled) as f64 / frames,
        reads: (read - served) as f64 / frames,
        copy: 0.0,
        per_read: frames / f64::from(reads.max(1)),
    })
}

/// The bare copy.
struct Floor {
    frames: Frames,
    slots: [Vec<u8>; 2],
    buffer: Buffer,
}

impl Floor {
    fn new(ring: usize) -> Result<Self> {
        Ok(Self {
            frames: Frames::new(1, ring)?,
            slots: [vec![0; ring * SLOT], vec![0; ring * SLOT]],
            buffer: Buffer::new(),
        })
    }

    /// Copies every payload once; nanoseconds for all.
    fn play(&mut self) -> f64 {
        // As the card did: every frame written to a slot, with as many spare slots in turns.
        self.slots.reverse();
        let [slots, _] = &mut self.slots;
        for (slot, frame) in slots.chunks_exact_mut(SLOT).zip(self.frames.iter()) {
            slot.iter_mut().zip(frame).for_each(|(to, from)| *to = *from);
        }
        let start = clock::now();
        let mut payloads = slots.chunks_exact(SLOT);
        loop {
            let mut copied = 0;
            for (slot, place) in
                payloads.by_ref().take(MAX_UNIT / PAYLOAD).zip(self.buffer.bytes().chunks_exact_mut(PAYLOAD))
            {
                place.copy_from_slice(slot.get(FRAME - PAYLOAD..FRAME).unwrap_or_default());
                copied += 1;
            }
            black_box(self.buffer.bytes());
            if copied == 0 {
                break;
            }
        }
        (clock::now() - start) as f64
    }
}
