//! Whether a segment may continue a unit, and what changes when it does.

use super::{Arrival, Chains};
use crate::queue::Frame;
use crate::shape::{Fields, Head, Place};
use crate::stats::End;
use crate::sum::Sum;
use crate::table::Open;
use crate::{Checksums, MAX_IP_LENGTH, Pool, Rules};

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
        let first = self.queue.frame_mut(open.tail);
        if let Some(fields) = open.start(first.length) {
            first.fill(&fields, fields.payload_sum(open.pseudo_sum));
            first.identification = fields.identification;
        }
        if !continues(open, &fields) {
            return Some(refusal(open, fields));
        }
        if let Some(end) = refusal_by(self.rules, open, &fields) {
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
        if !is_good || !(open.verified || Payload::of(first).is_good(pool)) {
            return Some(End::Checksum);
        }
        open.verified = true;
        open.has_grown = true;
        if self.rules == Rules::Forward {
            self.append_last_if_short(index, &fields, arrival);
        } else {
            self.append(index, &fields, arrival);
        }
        None
    }

    /// Appends a frame to the unit that it continues.
    #[inline(always)]
    pub(super) fn append(&mut self, index: u32, fields: &Fields, arrival: Arrival) {
        let open = self.table.get_mut(index);
        let payload_sum = fields.payload_sum(open.pseudo_sum);
        open.tail = self.queue.join(open.tail, Frame::part(arrival, open.place, fields, payload_sum));
        open.sequence = fields.sequence.wrapping_add(fields.payload);
        open.acknowledgment = fields.acknowledgment;
        open.timestamp = fields.timestamp;
        open.ip_length += fields.payload;
        open.segments += 1;
        if fields.push {
            self.close(index, End::Push);
        } else if open.segments >= self.max_segments {
            self.close(index, End::Segments);
        }
    }

    /// Appends a frame under `Rules::Forward`, which must know its identification, and ends the unit if it is shorter than
    /// those before.
    fn append_last_if_short(&mut self, index: u32, fields: &Fields, arrival: Arrival) {
        let frame = self.queue.next_frame();
        let open = self.table.get_mut(index);
        open.step = Some(fields.identification.wrapping_sub(open.identification));
        open.identification = fields.identification;
        let (unit, is_short) = (open.unit, fields.payload < open.segment_size);
        self.append(index, fields, arrival);
        self.queue.frame_mut(frame).identification = fields.identification;
        if is_short && self.queue.is_open(unit) {
            self.close(index, End::SegmentSize);
        }
    }
}

/// Whether this segment continues that unit, as far as the headers tell.
#[inline(always)]
pub(super) fn continues(open: &Open, fields: &Fields) -> bool {
    fields.sequence == open.sequence
        && open.ip_length + fields.payload <= MAX_IP_LENGTH as u32
        && !goes_back(open.acknowledgment, fields.acknowledgment)
        && !goes_back(open.timestamp, fields.timestamp)
}

/// Why it does not.
#[cold]
pub(super) fn refusal(open: &Open, fields: Fields) -> End {
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
fn refusal_by(rules: Rules, open: &Open, fields: &Fields) -> Option<End> {
    let step = fields.identification.wrapping_sub(open.identification);
    match rules {
        Rules::Off | Rules::Endpoint => None,
        Rules::Seed if fields.push => Some(End::Push),
        Rules::Seed if open.place.shape.is_stamped() && fields.has_no_echo() => Some(End::Timestamp),
        Rules::Seed => None,
        Rules::Forward if fields.payload > open.segment_size => Some(End::SegmentSize),
        Rules::Forward if fields.checksum == 0xFFFF => Some(End::Checksum),
        Rules::Forward if open.place.shape.is_v6() => None,
        Rules::Forward if fields.ip_checksum == 0xFFFF => Some(End::Checksum),
        Rules::Forward if step > 1 || open.step.is_some_and(|before| before != step) => Some(End::Identification),
        Rules::Forward => None,
    }
}

/// Whether `to` lies before `from`, modulo 2^32.
#[inline(always)]
fn goes_back(from: u32, to: u32) -> bool {
    (to.wrapping_sub(from) as i32) < 0
}

/// A payload in frame memory and the sum that the frame's checksum field implies for it.
#[derive(Clone, Copy)]
pub(super) struct Payload {
    pub slot: u32,
    pub at: u8,
    pub length: u32,
    pub sum: u32,
}

impl Payload {
    fn of(frame: &Frame) -> Self {
        Self { slot: frame.slot, at: frame.place.payload, length: frame.payload.into(), sum: frame.payload_sum }
    }

    /// Whether it has that sum.
    pub(super) fn is_good<P: Pool>(self, pool: &P) -> bool {
        let start = usize::from(self.at);
        let payload = pool.bytes(self.slot).get(start..start + self.length as usize).unwrap_or_default();
        Sum::of(payload).word32(!self.sum).fold() == 0xFFFF
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
