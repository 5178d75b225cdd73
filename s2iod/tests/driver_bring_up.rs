//! Bring-up: from whatever state the card is in to one that receives, or to an error that says where it failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::frames::plain;
use common::{Bench, MAC, Machine, config};
use model::Config;
use s2iod::{Error, Options};
use xframe::bits::{AdapterControl, AdapterStatus, BusMode, Command, PrcCtrl};
use xframe::constants::Asic;
use xframe::registers::{self as reg, Register};

/// Nobody waits longer than this for a card that will never answer.
const PATIENCE: Duration = Duration::from_secs(10);

fn receives_and_sends(bench: &mut Bench, longest: usize) {
    let frames: Vec<_> = (0..50).map(|number| plain(number, if number % 2 == 0 { longest } else { 60 })).collect();
    for frame in &frames {
        assert!(bench.deliver([frame.clone()]) == [frame.clone()]);
        bench.adapter.send(frame).unwrap();
        bench.settle();
    }
    assert!(std::mem::take(&mut bench.cable().from_card) == frames);
}

#[test]
fn chip_and_factory_address_are_read_from_the_card() {
    let identity = Bench::new(Options::default()).adapter.identity();
    assert_eq!((identity.asic, identity.mac), (Asic::Herc, MAC));
}

#[test]
fn the_card_is_at_rest_with_its_laser_on_and_waits_for_the_link() {
    let machine = Machine::new(Config { link: false, ..config() });
    let adapter = machine.bring_up(Options::default()).unwrap();
    assert!(AdapterStatus::from(machine.read(reg::ADAPTER_STATUS)).quiescent(true));
    let control = AdapterControl::from(machine.read(reg::ADAPTER_CONTROL));
    assert!(control.eoi_tx_on() && !control.cntl_en());
    assert!(!adapter.link_up());
}

#[test]
fn every_bus_mode_comes_up() {
    use BusMode::{Pci33, Pci66, PcixM1At66, PcixM1At100, PcixM1At133, PcixM2At66, PcixM2At100, PcixM2At133};
    for bus in [Pci33, Pci66, PcixM1At66, PcixM1At100, PcixM1At133, PcixM2At66, PcixM2At100, PcixM2At133] {
        let mut bench = Bench::on(Machine::new(Config { bus, ..config() }), Options::default());
        assert_eq!(bench.deliver([plain(1, 60)]).len(), 1, "{bus:?}");
    }
}

#[test]
fn an_unknown_bus_mode_is_an_error() {
    let machine = Machine::new(Config { bus: BusMode::Reserved(12), ..config() });
    assert!(matches!(machine.fails(Options::default()), Error::BusMode { .. }));
}

#[test]
fn every_byte_order_that_the_card_was_left_in_is_set_right() {
    for left in
        [0, u64::MAX, 0xC300_00C3_C300_00C3, 0x8100_0081_8100_0081, 0x4242_4242_4242_4242, 0x00C3_C300_00C3_C300]
    {
        let machine = Machine::new(config());
        machine.write(reg::SWAPPER_CTRL, left);
        let mut bench = Bench::on(machine, Options::default());
        assert_eq!(bench.deliver([plain(1, 60)]), [plain(1, 60)], "{left:#018x}");
    }
}

#[test]
fn a_card_that_another_driver_left_running_starts_anew() {
    let mut bench = Bench::new(Options { rx_slots: 16, ..Options::default() });
    bench.arrive((0..100).map(|number| plain(number, 60)));
    bench.adapter.send(&plain(101, 60)).unwrap();
    let Bench { machine, adapter } = bench;
    std::mem::forget(adapter);
    receives_and_sends(&mut Bench::on(machine, Options::default()), 1_514);
}

#[test]
fn a_card_comes_up_again_after_its_driver_has_stopped() {
    let mut bench = Bench::new(Options::default());
    bench.deliver((0..100).map(|number| plain(number, 60)));
    let Bench { machine, adapter } = bench;
    drop(adapter);
    receives_and_sends(&mut Bench::on(machine, Options::default()), 1_514);
}

#[test]
fn a_driver_that_stops_leaves_a_card_that_touches_no_memory_and_is_silent() {
    let Bench { machine, adapter } = Bench::new(Options::default());
    drop(adapter);
    machine.cable().to_card.push_back(plain(1, 60));
    assert_eq!(machine.step(), []);
    assert!(!machine.line());
    assert!(!PrcCtrl::from(machine.read(reg::PRC_CTRL.first())).rc_enabled());
    assert!(!AdapterControl::from(machine.read(reg::ADAPTER_CONTROL)).cntl_en());
}

#[test]
fn a_device_of_another_kind_is_left_alone() {
    for (identity, expected) in
        [(0x5832_8086, (0x8086, 0x5832)), (0x1533_17D5, (0x17D5, 0x1533)), (u32::MAX, (0xFFFF, 0xFFFF))]
    {
        let machine = Machine::new(config());
        machine.mischief.borrow_mut().identity = Some(identity);
        let error = machine.fails(Options::default());
        assert!(matches!(error, Error::UnknownDevice { vendor, device } if (vendor, device) == expected), "{error}");
        assert_eq!(machine.mischief.borrow().accesses, 0);
    }
}

#[test]
fn configuration_space_may_take_its_time_after_the_reset() {
    for config_busy in [0, 1, 40] {
        Bench::on(Machine::new(Config { config_busy, ..config() }), Options::default());
    }
}

#[test]
fn configuration_space_that_never_comes_back_is_an_error() {
    let machine = Machine::new(Config { config_busy: u32::MAX, ..config() });
    let error = machine.fails(Options::default());
    assert!(matches!(error, Error::ResetLost { found: u32::MAX, .. }), "{error}");
    assert!(error.to_string().contains("sw_reset"), "{error}");
    assert!(machine.mischief.borrow().slept < PATIENCE);
}

#[test]
fn initialisation_may_take_its_time() {
    for initialising in [0, 1, 40] {
        Bench::on(Machine::new(Config { initialising, ..config() }), Options::default());
    }
}

/// What sticks, and what the error must say.
const STUCK: [(Register, u64, u64, &str); 7] = [
    (reg::ADAPTER_STATUS, 1 << (63 - 26), u64::MAX, "ADAPTER_STATUS has not shown RIC_RUNNING cleared"),
    (reg::ADAPTER_STATUS, 1 << 63, 0, "ADAPTER_STATUS has not shown the card at rest"),
    (reg::ADAPTER_STATUS, 1 << (63 - 16), 0, "ADAPTER_STATUS has not shown the card at rest"),
    (reg::RMAC_ADDR_CMD_MEM, STROBE, STROBE, "RMAC_ADDR_CMD_MEM has not shown its strobe cleared"),
    (reg::RTS_DS_MEM_CTRL, STROBE, STROBE, "RTS_DS_MEM_CTRL has not shown its strobe cleared"),
    (reg::TTI_COMMAND_MEM, STROBE, STROBE, "TTI_COMMAND_MEM has not shown its strobe cleared"),
    (reg::RTI_COMMAND_MEM, STROBE, STROBE, "RTI_COMMAND_MEM has not shown its strobe cleared"),
];
const STROBE: u64 = Command::new().with_strobe(true).into_bits();

#[test]
fn every_wait_ends_and_its_error_names_register_and_step() {
    for (register, bits, value, expected) in STUCK {
        let machine = Machine::new(config());
        machine.mischief.borrow_mut().stuck = Some((register, bits, value));
        let error = machine.fails(Options::default());
        let slept = machine.mischief.borrow().slept;
        assert!(matches!(error, Error::Wait { waited, .. } if waited <= slept && slept < PATIENCE), "{error}");
        assert!(error.to_string().to_lowercase().contains(&expected.to_lowercase()), "{error}: {expected} expected");
    }
}

#[test]
fn a_byte_order_that_cannot_be_set_right_is_an_error_that_names_the_path() {
    for (register, path) in [(reg::PIF_RD_SWAPPER_FB, "read"), (reg::XMSI_ADDRESS, "write")] {
        let machine = Machine::new(config());
        machine.mischief.borrow_mut().stuck = Some((register, u64::MAX, 0x1234));
        let error = machine.fails(Options::default());
        assert!(matches!(error, Error::Swapper { path: at, found: 0x1234, .. } if at == path), "{error}");
    }
}

#[test]
fn a_card_that_is_gone_before_it_begins_is_an_error() {
    let machine = Machine::new(config());
    machine.mischief.borrow_mut().gone = true;
    machine.fails(Options::default());
}

#[test]
fn a_card_that_fails_at_the_end_is_stopped() {
    let machine = Machine::new(config());
    machine.mischief.borrow_mut().stuck = Some((reg::ADAPTER_STATUS, 1 << 63, 0));
    machine.fails(Options::default());
    assert!(!PrcCtrl::from(machine.read(reg::PRC_CTRL.first())).rc_enabled());
    assert_eq!(machine.read(reg::GENERAL_INT_MASK), u64::MAX);
}

#[test]
fn options_beyond_the_hardware_are_an_error_that_names_them_and_the_card_is_left_alone() {
    let good = Options::default();
    for (option, options) in [
        ("--mtu", Options { mtu: 45, ..good }),
        ("--mtu", Options { mtu: 9_601, ..good }),
        ("--rx-slots", Options { rx_slots: 7, ..good }),
        ("--rx-slots", Options { rx_slots: 16_385, ..good }),
        ("--rx-spare", Options { rx_spare: 65_537, ..good }),
        ("--tx-slots", Options { tx_slots: 1, ..good }),
        ("--tx-slots", Options { tx_slots: 4_097, ..good }),
    ] {
        let machine = Machine::new(config());
        let error = machine.fails(options);
        assert!(matches!(error, Error::Option { option: named, .. } if named == option), "{error}");
        assert_eq!(machine.mischief.borrow().accesses, 0);
    }
}

#[test]
fn options_at_their_limits_work() {
    let good = Options::default();
    for options in [
        Options { mtu: 46, ..good },
        Options { mtu: 9_600, rx_slots: 64, rx_spare: 0, ..good },
        Options { rx_slots: 8, rx_spare: 0, tx_slots: 2, ..good },
        Options { rx_slots: 16_384, rx_spare: 0, ..good },
        Options { tx_slots: 4_096, ..good },
        Options { lro_sessions: Some(1), lro_max_segments: Some(1), ..good },
    ] {
        let longest = usize::from(options.mtu) + 14;
        receives_and_sends(&mut Bench::on(Machine::large(config()), options), longest);
    }
}

#[test]
fn too_little_memory_is_an_error_that_says_for_what() {
    let error = Machine::new(config()).fails(Options { mtu: 9_600, rx_slots: 16_384, ..Options::default() });
    assert!(matches!(error, Error::Platform { .. }) && error.to_string().contains("memory"), "{error}");
}
