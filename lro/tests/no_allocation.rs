//! After construction nothing is allocated and nothing freed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{HEADERS4, MORE_FRAGMENTS, data, data6, pure_ack};
use common::other::arp;
use lro::{Checksums, Config, Engine, MAX_UNIT, Pool, Rules};

/// Frames that nobody ever takes back: a pool that allocates nothing.
struct Frames(Vec<Vec<u8>>);

impl Pool for Frames {
    fn bytes(&self, slot: u32) -> &[u8] {
        &self.0[slot as usize]
    }

    fn release(&mut self, _slot: u32) {}
}

/// Merges, barriers, a flow that must be verified, gaps, a push, and frames of other kinds.
fn traffic() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for n in 0..40 {
        let sequence = 1 + n * 100;
        frames.push(data(sequence, 100).timestamps(n, 1).frame());
        frames.push(data6(sequence, 100).frame());
        frames.push(data6(sequence, 100).flow(9).extension(60, &[0; 8]).options(vec![1; 4]).frame());
        frames.push(data(sequence, 100).flow(1 + (n % 8) as u16).frame());
        match n % 10 {
            3 => frames.push(data(1, 9).fragment(MORE_FRAGMENTS).frame()),
            5 => frames.push(data6(sequence, 100).damaged().frame()),
            7 => frames.push(pure_ack(sequence, n).frame()),
            9 => frames.push(data6(sequence + 100, 100).psh().frame()),
            _ => frames.push(arp(n as u8)),
        }
    }
    frames
}

#[test]
fn steady_traffic_allocates_nothing() {
    for rules in [Rules::Endpoint, Rules::Seed, Rules::Forward] {
        allocates_nothing(rules);
    }
}

fn allocates_nothing(rules: Rules) {
    let frames = traffic();
    let lengths: Vec<u32> = frames.iter().map(|frame| frame.len() as u32).collect();
    let mut buffer = vec![0; MAX_UNIT];
    let mut engine = Engine::new(Config::new(rules, 50), Frames(frames));
    let allocations = allocation_counter::measure(|| {
        for round in 0..100 {
            for (slot, length) in (0..).zip(&lengths) {
                let checksums = if slot % 3 == 0 { Checksums::Verified } else { Checksums::Unknown };
                while engine.push(slot, *length, checksums).is_err() {
                    // A full engine: a cut, a look, or all there is.
                    match round % 3 {
                        0 => drop(engine.pop_into(&mut buffer[..HEADERS4 + 350])),
                        1 => drop(engine.pop_into(&mut buffer)),
                        _ => {
                            let bytes = engine.front(MAX_UNIT).unwrap().map(|unit| unit.payloads().count());
                            assert!(bytes > Some(0));
                            engine.consume();
                        }
                    }
                }
            }
        }
    });
    assert_eq!((allocations.count_total, allocations.count_current), (0, 0));
    let stats = engine.stats();
    assert!(stats.merged_units >= 1000 && stats.frames == 20_000, "{stats:?}");
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocation_counter::measure(|| drop(vec![1_u8])).count_total, 1);
}
