//! Rings whose RxDs have three buffers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BLOCKS, BUFFERS, Host, frames};
use xframe::bits::*;
use xframe::registers as r;
use xframe::rxd::{self, Completion, TCode, three};

/// Room for each of an RxD's buffers.
const ROOM: u64 = 0x1000;

/// A card whose ring 0 has three buffers, with Ethernet header and rest apart, or headers and payload.
fn three_buffers(scatter_mode: bool) -> Host {
    let mut host = Host::running(2);
    host.write(r::PRC_CTRL.first(), 0);
    host.start_ring(0, BLOCKS, 2);
    host.write(r::PRC_CTRL.first(), 0);
    host.update(|rx_pa_cfg: RxPaCfg| rx_pa_cfg.with_scatter_mode(scatter_mode));
    let ctrl = PrcCtrl::new().with_rc_enabled(true).with_ring_mode(RingMode::ThreeBuffer);
    host.write(r::PRC_CTRL.first(), ctrl.into());
    host.settle();
    host
}

fn at(index: usize) -> u64 {
    BLOCKS + (index / three::RXDS * 4096 + index % three::RXDS * three::SIZE) as u64
}

fn post(host: &mut Host, index: usize, sizes: [u16; 3]) {
    let (at, memory) = (at(index), host.card.memory_mut());
    let pointers = [rxd::BUFFER0_PTR, three::BUFFER1_PTR, three::BUFFER2_PTR];
    for (buffer, pointer) in pointers.into_iter().enumerate() {
        memory.put_word(at + pointer as u64, BUFFERS + buffer as u64 * ROOM);
    }
    let [first, second, third] = sizes;
    let posted = three::Control2::new().with_marker(3).with_buffer_0_size(first as u8);
    memory.put_word(at + rxd::CONTROL_2 as u64, posted.with_buffer_1_size(second).with_buffer_2_size(third).into());
    memory.put_word(at + rxd::CONTROL_1 as u64, rxd::Control1::POSTED.into());
}

/// What is in the buffers of a completed RxD, and what it says.
fn take(host: &Host, index: usize) -> ([Vec<u8>; 3], Completion) {
    let word = |offset: usize| host.card.memory().word(at(index) + offset as u64);
    let control_2 = three::Control2::from(word(rxd::CONTROL_2));
    let sizes = [control_2.buffer_0_size().into(), control_2.buffer_1_size(), control_2.buffer_2_size()];
    assert_eq!(control_2.marker(), 0);
    let mut buffer = 0;
    let parts = sizes.map(|size| {
        buffer += 1;
        host.card.memory().bytes(BUFFERS + (buffer - 1) * ROOM, size.into()).to_vec()
    });
    let completion = Completion::decode(word(rxd::CONTROL_1).into(), rxd::Control2::new()).expect("still the card's");
    (parts, completion)
}

#[test]
fn a_frame_comes_as_ethernet_header_and_rest() {
    let mut host = three_buffers(true);
    post(&mut host, 0, [40, 1, 1504]);
    let frame = frames::tcp4(1000);
    host.arrive(&frame);
    let (parts, completion) = take(&host, 0);
    assert_eq!(parts, [frame[..14].to_vec(), Vec::new(), frame[14..].to_vec()]);
    assert!(completion.t_code == TCode::Ok && completion.checksums_good());
}

#[test]
fn a_frame_comes_as_headers_and_payload() {
    let mut host = three_buffers(false);
    post(&mut host, 0, [40, 100, 1504]);
    let frame = frames::tcp4(1000);
    host.arrive(&frame);
    let (parts, _) = take(&host, 0);
    assert_eq!(parts.concat(), frame);
    assert_eq!(parts[2].len(), 1000);
}

#[test]
fn a_buffer_too_small_is_told() {
    let mut host = three_buffers(true);
    post(&mut host, 0, [40, 1, 100]);
    host.arrive(&frames::tcp4(1000));
    let (parts, completion) = take(&host, 0);
    assert_eq!((completion.t_code, parts[2].len()), (TCode::BufferSize, 100));
}

#[test]
fn a_stripped_tag_is_told_where_one_buffer_tells_it() {
    let mut host = three_buffers(true);
    post(&mut host, 0, [40, 1, 1504]);
    let mut frame = frames::tcp4(100);
    frame.splice(12..12, [0x81, 0x00, 0x60, 0x05]);
    host.arrive(&frame);
    let (parts, completion) = take(&host, 0);
    let control_2 = three::Control2::from(host.card.memory().word(at(0) + rxd::CONTROL_2 as u64));
    assert_eq!((control_2.vlan_tag(), parts[0].len()), (0x6005, 14));
    assert!(completion.vlan);
}

#[test]
fn the_ring_goes_on_in_the_next_block_and_around() {
    let mut host = three_buffers(true);
    let count = 2 * three::RXDS + 3;
    for index in 0..count {
        post(&mut host, index % (2 * three::RXDS), [40, 1, 1504]);
        let frame = frames::tcp4(index);
        host.arrive(&frame);
        assert_eq!(take(&host, index % (2 * three::RXDS)).0.concat(), frame, "{index}");
    }
}

#[test]
fn a_hash_takes_the_place_of_the_first_pointer() {
    let mut host = three_buffers(true);
    host.put(RtsCtrl::new().with_enhanced_mode(true));
    host.write(r::RTS_RTH_HASH_MASK.first(), u64::MAX);
    host.put(RtsRthCfg::new().with_en(true).with_alg_sel_ms(true).with_ipv4_en(true));
    post(&mut host, 0, [40, 1, 1504]);
    host.arrive(&frames::tcp4(100));
    assert_ne!(take(&host, 0).1.hash.kind, rxd::HashType::Nothing);
    let pointer = host.card.memory().word(at(0) + rxd::BUFFER0_PTR as u64);
    assert!(pointer != BUFFERS && pointer <= u32::MAX.into(), "{pointer:#x}");
}
