//! Whether a segment may continue a unit, and what changes when it does.

use super::{Arrival, Chains};
use crate::queue::{Frame, Queue, Queued};
use crate::shape::{Fields, Head, Place};
use crate::stats::End;
use crate::sum::Sum;
use crate::table::Open;
use crate::{Checksums, Pool, Rules};

impl Chains {
    /// Appends a frame to a unit if the rules allow it and the checksums of both are good; otherwise, why the unit must end.
    #[inline(never)]
    pub(super) fn append_carefully<P: Pool>(
        &mut self,
        pool: &P,
        index: u32,
        fields: Fields,
        arrival: Arrival,
        ip_sum_is_good: bool,
    ) -> Option<End> {
        let open = self.table.get_mut(index);
        if !open.started {
            start(open, &mut self.queue);
        }
        let (unit, first) = self.queue.unit_mut(open.unit);
        if !continues(open, unit, &fields) {
            return Some(refusal(open, fields));
        }
        if let Some(end) = refusal_by(self.rules, open, unit, &fields) {
            return Some(end);
        }
        let is_good = match arrival.checksums {
            Checksums::Verified => true,
            Checksums::Bad => false,
            Checksums::Unknown => {
                let (at, sum) = (open.place.payload, fields.payload_sum(open.pseudo_sum));
                ip_sum_is_good && Payload { slot: arrival.slot, at, length: fields.payload, sum }.is_good(pool)
            }
        };
        let place = open.place;
        if !is_good || !(open.verified || Payload::of(first, place).is_good(pool)) {
            return Some(End::Checksum);
        }
        open.verified = true;
        let is_short = self.rules == Rules::Forward && fields.payload < unit.segment_size.into();
        if self.rules == Rules::Forward && !place.shape.is_v6() {
            unit.counts = Some(fields.identification != open.identification);
        }
        self.append(index, &fields, arrival);
        if is_short && self.queue.units.get(self.table.get(index).unit).end == End::Read {
            self.close(index, End::SegmentSize);
        }
        None
    }

    /// Appends a frame to the unit that it continues.
    #[inline(always)]
    fn append(&mut self, index: u32, fields: &Fields, arrival: Arrival) {
        let open = self.table.get_mut(index);
        let unit = self.queue.units.get_mut(open.unit);
        // At most 65,535 bytes of IP.
        let (payload, payload_sum) = (fields.payload as u16, fields.payload_sum(open.pseudo_sum));
        let frame = Frame { payload, payload_sum, ..Frame::alone(arrival) };
        unit.tail = self.queue.frames.chain(unit.tail, frame);
        unit.segments += 1;
        unit.add(payload, payload_sum);
        unit.whole &= arrival.length == u32::from(open.place.ip) + fields.ip_length;
        let is_full = unit.segments >= self.max_segments;
        open.advance(fields);
        if fields.push {
            self.close(index, End::Push);
        } else if is_full {
            self.close(index, End::Segments);
        } else if self.is_quick {
            open.expect(fields.ip_length);
            self.table.recent = index;
        }
    }
}

/// Reads the fields of a unit's first segment.
#[inline(never)]
pub(super) fn start(open: &mut Open, queue: &mut Queue) {
    let (unit, first) = queue.unit_mut(open.unit);
    (first.payload, first.payload_sum) = open.start();
    unit.add(first.payload, first.payload_sum);
}

/// Whether this segment continues that unit, as far as the headers tell.
#[inline(always)]
fn continues(open: &Open, unit: &Queued, fields: &Fields) -> bool {
    fields.sequence == open.sequence
        && u32::from(unit.payload) + fields.payload <= u32::from(open.room) + u32::from(open.payload)
        && !goes_back(open.acknowledgment, fields.acknowledgment)
        && !goes_back(open.timestamp, fields.timestamp)
}

/// Why it does not.
#[cold]
fn refusal(open: &Open, fields: Fields) -> End {
    if fields.sequence != open.sequence {
        End::Sequence
    } else if goes_back(open.acknowledgment, fields.acknowledgment) {
        End::Acknowledgment
    } else if goes_back(open.timestamp, fields.timestamp) {
        End::Timestamp
    } else {
        End::Size
    }
}

/// Why a segment that continues a unit may not join it under rules other than a host's.
#[cold]
fn refusal_by(rules: Rules, open: &Open, unit: &Queued, fields: &Fields) -> Option<End> {
    let step = fields.identification.wrapping_sub(open.identification);
    match rules {
        Rules::Off | Rules::Endpoint => None,
        Rules::Seed if fields.push => Some(End::Push),
        Rules::Seed if open.place.shape.is_stamped() && fields.echo == 0 => Some(End::Timestamp),
        Rules::Seed => None,
        Rules::Forward if fields.payload > unit.segment_size.into() => Some(End::SegmentSize),
        Rules::Forward if fields.checksum == 0xFFFF => Some(End::Checksum),
        Rules::Forward if open.place.shape.is_v6() => None,
        Rules::Forward if fields.ip_checksum == 0xFFFF => Some(End::Checksum),
        Rules::Forward if step > 1 || unit.counts.is_some_and(|counts| counts != (step == 1)) => {
            Some(End::Identification)
        }
        Rules::Forward => None,
    }
}

/// Whether `to` lies before `from`, modulo 2^32.
#[inline(always)]
pub(super) fn goes_back(from: u32, to: u32) -> bool {
    (to.wrapping_sub(from) as i32) < 0
}

/// A payload in frame memory and the sum that the frame's checksum field implies for it.
#[derive(Clone, Copy)]
pub(super) struct Payload {
    pub slot: u32,
    pub at: u8,
    pub length: u32,
    pub sum: u16,
}

impl Payload {
    fn of(frame: &Frame, place: Place) -> Self {
        Self { slot: frame.slot, at: place.payload, length: frame.payload.into(), sum: frame.payload_sum }
    }

    /// Whether it has that sum.
    pub(super) fn is_good<P: Pool>(self, pool: &P) -> bool {
        let start = usize::from(self.at);
        let payload = pool.bytes(self.slot).get(start..start + self.length as usize).unwrap_or_default();
        has_sum(payload, self.sum)
    }
}

/// Checks a segment's payload in software.
#[cold]
pub(super) fn is_good<P: Pool>(pool: &P, head: &Head, place: Place, arrival: Arrival) -> bool {
    place.fields(head, arrival.length).is_some_and(|fields| {
        let sum = fields.payload_sum(place.shape.pseudo_sum(head));
        Payload { slot: arrival.slot, at: place.payload, length: fields.payload, sum }.is_good(pool)
    })
}

/// Whether a payload has the sum that its frame's checksum field implies.
pub(super) fn has_sum(payload: &[u8], sum: u16) -> bool {
    Sum::of(payload).word16(!sum).fold() == 0xFFFF
}
