//! Recovery: what sets it off, what it saves, what it loses, and when the card is given up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::frames::{plain, segments};
use common::{Bench, MAC};
use s2iod::{Options, SendError, State};
use xframe::bits::{AdapterControl, GpioInt, MacCfg, McErr, PccErr, PfcErr, PrcCtrl, RpaErr, SerrSource, SmErr};
use xframe::registers::{self as reg, Register};
use xframe::rxd::Control1;

const NOW: Duration = Duration::from_secs(100);

fn options() -> Options {
    Options { rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() }
}

fn bench() -> Bench {
    Bench::new(options())
}

fn latch(bench: &Bench, register: Register, causes: impl Into<u64>) {
    bench.machine.card.borrow_mut().latch(register, causes.into());
}

/// A cause that only a reset helps.
fn break_it(bench: &Bench) {
    latch(bench, reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true));
}

/// The card receives and sends.
fn works(bench: &mut Bench) {
    bench.settle();
    assert!(bench.adapter.link_up());
    assert_eq!(bench.deliver([plain(1, 60), plain(2, 1_514)]), [plain(1, 60), plain(2, 1_514)]);
    bench.cable().from_card.clear();
    for number in 0..20 {
        bench.adapter.send(&plain(number, 100)).unwrap();
        bench.settle();
    }
    assert!(bench.cable().from_card == (0..20).map(|number| plain(number, 100)).collect::<Vec<_>>());
}

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

// What it saves, what it loses.

#[test]
fn every_frame_that_the_card_had_delivered_is_read_after_it() {
    let mut bench = bench();
    let frames: Vec<_> = (0..24).map(|number| plain(number, 100)).collect();
    bench.arrive(frames[..10].to_vec());
    bench.settle();
    bench.arrive(frames[10..].to_vec());
    break_it(&bench);
    bench.adapter.watch(NOW);
    assert_eq!(bench.statistic("recoveries"), Some(1));
    assert!(bench.read_all() == frames);
    works(&mut bench);
}

#[test]
fn frames_that_had_come_are_read_while_the_card_is_being_reset() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
    bench.arrive([plain(1, 60), plain(2, 60)]);
    break_it(&bench);
    assert_eq!(bench.adapter.watch(NOW), State::Recovering);
    assert_eq!(bench.read_all(), [plain(1, 60), plain(2, 60)]);
    assert_eq!(bench.adapter.send(&plain(3, 60)), Err(SendError::Full));
    assert_eq!(bench.adapter.send(&plain(3, 2_000)), Err(SendError::TooLong));
    assert!(!bench.adapter.link_up());
    assert!(!bench.machine.line());
}

#[test]
fn a_flow_goes_on_merging_after_it() {
    let mut bench = bench();
    let segments = segments(8, 1_000);
    bench.arrive(segments[..4].to_vec());
    break_it(&bench);
    bench.adapter.watch(NOW);
    bench.settle();
    bench.arrive(segments[4..].to_vec());
    bench.settle();
    let units = bench.read_all();
    assert_eq!(units.iter().map(Vec::len).collect::<Vec<_>>(), [54 + 8_000]);
}

#[test]
fn frames_that_were_not_sent_are_lost_and_counted_and_their_slots_come_back() {
    let mut bench = bench();
    for _ in 0..8 {
        bench.adapter.send(&plain(1, 60)).unwrap();
    }
    assert!(!bench.adapter.has_room());
    for _ in 0..3 {
        bench.machine.card.borrow_mut().step();
    }
    break_it(&bench);
    bench.adapter.watch(NOW);
    let sent = bench.cable().from_card.len() as u64;
    assert!((1..=3).contains(&sent));
    assert_eq!((bench.statistic("tx_frames"), bench.statistic("tx_lost")), (Some(8), Some(8 - sent)));
    works(&mut bench);
}

#[test]
fn options_and_address_are_as_before() {
    let mut bench = Bench::new(Options { promiscuous: true, mtu: 4_000, ..options() });
    break_it(&bench);
    bench.adapter.watch(NOW);
    assert!(MacCfg::from(bench.machine.read(reg::MAC_CFG)).rmac_prom_enable());
    assert_eq!(bench.adapter.identity().mac, MAC);
    bench.settle();
    assert_eq!(bench.deliver([plain(1, 4_014)]), [plain(1, 4_014)]);
}

#[test]
fn no_statistic_ever_goes_back() {
    let mut bench = bench();
    let all = |bench: &mut Bench| {
        let mut text = String::new();
        bench.adapter.write_stats(&mut text).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let counts = lines.filter(|(name, _)| !["link", "rx_slots_in_card"].contains(name));
        counts.map(|(name, value)| (name.to_owned(), value.parse::<u64>().unwrap())).collect::<Vec<_>>()
    };
    let mut before = all(&mut bench);
    for round in 0..6 {
        bench.deliver([plain(1, 60), plain(2, 500)]);
        bench.adapter.send(&plain(3, 60)).unwrap();
        bench.settle();
        match round % 3 {
            0 => break_it(&bench),
            1 => bench.machine.card.borrow_mut().reset(),
            _ => {}
        }
        bench.adapter.service().unwrap();
        bench.adapter.watch(NOW * (round + 1));
        bench.settle();
        let after = all(&mut bench);
        for ((name, old), (same, new)) in before.iter().zip(&after) {
            assert!(name == same && new >= old, "{name} {old} -> {same} {new}");
        }
        before = after;
    }
    // A power cut takes with it what was not told; a reset takes nothing.
    assert!(bench.statistic("rmac_vld_frms") >= Some(8));
    assert_eq!(bench.statistic("tx_frames"), Some(6));
}

#[test]
fn the_card_s_counters_go_on_where_they_were() {
    let mut bench = bench();
    bench.deliver([plain(1, 60), plain(2, 60), plain(3, 60)]);
    break_it(&bench);
    bench.adapter.watch(NOW);
    bench.settle();
    assert_eq!(bench.statistic("rmac_vld_frms"), Some(3));
    bench.deliver([plain(4, 60)]);
    assert_eq!(bench.statistic("rmac_vld_frms"), Some(4));
}

// When it does not help.

#[test]
fn attempts_that_fail_are_repeated_after_pauses_that_double() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
    break_it(&bench);
    let mut attempts = Vec::new();
    let mut failed = 0;
    for second in 0..200 {
        assert_eq!(bench.adapter.watch(NOW + Duration::from_secs(second)), State::Recovering);
        let count = bench.statistic("recoveries_failed").unwrap();
        if count > failed {
            attempts.push(second);
            failed = count;
        }
    }
    assert_eq!(attempts, [0, 1, 3, 7, 15, 31, 63, 127, 191]);
    bench.machine.mischief.borrow_mut().stuck = None;
    assert_eq!(bench.adapter.watch(NOW + Duration::from_secs(300)), State::Running);
    works(&mut bench);
}

#[test]
fn a_card_that_fails_again_and_again_is_not_reset_all_the_time() {
    let mut bench = bench();
    for half_second in 0..240 {
        break_it(&bench);
        bench.adapter.watch(NOW + Duration::from_millis(500) * half_second);
    }
    assert!(bench.statistic("recoveries") < Some(10), "{:?}", bench.statistic("recoveries"));
}

#[test]
fn a_card_that_does_not_come_back_from_a_reset_is_tried_again_and_given_up_when_nobody_answers() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().identity = Some(0xDEAD_BEEF);
    break_it(&bench);
    assert_eq!(bench.adapter.watch(NOW), State::Recovering);
    assert_eq!(bench.statistic("recoveries_failed"), Some(1));
    bench.machine.mischief.borrow_mut().identity = Some(u32::MAX);
    assert_eq!(bench.adapter.watch(NOW + Duration::from_secs(1)), State::Gone);
    assert_eq!(bench.statistic("recoveries_failed"), Some(1));
}

#[test]
fn a_card_that_is_pulled_out_is_gone_and_what_it_had_delivered_is_read_first() {
    let mut bench = bench();
    bench.arrive([plain(1, 60), plain(2, 60)]);
    bench.machine.mischief.borrow_mut().gone = true;
    let slept = bench.machine.mischief.borrow().slept;
    assert_eq!(bench.adapter.watch(NOW), State::Gone);
    let mut buffer = [0; 100];
    for _ in 0..2 {
        assert!(bench.adapter.receive(&mut buffer).unwrap().is_some());
    }
    assert!(bench.adapter.receive(&mut buffer).unwrap().is_none());
    assert!(bench.adapter.rearm().is_err() && bench.adapter.service().is_err());
    assert_eq!(bench.adapter.send(&plain(3, 60)), Err(SendError::Gone));
    assert_eq!(bench.machine.mischief.borrow().slept, slept, "nothing waits for a card that is gone");
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
