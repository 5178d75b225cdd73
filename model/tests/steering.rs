//! Which ring a frame goes to when the card steers by port, address and hash.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BLOCKS, Host, MAC, frames};
use model::{Config, Step};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::rxd::{self, Completion, HashType};

/// The key that Microsoft published for receive-side scaling.
const KEY: [u64; 5] =
    [0x6D5A_56DA_255B_0EC2, 0x4167_253D_43A3_8FB0, 0xD0CA_2BCB_AE7B_30B4, 0x77CB_2DA3_8030_F20C, 0x6A42_B73B_BEAC_01FA];

/// A card with eight rings of one block each, every frame of priority 0 allowed on ring 7 alone.
fn eight_rings(asic: Asic) -> Host {
    let mut host = Host::new(Config::new(asic, MAC));
    host.bring_up(1);
    for ring in 0..8 {
        host.start_ring(ring, block(ring), 1);
        host.write(r::RTS_FRM_LEN.at(ring).unwrap(), RtsFrmLen::new().with_len_set(9622).into());
    }
    host.write(r::RTS_QOS_STEERING, 0x0100_0000_0000_0000);
    host.settle();
    host
}

fn block(ring: usize) -> u64 {
    BLOCKS + ring as u64 * 0x1000
}

/// Lets a frame arrive at a card with one RxD in each ring; which ring took it, and what the RxD says.
fn arrive(host: &mut Host, frame: &[u8]) -> (usize, Completion) {
    for ring in 0..8 {
        let at = block(ring);
        host.write(r::PRC_CTRL.at(ring).unwrap(), 0);
        host.start_ring(ring, at, 1);
        let memory = host.card.memory_mut();
        memory.put_word(at + rxd::BUFFER0_PTR as u64, host_buffer(ring));
        memory.put_word(at + rxd::CONTROL_2 as u64, rxd::Control2::posted(9622).into());
        memory.put_word(at + rxd::CONTROL_1 as u64, rxd::Control1::POSTED.into());
    }
    host.card.wire_mut().frames.push_back(frame.to_vec());
    let steps = host.settle();
    let ring = steps.iter().find_map(|step| if let Step::Received { ring } = step { Some(*ring) } else { None });
    let ring = ring.expect("no ring took it");
    let word = |at: usize| host.card.memory().word(block(ring) + at as u64);
    (ring, Completion::decode(word(rxd::CONTROL_1).into(), word(rxd::CONTROL_2).into()).unwrap())
}

fn ring_of(bucket: u32) -> usize {
    (bucket ^ 2) as usize
}

fn host_buffer(ring: usize) -> u64 {
    common::BUFFERS + ring as u64 * common::BUFFER
}

fn enhanced(host: &mut Host) {
    host.put(RtsCtrl::new().with_enhanced_mode(true));
}

/// Hashing of TCP and of addresses over IPv4 into eight buckets, each to a ring of its own, by the published key.
fn hashing(host: &mut Host) {
    enhanced(host);
    for (at, word) in r::RTS_RTH_HASH_MASK.iter().zip(KEY) {
        host.write(at, word);
    }
    for bucket in 0..8 {
        host.put(RtsRthMapMemData::new().with_entry_en(true).with_data(ring_of(bucket.into()) as u8));
        host.command(r::RTS_RTH_MAP_MEM_CTRL, Command::write(bucket));
    }
    let cfg = RtsRthCfg::new().with_en(true).with_bucket_size(3).with_alg_sel_ms(true);
    host.put(cfg.with_tcp_ipv4_en(true).with_ipv4_en(true));
}

/// The first of the published examples: 66.9.149.187:2794 to 161.142.100.80:1766.
fn published(protocol: u8) -> Vec<u8> {
    let mut frame = frames::tcp4(100);
    frame[23] = protocol;
    frame[26..30].copy_from_slice(&[66, 9, 149, 187]);
    frame[30..34].copy_from_slice(&[161, 142, 100, 80]);
    frame[34..36].copy_from_slice(&2794_u16.to_be_bytes());
    frame[36..38].copy_from_slice(&1766_u16.to_be_bytes());
    frame
}

#[test]
fn the_hash_of_a_tcp_frame_chooses_its_ring_and_is_told() {
    let mut host = eight_rings(Asic::Herc);
    hashing(&mut host);
    let (ring, completion) = arrive(&mut host, &published(6));
    assert_eq!((completion.hash.kind, completion.hash.value), (HashType::TcpIpv4, 0x51CC_C178));
    assert_eq!(ring, ring_of(0x51CC_C178 & 7));
    assert!(completion.hash.hit);
}

#[test]
fn a_frame_of_another_protocol_is_hashed_by_its_addresses() {
    let mut host = eight_rings(Asic::Herc);
    hashing(&mut host);
    let (ring, completion) = arrive(&mut host, &published(17));
    assert_eq!((completion.hash.kind, completion.hash.value), (HashType::Ipv4, 0x323E_8FC2));
    assert_eq!(ring, ring_of(0x323E_8FC2 & 7));
}

#[test]
fn a_fragment_is_hashed_by_its_addresses() {
    let mut host = eight_rings(Asic::Herc);
    hashing(&mut host);
    let mut fragment = published(6);
    fragment[20] = 0x20;
    assert_eq!(arrive(&mut host, &fragment).1.hash.kind, HashType::Ipv4);
}

#[test]
fn only_as_many_bits_of_the_hash_count_as_there_are_buckets() {
    for bits in 1..=3 {
        let mut host = eight_rings(Asic::Herc);
        hashing(&mut host);
        host.update(|cfg: RtsRthCfg| cfg.with_bucket_size(bits));
        let (ring, _) = arrive(&mut host, &published(17));
        assert_eq!(ring, ring_of(0x323E_8FC2 & ((1 << bits) - 1)));
    }
}

#[test]
fn what_is_not_hashed_goes_by_priority() {
    let mut host = eight_rings(Asic::Herc);
    hashing(&mut host);
    for (change, kind) in [
        (Box::new(|cfg: RtsRthCfg| cfg.with_en(false)) as Box<dyn Fn(RtsRthCfg) -> RtsRthCfg>, HashType::Nothing),
        (Box::new(|cfg| cfg.with_en(true).with_tcp_ipv4_en(false).with_ipv4_en(false)), HashType::Nothing),
    ] {
        host.update(change);
        let (ring, completion) = arrive(&mut host, &published(6));
        assert_eq!((ring, completion.hash.kind, completion.hash.value), (7, kind, 0));
    }
}

#[test]
fn a_bucket_that_is_off_leaves_the_frame_to_its_priority_and_still_tells_the_hash() {
    let mut host = eight_rings(Asic::Herc);
    hashing(&mut host);
    host.put(RtsRthMapMemData::new().with_data(3));
    host.command(r::RTS_RTH_MAP_MEM_CTRL, Command::write(0));
    let (ring, completion) = arrive(&mut host, &published(6));
    assert_eq!((ring, completion.hash.hit, completion.hash.value), (7, false, 0x51CC_C178));
}

#[test]
fn the_default_ring_takes_what_nobody_claims() {
    let mut host = eight_rings(Asic::Herc);
    enhanced(&mut host);
    host.write(r::RTS_QOS_STEERING, 0);
    host.put(RtsDefaultQ::new().with_rts_default_q(5));
    assert_eq!(arrive(&mut host, &frames::tcp4(100)).0, 5);
}

#[test]
fn a_port_names_its_ring_for_its_protocol_and_direction() {
    let mut host = eight_rings(Asic::Herc);
    enhanced(&mut host);
    let entry = RtsPnCamData::new().with_entry_en(true).with_tcp_select(true);
    for (index, entry) in [entry.with_port(1766).with_ring(2), entry.with_port(2795).with_source(true).with_ring(3)]
        .into_iter()
        .enumerate()
    {
        host.put(entry);
        host.command(r::RTS_PN_CAM_CTRL, Command::write(index as u8));
    }
    assert_eq!(arrive(&mut host, &published(6)).0, 2);
    assert_eq!(arrive(&mut host, &published(17)).0, 7, "UDP");
    let mut other = published(6);
    other[34..38].copy_from_slice(&[0x0A, 0xEB, 0x0A, 0xEB]);
    assert_eq!(arrive(&mut host, &other).0, 3, "2795 as source, and as target");
}

#[test]
fn an_address_steers_if_its_section_does() {
    let mut host = eight_rings(Asic::Herc);
    enhanced(&mut host);
    let address = [0x02, 0x0C, 0xFC, 9, 9, 9];
    host.cam_write(35, address.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), 0);
    let mut frame = frames::tcp4(100);
    frame[..6].copy_from_slice(&address);
    for (sections, ring) in [(0x00, 7), (0x80, 7), (0x40, 35 % 8)] {
        host.put(RtsMacCfg::new().with_sections(sections));
        assert_eq!(arrive(&mut host, &frame).0, ring, "{sections:#x}");
    }
}

#[test]
fn nothing_but_priority_steers_in_classic_mode_or_on_xena() {
    for asic in [Asic::Herc, Asic::Xena] {
        let mut host = eight_rings(asic);
        hashing(&mut host);
        if asic == Asic::Herc {
            host.put(RtsCtrl::new());
        }
        let (ring, completion) = arrive(&mut host, &published(6));
        assert_eq!((ring, completion.hash.kind), (7, HashType::Nothing));
    }
}

#[test]
fn a_tag_s_priority_chooses_the_ring() {
    let mut host = eight_rings(Asic::Herc);
    host.write(r::RTS_QOS_STEERING, 0x8040_2010_0804_0201);
    for priority in 0..8 {
        let mut frame = frames::tcp4(100);
        frame.splice(12..12, [0x81, 0x00, priority << 5, 5]);
        assert_eq!(arrive(&mut host, &frame).0, usize::from(priority));
    }
}
