//! Where a pushed frame goes: into the unit it continues, or behind everything else as a unit of its own.

mod any_shape;
mod append;
mod expected;

use append::is_good;
use expected::Unexpected;

use crate::flow::{Address, Flow, Seed};
use crate::queue::{Frame, Queue};
use crate::shape::{self, HEAD, Head, Kept, Place, Shape};
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

/// The queued chains of frames, and which of them can still grow.
pub(crate) struct Chains {
    rules: Rules,
    /// Whether the rules ask no more of a segment than [`continues`](append::continues) does.
    is_quick: bool,
    max_segments: u32,
    seed: Seed,
    pub table: Table,
    pub queue: Queue,
}

impl Chains {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            rules: config.rules,
            is_quick: config.rules == Rules::Endpoint,
            max_segments: config.max_segments.max(1),
            seed: Seed::new(config.seed),
            table: Table::new(config.sessions.min(config.frames), config.rules),
            queue: Queue::new(config.frames),
        }
    }

    /// Queues a frame; the queue must not be full.
    ///
    /// Most frames are just what a unit expects next. So that is asked before anything is read for its own sake: finding such
    /// a unit also tells what the frame's headers are.
    #[inline(always)]
    pub(crate) fn push<P: Pool>(&mut self, pool: &P, arrival: Arrival) {
        let Arrival { slot, length, checksums } = arrival;
        match checksums {
            Checksums::Verified if self.append_to_recent(pool.bytes(slot), slot, length) => {}
            Checksums::Verified => self.push_verified(pool, slot, length),
            Checksums::Unknown => self.push_unknown(pool, slot, length),
            Checksums::Bad => self.push_any(pool, slot, length, checksums, None),
        }
    }

    /// Queues a verified frame that the unit that grew last does not expect.
    #[inline(never)]
    fn push_verified<P: Pool>(&mut self, pool: &P, slot: u32, length: u32) {
        self.push_addressed(pool, slot, length, Checksums::Verified);
    }

    /// Queues a frame that nobody has checked.
    #[inline(never)]
    fn push_unknown<P: Pool>(&mut self, pool: &P, slot: u32, length: u32) {
        self.push_addressed(pool, slot, length, Checksums::Unknown);
    }

    /// Queues a frame that may be of a flow which is found by its hash; inlined where it is known what the caller knows.
    #[inline(always)]
    fn push_addressed<P: Pool>(&mut self, pool: &P, slot: u32, length: u32, checksums: Checksums) {
        let bytes = pool.bytes(slot);
        let mut address = None;
        if self.is_quick
            && let Some(head) = bytes.first_chunk()
            && length as usize <= bytes.len()
            && let Some(found) = Address::untagged(head, length, self.seed)
        {
            address = Some(found);
            let arrival = Arrival { slot, length, checksums };
            let is_queued = match self.table.with_hash(found.hash) {
                None => self.push_first(found, head, arrival),
                Some(index) => match self.append_to(index, bytes, head, arrival) {
                    Ok(()) => true,
                    Err(Unexpected::Size) => {
                        self.close(index, End::Size);
                        self.push_first(found, head, arrival)
                    }
                    Err(Unexpected::Other) => false,
                },
            };
            if is_queued {
                return;
            }
        }
        self.push_any(pool, slot, length, checksums, address);
    }

    /// Queues a frame of a flow that has no unit, if it may start one; otherwise nothing has happened.
    #[inline(always)]
    fn push_first(&mut self, address: Address, head: &Head, arrival: Arrival) -> bool {
        let Some(shape) = self.plain(address, head, arrival) else { return false };
        let place = Place::from(shape);
        if self.ends_at_once(false, place.has_push(head)).is_some() {
            return false;
        }
        self.push_open(head, arrival, place, address.hash);
        true
    }

    /// Queues any frame.
    #[inline(never)]
    fn push_any<P: Pool>(&mut self, pool: &P, slot: u32, length: u32, checksums: Checksums, address: Option<Address>) {
        let bytes = pool.bytes(slot);
        let arrival = Arrival { slot, length: length.min(bytes.len() as u32), checksums };
        if self.rules == Rules::Off {
            return self.queue.push(Frame::alone(arrival), Place::VOID, NONE, End::Opaque);
        }
        let mut short = [0; HEAD];
        let head = bytes.first_chunk().unwrap_or_else(|| {
            short.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            &short
        });
        let Some(address) = address.or_else(|| Address::of(head, arrival.length, self.seed)) else {
            // No IP behind two tags or fewer.
            return self.queue.push(Frame::alone(arrival), Place::VOID, NONE, End::Opaque);
        };
        let found = self.table.find(address.hash, head);
        let mut refused = None;
        if let Found::Match(index) = found {
            refused = self.continue_unit(pool, head, arrival, address, index);
            if refused.is_none() {
                return;
            }
        }
        let plain = self.plain(address, head, arrival);
        let Some(shape) = plain.or_else(|| self.classified(pool, bytes, head, arrival)) else { return };
        match found {
            Found::Match(index) => self.close(index, refused.unwrap_or(End::Header)),
            Found::SameHash => self.close_flow(address.hash, &shape.flow(head), End::Header),
            Found::Nothing => {}
        }
        let place = Place::from(shape);
        let is_bad = refused == Some(End::Checksum) && !is_good(pool, head, place, arrival);
        match self.ends_at_once(is_bad, place.has_push(head)) {
            Some(end) => self.queue.push(Frame::alone(arrival), place, NONE, end),
            None => self.push_open(head, arrival, place, address.hash),
        }
    }

    /// Queues a frame as a unit that can grow, if there is a record for it.
    #[inline(always)]
    fn push_open(&mut self, head: &Head, arrival: Arrival, place: Place, hash: u32) {
        let (frame, unit) = (Frame::alone(arrival), self.queue.units.next());
        let Some((index, open)) = self.table.open(hash) else {
            return self.queue.push(frame, place, NONE, End::Sessions);
        };
        open.head = Kept(*head);
        open.place = place;
        open.unit = unit;
        open.verified = arrival.checksums == Checksums::Verified;
        open.started = false;
        self.queue.push(frame, place, index, End::Read);
    }

    /// Appends a frame to the unit that it looks like; otherwise, why it cannot.
    #[inline(always)]
    fn continue_unit<P: Pool>(
        &mut self,
        pool: &P,
        head: &Head,
        arrival: Arrival,
        Address { ip, is_v6, .. }: Address,
        index: u32,
    ) -> Option<End> {
        let shape = self.table.get(index).place.shape;
        let Some(fields) = shape::fields(head, arrival.length, ip.into(), is_v6, shape.is_stamped()) else {
            return Some(End::Empty);
        };
        let ip_sum_is_good = arrival.checksums != Checksums::Unknown || shape.has_good_ip_sum(head);
        self.append_carefully(pool, index, fields, arrival, ip_sum_is_good)
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
    fn plain(&self, Address { ip, is_v6, .. }: Address, head: &Head, arrival: Arrival) -> Option<Shape> {
        if !self.is_quick || arrival.checksums == Checksums::Bad {
            return None;
        }
        let shape = shape::plain(head, ip.into(), is_v6)?;
        let is_plain = shape::ip_length(head, arrival.length, ip.into(), is_v6, shape.is_stamped()).is_some()
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
                self.queue.units.end_all();
                (Place::VOID, End::Barrier)
            }
            Class::Opaque => (Place::VOID, End::Opaque),
        };
        self.queue.push(Frame::alone(arrival), place, NONE, end);
        None
    }

    /// The growing unit of a flow, if there is one, grows no more.
    fn close_flow(&mut self, hash: u32, flow: &Flow, end: End) {
        if let Some(index) = self.table.find_flow(hash, flow) {
            self.close(index, end);
        }
    }

    /// The unit of this record grows no more.
    #[inline(never)]
    fn close(&mut self, index: u32, end: End) {
        self.queue.units.end(self.table.get(index).unit, end);
        self.table.close(index);
    }
}
