//! Time per segment; an item is a segment. Beside the engine: what the bare copy and the bare checksum cost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/common/frame.rs"]
mod frame;
mod ring;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/common/sum.rs"]
mod sum;

use std::fmt;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use ring::{Ip, Ring};

/// How many flows share how many slots.
#[derive(Clone, Copy)]
struct Case {
    flows: usize,
    slots: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} flows, {} slots", self.flows, self.slots)
    }
}

/// A ring whose headers stay in a core's own cache, then one whose headers do not, as behind a busy card.
const CASES: [Case; 6] = [
    Case { flows: 1, slots: 512 },
    Case { flows: 32, slots: 512 },
    Case { flows: 1, slots: 8192 },
    Case { flows: 32, slots: 8192 },
    Case { flows: 1000, slots: 8192 },
    Case { flows: 4096, slots: 8192 },
];

const LARGE: &[Case] = CASES.split_at(2).1;

fn main() {
    divan::main();
}

/// Times the whole ring, batch by batch.
fn time(bencher: Bencher<'_, '_>, case: Case, ip: Ip, size: usize, batch: fn(&mut Ring, usize, usize)) {
    let mut ring = Ring::new(case.flows, case.slots, ip);
    bencher.counter(ItemsCount::new(case.slots)).bench_local(|| {
        for slot in (0..case.slots).step_by(size) {
            batch(&mut ring, slot, size);
        }
        ring.engine.pool().released
    });
}

#[divan::bench(args = CASES)]
fn view_every_64(bencher: Bencher<'_, '_>, case: Case) {
    time(bencher, case, Ip::V4, 64, Ring::view);
}

#[divan::bench(args = LARGE)]
fn view_every_8192(bencher: Bencher<'_, '_>, case: Case) {
    time(bencher, case, Ip::V4, 8192, Ring::view);
}

#[divan::bench(args = CASES)]
fn view_every_64_ipv6(bencher: Bencher<'_, '_>, case: Case) {
    time(bencher, case, Ip::V6, 64, Ring::view);
}

#[divan::bench(args = CASES)]
fn view_every_64_mixed(bencher: Bencher<'_, '_>, case: Case) {
    time(bencher, case, Ip::Mixed, 64, Ring::view);
}

#[divan::bench(args = CASES)]
fn copy_every_64(bencher: Bencher<'_, '_>, case: Case) {
    time(bencher, case, Ip::V4, 64, Ring::copy);
}

/// The same payloads to one reader's buffer, as many in a row as a unit holds.
#[divan::bench(args = [512, 8192])]
fn floor_memcpy(bencher: Bencher<'_, '_>, slots: usize) {
    let ring = Ring::new(1, slots, Ip::V4);
    let payloads = ring.payloads();
    let mut buffer = vec![0; lro::MAX_UNIT];
    bencher.counter(ItemsCount::new(slots)).bench_local(|| {
        for unit in payloads.chunks(45) {
            for (payload, place) in unit.iter().zip(buffer.chunks_exact_mut(1448)) {
                place.copy_from_slice(payload);
            }
            black_box(&buffer);
        }
    });
}

/// The same payloads summed, 32 bits at a time in eight lanes.
#[divan::bench(args = [512, 8192])]
fn floor_checksum(bencher: Bencher<'_, '_>, slots: usize) {
    let ring = Ring::new(1, slots, Ip::V4);
    let payloads = ring.payloads();
    bencher.counter(ItemsCount::new(slots)).bench_local(|| {
        for payload in &payloads {
            let (blocks, rest) = payload.as_chunks::<32>();
            let mut lanes = [0_u64; 8];
            for block in blocks {
                for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
                    *lane += u64::from(u32::from_ne_bytes(*word));
                }
            }
            let rest: u64 = rest.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).sum();
            black_box(lanes.iter().sum::<u64>() + rest);
        }
    });
}
