//! How frames get into a ring: order, waiting, and what goes wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BASE, BLOCKS, BUFFER, Host, MAC, frames};
use model::{Bar, Config, Step, Width};
use xframe::bits::*;
use xframe::block;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::rxd;
use xframe::rxd::TCode;
use xframe::statistics as s;
use xframe::swapper::SwapperCtrl;

#[test]
fn data_is_written_before_control_2_and_control_1_last() {
    let mut host = Host::running(1);
    host.card.memory_mut().record();
    let frame = frames::tcp4(100);
    host.receive(&frame);
    let (rxd, buffer) = (host.rxd(0), host.buffer(0));
    assert_eq!(host.card.memory().recorded(), [(buffer, frame.len()), (rxd + 16, 8), (rxd + 8, 8)]);
    assert_eq!(host.card.memory().word(rxd), 0xC0FF_EE00, "the host's word is left alone");
    assert_eq!(host.card.memory().word(rxd + 24), buffer);
}

#[test]
fn the_marker_is_cleared_and_the_whole_word_rewritten() {
    let mut host = Host::running(1);
    host.receive(&frames::tcp4(100));
    assert_eq!(host.card.memory().word(host.rxd(0) + 16), (154_u64) << 48);
}

#[test]
fn the_ring_goes_round_over_all_blocks_in_order() {
    let mut host = Host::running(3);
    let rxds = 3 * block::RXDS;
    for round in 0..2 * rxds + 10 {
        let (_, bytes) = host.receive(&frames::tcp4(round));
        assert_eq!(bytes.len(), 54 + round);
    }
}

#[test]
fn a_frame_longer_than_its_buffer_fills_it_and_says_so() {
    let mut host = Host::running(1);
    host.post(600);
    let behind = host.buffer(0) + 600;
    host.card.memory_mut().put(behind, &[0x77; 8]);
    let frame = frames::tcp4(1448);
    host.arrive(&frame);
    let (completion, bytes) = host.take().unwrap();
    assert_eq!((completion.t_code, completion.size), (TCode::BufferSize, 600));
    assert_eq!(bytes, frame[..600]);
    assert_eq!(host.card.memory().bytes(behind, 8), [0x77; 8]);
}

#[test]
fn frames_wait_for_the_host_s_descriptors_and_come_in_order() {
    let mut host = Host::running(1);
    for length in 0..5 {
        host.arrive(&frames::tcp4(length));
    }
    assert_eq!(host.take(), None);
    host.post_many(5);
    assert_eq!(host.settle().len(), 5);
    for length in 0..5 {
        assert_eq!(host.take().unwrap().1.len(), 54 + length);
    }
}

#[test]
fn a_hole_in_the_ring_stops_it_until_it_is_filled() {
    let mut host = Host::running(1);
    host.post_many(3);
    let hole = host.rxd(1) + rxd::CONTROL_1 as u64;
    host.card.memory_mut().put_word(hole, 0);
    for length in 0..3 {
        host.arrive(&frames::tcp4(length));
    }
    let taken = |host: &Host, index| host.card.memory().word(host.rxd(index) + 8) == u64::from(rxd::Control1::POSTED);
    assert!(taken(&host, 2), "a descriptor behind the hole is not used");
    host.card.memory_mut().put_word(hole, rxd::Control1::POSTED.into());
    host.settle();
    let lengths: Vec<_> = (0..3).map(|_| host.take().unwrap().1.len()).collect();
    assert_eq!(lengths, [54, 55, 56]);
}

#[test]
fn packet_memory_overflows_into_the_counters() {
    let mut config = Config::new(Asic::Herc, MAC);
    config.packet_memory = 4_000;
    let mut host = Host::new(config);
    host.bring_up(1);
    host.settle();
    let frame = frames::tcp4(1446);
    host.card.wire_mut().frames.extend(std::iter::repeat_n(frame, 5));
    let steps = host.settle();
    assert_eq!(steps[..2], [Step::Held { ring: 0 }; 2]);
    assert_eq!(steps[2..], [Step::Discarded; 3]);
    assert_eq!(host.card.counter(s::RMAC_DROP_FRMS), 3);
    assert_eq!(host.card.counter(s::RMAC_FULL_Q0), 3);
    assert_eq!(host.card.counter(s::RMAC_ACCEPTED_UCST_FRMS), 2);
    host.post_many(5);
    host.settle();
    assert!(host.take().is_some() && host.take().is_some() && host.take().is_none());
}

#[test]
fn a_ring_without_descriptors_is_counted_as_bumped() {
    let mut host = Host::running(1);
    host.arrive(&frames::tcp4(1));
    host.arrive(&frames::tcp4(2));
    assert_eq!(host.read(r::RING_BUMP_COUNTER1) >> 48, 1, "once per shortage");
}

#[test]
fn nothing_moves_without_bus_mastering() {
    let mut host = Host::running(1);
    host.post_many(1);
    host.card.config_write(0x04, Width::Word, 2);
    host.arrive(&frames::tcp4(100));
    assert_eq!(host.take(), None);
}

#[test]
fn a_buffer_out_of_reach_ends_the_frame_with_an_abort() {
    let mut host = Host::running(1);
    host.post(9622);
    let pointer = host.rxd(0) + rxd::BUFFER0_PTR as u64;
    host.card.memory_mut().put_word(pointer, BASE - BUFFER);
    host.arrive(&frames::tcp4(100));
    let (completion, _) = host.take().unwrap();
    assert_eq!((completion.t_code, completion.size), (TCode::Abort, 0));
    assert_eq!(host.get::<PrcPcixErr>().ab_f_wr_rn(), 0x80);
    assert_eq!(host.receive(&frames::tcp4(100)).0.t_code, TCode::Ok);
}

#[test]
fn a_descriptor_out_of_reach_stops_the_ring_until_it_is_started_anew() {
    let mut host = Host::running(1);
    host.write(r::PRC_CTRL.first(), 0);
    host.write(r::PRC_RXD0.first(), 0x1000);
    let ctrl = PrcCtrl::new().with_rc_enabled(true);
    host.write(r::PRC_CTRL.first(), ctrl.into());
    host.arrive(&frames::tcp4(100));
    assert_eq!(host.get::<PrcPcixErr>().ab_rd_rn(), 0x80);
    host.write(r::PRC_CTRL.first(), 0);
    host.start_ring(0, BLOCKS, 1);
    assert_eq!(host.receive(&frames::tcp4(100)).0.t_code, TCode::Ok);
}

#[test]
fn big_endian_descriptors_work_too() {
    let mut host = Host::running(1);
    host.post(9622);
    let rxd = host.rxd(0);
    for word in 0..4 {
        let value = host.card.memory().word(rxd + 8 * word);
        host.card.memory_mut().put_word(rxd + 8 * word, value.swap_bytes());
    }
    let swapper = host.read(r::SWAPPER_CTRL);
    let swapper = SwapperCtrl::from(swapper).with_rxd_r_se(false).with_rxd_w_se(false);
    host.write(r::SWAPPER_CTRL, swapper.into());
    let frame = frames::tcp4(100);
    host.arrive(&frame);
    let control_2 = host.card.memory().word(rxd + 16).swap_bytes();
    assert_eq!(rxd::Control2::from(control_2).buffer_0_size(), frame.len() as u16);
    assert_eq!(host.card.memory().bytes(host.buffer(0), frame.len()), frame);
}

#[test]
fn the_mac_can_loop_back() {
    let mut host = Host::running(1);
    host.post_many(1);
    host.set_mac_cfg(|mac| mac.with_tmac_loopback(true).with_rmac_prom_enable(true));
    let frame = frames::tcp4(100);
    host.send(&[&frame]);
    assert!(host.sent().is_empty());
    assert_eq!(host.take().unwrap().1, frame);
    let offset = u64::from(r::MAC_CFG.offset());
    assert_ne!(host.card.read(Bar::Registers, offset, Width::Qword), 0);
}

#[test]
fn frames_come_in_groups_each_with_one_interrupt_after_the_host_has_looked_at_the_last() {
    let mut host = Host::new(Config { group: Some(3), ..Config::new(Asic::Herc, MAC) });
    host.bring_up(1);
    host.settle();
    host.write(r::RX_TRAFFIC_MASK, 0);
    host.post_many(8);
    host.card.wire_mut().frames.extend((0..8).map(frames::tcp4));
    let mut groups = Vec::new();
    while host.read(r::RX_TRAFFIC_INT) != 0 || host.settle().len() > 1 || !host.card.wire().frames.is_empty() {
        host.settle();
        host.write(r::RX_TRAFFIC_MASK, u64::MAX);
        host.write(r::RX_TRAFFIC_INT, u64::MAX);
        host.settle();
        groups.push(std::iter::from_fn(|| host.take()).count());
        host.write(r::RX_TRAFFIC_MASK, 0);
    }
    assert_eq!(groups, [3, 3, 2]);
}
