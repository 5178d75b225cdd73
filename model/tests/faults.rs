//! What can be made to go wrong, as a driver sees it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC, frames};
use model::{Bar, Config, Fault, Step, Width};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::swapper::Interrupts;
use xframe::{rxd, txd};

const ALL: u64 = u64::MAX;

#[test]
fn the_next_frame_ends_with_the_code_asked_for() {
    for code in 0..16 {
        let mut host = Host::running(1);
        host.card.inject(Fault::ReceiveCode(code));
        let (first, bytes) = host.receive(&frames::tcp4(100));
        assert_eq!((first.t_code.code(), bytes), (code, frames::tcp4(100)));
        assert_eq!(host.receive(&frames::tcp4(100)).0.t_code, rxd::TCode::Ok);
    }
}

#[test]
fn the_next_list_ends_with_the_code_asked_for() {
    for code in 0..16 {
        let mut host = Host::running(1);
        host.card.inject(Fault::SendCode(code));
        host.send(&[&frames::tcp4(100)]);
        let word = host.list_word(0);
        assert_eq!(u64::from(word) >> 48 & 0xF, u64::from(code));
        assert!(!word.own());
        host.send(&[&frames::tcp4(100)]);
        assert_eq!(host.list_word(0).t_code(), txd::TCode::Ok);
    }
}

#[test]
fn the_next_rxd_claims_the_size_asked_for() {
    let mut host = Host::running(1);
    host.card.inject(Fault::Size(9_000));
    host.post(9622);
    host.arrive(&frames::tcp4(100));
    assert_eq!(host.discard().unwrap().size, 9_000);
}

#[test]
fn an_rxd_that_is_kept_stays_the_cards_and_the_ring_goes_on() {
    let mut host = Host::running(1);
    host.post_many(2);
    host.card.inject(Fault::KeepRxd);
    host.arrive(&frames::tcp4(1));
    host.arrive(&frames::tcp4(2));
    let owned = |index| rxd::Control1::from(host.card.memory().word(host.rxd(index) + rxd::CONTROL_1 as u64)).own();
    assert_eq!([owned(0), owned(1)], [true, false]);
}

#[test]
fn a_list_that_is_kept_stays_the_cards_though_it_was_sent() {
    let mut host = Host::running(1);
    host.card.inject(Fault::KeepTxd);
    host.send(&[&frames::tcp4(100)]);
    assert!(host.list_word(0).own());
    assert_eq!(host.sent().len(), 1);
}

#[test]
fn an_abort_hits_the_next_access_to_memory_whenever_that_is() {
    let mut host = Host::running(1);
    host.card.inject(Fault::Abort);
    host.settle();
    host.post_many(1);
    host.arrive(&frames::tcp4(100));
    assert_eq!(host.get::<PrcPcixErr>(), PrcPcixErr::new().with_ab_rd_rn(0x80));
    assert_eq!(host.discard(), None, "the ring stands still");
}

#[test]
fn an_alarm_latches_its_cause() {
    let mut host = Host::running(1);
    host.card.inject(Fault::Alarm(r::SM_ERR_REG, 1 << 48));
    assert!(host.get::<SmErr>().sm_sm_err_alarm());
}

#[test]
fn a_cable_pulled_out_takes_the_link_down() {
    let mut host = Host::running(1);
    host.card.inject(Fault::Link(false));
    assert!(host.get::<AdapterStatus>().rmac_local_fault());
    host.card.inject(Fault::Link(true));
    assert!(!host.get::<AdapterStatus>().rmac_local_fault());
}

#[test]
fn a_card_stuck_in_reset_never_gets_ready_until_it_does() {
    let mut host = Host::herc();
    host.set_swapper(Interrupts::Line);
    host.card.inject(Fault::StuckReset(true));
    host.put(SwReset::XGXS_HELD);
    host.put(SwReset::new());
    assert!((0..1000).all(|_| host.get::<AdapterStatus>().ric_running()));
    host.card.inject(Fault::StuckReset(false));
    assert!((0..10).any(|_| !host.get::<AdapterStatus>().ric_running()));
}

#[test]
fn a_card_that_is_gone_reads_ones_and_does_nothing_and_comes_back_as_it_was() {
    let mut host = Host::running(1);
    host.settle();
    host.post_many(1);
    host.card.inject(Fault::Gone(true));
    assert_eq!((host.read(r::ADAPTER_STATUS), host.card.config_read(0, Width::Dword)), (ALL, 0xFFFF_FFFF));
    host.write(r::GENERAL_INT_MASK, 0);
    host.card.config_write(0x04, Width::Word, 0);
    host.card.wire_mut().frames.push_back(frames::tcp4(100));
    assert_eq!(host.card.step(), Step::Idle);
    assert!(!host.card.line());
    host.card.inject(Fault::Gone(false));
    assert_eq!(host.read(r::GENERAL_INT_MASK), ALL);
    host.settle();
    assert!(host.take().is_some());
}

/// A running card that tells ring 0's frames by vector 1.
fn messages() -> Host {
    let mut host = Host::new(Config { external_vectors: true, ..Config::new(Asic::Herc, MAC) });
    host.bring_up(1);
    host.write(r::RX_MAT, 0x0100_0000_0000_0000);
    host.card.config_write(0x92, Width::Word, 0x8000);
    host.card.config_write(0x42, Width::Word, 0x0001);
    host.settle();
    host
}

/// How many messages each of `frames` frames brings.
fn brought(host: &mut Host, frames: usize) -> Vec<usize> {
    let mut count = || {
        host.receive(&frames::tcp4(100));
        std::iter::from_fn(|| host.card.take_message()).count()
    };
    (0..frames).map(|_| count()).collect()
}

#[test]
fn messages_are_lost_and_sent_twice_as_asked_for() {
    let mut host = messages();
    host.card.inject(Fault::LoseMessages(2));
    assert_eq!(brought(&mut host, 3), [0, 0, 1]);
    host.card.inject(Fault::RepeatMessages(2));
    assert_eq!(brought(&mut host, 3).iter().sum::<usize>(), 5);
}

#[test]
fn a_repaired_card_is_as_good_as_ever() {
    let mut host = messages();
    for fault in [Fault::LoseMessages(9), Fault::ReceiveCode(8), Fault::KeepRxd, Fault::Abort, Fault::Gone(true)] {
        host.card.inject(fault);
    }
    host.card.repair();
    assert_eq!(brought(&mut host, 1), [1]);
    assert_ne!(host.card.read(Bar::Registers, 0x108, Width::Qword), ALL);
}
