//! How interrupts come: by message, and the way back to the line and to polling when they do not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
#[path = "lossy/mod.rs"]
mod lossy;

use std::time::Duration;

use common::frames::plain;
use lossy::{Bench, options};
use model::Width;
use s2iod::Options;
use s2iod::platform::Interrupts;
use xframe::bits::SmErr;
use xframe::constants::Asic;
use xframe::registers as reg;

#[test]
fn messages_are_used_where_they_come() {
    let bench = Bench::new();
    assert_eq!(bench.adapter.interrupts(), Interrupts::MsiX);
    assert_eq!(*bench.connected.borrow(), [Interrupts::MsiX]);
    assert!(bench.adapter.link_up());
}

#[test]
fn the_next_best_way_is_taken_when_one_does_not_work() {
    use Interrupts::{Line, MsiX, Polling};
    for (asic, wanted, messages_lost, line_lost, found) in [
        (Asic::Herc, MsiX, true, false, Line),
        (Asic::Herc, MsiX, true, true, Polling),
        (Asic::Herc, Line, false, false, Line),
        (Asic::Herc, Line, false, true, Polling),
        (Asic::Herc, Polling, false, false, Polling),
        (Asic::Xena, MsiX, false, false, Line),
    ] {
        let options = Options { interrupts: wanted, ..options() };
        let mut bench = Bench::with(asic, options, messages_lost, line_lost);
        assert_eq!(bench.adapter.interrupts(), found, "{asic:?} {wanted:?} {messages_lost} {line_lost}");
        // Whichever it is, looking finds everything.
        for _ in 0..10 {
            bench.step();
            bench.adapter.service().unwrap();
        }
        bench.arrive([plain(1, 60)]);
        bench.step();
        assert_eq!(bench.card.borrow().line(), found != MsiX);
        assert!(bench.adapter.service().unwrap().received);
        assert_eq!(bench.read_all(), [plain(1, 60)]);
        assert!(!bench.card.borrow().line());
    }
}

#[test]
fn messages_are_connected_again_after_a_reset() {
    let mut bench = Bench::new();
    bench.card.borrow_mut().latch(reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true).into());
    bench.adapter.watch(Duration::from_secs(1));
    assert_eq!(*bench.connected.borrow(), [Interrupts::MsiX, Interrupts::MsiX]);
    bench.settle();
    bench.arrive([plain(1, 60)]);
    bench.step();
    assert_eq!(bench.messages(), [1]);
    bench.adapter.service_vector(1).unwrap();
    assert_eq!(bench.read_all(), [plain(1, 60)]);
}

#[test]
fn messages_that_the_reader_holds_back_are_tried_out_after_a_reset_all_the_same() {
    let mut bench = Bench::new();
    bench.arrive([plain(1, 60)]);
    bench.settle();
    bench.card.borrow_mut().latch(reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true).into());
    bench.adapter.watch(Duration::from_secs(1));
    assert_eq!(bench.adapter.interrupts(), Interrupts::MsiX);
    bench.settle();
    assert_eq!(bench.read_all(), [plain(1, 60)]);
}

#[test]
fn without_msi_s_own_enable_bit_the_hardware_sends_nothing_so_it_is_set() {
    let bench = Bench::new();
    assert_eq!(bench.card.borrow_mut().config_read(0x42, Width::Word) & 1, 1);
}
