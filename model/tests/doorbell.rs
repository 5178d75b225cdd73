//! Doorbells, FIFOs and their calendar.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, LISTS, frames};
use model::{Bar, Step, Width};
use xframe::bits::*;
use xframe::constants::calendar;
use xframe::registers as r;
use xframe::txd::{Control1, Control2, ListControl};

#[test]
fn lists_of_one_fifo_are_sent_in_order_and_fifos_take_turns() {
    let mut host = Host::running(1);
    host.settle();
    for fifo in [0, 1] {
        host.send_with(fifo, &[&frames::tcp4(100)], Control1::new(), Control2::new());
        host.ring_doorbell(fifo, LISTS + fifo as u64 * 0x2000, ListControl::single(0));
    }
    let fifos = host.settle().into_iter().filter_map(|step| match step {
        Step::Sent { fifo } => Some(fifo),
        _ => None,
    });
    assert_eq!(fifos.collect::<Vec<_>>(), [0, 1, 0, 1]);
}

#[test]
fn a_fifo_without_a_slot_in_the_calendar_is_not_served() {
    let mut host = Host::running(1);
    for (word, slots) in r::TX_W_ROUND_ROBIN.iter().zip(calendar(1)) {
        host.write(word, slots);
    }
    host.send_with(1, &[&frames::tcp4(100)], Control1::new(), Control2::new());
    host.settle();
    assert!(host.sent().is_empty());
}

#[test]
fn a_doorbell_in_four_parts_starts_with_its_last() {
    let mut host = Host::running(1);
    host.settle();
    host.send_with(0, &[&frames::tcp4(100)], Control1::new(), Control2::new());
    host.settle();
    host.card.memory_mut().put_word(LISTS, 0x0100_0300_0000_0064);
    let control = u64::from(ListControl::single(0));
    for (offset, value) in [(0, LISTS), (4, LISTS >> 32), (8, control), (12, control >> 32)] {
        assert_eq!(host.settle(), [], "not before the last part");
        host.card.write(Bar::Doorbells, offset, Width::Dword, value & 0xFFFF_FFFF);
    }
    assert_eq!(host.settle(), [Step::Sent { fifo: 0 }]);
}

#[test]
fn the_control_word_is_found_at_all_its_addresses() {
    let mut host = Host::running(1);
    host.send_with(0, &[&frames::tcp4(100)], Control1::new(), Control2::new());
    host.settle();
    host.card.memory_mut().put_word(LISTS, 0x0100_0300_0000_0064);
    host.card.write(Bar::Doorbells, 0x10, Width::Qword, LISTS);
    host.card.write(Bar::Doorbells, 0x18, Width::Qword, ListControl::single(0).into());
    assert_eq!(host.settle(), [Step::Sent { fifo: 0 }]);
}

#[test]
fn a_control_word_without_its_pointer_is_latched_as_an_error() {
    let mut host = Host::running(1);
    host.card.write(Bar::Doorbells, 8, Width::Qword, ListControl::single(0).into());
    assert!(host.get::<PfcErr>().misc_0_err());
}

#[test]
fn a_list_too_many_for_its_fifo_is_latched_as_an_error() {
    let mut host = Host::running(1);
    for _ in 0..64 {
        host.ring_doorbell(0, LISTS, ListControl::single(0));
    }
    assert_eq!(host.get::<PfcErr>(), PfcErr::new());
    host.ring_doorbell(0, LISTS, ListControl::single(0));
    assert!(host.get::<PfcErr>().misc_1_err());
}

#[test]
fn fifos_take_nothing_before_they_are_enabled() {
    let mut host = Host::running(1);
    host.write(r::TX_FIFO_PARTITION.first(), 0);
    host.ring_doorbell(0, LISTS, ListControl::single(0));
    assert!(host.get::<PfcErr>().misc_1_err());
}
