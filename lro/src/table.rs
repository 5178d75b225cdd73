//! The units that can still grow: at most one for each flow, found by hash.
//!
//! Chained buckets over a slab that is allocated once. Finding, opening and closing cost the same for one flow and for
//! thousands; closing *all* of them is one increment of the epoch, after which older buckets count as empty.
#![allow(clippy::indexing_slicing, reason = "every index into the slab and the buckets was made here")]

use alloc::boxed::Box;
use alloc::vec;

use crate::flow::{Common, Flow};

/// No record, no frame, no unit.
pub(crate) const NONE: u32 = u32::MAX;

/// A unit that can still grow.
#[derive(Clone, Copy, Default)]
pub(crate) struct Open {
    pub flow: Flow,
    pub common: Common,
    /// The sequence number that its next segment must have.
    pub sequence: u32,
    pub acknowledgment: u32,
    pub timestamp: u32,
    /// Bytes of IP so far; at most 65,535.
    pub ip_length: u32,
    pub segments: u32,
    /// The newest frame of the unit, in the frame slab.
    pub tail: u32,
    /// The unit's position in the queue.
    pub unit: u32,
    /// Sum of the pseudo header without its length.
    pub pseudo_sum: u16,
    /// Whether the checksums of all its segments are known to be good.
    pub verified: bool,
    pub hash: u32,
    /// The next record of the bucket, or of the free list.
    pub next: u32,
}

impl Open {
    /// The unit's first segments have left.
    pub(crate) fn shorten(&mut self, segments: u32, payload: u32) {
        self.segments -= segments;
        self.ip_length -= payload;
    }
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
    epoch: u32,
    /// Records below this one have been used in this epoch.
    fresh: u32,
    free: u32,
}

impl Table {
    pub(crate) fn new(sessions: u32) -> Self {
        let buckets = (sessions as usize).saturating_mul(2).next_power_of_two();
        Self {
            buckets: vec![Bucket { epoch: 0, head: NONE }; buckets].into_boxed_slice(),
            slab: vec![Open::default(); sessions as usize].into_boxed_slice(),
            epoch: 0,
            fresh: 0,
            free: NONE,
        }
    }

    #[inline]
    pub(crate) fn find(&self, hash: u32, flow: &Flow) -> Option<u32> {
        let mut index = self.head(hash);
        while let Some(open) = self.slab.get(index as usize) {
            if open.hash == hash && open.flow == *flow {
                return Some(index);
            }
            index = open.next;
        }
        None
    }

    pub(crate) fn get(&self, index: u32) -> &Open {
        &self.slab[index as usize]
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut Open {
        &mut self.slab[index as usize]
    }

    /// A record's index, if one is free.
    #[inline]
    pub(crate) fn open(&mut self, open: Open) -> Option<u32> {
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
        let next = self.head(open.hash);
        let bucket = self.bucket(open.hash);
        self.slab[index as usize] = Open { next, ..open };
        self.buckets[bucket] = Bucket { epoch: self.epoch, head: index };
        Some(index)
    }

    #[inline]
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
    }

    /// Closes every unit at once. Their indices are void from here on.
    pub(crate) fn close_all(&mut self) {
        self.fresh = 0;
        self.free = NONE;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            // The numbers start again: no bucket may look current that is not.
            self.buckets.fill(Bucket { epoch: 0, head: NONE });
        }
    }

    #[inline]
    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    #[inline]
    fn head(&self, hash: u32) -> u32 {
        let bucket = self.buckets[self.bucket(hash)];
        if bucket.epoch == self.epoch { bucket.head } else { NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::{Open, Table};
    use crate::flow::Flow;

    fn open(hash: u32, port: u64) -> Open {
        Open { hash, flow: Flow { ports: port, ..Flow::default() }, ..Open::default() }
    }

    fn find(table: &Table, hash: u32, port: u64) -> Option<u32> {
        table.find(hash, &open(hash, port).flow)
    }

    #[test]
    fn flows_of_one_bucket_are_told_apart() {
        let mut table = Table::new(4);
        let indices: std::vec::Vec<_> = (0..4).map(|port| table.open(open(0, port))).collect();
        for (port, index) in indices.into_iter().enumerate() {
            assert_eq!(find(&table, 0, port as u64), index);
        }
    }

    #[test]
    fn a_full_table_refuses_until_one_is_closed() {
        let mut table = Table::new(2);
        let first = table.open(open(1, 1)).unwrap();
        table.open(open(2, 2)).unwrap();
        assert_eq!(table.open(open(3, 3)), None);
        table.close(first);
        assert!(table.open(open(3, 3)).is_some());
        assert_eq!(find(&table, 1, 1), None);
    }

    #[test]
    fn closing_in_any_order_leaves_the_others() {
        for closed in 0..3 {
            let mut table = Table::new(3);
            let indices: std::vec::Vec<_> = (0..3).map(|port| table.open(open(5, port)).unwrap()).collect();
            table.close(indices[closed]);
            for port in 0..3 {
                assert_eq!(
                    find(&table, 5, port as u64).is_some(),
                    port != closed,
                    "closed {closed}, looked for {port}"
                );
            }
        }
    }

    #[test]
    fn closing_all_empties_the_table_and_frees_every_record() {
        let mut table = Table::new(3);
        for round in 0..5 {
            for port in 0..3 {
                assert!(table.open(open(port as u32, port)).is_some(), "round {round}");
            }
            table.close_all();
            assert!((0..3).all(|port| find(&table, port as u32, port).is_none()));
        }
    }

    #[test]
    fn an_epoch_that_comes_round_again_finds_nothing_old() {
        let mut table = Table::new(2);
        table.open(open(1, 1)).unwrap();
        table.epoch = u32::MAX;
        table.close_all();
        assert_eq!(find(&table, 1, 1), None);
    }
}
