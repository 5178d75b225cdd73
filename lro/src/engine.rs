//! The engine as its user sees it: frames in, units out.

use crate::chains::{Arrival, Chains};
use crate::queue::{Queue, Queued};
use crate::stats::{End, Stats};
use crate::table::NONE;
use crate::unit::{Cut, Info, MAX_HEADER, Unit};
use crate::{Checksums, Config, Full, Pool, TooSmall};

/// Bytes of IP in the longest unit, counted from the first byte of the IP header.
pub const MAX_IP_LENGTH: usize = 65_535;

/// Bytes of the longest unit that can merge: two VLAN tags and the longest IP datagram.
pub const MAX_UNIT: usize = 14 + 2 * 4 + MAX_IP_LENGTH;

/// A queue of chains of frames; see the crate page.
pub struct Engine<P> {
    pool: P,
    chains: Chains,
    stats: Stats,
    /// The header of the unit that `front` shows.
    header: [u8; MAX_HEADER],
    /// The unit that `front` showed last, until `consume` takes it.
    shown: Option<Shown>,
}

/// What `consume` must know of a unit that was shown: a push in between may have lengthened its chain.
struct Shown {
    segments: u32,
    length: u32,
    /// Whether the chain was cut, if frames of it stay behind: they were queued when it was shown.
    cut: bool,
}

impl<P: Pool> Engine<P> {
    /// An empty engine. All memory it will ever use is allocated here.
    pub fn new(config: Config, pool: P) -> Self {
        Self { pool, chains: Chains::new(config), stats: Stats::default(), header: [0; MAX_HEADER], shown: None }
    }

    /// The frame memory.
    pub fn pool(&self) -> &P {
        &self.pool
    }

    /// The frame memory.
    pub fn pool_mut(&mut self) -> &mut P {
        &mut self.pool
    }

    /// Counters since construction.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Frames queued.
    pub fn len(&self) -> usize {
        (self.stats.frames - self.stats.frames_left()) as usize
    }

    /// Whether no frame is queued.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Frames that can be queued at once.
    pub fn capacity(&self) -> usize {
        self.chains.queue.frames.capacity() as usize
    }

    /// Queues the frame in the first `length` bytes of `slot`. From here on the slot is the engine's, until
    /// [`Pool::release`] gives it back.
    ///
    /// # Errors
    ///
    /// [`Full`] when [`capacity`](Self::capacity) frames are queued; the slot is still the caller's.
    #[inline]
    pub fn push(&mut self, slot: u32, length: u32, checksums: Checksums) -> Result<(), Full> {
        if self.chains.queue.frames.is_full() {
            return Err(Full);
        }
        self.stats.frames += 1;
        self.chains.push(&self.pool, Arrival { slot, length, checksums });
        Ok(())
    }

    /// Starts to fetch the head of a frame that will be pushed soon: while it comes from memory, the frames before it are pushed.
    /// Worth a call for each frame where frames come in batches, two or three frames ahead.
    #[inline(always)]
    pub fn prefetch(&self, slot: u32) {
        // Nobody waits for the value.
        core::hint::black_box(self.pool.bytes(slot).first().copied());
    }

    /// The oldest unit, cut between segments so that it fits `limit` bytes. It stays queued until
    /// [`consume`](Self::consume).
    ///
    /// # Errors
    ///
    /// [`TooSmall`] when the oldest frame arrived longer than `limit`. Nothing changes; the caller may ask again with more
    /// room, or take the frame with [`front_alone`](Self::front_alone).
    #[inline]
    pub fn front(&mut self, limit: usize) -> Result<Option<Unit<'_, P>>, TooSmall> {
        let queue = &self.chains.queue;
        let Some(unit) = queue.units.oldest() else { return Ok(None) };
        let first = queue.frames.get(unit.head);
        let needs = first.length as usize;
        if needs > limit {
            return Err(TooSmall { needs });
        }
        if first.next != NONE {
            let cut = Cut::fitting(queue, unit, limit);
            if let Some(info) = cut.info(unit) {
                self.shown = Some(Shown { segments: info.segments, length: info.length as u32, cut: cut.rest });
                let header = make_header(&self.pool, queue, unit, &cut, &mut self.header);
                return Ok(Some(Unit { info, header, queue, pool: &self.pool, head: unit.head }));
            }
        }
        Ok(Some(show_alone(&self.pool, queue, unit, &mut self.shown)))
    }

    /// The oldest frame by itself, however long it is, as it came. It stays queued until [`consume`](Self::consume).
    pub fn front_alone(&mut self) -> Option<Unit<'_, P>> {
        let queue = &self.chains.queue;
        let unit = queue.units.oldest()?;
        Some(show_alone(&self.pool, queue, unit, &mut self.shown))
    }

    /// Takes out the unit that [`front`](Self::front) showed last and releases its slots. Without one, nothing happens.
    #[inline]
    pub fn consume(&mut self) {
        let Some(Shown { segments, length, cut }) = self.shown.take() else { return };
        let pool = &mut self.pool;
        let Some(taken) = self.chains.queue.take(segments, |slot| pool.release(slot)) else { return };
        if taken.whole && taken.open != NONE {
            self.chains.table.close(taken.open);
        }
        let end = match (taken.whole, cut) {
            (true, _) => taken.end,
            (false, true) => End::Buffer,
            (false, false) => End::Read,
        };
        self.stats.unit_left(segments, length, end);
    }

    /// Copies the oldest unit to the start of `buffer`, as much of it as fits between segments, and releases its slots.
    ///
    /// # Errors
    ///
    /// [`TooSmall`] as [`front`](Self::front).
    #[inline]
    pub fn pop_into(&mut self, buffer: &mut [u8]) -> Result<Option<Info>, TooSmall> {
        let Some(unit) = self.front(buffer.len())? else { return Ok(None) };
        let info = unit.info();
        unit.copy_to(buffer);
        self.consume();
        Ok(Some(info))
    }
}

/// The first frame of a unit, by itself.
#[inline(always)]
fn show_alone<'a, P>(pool: &'a P, queue: &'a Queue, unit: &Queued, shown: &mut Option<Shown>) -> Unit<'a, P> {
    let &Queued { head, place, .. } = unit;
    let frame = queue.frames.get(head);
    *shown = Some(Shown { segments: 1, length: frame.length, cut: frame.next != NONE });
    Unit { info: Info::alone(frame, place), header: &[], queue, pool, head }
}

/// Copies the header of a unit's first frame to `header` and makes it true for the part of the unit that leaves.
#[inline(never)]
fn make_header<'a, P: Pool>(
    pool: &P,
    queue: &Queue,
    unit: &Queued,
    cut: &Cut,
    header: &'a mut [u8; MAX_HEADER],
) -> &'a [u8] {
    let place = unit.place;
    let [first, last] = [unit.head, cut.last].map(|frame| pool.bytes(queue.frames.get(frame).slot));
    match (first.first_chunk(), last.first_chunk(), header.first_chunk_mut()) {
        (Some(first), Some(last), Some(head)) if !place.shape.is_general() => {
            cut.write_header(place, first, last, head)
        }
        _ => cut.write_any_header(place, first, last, header),
    }
    header.get(..place.payload.into()).unwrap_or_default()
}
