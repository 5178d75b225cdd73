//! The contract, for random traffic and readers, and for every short sequence of a small world.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::complete::shortfalls;
use common::frame::{ACK, MORE_FRAGMENTS, RST, Tcp, data, pure_ack, timestamps};
use common::rig::Rig;
use common::traffic::{arrivals, honest, play, steps};
use lro::Checksums::{Unknown, Verified};
use lro::{Config, MAX_UNIT, Rules};
use proptest::prelude::*;

fn rules() -> impl Strategy<Value = Rules> {
    prop_oneof![Just(Rules::Endpoint), Just(Rules::Seed), Just(Rules::Off)]
}

fn config() -> impl Strategy<Value = Config> {
    let max_segments = prop_oneof![3 => Just(u32::MAX), 1 => 0..6_u32];
    (rules(), 1..64_u32, max_segments, any::<u64>()).prop_map(|(rules, frames, max_segments, seed)| Config {
        max_segments,
        seed,
        ..Config::new(rules, frames)
    })
}

/// The engine merged all that it could.
#[track_caller]
fn is_complete(rig: &Rig) {
    let config = Config { max_segments: rig.config.max_segments.max(1), ..rig.config };
    let shortfalls = shortfalls(&config, &rig.arrivals, &rig.departures);
    assert!(shortfalls.is_empty(), "{shortfalls:#?}");
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
    fn too_few_sessions_cost_joins_and_nothing_else(sessions in 0..4_u32, steps in steps(60)) {
        let mut rig = Rig::with(Config { sessions, ..Config::new(Rules::Endpoint, 64) });
        play(&mut rig, &steps);
        rig.finish();
    }
}

/// What can happen next in the small world.
#[derive(Clone, Copy, Debug)]
enum Event {
    Data,
    OddData,
    Push,
    Gap,
    Duplicate,
    PureAck,
    Reset,
    Damaged,
    Fragment,
    OtherFlow,
}

const EVENTS: [Event; 10] = [
    Event::Data,
    Event::OddData,
    Event::Push,
    Event::Gap,
    Event::Duplicate,
    Event::PureAck,
    Event::Reset,
    Event::Damaged,
    Event::Fragment,
    Event::OtherFlow,
];

/// The two senders of the small world.
struct World {
    next: u32,
    other_next: u32,
    last: Tcp,
}

impl World {
    fn new() -> Self {
        Self { next: 1, other_next: 1, last: data(1, 0) }
    }

    fn frame(&mut self, event: Event) -> Tcp {
        let next = data(self.next, 4);
        let frame = match event {
            Event::Data => next,
            Event::OddData => data(self.next, 3),
            Event::Push => next.psh(),
            Event::Gap => data(self.next + 2, 4),
            Event::Duplicate => return self.last.clone(),
            Event::PureAck => pure_ack(self.next, 9),
            Event::Reset => pure_ack(self.next, 9).flags(ACK | RST),
            Event::Damaged => next.damaged(),
            Event::Fragment => next.fragment(MORE_FRAGMENTS),
            Event::OtherFlow => {
                self.other_next += 4;
                return data(self.other_next - 4, 4).flow(1);
            }
        };
        self.next = frame.sequence + frame.payload as u32;
        self.last = frame.clone();
        frame
    }
}

/// Every sequence of `length` events, with reads by `read` behind each.
fn every_sequence(length: u32, rules: Rules, read: fn(&mut Rig)) {
    for number in 0..EVENTS.len().pow(length) {
        let mut world = World::new();
        let mut rig = Rig::with(Config::new(rules, length));
        for place in 0..length {
            let event = EVENTS[number / EVENTS.len().pow(place) % EVENTS.len()];
            rig.push(world.frame(event));
            read(&mut rig);
        }
        rig.finish();
        is_complete(&rig);
    }
}

#[test]
fn every_short_sequence_read_at_the_end_keeps_the_contract() {
    (1..=5).for_each(|length| every_sequence(length, Rules::Endpoint, |_| ()));
}

#[test]
fn every_short_sequence_read_frame_by_frame_keeps_the_contract() {
    (1..=4).for_each(|length| {
        every_sequence(length, Rules::Endpoint, |rig| {
            rig.drain(MAX_UNIT);
        });
    });
}

#[test]
fn every_short_sequence_read_at_half_the_rate_keeps_the_contract() {
    (1..=5).for_each(|length| {
        every_sequence(length, Rules::Endpoint, |rig| {
            if rig.arrivals.len() % 2 == 0 {
                rig.pop(54 + 8);
            }
        });
    });
}

#[test]
fn every_short_sequence_under_seed_keeps_the_contract() {
    (1..=4).for_each(|length| every_sequence(length, Rules::Seed, |_| ()));
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
                flip_every_bit(&like, Rules::Endpoint);
                flip_every_bit(&like, Rules::Seed);
            }
        }
    }
}
