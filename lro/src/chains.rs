//! Where a pushed frame goes: into the unit it continues, or behind everything else as a unit of its own.

use crate::flow::{Flow, Seed};
use crate::general::{self, General};
use crate::queue::{Frame, Queue};
use crate::shape::{self, Fields, HEAD, Head, IP_BITS, Kept, Place, Shape};
use crate::stats::End;
use crate::sum::Sum;
use crate::table::{Found, NONE, Open, Table};
use crate::wire::{self, Class};
use crate::{Checksums, Config, MAX_IP_LENGTH, Pool, Rules};

/// A frame on its way in.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub slot: u32,
    pub length: u32,
    pub checksums: Checksums,
}

/// What was found of the growing unit that a frame looks like.
#[derive(Clone, Copy)]
struct Sought {
    /// Where the frame's IP header starts; 0 if it has none.
    ip: u8,
    is_v6: bool,
    hash: u32,
    found: Found,
    /// Why the frame could not join the unit that it matches.
    refused: Option<End>,
}

impl Sought {
    const NOTHING: Self = Self { ip: 0, is_v6: false, hash: 0, found: Found::Nothing, refused: None };
}

/// The queued chains of frames, and which of them can still grow.
pub(crate) struct Chains {
    rules: Rules,
    /// Whether the rules ask more of a segment than [`continues`] does.
    is_strict: bool,
    max_segments: u32,
    seed: Seed,
    pub table: Table,
    pub queue: Queue,
}

impl Chains {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            rules: config.rules,
            is_strict: config.rules != Rules::Endpoint,
            max_segments: config.max_segments.max(1),
            seed: Seed::new(config.seed),
            table: Table::new(config.sessions.min(config.frames), config.rules),
            queue: Queue::new(config.frames),
        }
    }

    /// By how much the identification grows in the chain that starts with `first`, if the rules keep it.
    pub(crate) fn ip_id_step(&self, first: &Frame) -> Option<u16> {
        let is_kept = self.rules == Rules::Forward && !first.place.shape.is_v6() && first.next != NONE;
        is_kept.then(|| self.queue.frame(first.next).identification.wrapping_sub(first.identification))
    }

    /// Queues the frame at the start of `bytes`; the queue must not be full.
    #[inline(always)]
    pub(crate) fn push<P: Pool>(&mut self, pool: &P, bytes: &[u8], arrival: Arrival) {
        if self.rules == Rules::Off {
            return self.queue.push_ended(Frame::alone(arrival, Place::VOID), End::Opaque);
        }
        let mut short = [0; HEAD];
        let head = bytes.first_chunk().unwrap_or_else(|| {
            short.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            &short
        });
        // Most frames continue a unit, and then look like its first one in all but a few fields. So that is asked before
        // anything is read for its own sake: finding such a unit also tells what the frame's headers are.
        let sought = match wire::untagged(head, arrival.length) {
            Some(false) => self.continue_unit(pool, head, arrival, 14, false),
            Some(true) => self.continue_unit(pool, head, arrival, 14, true),
            None => self.continue_tagged(pool, head, arrival),
        };
        if let Some(sought) = sought {
            self.push_behind(pool, bytes, head, arrival, sought);
        }
    }

    #[inline(never)]
    fn continue_tagged<P: Pool>(&mut self, pool: &P, head: &Head, arrival: Arrival) -> Option<Sought> {
        match wire::find_ip(head, arrival.length as usize) {
            Some((ip, is_v6)) => self.continue_unit(pool, head, arrival, ip & IP_BITS, is_v6),
            None => Some(Sought::NOTHING),
        }
    }

    /// Looks for the growing unit whose first segment this frame looks like, and appends the frame to it. Otherwise, what
    /// was found.
    #[inline(always)]
    fn continue_unit<P: Pool>(
        &mut self,
        pool: &P,
        head: &Head,
        arrival: Arrival,
        ip: usize,
        is_v6: bool,
    ) -> Option<Sought> {
        let tcp = ip + if is_v6 { 40 } else { 20 };
        let hash = Flow::of(head, ip, tcp, is_v6).hash(self.seed);
        let found = self.table.find(hash, head);
        let sought = Sought { ip: ip as u8, is_v6, hash, found, refused: None };
        let Found::Match(index) = found else { return Some(sought) };
        let open = self.table.get(index);
        let end = match shape::fields(head, arrival.length, ip, is_v6, open.place.shape.is_stamped()) {
            None => End::Empty,
            Some(fields) if open.has_grown && arrival.checksums == Checksums::Verified && !self.is_strict => {
                if continues(open, &fields) {
                    self.append(index, &fields, arrival);
                    return None;
                }
                refusal(open, fields)
            }
            Some(fields) => {
                let is_known = arrival.checksums != Checksums::Unknown;
                let ip_sum_is_good = is_known || open.place.shape.has_good_ip_sum(head);
                self.append_carefully(pool, index, fields, arrival, ip_sum_is_good)?
            }
        };
        Some(Sought { refused: Some(end), ..sought })
    }

    /// Appends a frame to a unit if the rules allow it and the checksums of both are good; otherwise, why the unit must end.
    #[inline(never)]
    fn append_carefully<P: Pool>(
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
    fn append(&mut self, index: u32, fields: &Fields, arrival: Arrival) {
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

    /// Queues a frame that joined no unit: one that may start one, or, in [`Self::classified`], any other.
    #[inline(never)]
    fn push_behind<P: Pool>(&mut self, pool: &P, bytes: &[u8], head: &Head, arrival: Arrival, sought: Sought) {
        let plain = self.plain(sought, head, arrival);
        let Some(shape) = plain.or_else(|| self.classified(pool, bytes, head, arrival)) else { return };
        match sought.found {
            Found::Match(index) => self.close(index, sought.refused.unwrap_or(End::Header)),
            Found::SameHash => self.close_flow(sought.hash, &shape.flow(head), End::Header),
            Found::Nothing => {}
        }
        let place = Place::from(shape);
        let frame = Frame::alone(arrival, place);
        let is_bad = sought.refused == Some(End::Checksum) && !is_good(pool, head, place, arrival);
        if let Some(end) = self.ends_at_once(is_bad, place.has_push(head)) {
            return self.queue.push_ended(frame, end);
        }
        let (tail, unit) = (self.queue.next_frame(), self.queue.back());
        let Some((index, open)) = self.table.open(sought.hash) else {
            return self.queue.push_ended(frame, End::Sessions);
        };
        open.head = Kept(*head);
        open.place = place;
        open.tail = tail;
        open.unit = unit;
        open.verified = arrival.checksums == Checksums::Verified;
        open.started = false;
        open.has_grown = false;
        self.queue.push_open(frame, index);
    }

    /// Why no segment can follow this one in a unit, or `None` if one can.
    #[inline(always)]
    fn ends_at_once(&self, is_bad: bool, has_push: bool) -> Option<End> {
        if is_bad {
            Some(End::Checksum)
        } else if has_push {
            Some(End::Push)
        } else if self.max_segments == 1 {
            Some(End::Segments)
        } else {
            None
        }
    }

    /// Appends a segment of general shape to the unit that it continues, or queues it as one that may grow.
    #[cold]
    fn push_general<P: Pool>(&mut self, pool: &P, frame: &[u8], arrival: Arrival, place: Place) {
        let flow = Flow::of(frame, place.ip.into(), place.tcp.into(), place.shape.is_v6());
        let hash = flow.hash(self.seed);
        let header = frame.get(..place.payload.into()).unwrap_or_default();
        let alone = Frame::alone(arrival, place);
        let Some(fields) = general::fields(frame, place) else { return self.queue.push_ended(alone, End::Empty) };
        let mut is_bad = false;
        if let Some(index) = self.table.find_flow(hash, &flow) {
            let end = if self.table.get(index).place == place && self.table.general_mut(index).agrees(header, place) {
                // The sum of the IP header, if it has one, was looked at when the frame was classified.
                match self.append_carefully(pool, index, fields, arrival, true) {
                    Some(end) => end,
                    None => return,
                }
            } else {
                End::Header
            };
            self.close(index, end);
            let (slot, at, length) = (arrival.slot, place.payload, fields.payload);
            let sum = fields.payload_sum(general::pseudo_sum(frame, place));
            is_bad = end == End::Checksum && !Payload { slot, at, length, sum }.is_good(pool);
        }
        if let Some(end) = self.ends_at_once(is_bad, fields.push) {
            return self.queue.push_ended(alone, end);
        }
        let pseudo_sum = general::pseudo_sum(frame, place);
        let (tail, unit) = (self.queue.next_frame(), self.queue.back());
        let Some((index, open)) = self.table.open(hash) else { return self.queue.push_ended(alone, End::Sessions) };
        // No frame looks like this: only `agrees` says which do.
        open.head = Kept([0xFF; HEAD]);
        open.place = place;
        open.tail = tail;
        open.unit = unit;
        open.verified = arrival.checksums == Checksums::Verified;
        open.has_grown = false;
        open.start_with(&fields, pseudo_sum);
        *self.table.general_mut(index) = General::new(flow, header);
        let mut first = Frame::part(arrival, place, &fields, fields.payload_sum(pseudo_sum));
        first.identification = fields.identification;
        self.queue.push_open(first, index);
    }

    /// What `wire::classify` says of most segments that may share a unit, sooner; `None` if it has to be asked.
    #[inline(always)]
    fn plain(&self, sought: Sought, head: &Head, arrival: Arrival) -> Option<Shape> {
        if self.is_strict || arrival.checksums == Checksums::Bad || sought.ip == 0 {
            return None;
        }
        let shape = shape::plain(head, sought.ip.into(), sought.is_v6)?;
        let (ip, stamped) = (sought.ip.into(), shape.is_stamped());
        let is_plain = shape::ip_length(head, arrival.length, ip, sought.is_v6, stamped).is_some()
            && (arrival.checksums == Checksums::Verified || shape.has_good_ip_sum(head));
        is_plain.then_some(shape)
    }

    /// Classifies a frame. One that may share a unit is the caller's; any other is queued here, and what it may belong to
    /// ends before it.
    #[inline(never)]
    fn classified<P: Pool>(&mut self, pool: &P, bytes: &[u8], head: &Head, arrival: Arrival) -> Option<Shape> {
        let frame = bytes.get(..arrival.length as usize).unwrap_or(bytes);
        let (place, end) = match wire::classify(frame, head, arrival.checksums, self.rules) {
            Class::Plain(shape) => return Some(shape),
            Class::General(place) => {
                self.push_general(pool, frame, arrival, place);
                return None;
            }
            Class::Odd(place, end) => {
                let flow = Flow::of(frame, place.ip.into(), place.tcp.into(), place.shape.is_v6());
                self.close_flow(flow.hash(self.seed), &flow, end);
                (place, end)
            }
            Class::Barrier => {
                self.table.close_all();
                self.queue.end_all();
                (Place::VOID, End::Barrier)
            }
            Class::Opaque => (Place::VOID, End::Opaque),
        };
        self.queue.push_ended(Frame::alone(arrival, place), end);
        None
    }

    /// The growing unit of a flow, if there is one, grows no more.
    fn close_flow(&mut self, hash: u32, flow: &Flow, end: End) {
        if let Some(index) = self.table.find_flow(hash, flow) {
            self.close(index, end);
        }
    }

    /// The unit of this record grows no more.
    #[inline]
    fn close(&mut self, index: u32, end: End) {
        self.queue.end(self.table.get(index).unit, end);
        self.table.close(index);
    }
}

/// Whether this segment continues that unit, as far as the headers tell.
#[inline(always)]
fn continues(open: &Open, fields: &Fields) -> bool {
    fields.sequence == open.sequence
        && open.ip_length + fields.payload <= MAX_IP_LENGTH as u32
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
struct Payload {
    slot: u32,
    at: u8,
    length: u32,
    sum: u32,
}

impl Payload {
    fn of(frame: &Frame) -> Self {
        Self { slot: frame.slot, at: frame.place.payload, length: frame.payload.into(), sum: frame.payload_sum }
    }

    /// Whether it has that sum.
    fn is_good<P: Pool>(self, pool: &P) -> bool {
        let start = usize::from(self.at);
        let payload = pool.bytes(self.slot).get(start..start + self.length as usize).unwrap_or_default();
        Sum::of(payload).word32(!self.sum).fold() == 0xFFFF
    }
}

/// Checks a segment's payload in software.
#[cold]
fn is_good<P: Pool>(pool: &P, head: &Head, place: Place, arrival: Arrival) -> bool {
    place.fields(head, arrival.length).is_some_and(|fields| {
        let sum = fields.payload_sum(place.shape.pseudo_sum(head));
        Payload { slot: arrival.slot, at: place.payload, length: fields.payload, sum }.is_good(pool)
    })
}
