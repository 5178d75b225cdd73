//! What leaves: units with true headers, cut to the reader's buffer.

use crate::Pool;
use crate::field::{field, ne32, ne64, put};
use crate::queue::{Frame, Queue, Queued};
use crate::shape::{Head, IP_BITS, PSH, Place, TCP_BITS};
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

    /// Makes the head of a unit's first segment true for all of it; `last` is the head of the last one that leaves.
    #[inline(always)]
    pub(crate) fn make_true(&self, unit: &Queued, last: &Head, head: &mut Head) {
        let Place { ip, tcp, .. } = unit.place;
        // The compiler can tell that all of it lies within the heads.
        self.make_true_at(unit, usize::from(ip) & IP_BITS, usize::from(tcp) & TCP_BITS, last, head);
    }

    /// The same with headers of any shape and in slots of any length.
    #[cold]
    pub(crate) fn make_any_true(&self, unit: &Queued, last: &[u8], header: &mut [u8]) {
        let Place { ip, tcp, .. } = unit.place;
        self.make_true_at(unit, ip.into(), tcp.into(), last, header);
    }

    #[inline(always)]
    fn make_true_at(&self, unit: &Queued, ip: usize, tcp: usize, last: &[u8], header: &mut [u8]) {
        let Place { payload: end, shape, .. } = unit.place;
        // At most 65,535: the engine lets no chain grow beyond.
        let tcp_length = u16::from(end).wrapping_sub(tcp as u16).wrapping_add(self.payload);
        let ip_length = tcp_length.wrapping_add((tcp - ip) as u16);
        let mut sum = Sum::default().word32(self.payload_sum).number(6).number(tcp_length);
        if shape.is_v6() {
            put(header, ip + 4, ip_length.wrapping_sub(40).to_be_bytes());
            sum = (ip + 8..ip + 40).step_by(8).fold(sum, |sum, at| sum.word64(ne64(header, at)));
        } else {
            put(header, ip + 2, ip_length.to_be_bytes());
            put(header, ip + 10, [0, 0]);
            let ip_sum =
                Sum::default().word64(ne64(header, ip)).word64(ne64(header, ip + 8)).word32(ne32(header, ip + 16));
            put(header, ip + 10, (!ip_sum.fold()).to_ne_bytes());
            sum = sum.word64(ne64(header, ip + 12));
        }
        // Acknowledgment, PSH, window and timestamps are the last segment's, who had no PSH before it.
        put(header, tcp + 8, field::<4>(last, tcp + 8));
        let push = if unit.push && !self.rest { PSH } else { 0 };
        let [flags] = field(header, tcp + 13);
        put(header, tcp + 13, [flags | push]);
        put(header, tcp + 14, field::<2>(last, tcp + 14));
        put(header, tcp + 16, [0, 0]);
        sum = sum.word64(ne64(header, tcp)).word64(ne64(header, tcp + 8)).word32(ne32(header, tcp + 16));
        if shape.is_stamped() {
            put(header, tcp + 24, field::<8>(last, tcp + 24));
            sum = sum.word32(ne32(header, tcp + 20)).word64(ne64(header, tcp + 24));
        } else if shape.is_general() {
            let options = header.get(tcp + 20..end.into()).unwrap_or_default();
            sum = sum.word32(Sum::of(options).fold32());
        }
        put(header, tcp + 16, (!sum.fold()).to_ne_bytes());
    }
}
