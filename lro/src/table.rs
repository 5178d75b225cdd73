//! The units that can still grow: at most one for each flow, found by hash.
//!
//! Chained buckets over a slab that is allocated once. Finding, opening and closing cost the same for one flow and for
//! thousands; closing *all* of them is one increment of the epoch, after which older buckets count as empty.
#![allow(clippy::indexing_slicing, reason = "every index into the slab and the buckets was made here")]

mod open;

use alloc::boxed::Box;
use alloc::vec;

use crate::Rules;
use crate::field::ne32;
use crate::flow::Flow;
use crate::general::General;
use crate::shape::{ENDPOINT, FORWARD, Head, Masks, TCP_BITS, agree};

pub(crate) use open::Open;

/// No record, no frame, no unit.
pub(crate) const NONE: u32 = u32::MAX;

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
