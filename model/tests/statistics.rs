//! The statistics block equals the traffic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC, STATISTICS, frames};
use model::{Config, Width};
use xframe::bits::{StatByteCnt, StatCfg};
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::statistics::{self as s, HERC_SIZE, XENA_SIZE};

/// Asks for the block once, as a driver does, and returns it.
fn block(host: &mut Host) -> Vec<u8> {
    host.write(r::STAT_CFG, 0xC000_0000_0000_000A);
    assert!(!host.get::<StatCfg>().stat_en(), "the enable bit clears itself");
    host.card.memory().bytes(STATISTICS, HERC_SIZE).to_vec()
}

#[test]
fn received_traffic_is_counted() {
    let mut host = Host::running(1);
    let frames = [frames::tcp4(1448), frames::udp6(100), frames::ping(), frames::arp(), frames::tagged_tcp4(5, 10)];
    let octets: usize = frames.iter().map(Vec::len).sum();
    for frame in &frames {
        host.receive(frame);
    }
    let block = block(&mut host);
    let read = |field| s::read_wide(&block, field).unwrap();
    assert_eq!(read(s::RMAC_VLD_FRMS), 5);
    assert_eq!(read(s::RMAC_TTL_FRMS), 5);
    assert_eq!(read(s::RMAC_DATA_OCTETS), octets as u64 - 5 * 14);
    assert_eq!(read(s::RMAC_TTL_LESS_FB_OCTETS), octets as u64 + 5 * 4);
    assert_eq!(read(s::RMAC_TTL_OCTETS), octets as u64 + 5 * 12);
    assert_eq!((read(s::RMAC_ACCEPTED_UCST_FRMS), read(s::RMAC_ACCEPTED_NUCST_FRMS)), (4, 1));
    assert_eq!(read(s::RMAC_VLD_BCST_FRMS), 1);
    assert_eq!((read(s::RMAC_IP), read(s::RMAC_TCP), read(s::RMAC_UDP), read(s::RMAC_ICMP)), (4, 2, 1, 1));
    assert_eq!((read(s::RMAC_FRMS_Q0), read(s::RMAC_FRMS_Q1)), (5, 0));
    assert_eq!(read(s::RMAC_VLAN_FRMS), 1);
    assert_eq!((read(s::RMAC_TTL_64_FRMS), read(s::RMAC_TTL_1024_1518_FRMS)), (1, 1));
    assert_eq!((read(s::RXD_RD_CNT), read(s::RXD_WR_CNT), read(s::RXF_WR_CNT)), (5, 5, 5));
}

#[test]
fn sent_traffic_is_counted() {
    let mut host = Host::running(1);
    for frame in [frames::tcp4(1448), frames::udp4(1), frames::arp()] {
        host.send(&[&frame]);
    }
    let block = block(&mut host);
    let read = |field| s::read_wide(&block, field).unwrap();
    let octets = 1502 + 60 + 60;
    assert_eq!(read(s::TMAC_FRMS), 3);
    assert_eq!(read(s::TMAC_DATA_OCTETS), octets - 3 * 14, "padding counts");
    assert_eq!(read(s::TMAC_TTL_OCTETS) - read(s::TMAC_TTL_LESS_FB_OCTETS), 3 * 8);
    assert_eq!((read(s::TMAC_UCST_FRMS), read(s::TMAC_BCST_FRMS), read(s::TMAC_NUCST_FRMS)), (2, 1, 1));
    assert_eq!((read(s::TMAC_VLD_IP), read(s::TMAC_TCP), read(s::TMAC_UDP)), (2, 1, 1));
    assert_eq!((read(s::TXP_WR_CNT), read(s::TXD_RD_CNT), read(s::TXD_WR_CNT), read(s::TXF_RD_CNT)), (3, 3, 3, 3));
}

#[test]
fn bad_sums_are_counted() {
    let mut host = Host::running(1);
    let mut frame = frames::tcp4(100);
    frame[60] ^= 1;
    host.receive(&frame);
    frame[22] ^= 1;
    host.receive(&frame);
    assert_eq!((host.card.counter(s::RMAC_ERR_TCP), host.card.counter(s::RMAC_HDR_ERR_IP)), (2, 1));
}

#[test]
fn reading_the_block_does_not_clear_it() {
    let mut host = Host::running(1);
    host.receive(&frames::tcp4(1));
    assert_eq!(block(&mut host), block(&mut host));
}

#[test]
fn without_the_length_only_the_short_block_is_written() {
    let mut host = Host::running(1);
    host.put(StatByteCnt::new().with_stat_bc(XENA_SIZE as u16));
    host.card.memory_mut().put(STATISTICS, &[0xEE; HERC_SIZE]);
    let block = block(&mut host);
    assert!(block[XENA_SIZE..].iter().all(|byte| *byte == 0xEE));
    assert!(block[..XENA_SIZE].iter().all(|byte| *byte != 0xEE));
}

#[test]
fn xena_never_writes_more_than_its_block() {
    let mut host = Host::new(Config::new(Asic::Xena, MAC));
    host.bring_up(1);
    host.put(StatByteCnt::new().with_stat_bc(HERC_SIZE as u16));
    host.card.memory_mut().put(STATISTICS, &[0xEE; HERC_SIZE]);
    assert!(block(&mut host)[XENA_SIZE..].iter().all(|byte| *byte == 0xEE));
}

#[test]
fn a_periodic_transfer_goes_on_at_every_tick() {
    let mut host = Host::running(1);
    host.put(StatCfg::new().with_stat_en(true).with_set_updt_period(1));
    host.receive(&frames::tcp4(1));
    host.card.tick();
    assert!(host.get::<StatCfg>().stat_en());
    let block = host.card.memory().bytes(STATISTICS, HERC_SIZE);
    assert_eq!(s::read(block, s::RMAC_VLD_FRMS), Some(1));
}

#[test]
fn without_bus_mastering_nothing_is_written() {
    let mut host = Host::running(1);
    host.card.config_write(0x04, Width::Word, 2);
    host.card.memory_mut().put(STATISTICS, &[0xEE; HERC_SIZE]);
    assert!(block(&mut host).iter().all(|byte| *byte == 0xEE));
}

#[test]
fn a_block_out_of_reach_is_lost_and_the_bit_still_clears() {
    let mut host = Host::running(1);
    host.write(r::STAT_ADDR, 0x10);
    block(&mut host);
}
