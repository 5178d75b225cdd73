//! The contract, for random traffic and readers, and for every header bit flipped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::complete::is_complete;
use common::frame::{Tcp, data, data6, timestamps};
use common::rig::Rig;
use common::traffic::{arrivals, honest, play, steps};
use lro::Checksums::{Unknown, Verified};
use lro::{Config, Rules};
use proptest::prelude::*;

fn rules() -> impl Strategy<Value = Rules> {
    prop_oneof![3 => Just(Rules::Endpoint), 3 => Just(Rules::Forward), 2 => Just(Rules::Seed), 1 => Just(Rules::Off)]
}

fn config() -> impl Strategy<Value = Config> {
    let max_segments = prop_oneof![3 => Just(u32::MAX), 1 => 0..6_u32];
    (rules(), 1..64_u32, max_segments, any::<u64>()).prop_map(|(rules, frames, max_segments, seed)| Config {
        max_segments,
        seed,
        ..Config::new(rules, frames)
    })
}

proptest! {
    #[test]
    fn any_traffic_and_any_reader_keep_the_contract(config in config(), steps in steps(60)) {
        let mut rig = Rig::with(config);
        play(&mut rig, &steps);
        rig.finish();
        is_complete(&rig);
    }

    #[test]
    fn a_reader_who_comes_last_gets_all_that_may_join_joined(rules in rules(), steps in arrivals(100)) {
        let mut rig = Rig::new(rules);
        play(&mut rig, &steps);
        rig.finish();
        is_complete(&rig);
    }

    #[test]
    fn too_few_sessions_cost_joins_and_nothing_else(rules in rules(), sessions in 0..4_u32, steps in steps(60)) {
        let mut rig = Rig::with(Config { sessions, ..Config::new(rules, 64) });
        play(&mut rig, &steps);
        rig.finish();
    }
}

/// Three segments in sequence of which one has one header bit flipped, with true sums or without.
fn flip_every_bit(like: &Tcp, rules: Rules) {
    let segments = [0, 1, 2].map(|n| Tcp { sequence: 1 + n * 9, payload: 9, ..like.clone() });
    let bits = 8 * like.payload_offset();
    for (bit, flipped) in (0..bits).flat_map(|bit| (0..3).map(move |flipped| (bit, flipped))) {
        for (seal, checksums) in [(true, Verified), (true, Unknown), (false, Unknown), (false, Verified)] {
            let mut frames = segments.clone().map(|segment| segment.frame());
            frames[flipped][bit / 8] ^= 1 << (bit % 8);
            if seal {
                frames[flipped] = segments[flipped].seal(frames[flipped].clone());
            }
            let mut rig = Rig::with(Config::new(rules, 3));
            for frame in frames {
                let checksums = honest(&frame, checksums, rules);
                rig.push_as(frame, checksums);
            }
            rig.finish();
            is_complete(&rig);
        }
    }
}

#[test]
fn every_header_bit_flipped_in_one_segment_keeps_the_contract() {
    for tags in [&[][..], &[(0x8100, 5)], &[(0x88A8, 5), (0x8100, 6)]] {
        for v6 in [false, true] {
            for options in [vec![], timestamps(7, 7)] {
                let like = Tcp { tags: tags.to_vec(), v6, options, ..data(1, 0) };
                for rules in [Rules::Endpoint, Rules::Seed, Rules::Forward] {
                    flip_every_bit(&like, rules);
                }
            }
        }
    }
}

#[test]
fn every_header_bit_flipped_among_other_options_and_extension_headers_keeps_the_contract() {
    let selective = vec![1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    for like in [
        data(1, 0).options(selective.clone()).tag(0x8100, 5),
        data6(1, 0).options(selective),
        data6(1, 0).extension(0, &[0, 0, 1, 4, 0, 0, 0, 0]).extension(60, &[0; 16]),
        data6(1, 0).extension(60, &[0; 8]).timestamps(7, 7),
        data6(1, 0).extension(43, &[0; 8]),
    ] {
        flip_every_bit(&like, Rules::Forward);
    }
}
