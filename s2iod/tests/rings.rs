//! Several receive rings: which frames go where, and whose turn it is to be read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::collections::BTreeSet;

use common::broken::{NOW, break_it};
use common::frames::{datagram, fragmented, payload_of, plain, segment, segment_6, tagged, to};
use common::rings::{bench, flows, options, payloads, ring_of};
use common::{Bench, MAC, Machine};
use model::Config;
use s2iod::{Options, State};
use xframe::bits::{PrcCtrl, RxQueueCfg};
use xframe::constants::{Asic, RINGS};
use xframe::registers as reg;

// Which frames go where.

#[test]
fn what_is_no_tcp_goes_to_ring_0() {
    for rings in 2..=8 {
        let mut bench = bench(rings);
        let fragment = fragmented(segment(1, 1, 100));
        for frame in [plain(1, 60), tagged(plain(1, 60)), datagram(1, 100), fragment, to([0xFF; 6])] {
            assert_eq!(ring_of(&mut bench, frame.clone()), 0, "{rings} rings: {frame:02x?}");
        }
    }
}

#[test]
fn the_flows_of_tcp_share_the_other_rings() {
    for rings in 2..=8 {
        let mut bench = bench(rings);
        for segment in [segment, segment_6] {
            let used: BTreeSet<_> = (0..100).map(|flow| ring_of(&mut bench, segment(flow, 1, 100))).collect();
            assert!(used.into_iter().eq(1..usize::from(rings)), "{rings} rings");
        }
    }
}

#[test]
fn a_flow_stays_in_its_ring_even_over_a_reset() {
    let mut bench = bench(5);
    let rings: Vec<_> = (0..20).map(|flow| ring_of(&mut bench, segment(flow, 1, 100))).collect();
    break_it(&bench);
    assert_eq!(bench.adapter.watch(NOW), State::Running);
    bench.settle();
    let after: Vec<_> = (0..20).map(|flow| ring_of(&mut bench, segment(flow, 101, 1_000))).collect();
    assert_eq!(rings, after);
}

#[test]
fn one_ring_takes_everything() {
    let mut bench = bench(1);
    for frame in [plain(1, 60), segment(1, 1, 100), segment_6(1, 1, 100)] {
        assert_eq!(ring_of(&mut bench, frame), 0);
    }
}

#[test]
fn xframe_i_has_one_ring() {
    let machine = Machine::new(Config::new(Asic::Xena, MAC));
    let mut bench = Bench::on(machine, options(4));
    assert_eq!(ring_of(&mut bench, segment(1, 1, 100)), 0);
    assert_eq!(bench.machine.read(reg::PRC_CTRL.at(1).unwrap()), 0);
}

#[test]
fn the_rings_share_the_packet_memory_and_those_that_are_not_used_have_none() {
    for rings in 1..=8_u8 {
        let bench = bench(rings);
        let shares = u64::from(RxQueueCfg::from(bench.machine.read(reg::RX_QUEUE_CFG))).to_be_bytes();
        assert_eq!(shares.iter().sum::<u8>(), Asic::Herc.rldram_mib(), "{rings} rings");
        for (ring, share) in shares.iter().enumerate() {
            let enabled = PrcCtrl::from(bench.machine.read(reg::PRC_CTRL.at(ring).unwrap())).rc_enabled();
            let length = bench.machine.read(reg::RTS_FRM_LEN.at(ring).unwrap());
            assert_eq!((*share > 0, enabled, length > 0), [(ring < rings.into()); 3].into(), "ring {ring} of {rings}");
        }
    }
}

// What is read.

#[test]
fn frames_of_every_length_come_as_they_were_sent_and_in_order() {
    let mut bench = Bench::new(Options { rx_slots: 1_024, rx_spare: 600, ..options(2) });
    let frames: Vec<_> = (14..=1_518).map(|length| plain(length as u32, length)).collect();
    assert!(bench.deliver(frames.clone()) == frames);
    let longest = tagged(tagged(plain(1, 1_514)));
    assert!(bench.deliver([longest.clone()]) == [longest]);
    assert_eq!(bench.statistic("rx_errors_buffer_size"), Some(0));
}

#[test]
fn every_flow_comes_whole_and_in_order_in_units_of_its_own() {
    for rings in 2..=8 {
        let mut bench = bench(rings);
        let flows = flows(&mut bench, rings);
        let segments = |number: u32| flows.iter().map(move |flow| segment(*flow, 11 + 1_000 * number, 1_000));
        let units = bench.deliver((0..12).flat_map(segments));
        assert_eq!(units.len(), flows.len());
        let whole = |flow: &u16| payload_of(&segment(*flow, 11, 12_000)).to_vec();
        assert!(payloads(&units, &flows) == flows.iter().map(whole).collect::<Vec<_>>());
    }
}

#[test]
fn a_frame_waits_for_one_unit_of_each_other_ring_however_many_are_queued() {
    for rings in 2..=8 {
        let mut bench = Bench::new(Options { rules: lro::Rules::Off, ..options(rings) });
        let flows = flows(&mut bench, rings);
        bench.arrive((0..15).flat_map(|number| flows.iter().map(move |flow| segment(*flow, 1 + number * 10, 10))));
        bench.arrive([plain(7, 60)]);
        let mut buffer = [0; 1_514];
        let mut reads = std::iter::repeat_with(|| bench.adapter.receive(&mut buffer).unwrap().unwrap().length);
        let found = reads.by_ref().take(RINGS).position(|length| length == 60).unwrap();
        assert!(found < rings.into(), "read {found} of {rings} rings");
    }
}

#[test]
fn a_frame_that_does_not_fit_keeps_its_turn_until_it_is_taken() {
    let mut bench = bench(3);
    let flows = flows(&mut bench, 3);
    let frames = [plain(1, 200), segment(flows[0], 500, 200), segment(flows[1], 500, 200)];
    bench.arrive(frames.clone());
    let mut short = [0; 100];
    let mut begins = BTreeSet::new();
    for _ in 0..3 {
        let needed = (0..2).map(|_| bench.adapter.receive(&mut short).unwrap_err()).collect::<Vec<_>>();
        assert_eq!(needed[0], needed[1]);
        bench.adapter.receive_truncated(&mut short).unwrap();
        begins.insert(short.to_vec());
    }
    assert_eq!(bench.adapter.receive(&mut short), Ok(None));
    assert_eq!(bench.adapter.receive_truncated(&mut short), None);
    assert_eq!(begins, frames.iter().map(|frame| frame[..100].to_vec()).collect());
}

#[test]
fn every_ring_is_filled_up_again() {
    let mut bench = bench(4);
    let flows = flows(&mut bench, 4);
    for round in 0..40 {
        let segments = flows.iter().map(|flow| segment(*flow, 11 + round * 10, 10));
        assert_eq!(bench.deliver(segments.chain([plain(round, 60)])).len(), 4, "round {round}");
        assert_eq!(bench.adapter.rx_slots_in_card(), 4 * 16);
    }
    for ring in 0..4 {
        assert!(bench.statistic(&format!("rx_ring_{ring}_completed")) >= Some(40));
    }
}

#[test]
fn counters_are_those_of_all_rings() {
    let mut bench = bench(3);
    let flows = flows(&mut bench, 3);
    let before = bench.adapter.lro_stats();
    bench.deliver((0..4).flat_map(|number| flows.iter().map(move |flow| segment(*flow, 11 + number * 10, 10))));
    let after = bench.adapter.lro_stats();
    assert_eq!((after.frames - before.frames, after.merged_segments - before.merged_segments), (8, 8));
    assert_eq!(bench.statistic("lro_frames"), Some(after.frames));
    assert_eq!(bench.statistic("rx_completed"), Some(after.frames));
}
