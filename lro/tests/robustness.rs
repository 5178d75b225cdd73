//! Frames that lie, are cut short, or are no frames: nothing is read out of bounds, nothing lost, nothing changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{HEADERS4, data, data6};
use common::other::{arp, other, udp};
use common::parse::segment;
use common::rig::{Rig, units};
use common::slots::Slots;
use lro::{Checksums, Config, Engine, MAX_UNIT, Pool, Rules};
use proptest::collection::vec;
use proptest::prelude::*;

const CHECKSUMS: [Checksums; 3] = [Checksums::Verified, Checksums::Bad, Checksums::Unknown];

/// Pushes the frame between two segments that it might belong to; it leaves as it came, behind the first.
#[track_caller]
fn passes_through(frame: &[u8]) {
    for checksums in CHECKSUMS {
        for rules in [Rules::Endpoint, Rules::Forward] {
            let mut rig = Rig::new(rules);
            rig.push(data(1, 100)).push_as(frame, checksums).push(data(500, 100));
            assert_eq!(rig.finish(), [data(1, 100).frame(), frame.to_vec(), data(500, 100).frame()]);
        }
    }
}

/// A frame with this byte changed.
fn with(mut frame: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    frame[at..at + bytes.len()].copy_from_slice(bytes);
    frame
}

#[test]
fn frames_cut_short_at_any_length() {
    for frame in [
        data(101, 30).frame(),
        data(101, 30).timestamps(1, 1).tag(0x8100, 1).frame(),
        data(101, 30).ip_options(vec![1; 40]).options(vec![1; 40]).frame(),
        data6(101, 30).timestamps(1, 1).tag(0x88A8, 1).tag(0x8100, 1).frame(),
        data6(101, 30).extension(0, &[0; 8]).extension(43, &[0; 16]).extension(60, &[0; 8]).frame(),
        data6(101, 30).extension(44, &[0; 8]).frame(),
        arp(1),
        udp(20),
    ] {
        for length in 0..frame.len() {
            passes_through(&frame[..length]);
        }
    }
}

#[test]
fn ipv4_lengths_that_lie() {
    let frame = data(101, 30).frame();
    for length in [0, 1, 19, 20, 39, 71, 0x7FFF, 0xFFFF_u16] {
        passes_through(&with(frame.clone(), 16, &length.to_be_bytes()));
    }
}

#[test]
fn ipv4_header_lengths_and_versions_that_lie() {
    for first in (0..=255).filter(|first| *first != 0x45) {
        passes_through(&with(data(101, 30).frame(), 14, &[first]));
    }
}

#[test]
fn ipv6_lengths_that_lie() {
    let frame = data6(101, 30).frame();
    for length in [0, 1, 19, 51, 0x7FFF, 65_495, 65_496, 0xFFFF_u16] {
        passes_through(&with(frame.clone(), 18, &length.to_be_bytes()));
    }
}

#[test]
fn ipv6_versions_that_lie() {
    for version in (0..16).filter(|version| *version != 6) {
        passes_through(&with(data6(101, 30).frame(), 14, &[version << 4]));
    }
}

#[test]
fn data_offsets_that_lie() {
    for offset in (0..16).filter(|offset| *offset != 5) {
        passes_through(&with(data(101, 3).frame(), 46, &[offset << 4]));
        passes_through(&with(data6(101, 3).frame(), 66, &[offset << 4]));
    }
}

#[test]
fn timestamp_options_that_are_cut_by_the_data_offset() {
    for words in 1..3 {
        let mut frame = data(101, 30).timestamps(1, 1).frame();
        frame[46] = (5 + words) << 4;
        passes_through(&frame);
    }
}

#[test]
fn sixty_vlan_tags() {
    for tags in 3..60 {
        let tagged = (0..tags).fold(data(101, 30), |frame, tag| frame.tag(0x8100, tag));
        passes_through(&tagged.frame());
    }
}

#[test]
fn extension_headers_without_end() {
    for count in [7, 8, 9, 100] {
        let frame = (0..count).fold(data6(101, 30), |frame, _| frame.extension(60, &[0; 8]));
        passes_through(&frame.frame());
    }
}

#[test]
fn extension_headers_longer_than_the_frame() {
    let frame = data6(101, 30).extension(0, &[0; 8]).frame();
    for words in [1, 6, 7, 100, 255] {
        passes_through(&with(frame.clone(), 55, &[words]));
    }
}

#[test]
fn headers_longer_than_an_offset_can_say() {
    let long = data6(101, 30).extension(60, &[0; 2048]).options(vec![1; 40]);
    passes_through(&long.frame());
    passes_through(&data6(101, 30).extension(60, &[0; 136]).options(vec![1; 40]).frame());
    passes_through(&data6(101, 30).extension(60, &[0; 144]).options(vec![1; 40]).frame());
}

#[test]
fn giants() {
    let longest = data(101, 65_535 - 40).trailer(100_000).frame();
    passes_through(&longest);
    passes_through(&other(0x0800, &vec![0x45; 300_000]));
    passes_through(&vec![0; 300_000]);
}

#[test]
fn an_ipv6_datagram_of_65_575_bytes() {
    passes_through(&data6(101, 65_515).frame());
}

#[test]
fn a_jumbogram() {
    let mut frame = data6(101, 30).extension(0, &[0, 0, 0xC2, 4, 0, 1, 0, 0]).frame();
    frame[18..20].fill(0);
    passes_through(&frame);
}

#[test]
fn empty_frames() {
    let mut rig = Rig::new(Rules::Endpoint);
    rig.push([]).push(data(1, 100)).push([]).push(data(101, 100));
    assert_eq!(rig.finish().iter().map(Vec::len).collect::<Vec<_>>(), [0, HEADERS4 + 200, 0]);
}

#[test]
fn a_length_that_reaches_beyond_the_slot() {
    for frame in [data(1, 100).frame(), arp(1)] {
        for checksums in CHECKSUMS {
            let mut slots = Slots::default();
            let slot = slots.fill(&frame);
            let room = slots.bytes(slot).len();
            let mut engine = Engine::new(Config::new(Rules::Endpoint, 1), slots);
            engine.push(slot, u32::MAX, checksums).unwrap();
            let info = engine.pop_into(&mut vec![0; MAX_UNIT]).unwrap().unwrap();
            assert!(info.length <= room);
            assert_eq!(engine.pool().in_use(), 0);
        }
    }
}

#[test]
fn bytes_behind_the_length_are_not_the_frames() {
    let mut slots = Slots::default();
    let (first, second) = (slots.fill(&data(1, 100).frame()), slots.fill(&data(101, 100).frame()));
    let mut engine = Engine::new(Config::new(Rules::Endpoint, 2), slots);
    engine.push(first, 154, Checksums::Unknown).unwrap();
    // One byte less than its IP header says.
    engine.push(second, 153, Checksums::Unknown).unwrap();
    let lengths = [0; 2].map(|_| engine.pop_into(&mut [0; 300]).unwrap().unwrap().length);
    assert_eq!(lengths, [154, 153]);
}

#[test]
fn headers_that_the_card_changes_while_they_are_queued() {
    for byte in 0..HEADERS4 {
        for value in [0x00, 0x7F, 0xFF] {
            let mut rig = Rig::new(Rules::Endpoint);
            rig.push_as(data(1, 100), Checksums::Verified).push_as(data(101, 100), Checksums::Verified);
            rig.engine.pool_mut().frame_mut(0)[byte] = value;
            rig.push_as(data(201, 100), Checksums::Verified);
            let unit = rig.read(MAX_UNIT).unwrap();
            assert_eq!(unit.len(), HEADERS4 + 300);
            assert_eq!(unit[HEADERS4..HEADERS4 + 100], data(1, 100).payload_bytes());
            assert_eq!(rig.engine.pool().in_use(), 0);
        }
    }
}

#[test]
fn a_tunnel_in_a_tunnel() {
    let inner = data(101, 40).frame();
    let twice = common::other::ipv4(4, &common::other::ipv4(4, &inner[14..])[14..]);
    let frames = [data(1, 100).frame(), twice.clone(), twice.clone(), data(101, 100).frame()];
    let units = units(Rules::Endpoint, frames);
    assert_eq!(units[1..], [twice.clone(), twice]);
    assert_eq!(segment(&units[0]).payload().len(), 200);
}

/// Frames that begin as frames do, and go on with anything.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let ethertype = prop_oneof![Just(0x0800), Just(0x86DD), Just(0x8100), Just(0x88A8), any::<u16>()];
    let first = prop_oneof![Just(0x45_u8), Just(0x46), Just(0x4F), Just(0x60), any::<u8>()];
    let framed = (ethertype, first, vec(any::<u8>(), 0..200)).prop_map(|(ethertype, first, mut behind)| {
        if let Some(byte) = behind.first_mut() {
            *byte = first;
        }
        if let Some(protocol) = behind.get_mut(9) {
            *protocol = 6;
        }
        other(ethertype, &behind)
    });
    prop_oneof![framed, vec(any::<u8>(), 0..200)]
}

/// A segment with a few of its bytes changed.
fn mangled() -> impl Strategy<Value = Vec<u8>> {
    let segment = (any::<bool>(), 0..3_u32, 0..40_usize).prop_map(|(v6, n, length)| {
        if v6 { data6(1 + n * 20, length).timestamps(n, 1).frame() } else { data(1 + n * 20, length).frame() }
    });
    (segment, vec((0..90_usize, any::<u8>()), 0..4)).prop_map(|(mut frame, changes)| {
        for (at, value) in changes {
            if let Some(byte) = frame.get_mut(at) {
                *byte = value;
            }
        }
        frame
    })
}

fn frames() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(prop_oneof![garbage(), mangled()], 1..30)
}

fn rules() -> impl Strategy<Value = Rules> {
    prop_oneof![Just(Rules::Endpoint), Just(Rules::Seed), Just(Rules::Forward)]
}

proptest! {
    #[test]
    fn garbage_that_nobody_checked_keeps_the_contract(rules in rules(), frames in frames(), buffer in 0..500_usize) {
        let mut rig = Rig::new(rules);
        for frame in frames {
            rig.push(frame);
        }
        rig.drain(buffer);
        rig.finish();
    }

    #[test]
    fn garbage_that_a_card_called_good_costs_no_slot_and_no_frame(
        rules in rules(),
        frames in frames(),
        buffer in 0..500_usize,
    ) {
        let count = frames.len();
        let mut rig = Rig::new(rules);
        for frame in frames {
            rig.push_as(frame, Checksums::Verified);
        }
        rig.drain(buffer);
        prop_assert_eq!(rig.engine.pool().releases(), count);
        prop_assert_eq!(rig.departures.iter().map(|unit| unit.info.segments as usize).sum::<usize>(), count);
    }
}
