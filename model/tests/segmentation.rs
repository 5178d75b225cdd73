//! Large lists, cut into segments.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, frames};
use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice, TcpHeaderSlice};
use xframe::txd::{Control1, Control2, LsoCof, TCode};

fn checksums() -> Control2 {
    Control2::new().with_tx_cko_ipv4_en(true).with_tx_cko_tcp_en(true).with_tx_cko_udp_en(true)
}

/// Sends `frame` as one list to be cut at `mss`.
fn segmented(frame: &[u8], mss: u16) -> (TCode, Vec<Vec<u8>>) {
    let mut host = Host::running(1);
    let lso = Control1::new().with_lso_cof_ctrl(LsoCof::TcpLso).with_lso_mss(mss);
    host.send_with(0, &[&frame[..54], &frame[54..]], lso, checksums());
    host.settle();
    (host.list_word(0).t_code(), host.sent().to_vec())
}

#[test]
fn a_large_list_is_cut_into_segments_over_ipv4() {
    let mut frame = frames::tcp4(10_000);
    frame[47] = 0x80 | 0x10 | 0x08 | 0x01;
    let (t_code, sent) = segmented(&frame, 1448);
    assert_eq!((t_code, sent.len()), (TCode::Ok, 7));
    let mut data = Vec::new();
    for (index, segment) in sent.iter().enumerate() {
        let ip = Ipv4HeaderSlice::from_slice(&segment[14..]).unwrap();
        assert_eq!(ip.header_checksum(), ip.to_header().calc_header_checksum());
        assert_eq!(usize::from(ip.total_len()), segment.len() - 14);
        assert_eq!(ip.identification(), index as u16);
        let tcp = TcpHeaderSlice::from_slice(&segment[34..]).unwrap();
        assert_eq!(tcp.checksum(), tcp.calc_checksum_ipv4(&ip, &segment[54..]).unwrap());
        assert_eq!(tcp.sequence_number(), 1000 + data.len() as u32);
        let last = index == 6;
        assert_eq!((tcp.fin(), tcp.psh(), tcp.cwr(), tcp.ack()), (last, last, index == 0, true));
        data.extend_from_slice(&segment[54..]);
    }
    assert_eq!(data, frames::payload(10_000));
}

#[test]
fn a_large_list_is_cut_into_segments_over_ipv6() {
    let (t_code, sent) = segmented(&frames::tcp6(3000), 1440);
    assert_eq!((t_code, sent.len()), (TCode::Ok, 3));
    let mut data = Vec::new();
    for segment in &sent {
        let ip = Ipv6HeaderSlice::from_slice(&segment[14..]).unwrap();
        assert_eq!(usize::from(ip.payload_length()), segment.len() - 54);
        let tcp = TcpHeaderSlice::from_slice(&segment[54..]).unwrap();
        assert_eq!(tcp.checksum(), tcp.calc_checksum_ipv6(&ip, &segment[74..]).unwrap());
        data.extend_from_slice(&segment[74..]);
    }
    assert_eq!(data, frames::payload(3000));
}

#[test]
fn without_a_segment_size_the_frame_is_sent_whole() {
    let frame = frames::tcp4(1000);
    assert_eq!(segmented(&frame, 0), (TCode::Ok, vec![frame]));
}

#[test]
fn a_list_that_fits_one_segment_is_sent_whole() {
    let frame = frames::tcp4(1448);
    assert_eq!(segmented(&frame, 1448), (TCode::Ok, vec![frame]));
}

#[test]
fn every_segment_is_tagged() {
    let mut host = Host::running(1);
    let lso = Control1::new().with_lso_cof_ctrl(LsoCof::TcpLso).with_lso_mss(100);
    let tag = Control2::new().with_vlan_enable(true).with_vlan_tag(9);
    host.send_with(0, &[&frames::tcp4(300)], lso, tag);
    host.settle();
    assert!(host.sent().len() == 3 && host.sent().iter().all(|frame| frame[12..16] == [0x81, 0, 0, 9]));
}

#[test]
fn udp_fragmentation_is_refused_with_a_code() {
    let mut host = Host::running(1);
    let ufo = Control1::new().with_lso_cof_ctrl(LsoCof::Ufo).with_lso_mss(1472);
    host.send_with(0, &[&frames::udp4(100)], ufo, Control2::new());
    host.settle();
    assert_eq!(host.list_word(0).t_code(), TCode::ListError);
}

#[test]
fn a_list_that_would_make_frames_too_long_is_an_error() {
    assert_eq!(segmented(&frames::tcp4(30_000), 16_000), (TCode::ListError, vec![]));
    assert_eq!(segmented(&frames::udp4(30_000), 1448), (TCode::ListError, vec![]));
}
