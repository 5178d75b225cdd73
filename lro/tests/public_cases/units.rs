//! What merges all the same, and what its unit says.

use lro::{Config, End, MAX_IP_LENGTH, MAX_UNIT, Rules};

use crate::common::frame::{ACK, ETHERNET, HEADERS4, PSH, Tcp, data, data6, payload_byte};
use crate::common::other::arp;
use crate::common::parse::{payloads, segment};
use crate::common::rig::Rig;
use crate::endpoint;

// 1: DPDK b8a55871d5.
#[test]
fn ethernet_padding_is_no_payload() {
    let units = endpoint([data(1, 100), data(101, 1).trailer(5)]);
    let expected: Vec<u8> = (1..102).map(|sequence| payload_byte(1000, sequence)).collect();
    assert_eq!(segment(&units[0]).payload(), expected);
    assert_eq!(units[0].len(), HEADERS4 + 101);
}

// 7: DPDK 547f294357.
#[test]
fn a_push_ends_the_unit_that_carries_it() {
    let units = endpoint([data(1, 100), data(101, 100).psh(), data(201, 100)]);
    assert_eq!(payloads(&units), [200, 100]);
    assert_eq!([0, 1].map(|unit| segment(&units[unit]).flags()), [ACK | PSH, ACK]);
}

// 11: gVisor.
#[test]
fn one_drain_empties_sixty_four_open_flows() {
    let units = endpoint((0..64).map(|flow| data(1, 100).flow(flow)));
    assert_eq!(units.len(), 64);
}

// 15.
#[test]
fn a_window_that_opens_wins() {
    let units = endpoint([data(1, 100).window(0), data(101, 100).window(65_535)]);
    assert_eq!(payloads(&units), [200]);
    assert_eq!(segment(&units[0]).window(), 65_535);
}

// 16: Linux e269d79c, 89add400; qede ee2fa8e6; s2io sent window 0 for sessions of one frame.
#[test]
fn a_unit_of_one_segment_has_no_segment_size_and_its_own_window() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100).window(777));
    let units = rig.finish();
    assert_eq!(rig.info(0).segment_size, 0);
    assert_eq!(segment(&units[0]).window(), 777);
}

// 16.
#[test]
fn the_segment_size_is_less_than_the_length() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 1448)).push(data(1449, 1));
    rig.finish();
    assert_eq!((rig.info(0).segment_size, rig.info(0).length), (1448, HEADERS4 + 1449));
}

// 17: FreeBSD, lengths in 16 bits.
#[test]
fn sixty_five_thousand_five_hundred_and_thirty_five_bytes_are_the_limit_to_the_byte() {
    for (last, expected) in [(15_495, vec![65_495]), (15_496, vec![50_000, 15_496])] {
        assert_eq!(payloads(&endpoint([data(1, 50_000), data(50_001, last)])), expected);
    }
    for (last, expected) in [(15_475, vec![65_475]), (15_476, vec![50_000, 15_476])] {
        assert_eq!(payloads(&endpoint([data6(1, 50_000), data6(50_001, last)])), expected);
    }
}

// 20: FreeBSD D4914.
#[test]
fn many_flows_round_robin_all_merge() {
    for flows in [12, 64, 1000] {
        let mut rig = Rig::with(Config::new(Rules::Endpoint, 2 * flows));
        for sequence in [1, 101] {
            for flow in 0..flows {
                rig.push(data(sequence, 100).flow(flow as u16));
            }
        }
        assert_eq!(payloads(&rig.finish()), vec![200; flows as usize]);
    }
}

// 25: nanos#1848.
#[test]
fn a_stack_that_checks_everything_takes_every_unit() {
    let frames = (0..40).map(|n| Tcp { v6: n % 2 == 1, ..data(1 + n / 2 * 77, 77).timestamps(n, 1) });
    let units = endpoint(frames);
    assert_eq!(units.len(), 2);
    assert!(units.iter().all(|unit| segment(unit).ip_sum_is_true() && segment(unit).tcp_sum_is_true()));
}

// 26: calico#11613.
#[test]
fn metadata_stay_consistent_when_a_unit_is_cut() {
    let mut rig = Rig::new(Rules::Endpoint);
    for n in 0..5 {
        rig.push(data(1 + n * 100, 100));
    }
    rig.drain(HEADERS4 + 250);
    // The judge compares each description with the unit's own bytes.
    rig.finish();
    let described: Vec<_> = rig.departures.iter().map(|unit| (unit.info.segments, unit.info.segment_size)).collect();
    assert_eq!(described, [(2, 100), (2, 100), (1, 0)]);
}

// 29: Linux b1d9b4c2897a.
#[test]
fn a_new_flow_at_capacity_loses_nothing() {
    let mut rig = Rig::with(Config { sessions: 4, ..Config::new(Rules::Endpoint, 100) });
    for round in 0..10 {
        for flow in 0..9 {
            rig.push(data(1 + round * 10, 10).flow(flow));
        }
    }
    assert_eq!(payloads(&rig.finish()).iter().sum::<usize>(), 900);
    assert_eq!(rig.ended(End::Sessions), 50);
}

// 30: nebula#1695, tailscale#13138.
#[test]
fn a_slot_is_released_once_when_its_last_byte_left() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push(data(1, 100)).push(data(101, 100)).push(data(201, 100)).push(arp(1));
    for (buffer, released) in [(HEADERS4 + 200, 2), (MAX_UNIT, 3), (MAX_UNIT, 4)] {
        rig.read(buffer);
        assert_eq!(rig.engine.pool().releases(), released);
    }
}

// 31: erlang_quic#215, firezone#3732.
#[test]
fn the_longest_unit_can_be_known_beforehand() {
    assert_eq!(MAX_IP_LENGTH, 65_535);
    assert_eq!(MAX_UNIT, ETHERNET + 4 + 4 + MAX_IP_LENGTH);
}

// 32.
#[test]
fn the_sequence_number_may_wrap_around_inside_a_unit() {
    let units = endpoint([data(0xFFFF_FFCE, 100), data(50, 100), data(150, 100)]);
    assert_eq!(payloads(&units), [300]);
    assert_eq!(segment(&units[0]).sequence(), 0xFFFF_FFCE);
}

// 33.
#[test]
fn a_giant_that_is_a_segment_merges_or_not_by_the_limit_alone() {
    let units = endpoint([data(1, 65_494), data(65_495, 1), data(65_496, 1)]);
    assert_eq!(payloads(&units), [65_495, 1]);
}
