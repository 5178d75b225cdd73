//! Xframe I: its own steps, its quirks by revision and board, and the same service as its successor's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
#[path = "traced/mod.rs"]
mod traced;

use std::time::Duration;

use common::frames::{plain, segments};
use common::{Bench, MAC, Machine};
use model::{Bar, Config, Width};
use s2iod::{Adapter, Options, State};
use traced::Traced;
use xframe::bits::{AdapterControl, GpioControl, McErr, SmErr};
use xframe::constants::Asic;
use xframe::registers::{self as reg, Register};
use xframe::statistics::TABLE;

fn config() -> Config {
    Config::new(Asic::Xena, MAC)
}

fn bench() -> Bench {
    Bench::on(Machine::new(config()), Options { rx_slots: 16, tx_slots: 8, ..Options::default() })
}

/// A board that pretends to be of some revision and subsystem.
fn board(revision: u32, subsystem: u32) -> Traced {
    Traced::new(Config { subsystem: subsystem as u16, ..config() }).pretend(0x08, 0xFF, revision)
}

/// What a register holds once the board's link is up.
fn register_of(board: Traced, register: Register) -> u64 {
    let card = board.card();
    let mut adapter = Adapter::bring_up(board, Options { rx_slots: 16, rx_spare: 0, ..Options::default() }).unwrap();
    adapter.watch(Duration::from_secs(1));
    assert!(adapter.link_up());
    card.borrow_mut().read(Bar::Registers, register.offset().into(), Width::Qword)
}

#[test]
fn it_receives_merges_and_sends() {
    let mut bench = bench();
    assert_eq!(bench.adapter.identity().asic, Asic::Xena);
    let frames = segments(5, 1_000);
    let units = bench.deliver(frames);
    assert_eq!(units.iter().map(Vec::len).collect::<Vec<_>>(), [5_054]);
    for number in 0..100 {
        bench.adapter.send(&plain(number, 100)).unwrap();
        bench.settle();
        assert_eq!(bench.deliver([plain(number, 60)]), [plain(number, 60)]);
    }
    assert!(bench.cable().from_card == (0..100).map(|number| plain(number, 100)).collect::<Vec<_>>());
}

#[test]
fn every_device_id_of_either_chip_is_served() {
    for (device, asic) in [(0x5731, Asic::Xena), (0x5831, Asic::Xena), (0x5732, Asic::Herc), (0x5832, Asic::Herc)] {
        let platform = Traced::new(Config::new(asic, MAC)).pretend(0, 0xFFFF_0000, device << 16);
        let adapter = Adapter::bring_up(platform, Options { rx_slots: 16, ..Options::default() }).unwrap();
        assert_eq!((adapter.identity().asic, adapter.identity().mac), (asic, MAC), "{device:04x}");
    }
}

#[test]
fn the_product_and_the_serial_number_are_the_card_s() {
    for asic in [Asic::Xena, Asic::Herc] {
        let config = Config { product: "Test 10GbE".into(), serial: "SXT0123456".into(), ..Config::new(asic, MAC) };
        let adapter = Machine::new(config).bring_up(Options::default()).unwrap();
        assert_eq!((adapter.product(), adapter.serial()), ("Test 10GbE", "SXT0123456"));
    }
}

#[test]
fn the_link_is_followed_by_interrupt() {
    let mut bench = bench();
    for up in [false, true, false, true] {
        bench.machine.card.borrow_mut().set_link(up);
        bench.settle();
        assert_eq!(bench.adapter.link_up(), up);
        assert_eq!(AdapterControl::from(bench.machine.read(reg::ADAPTER_CONTROL)).cntl_en(), up);
    }
}

#[test]
fn the_link_is_followed_by_looking() {
    let mut bench = bench();
    for up in [false, true, false, true] {
        bench.machine.card.borrow_mut().set_link(up);
        bench.adapter.watch(Duration::from_secs(1));
        assert_eq!(bench.adapter.link_up(), up);
    }
    assert_eq!(bench.deliver([plain(1, 60)]), [plain(1, 60)]);
}

#[test]
fn a_fault_is_survived() {
    let mut bench = bench();
    bench.arrive([plain(1, 60)]);
    bench.machine.card.borrow_mut().latch(reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true).into());
    assert_eq!(bench.adapter.watch(Duration::from_secs(1)), State::Running);
    bench.adapter.watch(Duration::from_secs(2));
    assert_eq!(bench.deliver([plain(2, 60)]), [plain(1, 60), plain(2, 60)]);
}

#[test]
fn what_its_successor_corrects_by_itself_is_fatal() {
    let mut bench = bench();
    bench.machine.card.borrow_mut().latch(reg::MC_ERR_REG, McErr::new().with_miri_ecc_db_err_1(true).into());
    bench.adapter.watch(Duration::from_secs(1));
    assert_eq!(bench.statistic("recoveries"), Some(1));
}

#[test]
fn its_shorter_statistics_are_all_there() {
    let mut bench = bench();
    bench.deliver([plain(1, 60), plain(2, 60)]);
    let card = bench.machine.card.clone();
    for field in TABLE.iter().filter(|field| !field.herc_only() && !field.name().ends_with("_OFLOW")) {
        let name = field.name().to_lowercase();
        assert_eq!(bench.statistic(&name), Some(card.borrow().counter(*field)), "{name}");
    }
    assert_eq!(bench.statistic("rmac_vld_frms"), Some(2));
    assert_eq!(bench.statistic("link_fault_cnt"), None);
}

#[test]
fn early_revisions_run_four_pccs_only() {
    for revision in 1..=3 {
        assert_eq!(register_of(board(revision, 0x6001), reg::PCC_ENABLE), 0x0F00_0000_0000_0000);
    }
    assert_eq!(register_of(board(4, 0x6001), reg::PCC_ENABLE), 0xFF00_0000_0000_0000);
}

#[test]
fn boards_with_faulty_indicators_light_another_lamp() {
    for (subsystem, faulty) in [(0x6001, false), (0x600A, false), (0x600B, true), (0x640D, true), (0x640E, false)] {
        let gpio = GpioControl::from(register_of(board(4, subsystem), reg::GPIO_CONTROL));
        let control = AdapterControl::from(register_of(board(4, subsystem), reg::ADAPTER_CONTROL));
        assert_eq!((gpio.gpio_0(), control.led_on()), (faulty, !faulty), "{subsystem:04x}");
    }
}

#[test]
fn later_boards_have_their_indicators_programmed() {
    for (subsystem, programmed) in [(0x6001, 0), (0x6007, 0x0411_0404_0000_0000)] {
        assert_eq!(register_of(board(4, subsystem), reg::MAC_DEBUG_CTRL), programmed, "{subsystem:04x}");
    }
}

#[test]
fn boards_with_copper_transceivers_keep_a_longer_gap() {
    for asic in [Asic::Xena, Asic::Herc] {
        let config = Config { product: "Xframe II CX4".into(), ..Config::new(asic, MAC) };
        let platform = Traced::new(config);
        let (card, trace) = (platform.card(), platform.trace());
        let _adapter = Adapter::bring_up(platform, Options { rx_slots: 16, ..Options::default() }).unwrap();
        let gap = card.borrow_mut().read(Bar::Registers, reg::TMAC_AVG_IPG.offset().into(), Width::Qword);
        assert_eq!(gap, 0x1700_0000_0000_0000);
        assert!(trace.borrow().contains("sleep 1s\n"));
    }
}
