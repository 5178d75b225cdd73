//! The receive ring: RxDs in blocks, taken in the order in which the card completes them.

use std::sync::atomic::{AtomicU64, Ordering};

use lro::{Checksums, Engine};
use xframe::rxd::{self, Completion, Control1, Control2, FrameType, TCode};
use xframe::{block, registers::Register};

use crate::csr::Csr;
use crate::dma::Slab;
use crate::error::Error;
use crate::platform::{Bar, Platform};
use crate::slots::Slots;

/// Frames that did not reach the reader, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// The card reported an error for the frame (a T_CODE other than "good" and "unknown protocol").
    pub t_code: u64,
    /// The card reported that the frame was longer than its slot.
    pub buffer_size: u64,
    /// The card said that it wrote more than the slot holds; the frame was dropped.
    pub size: u64,
}

impl std::iter::Sum for Errors {
    fn sum<I: Iterator<Item = Self>>(errors: I) -> Self {
        errors.fold(Self::default(), |sum, errors| Self {
            t_code: sum.t_code + errors.t_code,
            buffer_size: sum.buffer_size + errors.buffer_size,
            size: sum.size + errors.size,
        })
    }
}

/// A position in the ring.
#[derive(Clone, Copy, Default)]
struct Cursor {
    block: usize,
    rxd: usize,
}

/// One ring in 1-buffer mode.
pub struct RxRing {
    blocks: Slab,
    /// The slot that each RxD was posted with, by RxD number.
    posted: Box<[u32]>,
    /// The next RxD that the card completes.
    take: Cursor,
    /// The next RxD that is posted.
    fill: Cursor,
    /// RxDs that the card has.
    in_card: u32,
    /// RxDs that the card may have at once.
    limit: u32,
    /// What the card was told a slot holds.
    buffer: u16,
    /// Bytes behind each frame that are no part of it: the FCS, if the card leaves it there.
    trailer: u16,
    /// RxDs that the card has completed.
    completed: u64,
    errors: Errors,
}

impl RxRing {
    /// A ring that posts up to `limit` slots, each with `buffer` bytes for the card to use, of which the last `trailer` bytes
    /// that it writes are no part of the frame. Nothing is posted yet.
    ///
    /// # Errors
    ///
    /// The system has no memory for the blocks.
    pub fn new(platform: &mut impl Platform, limit: u32, buffer: u16, trailer: u16) -> Result<Self, Error> {
        // One RxD stays with the host, so that the card never runs into its own tail.
        let count = (limit as usize + 1).div_ceil(block::RXDS);
        let blocks = platform.slab(count * block::SIZE).map_err(Error::platform("allocate RxD blocks"))?;
        for index in 0..count {
            let next = (index + 1) % count;
            if let Some(link) = blocks.words().get((index * block::SIZE + block::LINK) / 8) {
                link.store(blocks.bus(next * block::SIZE), Ordering::Relaxed);
            }
        }
        Ok(Self {
            posted: vec![u32::MAX; count * block::RXDS].into_boxed_slice(),
            blocks,
            take: Cursor::default(),
            fill: Cursor::default(),
            in_card: 0,
            limit,
            buffer: buffer.min(rxd::MAX_BUFFER),
            trailer,
            completed: 0,
            errors: Errors::default(),
        })
    }

    /// Tells the card where the ring is and lets it start.
    pub fn start<B: Bar>(&self, csr: &Csr<B>, first_block: Register, control: Register, enabled: u64) {
        csr.write(first_block, self.blocks.bus(0));
        csr.write(control, csr.read(control) | enabled);
    }

    /// Frames that did not reach the reader.
    pub fn errors(&self) -> Errors {
        self.errors
    }

    /// RxDs that the card has.
    pub fn in_card(&self) -> u32 {
        self.in_card
    }

    /// Gives the card as many free slots as it may have.
    pub fn refill(&mut self, slots: &mut Slots) {
        while self.in_card < self.limit {
            let place = self.posted.get_mut(number(self.fill));
            let (Some(place), Some(rxd)) = (place, descriptor(&self.blocks, self.fill)) else { break };
            let Some((slot, bus)) = slots.take() else { break };
            *place = slot;
            rxd[rxd::BUFFER0_PTR / 8].store(bus, Ordering::Relaxed);
            rxd[rxd::CONTROL_2 / 8].store(Control2::posted(self.buffer).into(), Ordering::Relaxed);
            rxd[rxd::CONTROL_1 / 8].store(Control1::POSTED.into(), Ordering::Release);
            self.fill = self.after(self.fill);
            self.in_card += 1;
        }
    }

    /// Moves every completed frame into the engine, in order. Returns how many RxDs the card had completed.
    #[inline]
    pub fn take(&mut self, engine: &mut Engine<Slots>) -> u32 {
        let mut taken = 0;
        // One frame's head is on its way from memory while the one before it is pushed.
        let mut arrived = None;
        while self.in_card > 0 {
            let Some(completion) = self.completion(self.take) else { break };
            let Some(&slot) = self.posted.get(number(self.take)) else { break };
            engine.prefetch(slot);
            self.take = self.after(self.take);
            self.in_card -= 1;
            taken += 1;
            if let Some((slot, completion)) = arrived.replace((slot, completion)) {
                self.deliver(engine, slot, completion);
            }
        }
        if let Some((slot, completion)) = arrived {
            self.deliver(engine, slot, completion);
        }
        self.completed += u64::from(taken);
        taken
    }

    /// Takes the ring back from a card that has been reset: what it had completed goes to the engine, in order and wherever
    /// it lies, the other slots are free. The ring starts anew then, with `buffer` bytes for the card in each slot.
    pub fn take_back(&mut self, engine: &mut Engine<Slots>, buffer: u16) {
        while self.in_card > 0 {
            let (slot, completion) = (self.posted.get(number(self.take)).copied(), self.completion(self.take));
            self.take = self.after(self.take);
            self.in_card -= 1;
            match (slot, completion) {
                (Some(slot), Some(completion)) => self.deliver(engine, slot, completion),
                (Some(slot), None) => lro::Pool::release(engine.pool_mut(), slot),
                (None, _) => {}
            }
        }
        (self.take, self.fill) = (Cursor::default(), Cursor::default());
        self.buffer = buffer.min(rxd::MAX_BUFFER);
        for block in 0..self.posted.len() / block::RXDS {
            for rxd in (0..block::RXDS).filter_map(|rxd| descriptor(&self.blocks, Cursor { block, rxd })) {
                rxd[rxd::CONTROL_1 / 8].store(0, Ordering::Relaxed);
                rxd[rxd::CONTROL_2 / 8].store(0, Ordering::Relaxed);
            }
        }
    }

    /// RxDs that the card has completed since the driver came.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// Whether the card has the next RxD although it has completed the one behind it. Seen twice without a completion in
    /// between, the next one will never come.
    pub fn is_next_passed_over(&self) -> bool {
        self.in_card > 1 && self.completion(self.take).is_none() && self.completion(self.after(self.take)).is_some()
    }

    /// What the card says in an RxD, once it has given it back.
    #[inline]
    fn completion(&self, at: Cursor) -> Option<Completion> {
        let rxd = descriptor(&self.blocks, at)?;
        // Read once, OWN first: from here on these are values that the card cannot change.
        let control_1 = Control1::from(rxd[rxd::CONTROL_1 / 8].load(Ordering::Acquire));
        let control_2 = Control2::from(rxd[rxd::CONTROL_2 / 8].load(Ordering::Relaxed));
        Completion::decode(control_1, control_2)
    }

    /// A frame goes to the engine, or its slot is free again.
    #[inline]
    fn deliver(&mut self, engine: &mut Engine<Slots>, slot: u32, completion: Completion) {
        let delivered = self.deliverable(completion).is_some_and(|checksums| {
            engine.push(slot, completion.size.saturating_sub(self.trailer).into(), checksums).is_ok()
        });
        if !delivered {
            lro::Pool::release(engine.pool_mut(), slot);
        }
    }

    /// What the card knows of the frame's checksums; `None` if the frame goes no further.
    #[inline]
    fn deliverable(&mut self, completion: Completion) -> Option<Checksums> {
        let count = match completion.t_code {
            code if code.delivers() && completion.size <= self.buffer => return Some(checksums(completion)),
            code if code.delivers() => &mut self.errors.size,
            TCode::BufferSize => &mut self.errors.buffer_size,
            _ => &mut self.errors.t_code,
        };
        *count += 1;
        None
    }

    fn after(&self, cursor: Cursor) -> Cursor {
        if cursor.rxd + 1 < block::RXDS {
            return Cursor { rxd: cursor.rxd + 1, ..cursor };
        }
        let next = cursor.block + 1;
        Cursor { block: if next * block::RXDS < self.posted.len() { next } else { 0 }, rxd: 0 }
    }
}

/// A frame is vouched for, or found wrong, only when the card parsed it as unfragmented TCP in a plain Ethernet frame.
fn checksums(completion: Completion) -> Checksums {
    let parsed = completion.tcp
        && !completion.fragment
        && completion.t_code == TCode::Ok
        && completion.frame_type == FrameType::Dix;
    match parsed {
        true if completion.checksums_good() => Checksums::Verified,
        true => Checksums::Bad,
        false => Checksums::Unknown,
    }
}

/// An RxD's number in the ring.
fn number(cursor: Cursor) -> usize {
    cursor.block * block::RXDS + cursor.rxd
}

/// The words of an RxD.
#[inline]
fn descriptor(blocks: &Slab, cursor: Cursor) -> Option<&[AtomicU64; rxd::SIZE / 8]> {
    let start = cursor.block * block::SIZE + cursor.rxd * rxd::SIZE;
    blocks.words().get(start / 8..)?.first_chunk()
}
