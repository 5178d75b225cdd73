//! The contract, for every short sequence of a small world of frames.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use Event::*;
use common::complete::is_complete;
use common::frame::{ACK, CWR, MORE_FRAGMENTS, RST, Tcp, data, pure_ack};
use common::rig::Rig;
use lro::{Config, MAX_UNIT, Rules};

/// What can happen next.
#[derive(Clone, Copy, Debug)]
enum Event {
    Data,
    Shorter,
    Longer,
    Push,
    Gap,
    Duplicate,
    PureAck,
    Reset,
    Damaged,
    Fragment,
    OtherFlow,
    /// Data that acknowledges more, as all that follows does.
    Acknowledging,
    /// Data with the identification of the frame before; all others have the next one.
    SameId,
    Reduced,
    /// Data with a checksum of FFFF where 0 is as right.
    OtherZero,
}

/// What a host's rules tell apart.
const HOST: [Event; 10] = [Data, Shorter, Push, Gap, Duplicate, PureAck, Reset, Damaged, Fragment, OtherFlow];
/// What a forwarder's rules tell apart besides.
const FORWARDER: [Event; 10] =
    [Data, Shorter, Longer, Push, Acknowledging, SameId, Reduced, OtherZero, Damaged, OtherFlow];

/// Its two senders.
struct World {
    next: Tcp,
    other_next: Tcp,
    last: Tcp,
}

impl World {
    fn new() -> Self {
        Self { next: data(1, 4), other_next: data(1, 4).flow(1), last: data(1, 0) }
    }

    fn frame(&mut self, event: Event) -> Tcp {
        let next = self.next.clone();
        let frame = match event {
            Data => next,
            Shorter => Tcp { payload: 3, ..next },
            Longer => Tcp { payload: 5, ..next },
            Push => next.psh(),
            Gap => Tcp { sequence: next.sequence + 2, ..next },
            Duplicate => return self.last.clone(),
            PureAck => pure_ack(next.sequence, next.acknowledgment),
            Reset => pure_ack(next.sequence, next.acknowledgment).flags(ACK | RST),
            Damaged => next.damaged(),
            Fragment => next.fragment(MORE_FRAGMENTS),
            OtherFlow => {
                self.other_next.sequence += 4;
                return self.other_next.clone();
            }
            Acknowledging => {
                self.next.acknowledgment += 1;
                next.ack(self.next.acknowledgment)
            }
            SameId => Tcp { id: next.id.wrapping_sub(1), ..next },
            Reduced => next.flags(ACK | CWR),
            OtherZero => next.zero_sum(0xFFFF),
        };
        self.next.sequence = frame.sequence + frame.payload as u32;
        self.next.id = frame.id.wrapping_add(1);
        self.last = frame.clone();
        frame
    }
}

/// Every sequence of up to `length` events, with reads by `read` behind each.
fn every_sequence(length: u32, events: &[Event], rules: Rules, read: fn(&mut Rig)) {
    for length in 1..=length {
        for number in 0..events.len().pow(length) {
            let mut world = World::new();
            let mut rig = Rig::with(Config::new(rules, length));
            for place in 0..length {
                let event = events[number / events.len().pow(place) % events.len()];
                rig.push(world.frame(event));
                read(&mut rig);
            }
            rig.finish();
            is_complete(&rig);
        }
    }
}

fn at_the_end(_: &mut Rig) {}

fn frame_by_frame(rig: &mut Rig) {
    rig.drain(MAX_UNIT);
}

/// With a buffer for two segments.
fn at_half_the_rate(rig: &mut Rig) {
    if rig.arrivals.len().is_multiple_of(2) {
        rig.pop(54 + 8);
    }
}

#[test]
fn endpoint_read_at_the_end() {
    every_sequence(5, &HOST, Rules::Endpoint, at_the_end);
}

#[test]
fn endpoint_read_frame_by_frame() {
    every_sequence(4, &HOST, Rules::Endpoint, frame_by_frame);
}

#[test]
fn endpoint_read_at_half_the_rate() {
    every_sequence(5, &HOST, Rules::Endpoint, at_half_the_rate);
}

#[test]
fn forward_read_at_the_end() {
    every_sequence(5, &FORWARDER, Rules::Forward, at_the_end);
    every_sequence(4, &HOST, Rules::Forward, at_the_end);
}

#[test]
fn forward_read_at_half_the_rate() {
    every_sequence(5, &FORWARDER, Rules::Forward, at_half_the_rate);
    every_sequence(4, &HOST, Rules::Forward, at_half_the_rate);
}

#[test]
fn seed_read_at_the_end() {
    every_sequence(4, &HOST, Rules::Seed, at_the_end);
    every_sequence(4, &FORWARDER, Rules::Seed, at_the_end);
}
