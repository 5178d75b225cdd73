//! Instructions for a million segments, counted by Callgrind: a number without noise.
//!
//! Needs Valgrind and `gungraun-runner` of the version in the manifest.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/common/frame.rs"]
mod frame;
#[allow(dead_code, reason = "the other benchmark uses the rest")]
mod ring;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/common/sum.rs"]
mod sum;

use gungraun::prelude::*;
use ring::{Ip, Ring};

const SEGMENTS: usize = 1_000_000;
const SLOTS: usize = 8192;
const BATCH: usize = 64;

fn v4(flows: usize) -> Ring {
    Ring::new(flows, SLOTS, Ip::V4)
}

fn v6(flows: usize) -> Ring {
    Ring::new(flows, SLOTS, Ip::V6)
}

#[library_benchmark]
#[benches::v4(args = [1, 32, 1000, 4096], setup = v4)]
#[benches::v6(args = [32, 1000], setup = v6)]
fn million_segments(mut ring: Ring) -> Ring {
    for batch in 0..SEGMENTS / BATCH {
        ring.view(batch * BATCH % SLOTS, BATCH);
    }
    ring
}

library_benchmark_group!(name = engine, benchmarks = million_segments);

main!(library_benchmark_groups = engine);
