//! The engine: where a pushed frame goes.

use crate::queue::{Frame, Queue};
use crate::stats::{End, Stats};
use crate::sum::Sum;
use crate::table::{NONE, Open, Table};
use crate::unit::{Cut, Info, MAX_HEADER, Unit};
use crate::wire::{self, Class, PSH, Segment};
use crate::{Checksums, Config, Full, Pool, Rules, TooSmall};

/// Bytes of IP in the longest unit, counted from the first byte of the IP header.
pub const MAX_IP_LENGTH: usize = 65_535;

/// Bytes of the longest unit that can merge: two VLAN tags and the longest IP datagram.
pub const MAX_UNIT: usize = 14 + 2 * 4 + MAX_IP_LENGTH;

/// A queue of chains of frames; see the crate page.
pub struct Engine<P> {
    pool: P,
    rules: Rules,
    max_segments: u32,
    seed: u64,
    table: Table,
    queue: Queue,
    stats: Stats,
    /// The header of the unit that `front` shows.
    header: [u8; MAX_HEADER],
    /// The unit that `front` showed last, until `consume` takes it.
    shown: Option<Shown>,
}

/// What `consume` must know of a unit that was shown: a push in between may have lengthened its chain.
struct Shown {
    info: Info,
    /// Whether the reader's limit cut the chain.
    cut: bool,
}

impl<P: Pool> Engine<P> {
    /// An empty engine. All memory it will ever use is allocated here.
    pub fn new(config: Config, pool: P) -> Self {
        Self {
            pool,
            rules: config.rules,
            max_segments: config.max_segments.max(1),
            seed: config.seed,
            table: Table::new(config.sessions.min(config.frames)),
            queue: Queue::new(config.frames),
            stats: Stats::default(),
            header: [0; MAX_HEADER],
            shown: None,
        }
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
        self.queue.used() as usize
    }

    /// Whether no frame is queued.
    pub fn is_empty(&self) -> bool {
        self.queue.used() == 0
    }

    /// Frames that can be queued at once.
    pub fn capacity(&self) -> usize {
        self.queue.capacity() as usize
    }

    /// Queues the frame in the first `length` bytes of `slot`. From here on the slot is the engine's, until
    /// [`Pool::release`] gives it back.
    ///
    /// # Errors
    ///
    /// [`Full`] when [`capacity`](Self::capacity) frames are queued; the slot is still the caller's.
    #[inline]
    pub fn push(&mut self, slot: u32, length: u32, checksums: Checksums) -> Result<(), Full> {
        if self.queue.is_full() {
            return Err(Full);
        }
        self.stats.frames += 1;
        let bytes = self.pool.bytes(slot);
        let bytes = bytes.get(..length as usize).unwrap_or(bytes);
        let mut frame = Frame::alone(slot, bytes.len() as u32);
        if self.rules == Rules::Off {
            self.queue.push_ended(frame, End::Opaque);
            return Ok(());
        }
        match wire::classify(bytes, checksums, self.rules) {
            Class::Opaque => self.queue.push_ended(frame, End::Opaque),
            Class::Barrier => {
                self.table.close_all();
                self.queue.end_all();
                self.queue.push_ended(frame, End::Barrier);
            }
            Class::Segment(segment) => {
                frame.offsets = segment.offsets;
                self.push_segment(frame, &segment, checksums);
            }
        }
        Ok(())
    }

    /// The oldest unit, cut between segments so that it fits `limit` bytes. It stays queued until
    /// [`consume`](Self::consume).
    ///
    /// # Errors
    ///
    /// [`TooSmall`] when the oldest frame is longer than `limit` by itself. Nothing changes; the caller may ask again with
    /// the size that the frame needs.
    #[inline]
    pub fn front(&mut self, limit: usize) -> Result<Option<Unit<'_, P>>, TooSmall> {
        let Some(unit) = self.queue.oldest() else { return Ok(None) };
        let first = self.queue.frame(unit.head);
        let cut = Cut::of(&self.queue, unit.head, limit);
        let info = cut.info(first);
        if info.length > limit {
            return Err(TooSmall { needs: info.length });
        }
        let mut header: &[u8] = &[];
        if cut.segments > 1 {
            let length = usize::from(first.offsets.payload);
            let from = self.pool.bytes(first.slot).get(..length).unwrap_or_default();
            if let Some(to) = self.header.get_mut(..from.len()) {
                to.copy_from_slice(from);
                cut.make_true(first, to);
                header = to;
            }
        }
        self.shown = Some(Shown { info, cut: cut.rest });
        Ok(Some(Unit { info, header, queue: &self.queue, pool: &self.pool, head: unit.head }))
    }

    /// Takes out the unit that [`front`](Self::front) showed last and releases its slots. Without one, nothing happens.
    #[inline]
    pub fn consume(&mut self) {
        let Some(shown) = self.shown.take() else { return };
        let Some(unit) = self.queue.oldest() else { return };
        let mut left = 0;
        let mut rest = true;
        for _ in 0..shown.info.segments {
            let Some(frame) = self.queue.take() else { break };
            self.pool.release(frame.slot);
            left += u32::from(frame.payload);
            rest = frame.next != NONE;
        }
        let end = match (rest, unit.open) {
            (false, NONE) => unit.end,
            (false, open) => {
                self.table.close(open);
                unit.end
            }
            (true, open) => {
                if open != NONE {
                    self.table.get_mut(open).shorten(shown.info.segments, left);
                }
                if shown.cut { End::Buffer } else { End::Read }
            }
        };
        self.stats.unit_left(shown.info.segments, shown.info.length, end);
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

    #[inline]
    fn push_segment(&mut self, frame: Frame, segment: &Segment, checksums: Checksums) {
        let hash = segment.flow.hash(self.seed);
        let mut alone = segment.alone;
        if let Some(index) = self.table.find(hash, &segment.flow) {
            let open = self.table.get(index);
            let mut end = alone.or_else(|| refusal(open, segment));
            if end.is_none() {
                let frame = frame.with(segment, open.pseudo_sum);
                if !(open.verified || self.payload_is_good(self.queue.frame(open.tail))) {
                    end = Some(End::Checksum);
                } else if checksums == Checksums::Unknown && !self.payload_is_good(&frame) {
                    end = Some(End::Checksum);
                    alone = end;
                } else {
                    return self.join(index, frame, segment);
                }
            }
            self.close(index, end.unwrap_or(End::Sequence));
        }
        match alone {
            Some(end) => self.queue.push_ended(frame, end),
            None if segment.flags & PSH != 0 => self.queue.push_ended(frame, End::Push),
            None => self.open(hash, frame, segment, checksums),
        }
    }

    /// Whether the payload has the sum that the frame's checksum field implies.
    fn payload_is_good(&self, frame: &Frame) -> bool {
        let payload = self.pool.bytes(frame.slot).get(frame.payload_range()).unwrap_or_default();
        Sum::of(payload).word16(!frame.payload_sum).fold() == 0xFFFF
    }

    #[inline]
    fn join(&mut self, index: u32, frame: Frame, segment: &Segment) {
        let open = self.table.get_mut(index);
        open.tail = self.queue.join(open.tail, frame);
        open.sequence = segment.sequence.wrapping_add(u32::from(segment.payload));
        open.acknowledgment = segment.acknowledgment;
        open.timestamp = segment.timestamps[0];
        open.ip_length += u32::from(segment.payload);
        open.segments += 1;
        open.verified = true;
        if segment.flags & PSH != 0 {
            self.close(index, End::Push);
        } else if open.segments >= self.max_segments {
            self.close(index, End::Segments);
        }
    }

    #[inline]
    fn open(&mut self, hash: u32, frame: Frame, segment: &Segment, checksums: Checksums) {
        if self.max_segments == 1 {
            return self.queue.push_ended(frame, End::Segments);
        }
        let pseudo_sum = segment.pseudo_sum();
        let open = Open {
            hash,
            next: NONE,
            flow: segment.flow,
            common: segment.common,
            sequence: segment.sequence.wrapping_add(u32::from(segment.payload)),
            acknowledgment: segment.acknowledgment,
            timestamp: segment.timestamps[0],
            ip_length: u32::from(segment.ip_length),
            segments: 1,
            tail: self.queue.next_frame(),
            unit: self.queue.back(),
            pseudo_sum,
            verified: checksums == Checksums::Verified,
        };
        match self.table.open(open) {
            Some(index) => self.queue.push_open(frame.with(segment, pseudo_sum), index),
            None => self.queue.push_ended(frame, End::Sessions),
        }
    }

    /// The unit of this record grows no more.
    #[inline]
    fn close(&mut self, index: u32, end: End) {
        self.queue.end(self.table.get(index).unit, end);
        self.table.close(index);
    }
}

/// Why this segment cannot continue that unit, as far as the headers tell.
#[inline]
fn refusal(open: &Open, segment: &Segment) -> Option<End> {
    if segment.common != open.common {
        Some(End::Header)
    } else if segment.sequence != open.sequence {
        Some(End::Sequence)
    } else if goes_back(open.acknowledgment, segment.acknowledgment) {
        Some(End::Acknowledgment)
    } else if goes_back(open.timestamp, segment.timestamps[0]) {
        Some(End::Timestamp)
    } else if open.ip_length + u32::from(segment.payload) > MAX_IP_LENGTH as u32 {
        Some(End::Size)
    } else {
        None
    }
}

/// Whether `to` lies before `from`, modulo 2^32.
#[inline]
fn goes_back(from: u32, to: u32) -> bool {
    (to.wrapping_sub(from) as i32) < 0
}
