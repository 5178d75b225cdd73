//! What leaves: units with true headers, cut to the reader's buffer.

use crate::Pool;
use crate::field::{ne16, ne32, ne64, put};
use crate::queue::{Frame, Queue, Queued};
use crate::shape::{Head, IP_BITS, Place, TCP_BITS};
use crate::sum::Sum;
use crate::table::NONE;

/// Room for the longest header of a unit that can merge.
pub(crate) const MAX_HEADER: usize = 256;

/// What a unit is made of; lengths and offsets in bytes, offsets from the start of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Length of the whole unit.
    pub length: usize,
    /// Frames it was made of.
    pub segments: u32,
    /// The largest payload of one segment; 0 if there is only one.
    pub segment_size: u16,
    /// By how much IPv4's identification grows from segment to segment, 0 or 1; known under `Rules::Forward` only, and only
    /// of more than one IPv4 segment.
    pub ip_id_step: Option<u16>,
    /// Where the IP header starts; 0 if the unit is no TCP segment.
    pub ip: u8,
    /// Where the TCP header starts; 0 if the unit is no TCP segment.
    pub tcp: u8,
    /// Where the payload starts; 0 if the unit is no TCP segment.
    pub payload: u8,
}

/// The oldest unit, its bytes still in frame memory: [`header`](Self::header), then [`payloads`](Self::payloads).
pub struct Unit<'a, P> {
    pub(crate) info: Info,
    pub(crate) header: &'a [u8],
    pub(crate) queue: &'a Queue,
    pub(crate) pool: &'a P,
    pub(crate) head: u32,
}

impl Info {
    /// Of a frame that leaves as it came.
    #[inline]
    pub(crate) fn alone(frame: &Frame, Place { ip, tcp, payload, .. }: Place) -> Self {
        Self { length: frame.length as usize, segments: 1, segment_size: 0, ip_id_step: None, ip, tcp, payload }
    }
}

impl<'a, P: Pool> Unit<'a, P> {
    /// Lengths and offsets.
    pub fn info(&self) -> Info {
        self.info
    }

    /// The true header of a merged unit; empty for a frame that leaves as it came.
    pub fn header(&self) -> &'a [u8] {
        self.header
    }

    /// The segments' payloads in order; for a frame that leaves as it came, the whole frame.
    pub fn payloads(&self) -> impl Iterator<Item = &'a [u8]> + use<'a, P> {
        let (queue, pool, merged, start) = (self.queue, self.pool, self.info.segments > 1, self.info.payload.into());
        chain(queue, self.head).take(self.info.segments as usize).map(move |frame| {
            let range = if merged { start..start + usize::from(frame.payload) } else { 0..frame.length as usize };
            pool.bytes(frame.slot).get(range).unwrap_or_default()
        })
    }

    /// Copies the unit to the start of `buffer`, or as much of it as fits. Returns the number of bytes copied.
    pub fn copy_to(&self, buffer: &mut [u8]) -> usize {
        let mut rest = &mut *buffer;
        append(&mut rest, self.header);
        for payload in self.payloads() {
            append(&mut rest, payload);
        }
        let left = rest.len();
        buffer.len() - left
    }
}

/// Moves as much of `bytes` to the start of `rest` as fits, and `rest` behind it.
fn append(rest: &mut &mut [u8], bytes: &[u8]) {
    let length = bytes.len().min(rest.len());
    let (room, behind) = core::mem::take(rest).split_at_mut(length);
    room.copy_from_slice(bytes.get(..length).unwrap_or_default());
    *rest = behind;
}

/// The frames of a chain, from `head` on.
fn chain(queue: &Queue, head: u32) -> impl Iterator<Item = &Frame> {
    let mut next = head;
    core::iter::from_fn(move || {
        if next == NONE {
            return None;
        }
        let frame = queue.frames.get(next);
        next = frame.next;
        Some(frame)
    })
}

/// The part of a chain that leaves as one merged unit, and what its header will say.
pub(crate) struct Cut {
    segments: u32,
    /// Bytes of all payloads; at most 65,535.
    payload: u16,
    segment_size: u16,
    payload_sum: u32,
    /// The last segment.
    pub last: u32,
    /// Whether frames of the chain stay behind because they do not fit.
    pub rest: bool,
}

impl Cut {
    /// As many whole segments of a unit as fit `limit` bytes, one at least.
    #[inline(always)]
    pub(crate) fn fitting(queue: &Queue, unit: &Queued, limit: usize) -> Self {
        if unit.whole && usize::from(unit.place.payload) + usize::from(unit.payload) <= limit {
            let &Queued { payload, segment_size, payload_sum, tail: last, .. } = unit;
            Self { segments: unit.segments, payload, segment_size, payload_sum, last, rest: false }
        } else {
            Self::walked(queue, unit, limit)
        }
    }

    #[inline(never)]
    fn walked(queue: &Queue, unit: &Queued, limit: usize) -> Self {
        let first = queue.frames.get(unit.head);
        let room = limit.saturating_sub(unit.place.payload.into());
        let mut part = Queued { payload: 0, payload_sum: 0, segment_size: 0, segments: 1, tail: unit.head, ..*unit };
        part.add(first.payload, first.payload_sum);
        let mut next = first.next;
        while next != NONE {
            let frame = queue.frames.get(next);
            if usize::from(part.payload) + usize::from(frame.payload) > room || frame.length as usize > limit {
                break;
            }
            part.add(frame.payload, frame.payload_sum);
            part.segments += 1;
            part.tail = next;
            next = frame.next;
        }
        let Queued { payload, segment_size, payload_sum, tail: last, .. } = part;
        Self { segments: part.segments, payload, segment_size, payload_sum, last, rest: next != NONE }
    }

    /// What the unit reports when it leaves; `None` if it is a single segment, which leaves as it came.
    #[inline(always)]
    pub(crate) fn info(&self, &Queued { place: Place { ip, tcp, payload, .. }, counts, .. }: &Queued) -> Option<Info> {
        (self.segments > 1).then(|| Info {
            length: usize::from(payload) + usize::from(self.payload),
            segments: self.segments,
            segment_size: self.segment_size,
            ip_id_step: counts.map(u16::from),
            ip,
            tcp,
            payload,
        })
    }

    /// Copies the head of a unit's first segment to `header` and makes it true for all of the unit; `last` is the head of the last
    /// segment that leaves.
    #[inline(always)]
    pub(crate) fn write_header(&self, place: Place, first: &Head, last: &Head, header: &mut Head) {
        *header = *first;
        // The compiler can tell that all of it lies within the heads.
        let (ip, tcp) = (usize::from(place.ip) & IP_BITS, usize::from(place.tcp) & TCP_BITS);
        self.make_true(place, ip, tcp, first, last, header);
    }

    /// The same with headers of any shape and in slots of any length.
    #[cold]
    pub(crate) fn write_any_header(&self, place: Place, first: &[u8], last: &[u8], header: &mut [u8]) {
        header.iter_mut().zip(first).for_each(|(to, from)| *to = *from);
        self.make_true(place, place.ip.into(), place.tcp.into(), first, last, header);
    }

    /// Overwrites the fields that differ from the first segment's. They are computed from the segments' own heads: what has just
    /// been written is slow to read again.
    #[inline(always)]
    fn make_true(&self, place: Place, ip: usize, tcp: usize, first: &[u8], last: &[u8], header: &mut [u8]) {
        // At most 65,535: the engine lets no chain grow beyond.
        let tcp_length = (usize::from(place.payload) - usize::from(place.tcp)) as u16 + self.payload;
        let mut sum = Sum::default().word32(self.payload_sum).number(6).number(tcp_length);
        if place.shape.is_v6() {
            let ip_length = tcp_length + u16::from(place.tcp - place.ip);
            put(header, ip + 4, (ip_length - 40).to_be_bytes());
            sum = (ip + 8..ip + 40).step_by(8).fold(sum, |sum, at| sum.word64(ne64(first, at)));
        } else {
            let ip_length = tcp_length + 20;
            let addresses = ne64(first, ip + 12);
            sum = sum.word64(addresses);
            let ip_sum = Sum::default().word64(addresses).number(ip_length).word16(ne16(first, ip));
            let ip_sum = ip_sum.word32(ne32(first, ip + 4)).word16(ne16(first, ip + 8));
            put(header, ip + 2, ip_length.to_be_bytes());
            put(header, ip + 10, (!ip_sum.fold()).to_ne_bytes());
        }
        // Acknowledgment, PSH, window and timestamps are the last segment's, who had no PSH before it.
        let middle = ne64(last, tcp + 8);
        put(header, tcp + 8, middle.to_ne_bytes());
        sum = sum.word64(ne64(first, tcp)).word64(middle).word16(ne16(first, tcp + 18));
        if place.shape.is_stamped() {
            let timestamps = ne64(last, tcp + 24);
            put(header, tcp + 24, timestamps.to_ne_bytes());
            sum = sum.word32(ne32(first, tcp + 20)).word64(timestamps);
        } else if place.shape.is_general() {
            let options = first.get(tcp + 20..place.payload.into()).unwrap_or_default();
            sum = sum.word32(Sum::of(options).fold32());
        }
        put(header, tcp + 16, (!sum.fold()).to_ne_bytes());
    }
}
