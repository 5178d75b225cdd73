//! The units that can still grow: at most one for each flow, found by hash.
//!
//! Chained buckets over a slab that is allocated once. Finding, opening and closing cost the same for one flow and for
//! thousands; closing *all* of them is one increment of the epoch, after which older buckets count as empty.
#![allow(clippy::indexing_slicing, reason = "every index into the slab and the buckets was made here")]

use alloc::boxed::Box;
use alloc::vec;

use crate::field::{be16, be32, ne32, ne64, put};
use crate::flow::Flow;
use crate::general::General;
use crate::shape::{ENDPOINT, FORWARD, Fields, HEAD, Head, IP_BITS, Kept, Masks, Place, TCP_BITS, agree};
use crate::sum::Sum;
use crate::{MAX_IP_LENGTH, Rules};

/// No record, no frame, no unit.
pub(crate) const NONE: u32 = u32::MAX;

/// A unit that can still grow.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// Its first segment's head, with the sequence number and the length that the next segment is expected to have.
    pub head: Kept,
    pub place: Place,
    /// The unit's position in the queue.
    pub unit: u32,
    /// The sequence number that its next segment must have.
    pub sequence: u32,
    pub acknowledgment: u32,
    pub timestamp: u32,
    /// Bytes of the frame that is expected next: as many as the newest has.
    pub length: u32,
    /// Sum of the pseudo header and of what all TCP headers of that length have in common.
    pub common_sum: u32,
    /// Sum of the pseudo header without its length.
    pub pseudo_sum: u32,
    /// Payload of the segment that is expected next.
    pub payload: u16,
    /// Bytes of payload that the unit can have before that segment.
    pub room: u16,
    /// The newest segment's IPv4 identification.
    pub identification: u16,
    /// Whether the fields above have been read from the first segment's head: not before a second one asks.
    pub started: bool,
    /// Whether the checksums of all its segments are known to be good.
    pub verified: bool,
    hash: u32,
    /// The next record of the bucket, or of the free list.
    next: u32,
}

impl Open {
    const VOID: Self = Self {
        head: Kept([0; HEAD]),
        place: Place::VOID,
        unit: 0,
        sequence: 0,
        acknowledgment: 0,
        timestamp: 0,
        length: 0,
        common_sum: 0,
        pseudo_sum: 0,
        payload: 0,
        room: 0,
        identification: 0,
        started: false,
        verified: false,
        hash: 0,
        next: NONE,
    };

    /// Reads the first segment's fields from its head. Returns its bytes of payload, and their sum.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> (u16, u16) {
        let Place { ip, tcp, payload: end, shape } = self.place;
        let (head, at) = (&self.head.0, usize::from(tcp) & TCP_BITS);
        let ip_length = shape.ip_length(head);
        // It had payload when it was queued, and at most 65,535 bytes of IP.
        self.payload = (ip_length - u32::from(end - ip)) as u16;
        self.room = (MAX_IP_LENGTH as u32 - ip_length) as u16;
        self.sequence = be32(head, at + 4).wrapping_add(self.payload.into());
        self.acknowledgment = be32(head, at + 8);
        self.identification = be16(head, (usize::from(ip) & IP_BITS) + 4);
        self.pseudo_sum = shape.pseudo_sum(head);
        let mut sum = Sum::default().word64(ne64(head, at + 4)).word64(ne64(head, at + 12));
        self.timestamp = 0;
        if shape.is_stamped() {
            self.timestamp = be32(head, at + 24);
            sum = sum.word64(ne64(head, at + 24));
        }
        self.started = true;
        self.expect(ip_length);
        (self.payload, !sum.word32(self.common_sum).fold())
    }

    /// Starts with the fields of a first segment of general shape, like which no other is expected.
    pub(crate) fn start_with(&mut self, fields: &Fields, pseudo_sum: u32) {
        self.started = true;
        self.pseudo_sum = pseudo_sum;
        self.advance(fields);
    }

    /// The newest segment has these fields.
    #[inline(always)]
    pub(crate) fn advance(&mut self, fields: &Fields) {
        self.sequence = fields.sequence.wrapping_add(fields.payload);
        self.acknowledgment = fields.acknowledgment;
        self.timestamp = fields.timestamp;
        self.identification = fields.identification;
        // At most 65,535 bytes of IP.
        self.payload = fields.payload as u16;
        self.room = (MAX_IP_LENGTH as u32 - fields.ip_length) as u16;
    }

    /// The newest segment was as expected; the next one is expected behind it.
    #[inline(always)]
    pub(crate) fn follow(&mut self) {
        self.sequence = self.sequence.wrapping_add(self.payload.into());
        put(&mut self.head.0, (usize::from(self.place.tcp) & TCP_BITS) + 4, self.sequence.to_be_bytes());
    }

    /// The next segment is expected to be like the newest, which has so many bytes of IP.
    #[inline(always)]
    pub(crate) fn expect(&mut self, ip_length: u32) {
        let Place { ip, tcp, shape, .. } = self.place;
        let (ip, tcp) = (usize::from(ip) & IP_BITS, usize::from(tcp) & TCP_BITS);
        // At most 65,535 bytes of IP.
        let (at, length) = if shape.is_v6() { (ip + 4, ip_length - 40) } else { (ip + 2, ip_length) };
        let head = &mut self.head.0;
        put(head, at, (length as u16).to_be_bytes());
        put(head, tcp + 4, self.sequence.to_be_bytes());
        let options = if shape.is_stamped() { ne32(head, tcp + 20) } else { 0 };
        let tcp_length = ip_length + ip as u32 - tcp as u32;
        let sum = Sum::default().word32(self.pseudo_sum).word32(ne32(head, tcp)).word32(options);
        self.common_sum = sum.number(tcp_length as u16).fold32();
        self.length = ip as u32 + ip_length;
    }
}

/// What [`Table::find`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// This unit.
    Match(u32),
    /// None, but one that may be of the same flow.
    SameHash,
    /// None, and none of the flow.
    Nothing,
}

/// The head of a bucket, valid in its epoch only.
#[derive(Clone, Copy)]
struct Bucket {
    epoch: u32,
    head: u32,
}

/// All open units.
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
    slab: Box<[Open]>,
    /// For the records of general shape, under the rules that have it.
    general: Box<[General]>,
    masks: &'static Masks,
    epoch: u32,
    /// Records below this one have been used in this epoch.
    fresh: u32,
    free: u32,
    /// The record that grew last, while it is open.
    pub recent: u32,
}

impl Table {
    pub(crate) fn new(sessions: u32, rules: Rules) -> Self {
        let (masks, general) = match rules {
            Rules::Forward => (FORWARD, sessions as usize),
            Rules::Off | Rules::Seed | Rules::Endpoint => (ENDPOINT, 0),
        };
        let buckets = (sessions as usize).saturating_mul(2).next_power_of_two();
        Self {
            buckets: vec![Bucket { epoch: 0, head: NONE }; buckets].into_boxed_slice(),
            slab: vec![Open::VOID; sessions as usize].into_boxed_slice(),
            general: vec![General::VOID; general].into_boxed_slice(),
            masks,
            epoch: 0,
            fresh: 0,
            free: NONE,
            recent: NONE,
        }
    }

    /// The record that grew last, if it has the ports of this frame: most frames come in bursts.
    #[inline(always)]
    pub(crate) fn recent(&mut self, head: &Head) -> Option<&mut Open> {
        let open = self.slab.get_mut(self.recent as usize)?;
        let tcp = usize::from(open.place.tcp) & TCP_BITS;
        (ne32(head, tcp) == ne32(&open.head.0, tcp)).then_some(open)
    }

    /// A record with this hash.
    #[inline(always)]
    pub(crate) fn with_hash(&self, hash: u32) -> Option<u32> {
        let mut index = self.first(hash);
        loop {
            let open = self.slab.get(index as usize)?;
            if open.hash == hash {
                return Some(index);
            }
            index = open.next;
        }
    }

    /// The unit whose first segment looks like `head` in all that segments of a unit share.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u32, head: &Head) -> Found {
        let mut found = Found::Nothing;
        let mut index = self.first(hash);
        while let Some(open) = self.slab.get(index as usize) {
            if open.hash == hash {
                if agree(&open.head, head, self.masks, open.place.shape) {
                    return Found::Match(index);
                }
                found = Found::SameHash;
            }
            index = open.next;
        }
        found
    }

    /// The unit of a flow.
    pub(crate) fn find_flow(&self, hash: u32, flow: &Flow) -> Option<u32> {
        let mut index = self.first(hash);
        while let Some(open) = self.slab.get(index as usize) {
            if open.hash == hash && self.flow(index, open) == *flow {
                return Some(index);
            }
            index = open.next;
        }
        None
    }

    fn flow(&self, index: u32, open: &Open) -> Flow {
        let shape = open.place.shape;
        if shape.is_general() { self.general[index as usize].flow } else { shape.flow(&open.head.0) }
    }

    /// The whole header of a unit of general shape.
    pub(crate) fn general_mut(&mut self, index: u32) -> &mut General {
        &mut self.general[index as usize]
    }

    pub(crate) fn get(&self, index: u32) -> &Open {
        &self.slab[index as usize]
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut Open {
        &mut self.slab[index as usize]
    }

    /// A free record for a unit with this hash, and its index; the rest of it is the caller's to fill in.
    #[inline(always)]
    pub(crate) fn open(&mut self, hash: u32) -> Option<(u32, &mut Open)> {
        let index = if self.free != NONE {
            let index = self.free;
            self.free = self.slab[index as usize].next;
            index
        } else if (self.fresh as usize) < self.slab.len() {
            self.fresh += 1;
            self.fresh - 1
        } else {
            return None;
        };
        let next = self.first(hash);
        let bucket = self.bucket(hash);
        self.buckets[bucket] = Bucket { epoch: self.epoch, head: index };
        let open = &mut self.slab[index as usize];
        open.hash = hash;
        open.next = next;
        Some((index, open))
    }

    #[inline(always)]
    pub(crate) fn close(&mut self, index: u32) {
        let Open { hash, next, .. } = self.slab[index as usize];
        let bucket = self.bucket(hash);
        if self.buckets[bucket].head == index {
            self.buckets[bucket].head = next;
        } else {
            let mut before = self.buckets[bucket].head;
            while self.slab[before as usize].next != index {
                before = self.slab[before as usize].next;
            }
            self.slab[before as usize].next = next;
        }
        self.slab[index as usize].next = self.free;
        self.free = index;
        if self.recent == index {
            self.recent = NONE;
        }
    }

    /// Closes every unit at once. Their indices are void from here on.
    pub(crate) fn close_all(&mut self) {
        self.fresh = 0;
        self.free = NONE;
        self.recent = NONE;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            // The numbers start again: no bucket may look current that is not.
            self.buckets.fill(Bucket { epoch: 0, head: NONE });
        }
    }

    #[inline(always)]
    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    #[inline(always)]
    fn first(&self, hash: u32) -> u32 {
        let bucket = self.buckets[self.bucket(hash)];
        if bucket.epoch == self.epoch { bucket.head } else { NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Table};
    use crate::Rules;
    use crate::shape::{HEAD, Head, Kept, Shape};

    /// Flows of these tests differ in their source port.
    fn head(port: u8) -> Head {
        let mut head = [0; HEAD];
        head[34] = port;
        head
    }

    fn open(table: &mut Table, hash: u32, port: u8) -> Option<u32> {
        let (index, open) = table.open(hash)?;
        open.head = Kept(head(port));
        open.place = Shape::new(14, false, false).into();
        Some(index)
    }

    fn find(table: &Table, hash: u32, port: u8) -> Option<u32> {
        let found = match table.find(hash, &head(port)) {
            Found::Match(index) => Some(index),
            Found::SameHash | Found::Nothing => None,
        };
        assert_eq!(found, table.find_flow(hash, &Shape::new(14, false, false).flow(&head(port))));
        found
    }

    #[test]
    fn flows_of_one_bucket_are_told_apart() {
        let mut table = Table::new(4, Rules::Endpoint);
        let indices: std::vec::Vec<_> = (0..4).map(|port| open(&mut table, 0, port)).collect();
        for (port, index) in indices.into_iter().enumerate() {
            assert_eq!(find(&table, 0, port as u8), index);
        }
    }

    #[test]
    fn a_full_table_refuses_until_one_is_closed() {
        let mut table = Table::new(2, Rules::Endpoint);
        let first = open(&mut table, 1, 1).unwrap();
        open(&mut table, 2, 2).unwrap();
        assert_eq!(open(&mut table, 3, 3), None);
        table.close(first);
        assert!(open(&mut table, 3, 3).is_some());
        assert_eq!(find(&table, 1, 1), None);
    }

    #[test]
    fn closing_in_any_order_leaves_the_others() {
        for closed in 0..3 {
            let mut table = Table::new(3, Rules::Endpoint);
            let indices: std::vec::Vec<_> = (0..3).map(|port| open(&mut table, 5, port).unwrap()).collect();
            table.close(indices[closed]);
            for port in 0..3 {
                let is_there = find(&table, 5, port).is_some();
                assert_eq!(is_there, usize::from(port) != closed, "closed {closed}, looked for {port}");
            }
        }
    }

    #[test]
    fn closing_all_empties_the_table_and_frees_every_record() {
        let mut table = Table::new(3, Rules::Endpoint);
        for round in 0..5 {
            for port in 0..3 {
                assert!(open(&mut table, port.into(), port).is_some(), "round {round}");
            }
            table.close_all();
            assert!((0..3).all(|port| find(&table, port.into(), port).is_none()));
        }
    }

    #[test]
    fn an_epoch_that_comes_round_again_finds_nothing_old() {
        let mut table = Table::new(2, Rules::Endpoint);
        open(&mut table, 1, 1).unwrap();
        table.epoch = u32::MAX;
        table.close_all();
        assert_eq!(find(&table, 1, 1), None);
    }
}
