//! The statistics: every counter by the hardware's name, with what the traffic was.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::collections::HashMap;

use common::frames::{damaged, datagram, plain, segments, tagged, to};
use common::{Bench, MAC, Machine, config};
use lro::End;
use model::Config;
use s2iod::Options;
use xframe::bits::{BusMode, StatCfg};
use xframe::constants::Asic;
use xframe::registers as reg;
use xframe::statistics::{Field, TABLE};

/// Lines that are no counters.
const WORDS: [&str; 7] = ["link", "product", "serial_number", "bus", "chip", "mac", "interrupts_by"];

fn statistics(bench: &mut Bench) -> HashMap<String, u64> {
    let mut text = String::new();
    bench.adapter.write_stats(&mut text).unwrap();
    let mut counters = HashMap::new();
    for line in text.lines() {
        let (name, value) = line.split_once(' ').unwrap();
        if WORDS.contains(&name) {
            continue;
        }
        let twice = counters.insert(name.to_owned(), value.parse().unwrap());
        assert_eq!(twice, None, "{name} is there twice");
    }
    counters
}

fn traffic() -> Bench {
    let mut bench = Bench::on(Machine::new(config()), Options::default());
    let mut frames = segments(5, 1_000);
    frames.extend([datagram(1, 100), datagram(2, 100), datagram(3, 18), damaged(segments(1, 50).remove(0))]);
    frames.extend([tagged(plain(1, 1_514)), plain(2, 60), to([0xFF; 6]), to([2; 6])]);
    bench.deliver(frames);
    for frame in [plain(1, 60), segments(1, 500).remove(0), datagram(9, 100), to([0xFF; 6]), to([1; 6])] {
        bench.adapter.send(&frame).unwrap();
    }
    bench.settle();
    bench
}

#[test]
fn the_card_s_counters_say_what_came() {
    let counters = statistics(&mut traffic());
    for (name, value) in [
        ("rmac_ttl_frms", 13),
        ("rmac_vld_frms", 13),
        ("rmac_vld_bcst_frms", 1),
        ("rmac_da_discard", 1),
        ("rmac_accepted_ucst_frms", 11),
        ("rmac_accepted_nucst_frms", 1),
        ("rmac_frms_q0", 12),
        ("rmac_tcp", 6),
        ("rmac_err_tcp", 1),
        ("rmac_udp", 3),
        ("rmac_ip", 9),
        ("rmac_vlan_frms", 1),
        ("rmac_fcs_err_frms", 0),
        ("rmac_drop_frms", 0),
        // 1,054 + 4 bytes each; 142 + 4, twice; 60 + 4, twice; 104 + 4; 1,518 + 4; 100 + 4, twice.
        ("rmac_ttl_1024_1518_frms", 5),
        ("rmac_ttl_128_255_frms", 2),
        ("rmac_ttl_64_frms", 2),
        ("rmac_ttl_65_127_frms", 3),
        ("rmac_ttl_1519_4095_frms", 1),
    ] {
        assert_eq!(counters.get(name), Some(&value), "{name}");
    }
}

#[test]
fn the_card_s_counters_say_what_left() {
    let counters = statistics(&mut traffic());
    for (name, value) in [
        ("tmac_frms", 5),
        ("tmac_ucst_frms", 3),
        ("tmac_bcst_frms", 1),
        ("tmac_mcst_frms", 1),
        ("tmac_tcp", 1),
        ("tmac_udp", 1),
        ("tmac_data_octets", 46 + 540 + 128 + 86 + 86),
        ("tmac_ttl_less_fb_octets", 64 + 558 + 146 + 104 + 104),
        ("tmac_any_err_frms", 0),
    ] {
        assert_eq!(counters.get(name), Some(&value), "{name}");
    }
}

#[test]
fn engine_and_driver_say_what_they_did() {
    let mut bench = traffic();
    let counters = statistics(&mut bench);
    for (name, value) in [
        ("lro_frames", 12),
        ("lro_units", 8),
        ("lro_merged_units", 1),
        ("lro_merged_segments", 5),
        ("tx_frames", 5),
        ("tx_errors", 0),
        ("rx_errors_t_code", 0),
        ("rx_errors_buffer_size", 0),
        ("rx_errors_size", 0),
        ("rx_slots_in_card", 1_024),
        ("interrupts_not_ours", 0),
        ("link_changes", 1),
        ("mtu", 1_500),
    ] {
        assert_eq!(counters.get(name), Some(&value), "{name}");
    }
    let ended: u64 = End::ALL.iter().map(|end| counters[&format!("lro_ended_{}", end.name())]).sum();
    assert_eq!(ended, counters["lro_units"]);
    assert_eq!(counters["lro_bytes"], 54 + 5_000 + 2 * 142 + 60 + 104 + 1_518 + 60 + 100);
}

#[test]
fn every_counter_of_the_card_is_there_under_its_name_and_wide() {
    let mut bench = traffic();
    let counters = statistics(&mut bench);
    let card = bench.machine.card.borrow();
    let extends = |field: &&Field| field.name().ends_with("_OFLOW");
    for field in TABLE.iter().filter(|field| !extends(field)) {
        let name = field.name().to_ascii_lowercase();
        assert_eq!(counters.get(&name), Some(&card.counter(*field)), "{name}");
    }
    for field in TABLE.iter().filter(extends) {
        assert!(!counters.contains_key(&field.name().to_ascii_lowercase()), "{} is a part of another", field.name());
    }
}

#[test]
fn the_card_says_what_it_is() {
    for (asic, slot, bus, chip) in [
        (Asic::Herc, BusMode::PcixM1At133, "PCI-X 133 MT/s 64 bit", "Xframe II"),
        (Asic::Xena, BusMode::PcixM1At133, "PCI-X", "Xframe I"),
        (Asic::Xena, BusMode::Pci66, "PCI", "Xframe I"),
    ] {
        let words = Config { product: "Xframe test".into(), serial: "SN0815".into(), ..Config::new(asic, MAC) };
        let config = Config { bus: slot, ..words };
        let mut bench = Bench::on(Machine::new(config), Options::default());
        let mut text = String::new();
        bench.adapter.write_stats(&mut text).unwrap();
        let lines = [
            "product Xframe test".to_owned(),
            "serial_number SN0815".to_owned(),
            format!("bus {bus}"),
            format!("chip {chip}"),
            format!("revision {}", bench.adapter.identity().revision),
            "mac 00:0c:fc:12:34:56".to_owned(),
            "interrupts_by intx".to_owned(),
        ];
        let found: Vec<_> = text.lines().skip(2).take(lines.len()).collect();
        assert_eq!(found, lines);
    }
}

#[test]
fn the_link_is_told_in_words() {
    let mut bench = Bench::new(Options::default());
    let mut text = String::new();
    bench.adapter.write_stats(&mut text).unwrap();
    assert!(text.starts_with("link up\n"));
    bench.machine.card.borrow_mut().set_link(false);
    bench.settle();
    text.clear();
    bench.adapter.write_stats(&mut text).unwrap();
    assert!(text.starts_with("link down\n"));
}

#[test]
fn counters_are_as_of_now_each_time() {
    let mut bench = Bench::new(Options::default());
    for count in 0..5 {
        assert_eq!(bench.statistic("rmac_vld_frms"), Some(count));
        bench.deliver([to(MAC)]);
    }
}

#[test]
fn a_card_that_does_not_write_its_block_in_time_is_left_out() {
    let mut bench = traffic();
    let busy = StatCfg::new().with_stat_en(true).into();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::STAT_CFG, busy, busy));
    let counters = statistics(&mut bench);
    assert_eq!(counters.get("rmac_vld_frms"), None);
    assert_eq!(counters.get("lro_frames"), Some(&12));
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full(usize);
    impl std::fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(std::fmt::Error)?;
            Ok(())
        }
    }
    let mut bench = Bench::new(Options::default());
    for room in [0, 10, 100, 1_000] {
        assert!(bench.adapter.write_stats(&mut Full(room)).is_err(), "{room}");
    }
}
