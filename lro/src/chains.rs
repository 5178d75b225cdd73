//! Where a pushed frame goes: into the unit it continues, or behind everything else as a unit of its own.

use crate::flow::Flow;
use crate::queue::{Frame, Queue};
use crate::shape::{self, Fields, HEAD, Head, Place, Shape};
use crate::stats::End;
use crate::sum::Sum;
use crate::table::{Found, Open, Table};
use crate::wire::{self, Class};
use crate::{Checksums, Config, MAX_IP_LENGTH, Pool, Rules};

/// A frame on its way in.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub slot: u32,
    pub length: u32,
    pub checksums: Checksums,
}

/// What was found on the way to the growing unit that a frame looks like.
#[derive(Clone, Copy)]
struct Sought {
    /// Where its IP header starts, and whether that is IPv6's.
    ip: Option<(usize, bool)>,
    hash: u32,
    found: Found,
}

/// The queued chains of frames, and which of them can still grow.
pub(crate) struct Chains {
    rules: Rules,
    max_segments: u32,
    seed: u64,
    pub table: Table,
    pub queue: Queue,
}

impl Chains {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            rules: config.rules,
            max_segments: config.max_segments.max(1),
            seed: config.seed,
            table: Table::new(config.sessions.min(config.frames)),
            queue: Queue::new(config.frames),
        }
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
        let sought = self.seek(head, arrival.length);
        let refused = match sought.found {
            Found::Match(index) => match self.join(pool, index, head, arrival) {
                None => return,
                Some(end) => Some((index, end)),
            },
            Found::SameHash | Found::Nothing => None,
        };
        if let Some(shape) = self.plain(sought, head, arrival) {
            return self.push_plain(pool, head, shape, arrival, sought, refused);
        }
        let frame = bytes.get(..arrival.length as usize).unwrap_or(bytes);
        match wire::classify(frame, head, arrival.checksums, self.rules) {
            Class::Plain(shape) => self.push_plain(pool, head, shape, arrival, sought, refused),
            class => self.push_odd(frame, class, arrival),
        }
    }

    /// What `wire::classify` says of most segments, sooner; `None` if it has to be asked.
    #[inline(always)]
    fn plain(&self, sought: Sought, head: &Head, arrival: Arrival) -> Option<Shape> {
        let (ip, is_v6) = sought.ip?;
        if self.rules == Rules::Seed || arrival.checksums == Checksums::Bad {
            return None;
        }
        let shape = shape::plain(head, ip, is_v6)?;
        Place::from(shape).fields(head, arrival.length)?;
        (arrival.checksums == Checksums::Verified || shape.has_good_ip_sum(head)).then_some(shape)
    }

    /// Looks for the growing unit whose first segment this frame looks like.
    #[inline(always)]
    fn seek(&self, head: &Head, length: u32) -> Sought {
        let Some((ip, is_v6)) = wire::find_ip(head, length as usize) else {
            return Sought { ip: None, hash: 0, found: Found::Nothing };
        };
        let tcp = ip + if is_v6 { 40 } else { 20 };
        let hash = Flow::of(head, ip, tcp, is_v6).hash(self.seed);
        Sought { ip: Some((ip, is_v6)), hash, found: self.table.find(hash, head) }
    }

    /// Appends the frame to the unit it looks like, or tells why that one must end instead.
    #[inline(always)]
    fn join<P: Pool>(&mut self, pool: &P, index: u32, head: &Head, arrival: Arrival) -> Option<End> {
        let open = self.table.get_mut(index);
        let Some(fields) = open.place.fields(head, arrival.length) else { return Some(End::Empty) };
        if let Some(end) = refusal(open, &fields, self.rules) {
            return Some(end);
        }
        let payload_sum = fields.payload_sum(open.pseudo_sum);
        if arrival.checksums != Checksums::Verified || !open.verified {
            let payload =
                Payload { slot: arrival.slot, at: open.place.payload, length: fields.payload, sum: payload_sum };
            if !verify(pool, open, self.queue.frame(open.tail), head, payload, arrival.checksums) {
                return Some(End::Checksum);
            }
        }
        open.tail = self.queue.join(open.tail, Frame::part(arrival, open.place, &fields, payload_sum));
        open.sequence = fields.sequence.wrapping_add(fields.payload);
        open.acknowledgment = fields.acknowledgment;
        open.timestamp = fields.timestamp;
        open.ip_length += fields.payload;
        open.segments += 1;
        open.verified = true;
        if fields.push {
            self.close(index, End::Push);
        } else if open.segments >= self.max_segments {
            self.close(index, End::Segments);
        }
        None
    }

    /// Queues a frame that never shares a unit; what it may belong to ends before it.
    #[inline(never)]
    fn push_odd(&mut self, frame: &[u8], class: Class, arrival: Arrival) {
        let (place, end) = match class {
            Class::Opaque => (Place::VOID, End::Opaque),
            Class::Barrier => {
                self.table.close_all();
                self.queue.end_all();
                (Place::VOID, End::Barrier)
            }
            Class::Odd(place, end) => {
                let flow = Flow::of(frame, place.ip.into(), place.tcp.into(), place.shape.is_v6());
                if let Some(index) = self.table.find_flow(flow.hash(self.seed), &flow) {
                    self.close(index, end);
                }
                (place, end)
            }
            Class::Plain(shape) => (shape.into(), End::Sessions),
        };
        self.queue.push_ended(Frame::alone(arrival, place), end);
    }

    /// Queues a segment that joined no unit but may start one. `refused`: the unit that it looks like, and why it could
    /// not join.
    #[inline(always)]
    fn push_plain<P: Pool>(
        &mut self,
        pool: &P,
        head: &Head,
        shape: Shape,
        arrival: Arrival,
        sought: Sought,
        refused: Option<(u32, End)>,
    ) {
        let hash = sought.hash;
        if let Some((index, end)) = refused {
            self.close(index, end);
        } else if sought.found == Found::SameHash
            && let Some(index) = self.table.find_flow(hash, &shape.flow(head))
        {
            self.close(index, End::Header);
        }
        let place = Place::from(shape);
        let Some(fields) = place.fields(head, arrival.length) else {
            return self.queue.push_ended(Frame::alone(arrival, place), End::Empty);
        };
        let pseudo_sum = shape.pseudo_sum(head);
        let payload_sum = fields.payload_sum(pseudo_sum);
        let frame = Frame::part(arrival, place, &fields, payload_sum);
        if let Some((_, End::Checksum)) = refused
            && !Payload::of(&frame).is_good(pool)
        {
            return self.queue.push_ended(frame, End::Checksum);
        }
        if fields.push || self.max_segments == 1 {
            return self.queue.push_ended(frame, if fields.push { End::Push } else { End::Segments });
        }
        let (tail, unit) = (self.queue.next_frame(), self.queue.back());
        let Some((index, open)) = self.table.open(hash) else {
            return self.queue.push_ended(frame, End::Sessions);
        };
        open.head = *head;
        open.place = place;
        open.verified = arrival.checksums == Checksums::Verified;
        open.sequence = fields.sequence.wrapping_add(fields.payload);
        open.acknowledgment = fields.acknowledgment;
        open.timestamp = fields.timestamp;
        open.ip_length = fields.ip_length;
        open.segments = 1;
        open.tail = tail;
        open.unit = unit;
        open.pseudo_sum = pseudo_sum;
        self.queue.push_open(frame, index);
    }

    /// The unit of this record grows no more.
    #[inline]
    fn close(&mut self, index: u32, end: End) {
        self.queue.end(self.table.get(index).unit, end);
        self.table.close(index);
    }
}

/// Why this segment cannot continue that unit, as far as the headers tell.
#[inline(always)]
fn refusal(open: &Open, fields: &Fields, rules: Rules) -> Option<End> {
    if fields.sequence != open.sequence {
        Some(End::Sequence)
    } else if goes_back(open.acknowledgment, fields.acknowledgment) {
        Some(End::Acknowledgment)
    } else if goes_back(open.timestamp, fields.timestamp) {
        Some(End::Timestamp)
    } else if open.ip_length + fields.payload > MAX_IP_LENGTH as u32 {
        Some(End::Size)
    } else if rules == Rules::Seed && fields.push {
        Some(End::Push)
    } else if rules == Rules::Seed && open.place.shape.is_stamped() && fields.has_no_echo() {
        Some(End::Timestamp)
    } else {
        None
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

/// Checks in software what nobody has checked yet of a unit's only segment, `first`, and of the one that would join it.
#[inline(never)]
fn verify<P: Pool>(pool: &P, open: &Open, first: &Frame, head: &Head, payload: Payload, checksums: Checksums) -> bool {
    let is_good = match checksums {
        Checksums::Verified => true,
        Checksums::Bad => false,
        Checksums::Unknown => open.place.shape.has_good_ip_sum(head) && payload.is_good(pool),
    };
    is_good && (open.verified || Payload::of(first).is_good(pool))
}
