//! Where a pushed frame goes: into the unit it continues, or behind everything else as a unit of its own.

mod any_shape;
mod append;

use append::{continues, is_good, refusal};

use crate::flow::{Flow, Seed};
use crate::queue::{Frame, Queue};
use crate::shape::{self, HEAD, Head, IP_BITS, Kept, Place, Shape};
use crate::stats::End;
use crate::table::{Found, NONE, Table};
use crate::wire::{self, Class};
use crate::{Checksums, Config, Pool, Rules};

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
