//! What becomes of a list: the frame on the wire, the word written back, and what goes wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BASE, FRAMES, Host, LISTS, MAC, PEER, frames};
use etherparse::UdpHeaderSlice;
use model::{Config, Step};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::statistics as s;
use xframe::txd::{self, Control1, Control2, ListControl, TCode};

fn checksums() -> Control2 {
    Control2::new().with_tx_cko_ipv4_en(true).with_tx_cko_tcp_en(true).with_tx_cko_udp_en(true)
}

#[test]
fn fragments_are_gathered_into_one_frame() {
    let mut host = Host::running(1);
    let frame = frames::tcp4(1000);
    host.send(&[&frame[..14], &frame[14..54], &frame[54..700], &frame[700..]]);
    assert_eq!(host.sent(), [frame]);
}

#[test]
fn the_first_word_comes_back_without_own_and_with_a_code() {
    let mut host = Host::running(1);
    host.card.memory_mut().record();
    // A code that means nothing: the card must overwrite it even with 0.
    let poison = Control1::new().with_t_code(TCode::Other(5));
    host.send_with(0, &[&frames::tcp4(6)], poison, Control2::new());
    assert_eq!(host.settle(), [Step::Link, Step::Sent { fifo: 0 }]);
    assert_eq!(u64::from(host.list_word(0)), 0x0000_0300_0000_003C);
    assert_eq!(host.card.memory().recorded(), [(LISTS, 8)], "nothing else is written");
    assert_eq!(host.card.memory().word(LISTS + txd::HOST_CONTROL as u64), 0xBEEF);
}

#[test]
fn short_frames_are_padded_unless_padding_is_off() {
    let mut host = Host::running(1);
    let frame = frames::tcp4(1);
    host.send(&[&frame]);
    assert_eq!(host.sent()[0].len(), 60);
    assert_eq!(host.sent()[0][..55], frame);
    assert_eq!(host.sent()[0][55..], [0; 5]);
    host.set_mac_cfg(|mac| mac.with_tmac_append_pad(false));
    host.send(&[&frame]);
    assert_eq!(host.sent()[1], frame);
}

#[test]
fn every_checksum_asked_for_is_inserted_whatever_the_field_held() {
    for frame in [frames::tcp4(999), frames::tcp6(1000), frames::udp4(77), frames::udp6(78)] {
        let mut spoiled = frame.clone();
        let ip6 = frame[12] == 0x86;
        let transport = if ip6 { 54 } else { 34 };
        let field = if frame[if ip6 { 20 } else { 23 }] == 6 { transport + 16 } else { transport + 6 };
        spoiled[field..field + 2].copy_from_slice(&[0xAB, 0xCD]);
        if !ip6 {
            spoiled[24..26].copy_from_slice(&[0x12, 0x34]);
        }
        let mut host = Host::running(1);
        host.send_with(0, &[&spoiled], Control1::new(), checksums());
        host.settle();
        assert_eq!(host.sent(), [frame]);
    }
}

#[test]
fn checksums_not_asked_for_are_left_alone() {
    let mut frame = frames::tcp4(100);
    frame[50..52].copy_from_slice(&[0xAB, 0xCD]);
    let mut host = Host::running(1);
    host.send(&[&frame]);
    assert_eq!(host.sent(), [frame]);
}

#[test]
fn a_udp_checksum_of_zero_is_sent_as_all_ones() {
    // Choose the payload so that everything else sums to all ones.
    let mut frame = frames::udp4(2);
    frame[42..44].fill(0);
    frame[40..42].fill(0);
    let mut host = Host::running(1);
    host.send_with(0, &[&frame], Control1::new(), checksums());
    host.settle();
    let checksum = &host.sent()[0][40..42].to_vec();
    frame[42..44].copy_from_slice(checksum);
    host.send_with(0, &[&frame], Control1::new(), checksums());
    host.settle();
    assert_eq!(host.sent()[1][40..42], [0xFF, 0xFF]);
}

#[test]
fn a_fragment_of_a_datagram_gets_its_header_sum_only() {
    let frame = frames::fragment4(0, true);
    let mut host = Host::running(1);
    host.send_with(0, &[&frame], Control1::new(), checksums());
    host.settle();
    assert_eq!(host.sent(), [frame]);
}

#[test]
fn a_tag_is_inserted_behind_the_addresses() {
    let frame = frames::tcp4(100);
    let mut host = Host::running(1);
    let tag = checksums().with_vlan_enable(true).with_vlan_tag(0x6005);
    host.send_with(0, &[&frame], Control1::new(), tag);
    host.settle();
    assert_eq!(host.sent()[0], [&frame[..12], &[0x81, 0x00, 0x60, 0x05], &frame[12..]].concat());
}

#[test]
fn a_tag_of_zero_means_none() {
    let frame = frames::tcp4(100);
    let mut host = Host::running(1);
    host.send_with(0, &[&frame], Control1::new(), Control2::new().with_vlan_enable(true));
    host.settle();
    assert_eq!(host.sent(), [frame]);
}

#[test]
fn empty_fragments_and_surplus_descriptors_are_tolerated() {
    let mut host = Host::running(1);
    let frame = frames::tcp4(100);
    host.send_with(0, &[&frame[..50], &[], &frame[50..]], Control1::new(), Control2::new());
    host.settle();
    let first = u64::from(Control1::from(u64::from(host.list_word(0))).with_own(true));
    host.card.memory_mut().put_word(LISTS, first);
    host.ring_doorbell(0, LISTS, ListControl::single(9));
    host.settle();
    assert_eq!(host.sent(), [frame.clone(), frame]);
}

#[test]
fn a_list_the_host_still_owns_is_an_error() {
    let mut host = Host::running(1);
    host.send(&[&frames::tcp4(100)]);
    host.ring_doorbell(0, LISTS, ListControl::single(0));
    host.settle();
    assert_eq!(host.list_word(0).t_code(), TCode::ListError);
    assert_eq!(host.sent().len(), 1);
}

#[test]
fn a_list_without_a_last_fragment_is_an_error() {
    let mut host = Host::running(1);
    host.send_with(0, &[&frames::tcp4(100), &[0; 10]], Control1::new(), Control2::new());
    host.ring_doorbell(0, LISTS, ListControl::single(0));
    host.settle();
    assert_eq!(host.list_word(0).t_code(), TCode::ListError);
}

#[test]
fn a_list_longer_than_any_frame_is_an_error() {
    let mut host = Host::running(1);
    host.send(&[&vec![0; 9600 + 19]]);
    assert_eq!(host.list_word(0).t_code(), TCode::ListError);
    host.send(&[&vec![0; 9600 + 18]]);
    assert_eq!(host.list_word(0).t_code(), TCode::Ok);
}

#[test]
fn a_fragment_out_of_reach_is_an_abort() {
    let mut host = Host::running(1);
    let frame = frames::tcp4(100);
    host.send_with(0, &[&frame], Control1::new(), Control2::new());
    host.card.memory_mut().put_word(LISTS + txd::BUFFER_POINTER as u64, BASE - 10);
    host.settle();
    assert_eq!(host.list_word(0).t_code(), TCode::BufferAbort);
    assert_eq!(host.card.counter(s::TMAC_ANY_ERR_FRMS), 1);
}

#[test]
fn a_list_out_of_reach_sends_nothing_and_still_interrupts() {
    let mut host = Host::running(1);
    host.ring_doorbell(0, 0x10, ListControl::single(0));
    host.settle();
    assert!(host.sent().is_empty());
    assert_eq!(host.read(r::TX_TRAFFIC_INT), 1 << 63);
}

#[test]
fn lists_end_with_link_loss_while_the_link_is_down() {
    let mut host = Host::running(1);
    host.card.set_link(false);
    host.put(AdapterControl::new().with_eoi_tx_on(true).with_cntl_en(true));
    host.send(&[&frames::tcp4(100)]);
    assert_eq!(host.list_word(0).t_code(), TCode::LinkLoss);
    assert!(host.sent().is_empty());
}

#[test]
fn lists_wait_while_the_adapter_is_off() {
    let mut host = Host::running(1);
    host.put(AdapterControl::new().with_eoi_tx_on(true));
    host.send(&[&frames::tcp4(100)]);
    assert!(host.list_word(0).own());
    host.put(AdapterControl::new().with_eoi_tx_on(true).with_cntl_en(true));
    host.settle();
    assert!(!host.list_word(0).own());
    assert_eq!(host.sent().len(), 1);
}

#[test]
fn xena_sends_as_herc_does() {
    let mut host = Host::new(Config::new(Asic::Xena, MAC));
    host.bring_up(1);
    let frame = frames::udp4(100);
    host.send(&[&frame]);
    assert_eq!(host.sent(), std::slice::from_ref(&frame));
    assert_eq!(frame[6..12], PEER);
    assert!(UdpHeaderSlice::from_slice(&frame[34..]).is_ok() && FRAMES > LISTS);
}
