//! Which frames are taken at all, and which ring they go to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC, PEER, frames};
use model::{Config, Step};
use xframe::bits::*;
use xframe::constants::{Asic, CAM_ALL_MULTICAST};
use xframe::registers as r;
use xframe::statistics as s;

#[test]
fn frames_for_others_are_discarded() {
    let mut host = Host::running(1);
    host.post_many(1);
    let mut frame = frames::tcp4(100);
    frame[..6].copy_from_slice(&[2, 9, 9, 9, 9, 9]);
    host.arrive(&frame);
    assert_eq!(host.take(), None);
    assert_eq!((host.card.counter(s::RMAC_DA_DISCARD), host.card.counter(s::RMAC_DISCARDED_FRMS)), (1, 1));
    host.set_mac_cfg(|mac| mac.with_rmac_prom_enable(true));
    host.arrive(&frame);
    assert!(host.take().is_some());
}

#[test]
fn multicast_passes_once_the_cam_asks_for_it() {
    let mut host = Host::running(1);
    host.post_many(1);
    let mut frame = frames::udp4(100);
    frame[..6].copy_from_slice(&[0x01, 0x00, 0x5E, 0, 0, 0xFB]);
    host.arrive(&frame);
    assert_eq!(host.take(), None);
    let number = |bytes: [u8; 6]| bytes.into_iter().fold(0, |number, byte| number << 8 | u64::from(byte));
    let (address, mask) = CAM_ALL_MULTICAST;
    host.cam_write(255, number(address), number(mask));
    host.arrive(&frame);
    assert!(host.take().is_some());
}

#[test]
fn pause_frames_are_swallowed_and_counted() {
    let mut host = Host::running(1);
    host.post_many(1);
    let mut pause = [&[0x01, 0x80, 0xC2, 0, 0, 1][..], &PEER, &[0x88, 0x08, 0, 1, 0, 9]].concat();
    pause.resize(60, 0);
    host.set_mac_cfg(|mac| mac.with_rmac_prom_enable(true));
    host.arrive(&pause);
    assert_eq!(host.take(), None);
    assert_eq!((host.card.counter(s::RMAC_PAUSE_CTRL_FRMS), host.card.counter(s::RMAC_PAUSE_CNT)), (1, 9));
    host.set_mac_cfg(|mac| mac.with_discard_pfrm(false));
    host.arrive(&pause);
    assert!(host.take().is_some());
}

#[test]
fn frames_beyond_the_longest_payload_are_discarded() {
    let mut host = Host::running(1);
    host.put(RmacMaxPyldLen::new().with_rmac_max_pyld_len(1500));
    assert_eq!(host.receive(&frames::tcp4(1460)).1.len(), 1514);
    assert_eq!(host.receive(&frames::tagged_tcp4(1, 1460)).1.len(), 1514);
    host.post_many(1);
    host.arrive(&frames::tcp4(1461));
    host.arrive(&frames::tagged_tcp4(1, 1461));
    assert_eq!(host.take(), None);
    assert_eq!(host.card.counter(s::RMAC_LONG_FRMS), 2);
}

#[test]
fn short_frames_are_discarded_only_on_request() {
    let short = frames::tcp4(5);
    assert_eq!(Host::running(1).receive(&short).1, short);
    let mut config = Config::new(Asic::Herc, MAC);
    config.runt_check = true;
    let mut host = Host::new(config);
    host.bring_up(1);
    host.post_many(1);
    host.arrive(&short);
    assert_eq!(host.take(), None);
    assert_eq!(host.card.counter(s::RMAC_USIZED_FRMS), 1);
}

#[test]
fn a_frame_too_short_for_a_header_is_discarded() {
    let mut host = Host::running(1);
    host.post_many(1);
    for length in 0..14 {
        host.arrive(&vec![0xFF; length]);
    }
    assert_eq!(host.take(), None);
    assert_eq!(host.card.counter(s::RMAC_DISCARDED_FRMS), 14);
}

#[test]
fn a_frame_that_no_ring_may_take_is_dropped() {
    let mut host = Host::running(1);
    host.post_many(1);
    host.write(r::RTS_FRM_LEN.first(), RtsFrmLen::new().with_len_set(500).into());
    host.arrive(&frames::tcp4(1000));
    assert_eq!(host.take(), None);
    assert_eq!((host.card.counter(s::RMAC_RTS_DISCARD), host.card.counter(s::RMAC_DROP_FRMS)), (1, 1));
}

#[test]
fn priority_steers_to_rings() {
    let mut host = Host::running(1);
    let second = common::BLOCKS + 0x1_0000;
    host.write(r::RTS_QOS_STEERING, xframe::constants::qos_steering(2));
    host.write(r::RTS_FRM_LEN.at(1).unwrap(), RtsFrmLen::new().with_len_set(9622).into());
    host.put(RxQueueCfg::new().with_q0_sz(16).with_q1_sz(16));
    host.start_ring(1, second, 1);
    host.card.wire_mut().frames.push_back(frames::tagged_tcp4(1, 10));
    let mut high = frames::tagged_tcp4(1, 10);
    high[14] |= 7 << 5;
    host.card.wire_mut().frames.push_back(high);
    let held: Vec<_> = host.settle().into_iter().filter(|step| *step != Step::Link).collect();
    assert_eq!(held, [Step::Held { ring: 0 }, Step::Held { ring: 1 }]);
}

#[test]
fn nothing_is_taken_from_the_wire_while_the_adapter_is_off() {
    let mut host = Host::running(1);
    host.post_many(1);
    host.put(AdapterControl::new().with_eoi_tx_on(true));
    host.arrive(&frames::tcp4(100));
    assert_eq!(host.card.wire().frames.len(), 1);
    host.put(AdapterControl::new().with_eoi_tx_on(true).with_cntl_en(true));
    host.settle();
    assert!(host.take().is_some());
}
