//! What a look after the card finds: faults that set off a reset, alarms that do not, and what a lost interrupt would have
//! told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::broken::{NOW, bench, latch, works};
use common::frames::plain;
use s2iod::State;
use xframe::bits::{AdapterControl, GpioInt, McErr, PccErr, PfcErr, PrcCtrl, RpaErr, SerrSource};
use xframe::registers as reg;
use xframe::rxd::Control1;

// What sets it off.

#[test]
fn a_healthy_card_is_left_alone() {
    let mut bench = bench();
    for second in 0..1_000 {
        bench.deliver([plain(1, 60)]);
        bench.adapter.send(&plain(2, 60)).unwrap();
        bench.settle();
        assert_eq!(bench.adapter.watch(Duration::from_secs(second)), State::Running);
    }
    assert_eq!(bench.statistic("faults"), Some(0));
}

#[test]
fn fatal_alarms_of_every_block_reset_the_card() {
    for (register, causes, name) in [
        (reg::SERR_SOURCE, u64::from(SerrSource::new().with_mc(true)), "serr_mc"),
        (reg::GPIO_INT_REG, GpioInt::new().with_dp_err_int(true).into(), "gpio_dp_err_int"),
        (reg::PFC_ERR_REG, PfcErr::new().with_pcix_err(true).into(), "pfc_pcix_err"),
        (reg::PCC_ERR_REG, PccErr::new().with_n_serr(0x10).into(), "pcc_n_serr"),
        (reg::RPA_ERR_REG, RpaErr::new().with_credit_err(true).into(), "rpa_credit_err"),
        (reg::MC_ERR_REG, McErr::new().with_sm_err(true).into(), "mc_sm_err"),
    ] {
        let mut bench = bench();
        latch(&bench, register, causes);
        assert_eq!(bench.adapter.watch(NOW), State::Running, "{name}");
        assert_eq!(bench.statistic(&format!("alarm_{name}")), Some(1), "{name}");
        assert_eq!((bench.statistic("faults"), bench.statistic("recoveries")), (Some(1), Some(1)), "{name}");
        assert!(!AdapterControl::from(bench.machine.read(reg::ADAPTER_CONTROL)).cntl_en(), "not reset: {name}");
        works(&mut bench);
    }
}

#[test]
fn alarms_that_the_card_survives_are_counted_and_cleared() {
    let mut bench = bench();
    for round in 1..=3 {
        latch(&bench, reg::PCC_ERR_REG, PccErr::new().with_fb_ecc_sg_err(0b101));
        latch(&bench, reg::MC_ERR_REG, McErr::new().with_miri_ecc_db_err_0(true));
        bench.adapter.watch(NOW);
        assert_eq!(bench.statistic("alarm_pcc_fb_ecc_sg_err"), Some(2 * round));
        assert_eq!(bench.statistic("alarm_mc_miri_ecc_db_err_0"), Some(round));
        assert_eq!((bench.machine.read(reg::PCC_ERR_REG), bench.machine.read(reg::MC_ERR_REG)), (0, 0));
    }
    assert_eq!(bench.statistic("faults"), Some(0));
}

#[test]
fn frames_that_the_card_does_not_send_for_five_seconds_are_a_fault() {
    let mut bench = bench();
    for _ in 0..3 {
        bench.adapter.send(&plain(1, 60)).unwrap();
    }
    for second in 0..5 {
        bench.adapter.watch(NOW + Duration::from_secs(second));
    }
    assert_eq!(bench.statistic("faults"), Some(0));
    bench.adapter.watch(NOW + Duration::from_secs(5));
    assert_eq!((bench.statistic("faults"), bench.statistic("tx_lost")), (Some(1), Some(3)));
    works(&mut bench);
}

#[test]
fn an_rxd_that_the_card_never_gives_back_is_a_fault_and_what_is_behind_it_is_saved() {
    let mut bench = bench();
    let frames: Vec<_> = (0..5).map(|number| plain(number, 100)).collect();
    bench.arrive(frames.clone());
    bench.alter_rxd(2, |_, two| (Control1::POSTED, two));
    bench.adapter.watch(NOW);
    assert_eq!(bench.statistic("faults"), Some(0));
    bench.adapter.watch(NOW);
    assert_eq!(bench.statistic("faults"), Some(1));
    assert_eq!(bench.read_all(), [frames[0].clone(), frames[1].clone(), frames[3].clone(), frames[4].clone()]);
    works(&mut bench);
}

#[test]
fn a_ring_that_has_stopped_is_a_fault() {
    let mut bench = bench();
    bench.machine.write(reg::PRC_CTRL.first(), 0_u64);
    bench.adapter.watch(NOW);
    assert_eq!(bench.statistic("recoveries"), Some(1));
    assert!(PrcCtrl::from(bench.machine.read(reg::PRC_CTRL.first())).rc_enabled());
    works(&mut bench);
}

#[test]
fn an_rxd_that_the_card_cannot_reach_stops_the_ring_and_recovery_starts_it() {
    let mut bench = bench();
    bench.machine.write(reg::PRC_RXD0.first(), 0x10_u64);
    bench.machine.write(reg::PRC_CTRL.first(), 0_u64);
    bench.machine.write(reg::PRC_CTRL.first(), PrcCtrl::new().with_rc_enabled(true));
    bench.arrive([plain(1, 60)]);
    bench.adapter.watch(NOW);
    assert_eq!(bench.statistic("alarm_prc_pcix_ab_rd_rn"), Some(1));
    works(&mut bench);
}

#[test]
fn windows_that_have_closed_are_opened_again() {
    let mut bench = bench();
    bench.arrive([plain(1, 60)]);
    bench.machine.card.borrow_mut().reset();
    assert!(!bench.adapter.service().unwrap().ours);
    assert_eq!(bench.adapter.watch(NOW), State::Running);
    assert_eq!(bench.statistic("recoveries"), Some(1));
    assert_eq!(bench.read_all(), [plain(1, 60)]);
    works(&mut bench);
}

// What a lost interrupt would have told.

#[test]
fn frames_and_room_are_found_without_an_interrupt() {
    let mut bench = bench();
    for _ in 0..8 {
        bench.adapter.send(&plain(1, 60)).unwrap();
    }
    bench.arrive([plain(1, 60)]);
    bench.adapter.watch(NOW);
    assert!(bench.adapter.has_frames() && bench.adapter.has_room());
}

#[test]
fn a_link_change_is_found_without_an_interrupt() {
    let mut bench = bench();
    for up in [false, true] {
        bench.machine.card.borrow_mut().set_link(up);
        bench.machine.step();
        bench.adapter.watch(NOW);
        assert_eq!(bench.adapter.link_up(), up);
    }
    works(&mut bench);
}

#[test]
fn an_enable_bit_that_the_hardware_has_dropped_is_set_again() {
    let mut bench = bench();
    let control = AdapterControl::from(bench.machine.read(reg::ADAPTER_CONTROL));
    bench.machine.write(reg::ADAPTER_CONTROL, control.with_cntl_en(false));
    bench.adapter.watch(NOW);
    assert_eq!(AdapterControl::from(bench.machine.read(reg::ADAPTER_CONTROL)), control);
}
