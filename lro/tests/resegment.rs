//! The way back: a forwarder's unit, cut again, is the frames that came.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frame::{ACK, CWR, DONT_FRAGMENT, HEADERS4, Tcp, data, data6};
use common::other::arp;
use common::parse::segment;
use common::rig::Rig;
use common::traffic::{play, steps};
use common::way_back::{all_come_back, cut, without_trailer};
use lro::{Config, Info, Rules, TooSmall, resegment};
use proptest::collection::vec;
use proptest::prelude::*;

/// The frames join in one unit, from which they come back.
#[track_caller]
fn come_back<const N: usize>(frames: [Tcp; N]) {
    let mut rig = Rig::new(Rules::Forward);
    rig.push_all(frames.clone());
    let units = rig.finish();
    assert_eq!(rig.info(0).segments as usize, frames.len(), "{:?}", rig.stats());
    assert_eq!(cut(&units[0], &rig.info(0)), frames.map(|frame| without_trailer(frame.frame())));
}

/// `N` segments of nine bytes in sequence, the same but for this.
fn row<const N: usize>(like: Tcp, change: impl Fn(Tcp, u16) -> Tcp) -> [Tcp; N] {
    std::array::from_fn(|n| {
        let sequence = like.sequence.wrapping_add(9 * n as u32);
        change(Tcp { sequence, payload: 9, ..like.clone() }, n as u16)
    })
}

fn same(frame: Tcp, _: u16) -> Tcp {
    frame
}

proptest! {
    #[test]
    fn any_traffic_comes_back_byte_for_byte(frames in 1..64_u32, steps in steps(80)) {
        let mut rig = Rig::with(Config::new(Rules::Forward, frames));
        play(&mut rig, &steps);
        rig.finish();
        all_come_back(&rig);
    }

    #[test]
    fn any_description_of_any_bytes_has_an_end(
        unit in vec(prop_oneof![Just(0x60_u8), any::<u8>()], 0..300),
        segments in 0..5_u32,
        segment_size in prop_oneof![0..4_u16, any::<u16>()],
        ip_id_step in any::<Option<u16>>(),
        [ip, tcp, payload] in any::<[u8; 3]>(),
    ) {
        let info = Info { length: unit.len(), segments, segment_size, ip_id_step, ip, tcp, payload };
        let mut cut = resegment(&unit, &info);
        let mut frames = 0;
        while cut.next_into(&mut [0; 300]).unwrap().is_some() {
            frames += 1;
            prop_assert!(frames <= unit.len());
        }
    }
}

#[test]
fn ipv4() {
    come_back::<5>(row(data(1, 0), same));
}

#[test]
fn ipv6() {
    come_back::<5>(row(data6(1, 0).flow_label(0xABCDE).tos(0x2E), same));
}

#[test]
fn tags() {
    come_back::<3>(row(data(1, 0).tag(0x8100, 0xE00A), same));
    come_back::<3>(row(data6(1, 0).tag(0x88A8, 5).tag(0x8100, 6), same));
}

#[test]
fn timestamps() {
    come_back::<3>(row(data(1, 0).timestamps(77, 0), same));
    come_back::<3>(row(data6(1, 0).timestamps(u32::MAX, 5), same));
}

#[test]
fn other_options() {
    for options in [vec![1; 4], vec![8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1], vec![0; 40]] {
        come_back::<3>(row(data(1, 0).options(options.clone()), same));
        come_back::<3>(row(data6(1, 0).options(options), same));
    }
}

#[test]
fn extension_headers() {
    let hop_by_hop = data6(1, 0).extension(0, &[0, 0, 1, 4, 0, 0, 0, 0]);
    come_back::<3>(row(hop_by_hop.clone(), same));
    come_back::<3>(row(hop_by_hop.extension(60, &[9; 24]).timestamps(1, 1), same));
}

#[test]
fn an_identification_that_stays() {
    come_back::<4>(row(data(1, 0).id(7), same));
    come_back::<4>(row(data(1, 0).id(7).fragment(0), same));
}

#[test]
fn an_identification_that_counts_and_wraps_around() {
    for fragment in [DONT_FRAGMENT, 0] {
        come_back::<4>(row(data(1, 0).fragment(fragment), |frame, n| frame.id(0xFFFE_u16.wrapping_add(n))));
    }
}

#[test]
fn a_sequence_number_that_wraps_around() {
    come_back::<4>(row(data(0xFFFF_FFF0, 0), same));
}

#[test]
fn push_of_the_last_segment() {
    come_back::<3>(row(data(1, 0), |frame, n| if n == 2 { frame.psh() } else { frame }));
}

#[test]
fn congestion_window_reduced() {
    come_back::<3>(row(data(1, 0).flags(ACK | CWR), same));
    come_back::<2>(row(data(1, 0).flags(ACK | CWR), |frame, n| if n == 1 { frame.psh() } else { frame }));
}

#[test]
fn reserved_bits_and_marks() {
    come_back::<3>(row(data(1, 0).reserved(0x0F).fragment(0x8000).tos(3), same));
}

#[test]
fn a_last_segment_that_is_shorter() {
    come_back([data(1, 1448), data(1449, 1448), data(2897, 1)]);
    come_back([data6(1, 3), data6(4, 3), data6(7, 2)]);
}

#[test]
fn padding_behind_a_datagram_does_not_come_back() {
    come_back([data(1, 100).trailer(7), data(101, 1).padded()]);
}

#[test]
fn a_checksum_of_zero() {
    come_back([data(1, 9), data(10, 9).zero_sum(0), data(19, 9)]);
    come_back([data6(1, 9).zero_sum(0), data6(10, 9).zero_sum(0)]);
}

#[test]
fn the_longest_unit() {
    let mut rig = Rig::new(Rules::Forward);
    let frames: Vec<Vec<u8>> = (0..46).map(|n| data(1 + n * 1423, 1423).id(n as u16).frame()).collect();
    rig.push_all(frames.clone());
    rig.push(data(1 + 46 * 1423, 37).id(46));
    let units = rig.finish();
    assert_eq!((units.len(), segment(&units[0]).ip_length()), (1, 65_535));
    assert_eq!(cut(&units[0], &rig.info(0))[..46], frames);
}

#[test]
fn a_unit_that_was_cut_to_the_readers_buffer() {
    let mut rig = Rig::new(Rules::Forward);
    let frames: [Tcp; 7] = row(data(1, 0), |frame, n| frame.id(n));
    rig.push_all(frames.clone());
    rig.drain(HEADERS4 + 3 * 9);
    rig.finish();
    let back: Vec<_> = rig.departures.iter().flat_map(|unit| cut(&unit.frame, &unit.info)).collect();
    assert_eq!(rig.departures.len(), 3);
    assert_eq!(back, frames.map(|frame| frame.frame()));
}

#[test]
fn what_stays_behind_a_cut_may_take_another_step() {
    let mut rig = Rig::new(Rules::Forward);
    rig.push(data(1, 100).id(1)).push(data(101, 100).id(2));
    rig.read(HEADERS4 + 100);
    rig.push(data(201, 100).id(2));
    let units = rig.finish();
    assert_eq!((rig.info(1).segments, rig.info(1).ip_id_step), (2, Some(0)));
    assert_eq!(cut(&units[1], &rig.info(1)), [data(101, 100).id(2).frame(), data(201, 100).id(2).frame()]);
}

#[test]
fn a_unit_of_one_segment_is_its_frame() {
    for frame in [data(1, 100).psh().padded().frame(), data(1, 1).trailer(9).damaged().frame(), arp(1)] {
        let mut rig = Rig::new(Rules::Forward);
        rig.push(frame.clone());
        rig.finish();
        assert_eq!(cut(&frame, &rig.info(0)), [frame]);
    }
}

#[test]
fn a_segment_size_of_none_has_an_end() {
    let info = Info { length: 154, segments: 2, segment_size: 0, ip_id_step: None, ip: 14, tcp: 34, payload: 54 };
    let (frame, mut frames) = (data(1, 100).frame(), 0);
    let mut segments = resegment(&frame, &info);
    while segments.next_into(&mut [0; 200]).unwrap().is_some() {
        frames += 1;
        assert!(frames <= 100);
    }
}

#[test]
fn an_ipv6_header_that_is_none_is_cut_all_the_same() {
    let info = Info { length: 30, segments: 2, segment_size: 9, ip_id_step: None, ip: 0, tcp: 2, payload: 12 };
    assert_eq!(cut(&[0x60; 30], &info).iter().map(Vec::len).collect::<Vec<_>>(), [21, 21]);
}

#[test]
fn a_frame_that_does_not_fit_changes_nothing() {
    let mut rig = Rig::new(Rules::Forward);
    rig.push(data(1, 100)).push(data(101, 60));
    let units = rig.finish();
    let mut segments = resegment(&units[0], &rig.info(0));
    let mut buffer = [0; 154];
    assert_eq!(segments.next_into(&mut buffer[..153]), Err(TooSmall { needs: 154 }));
    assert_eq!((segments.next_into(&mut buffer), buffer.to_vec()), (Ok(Some(154)), data(1, 100).frame()));
    assert_eq!(segments.next_into(&mut buffer[..113]), Err(TooSmall { needs: 114 }));
    assert_eq!(segments.next_into(&mut buffer), Ok(Some(114)));
    assert_eq!(buffer[..114], data(101, 60).frame());
    assert_eq!(segments.next_into(&mut []), Ok(None));
}
