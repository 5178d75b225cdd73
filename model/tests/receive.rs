//! What a received frame becomes: words, bytes, filters, ring order, and what goes wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BASE, BUFFER, Host, MAC, PEER, frames};
use model::{Bar, Config, Step, Width};
use xframe::bits::*;
use xframe::constants::{Asic, CAM_ALL_MULTICAST};
use xframe::registers as r;
use xframe::rxd::{CHECKSUM_GOOD, FrameType, TCode};
use xframe::statistics as s;
use xframe::{block, rxd};

#[test]
fn tcp_over_ipv4_is_described_and_its_sums_are_good() {
    let frame = frames::tcp4(1448);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert_eq!(bytes, frame);
    assert!(completion.checksums_good() && completion.tcp && completion.ipv4 && !completion.udp && !completion.ipv6);
    assert_eq!((completion.t_code, completion.frame_type, completion.vlan), (TCode::Ok, FrameType::Dix, false));
}

#[test]
fn tcp_over_ipv6_has_a_good_layer_3_word() {
    let (completion, _) = Host::running(1).receive(&frames::tcp6(1001));
    assert!(completion.tcp && completion.ipv6 && !completion.ipv4);
    assert_eq!((completion.l3, completion.l4), (CHECKSUM_GOOD, CHECKSUM_GOOD));
}

#[test]
fn udp_is_described_over_both_versions() {
    for frame in [frames::udp4(333), frames::udp6(334)] {
        let (completion, _) = Host::running(1).receive(&frame);
        assert!(completion.checksums_good() && completion.udp && !completion.tcp);
    }
}

#[test]
fn udp_without_a_checksum_is_good() {
    let mut frame = frames::udp4(100);
    frame[40..42].fill(0);
    assert!(Host::running(1).receive(&frame).0.checksums_good());
}

#[test]
fn a_damaged_payload_leaves_the_sum_that_was_found() {
    let mut frame = frames::tcp4(1448);
    // The first word of payload grows by one, so the sum is one more than all ones: carry and all, one.
    let at = frame.len() - 1448;
    let word = u16::from_be_bytes([frame[at], frame[at + 1]]);
    frame[at..at + 2].copy_from_slice(&(word + 1).to_be_bytes());
    let (completion, _) = Host::running(1).receive(&frame);
    assert!(completion.tcp, "protocol bits come from parsing alone");
    assert_eq!((completion.l3, completion.l4), (CHECKSUM_GOOD, 0x0001));
}

#[test]
fn a_damaged_ip_header_leaves_the_sum_that_was_found() {
    let mut frame = frames::tcp4(100);
    frame[22] -= 1;
    let (completion, _) = Host::running(1).receive(&frame);
    assert_eq!(completion.l3, 0xFFFF - 0x0100);
}

#[test]
fn ethernet_padding_is_delivered_but_not_summed() {
    let mut frame = frames::tcp4(1);
    frame.extend([0xEE; 5]);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert!(completion.checksums_good());
    assert_eq!(bytes, frame);
}

#[test]
fn other_protocols_over_ipv4_have_no_layer_4_word() {
    let (completion, _) = Host::running(1).receive(&frames::ping());
    let (control_1, control_2) = completion.encode();
    assert_eq!(u64::from(control_1), 0x0000_0010_FFFF_0000);
    assert_eq!(u64::from(control_2), 98 << 48);
}

#[test]
fn fragments_are_marked_and_not_vouched_for() {
    for (offset, more, first) in [(0, true, true), (8, true, false), (8, false, false)] {
        let (completion, _) = Host::running(1).receive(&frames::fragment4(offset, more));
        assert!(completion.fragment && completion.ipv4 && !completion.checksums_good());
        assert_eq!((completion.udp, completion.l3), (first, CHECKSUM_GOOD));
        assert_ne!(completion.l4, CHECKSUM_GOOD);
    }
}

#[test]
fn known_ipv6_extension_headers_are_stepped_over() {
    let inside = &frames::tcp6(200)[54..];
    for kind in [0, 43, 60] {
        let (completion, _) = Host::running(1).receive(&frames::extended6(kind, 6, inside));
        assert!(completion.tcp && completion.checksums_good(), "{kind}");
    }
}

#[test]
fn an_ipv6_fragment_is_marked() {
    let mut frame = frames::extended6(44, 17, &[0; 64]);
    frame[57] = 1;
    let (completion, _) = Host::running(1).receive(&frame);
    assert!(completion.fragment && completion.ipv6 && completion.udp && !completion.checksums_good());
}

#[test]
fn an_unknown_ipv6_extension_header_has_a_code_of_its_own() {
    let frame = frames::extended6(51, 6, &[0; 64]);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert_eq!(completion.t_code, TCode::UnknownProtocol);
    assert!(completion.ipv6 && !completion.tcp);
    assert_eq!(bytes, frame);
}

#[test]
fn frames_without_ip_have_empty_words() {
    let mut host = Host::running(1);
    let (arp, _) = host.receive(&frames::arp());
    assert_eq!(u64::from(arp.encode().0), 0);
    let (llc, _) = host.receive(&frames::length_framed(&[0x42, 0x42, 3, 0, 0]));
    assert_eq!((llc.frame_type, llc.ipv4, llc.l3, llc.l4), (FrameType::Llc, false, 0, 0));
    let (ipx, _) = host.receive(&frames::length_framed(&[0xFF, 0xFF, 0, 30]));
    assert_eq!(ipx.frame_type, FrameType::Ipx);
}

#[test]
fn ip_inside_snap_is_described() {
    let inner = &frames::tcp4(64)[14..];
    let snap = [&[0xAA, 0xAA, 3, 0, 0, 0, 0x08, 0x00], inner].concat();
    let (completion, _) = Host::running(1).receive(&frames::length_framed(&snap));
    assert_eq!(completion.frame_type, FrameType::Snap);
    assert!(completion.tcp && completion.checksums_good());
}

#[test]
fn a_tag_moves_into_the_descriptor() {
    let frame = frames::tagged_tcp4(5, 500);
    let (completion, bytes) = Host::running(1).receive(&frame);
    assert_eq!((completion.vlan, completion.vlan_tag), (true, 5));
    assert!(completion.checksums_good());
    assert_eq!(bytes, [&frame[..12], &frame[16..]].concat());
}

#[test]
fn a_tag_stays_in_the_frame_when_stripping_is_off() {
    let mut host = Host::running(1);
    host.put(RxPaCfg::new());
    let frame = frames::tagged_tcp4(5, 500);
    let (completion, bytes) = host.receive(&frame);
    assert_eq!((completion.vlan, completion.vlan_tag), (true, 0));
    assert!(completion.checksums_good());
    assert_eq!(bytes, frame);
}

#[test]
fn the_frame_check_sequence_comes_along_when_it_is_not_stripped() {
    let mut host = Host::running(1);
    host.set_mac_cfg(|mac| mac.with_rmac_strip_fcs(false));
    let frame = frames::tcp4(100);
    let (completion, bytes) = host.receive(&frame);
    assert_eq!(bytes[..frame.len()], frame);
    assert_eq!(bytes[frame.len()..], crc32fast::hash(&frame).to_le_bytes());
    assert!(completion.checksums_good());
}

#[test]
fn data_is_written_before_control_2_and_control_1_last() {
    let mut host = Host::running(1);
    host.card.memory_mut().writes.clear();
    let frame = frames::tcp4(100);
    host.receive(&frame);
    let (rxd, buffer) = (host.rxd(0), host.buffer(0));
    assert_eq!(host.card.memory().writes, [(buffer, frame.len()), (rxd + 16, 8), (rxd + 8, 8)]);
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
    let taken = |host: &Host, index| host.card.memory().word(host.rxd(index) + 8) == rxd::Control1::POSTED.into();
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
    host.start_ring(0, common::BLOCKS, 1);
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
    let swapper = xframe::swapper::SwapperCtrl::from(swapper).with_rxd_r_se(false).with_rxd_w_se(false);
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
