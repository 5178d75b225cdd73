//! Which MSI-X messages go out, and when.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC, frames};
use model::{Bar, Config, Message, Step, Width};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::txd::{Control1, Control2};

const ALL: u64 = u64::MAX;

/// A running card with the traffic causes open.
fn open() -> Host {
    let mut host = Host::running(1);
    host.settle();
    host.write(r::TX_TRAFFIC_MASK, 0);
    host.write(r::RX_TRAFFIC_MASK, 0);
    let mask = GeneralInt::new().with_txpic(true).with_txtraffic(true).with_rxtraffic(true);
    host.write(r::GENERAL_INT_MASK, !u64::from(mask));
    assert!(!host.card.line());
    host
}

/// Sets MSI-X up: every vector unmasked, ring 0 on vector 1.
fn messages() -> Host {
    let mut host = open();
    host.write(r::RX_TRAFFIC_MASK, ALL);
    for vector in 0..64 {
        let at = 16 * vector;
        host.card.write(Bar::Vectors, at, Width::Qword, 0xFEE0_0000 + vector);
        host.card.write(Bar::Vectors, at + 8, Width::Dword, 0x40 + vector);
        host.card.write(Bar::Vectors, at + 12, Width::Dword, 0);
    }
    host.write(r::RX_MAT, 0x0100_0000_0000_0000);
    host.card.config_write(0x92, Width::Word, 0x8000);
    host.card.config_write(0x42, Width::Word, 0x0001);
    host
}

fn vectors(host: &mut Host) -> Vec<u8> {
    std::iter::from_fn(|| host.card.take_message()).map(|message| message.vector).collect()
}

#[test]
fn a_ring_sends_its_message_though_its_cause_is_masked_and_latched() {
    let mut host = messages();
    for _ in 0..2 {
        host.receive(&frames::tcp4(100));
        let message = host.card.take_message();
        assert_eq!(message, Some(Message { vector: 1, address: 0xFEE0_0001, data: 0x41 }));
        assert_eq!(host.card.take_message(), None);
    }
    assert!(!host.card.line());
}

#[test]
fn no_message_goes_without_the_msi_enable_bit() {
    let mut host = messages();
    host.card.config_write(0x42, Width::Word, 0);
    host.receive(&frames::tcp4(100));
    assert_eq!(vectors(&mut host), [0; 0]);
}

#[test]
fn vector_0_goes_when_a_cause_appears_and_again_when_it_is_unmasked() {
    let mut host = messages();
    let open = host.read(r::GENERAL_INT_MASK);
    host.send(&[&frames::tcp4(100)]);
    assert_eq!(vectors(&mut host), [0]);
    host.send(&[&frames::tcp4(100)]);
    assert_eq!(vectors(&mut host), [0; 0], "the cause never went away");
    host.write(r::GENERAL_INT_MASK, ALL);
    assert_eq!(vectors(&mut host), [0; 0]);
    host.write(r::GENERAL_INT_MASK, open);
    assert_eq!(vectors(&mut host), [0]);
    host.write(r::TX_TRAFFIC_INT, ALL);
    assert_eq!(vectors(&mut host), [0; 0]);
}

#[test]
fn a_message_behind_the_device_s_mask_waits_and_is_sent_once() {
    let mut host = messages();
    let ring_0 = u64::from(r::XMSI_MASK_REG.offset()) + 7;
    host.card.write(Bar::Registers, ring_0, Width::Byte, 0x7F);
    host.receive(&frames::tcp4(1));
    host.receive(&frames::tcp4(2));
    assert_eq!(vectors(&mut host), [0; 0]);
    assert_eq!(host.card.read(Bar::Vectors, 0x400, Width::Qword), 1 << 1);
    host.card.write(Bar::Registers, ring_0, Width::Byte, 0x3F);
    assert_eq!(vectors(&mut host), [1]);
}

#[test]
fn a_message_behind_the_table_s_mask_waits() {
    let mut host = messages();
    host.card.write(Bar::Vectors, 16 + 12, Width::Dword, 1);
    host.receive(&frames::tcp4(1));
    assert_eq!(vectors(&mut host), [0; 0]);
    host.card.write(Bar::Vectors, 16 + 12, Width::Dword, 0);
    assert_eq!(vectors(&mut host), [1]);
}

#[test]
fn vector_0_is_not_sent_late_for_a_cause_that_is_gone() {
    let mut host = messages();
    host.card.write(Bar::Vectors, 12, Width::Dword, 1);
    host.send(&[&frames::tcp4(100)]);
    host.write(r::TX_TRAFFIC_INT, ALL);
    host.card.write(Bar::Vectors, 12, Width::Dword, 0);
    assert_eq!(vectors(&mut host), [0; 0]);
}

#[test]
fn a_transmit_entry_can_have_a_vector_of_its_own() {
    let mut host = messages();
    host.write(r::TX_TRAFFIC_MASK, ALL);
    host.write(r::TX_MAT.at(1).unwrap(), 0x0005_0000_0000_0000);
    host.send_with(0, &[&frames::tcp4(100)], Control1::new(), Control2::new().with_int_number(9));
    host.settle();
    assert_eq!(vectors(&mut host), [5]);
}

#[test]
fn the_scheduled_interrupt_passes_all_masks_of_causes() {
    let mut host = messages();
    host.write(r::GENERAL_INT_MASK, ALL);
    let before = host.read(r::SCHEDULED_INT_CTRL);
    host.write(r::SCHEDULED_INT_CTRL, before | 0xC001_0000_0000_0000);
    assert_eq!(host.settle(), [Step::Timer]);
    assert_eq!(vectors(&mut host), [1]);
    assert!(host.get::<TxpicInt>().sched_intr());
    host.write(r::SCHEDULED_INT_CTRL, before);
    host.card.tick();
    assert_eq!(host.settle(), []);
}

#[test]
fn the_table_can_be_saved_and_restored_through_registers() {
    let mut host = messages();
    host.write(r::XMSI_ACCESS, XmsiAccess::new().with_strobe(true).with_no(9).into());
    assert!(!host.get::<XmsiAccess>().strobe());
    assert_eq!((host.read(r::XMSI_ADDRESS), host.read(r::XMSI_DATA)), (0xFEE0_0009, 0x49));
    host.write(r::XMSI_ADDRESS, 0x1_FEE0_1000);
    host.write(r::XMSI_DATA, 0x77);
    host.write(r::XMSI_ACCESS, XmsiAccess::new().with_wr_rdn(true).with_strobe(true).with_no(9).into());
    assert_eq!(host.card.read(Bar::Vectors, 9 * 16, Width::Qword), 0x1_FEE0_1000);
    assert_eq!(host.card.read(Bar::Vectors, 9 * 16 + 8, Width::Dword), 0x77);
}

#[test]
fn a_table_kept_elsewhere_does_not_mask() {
    let mut config = Config::new(Asic::Herc, MAC);
    config.external_vectors = true;
    let mut host = Host::new(config);
    host.bring_up(1);
    host.write(r::RX_MAT, 0x0100_0000_0000_0000);
    host.card.config_write(0x92, Width::Word, 0x8000);
    host.card.config_write(0x42, Width::Word, 0x0001);
    host.receive(&frames::tcp4(100));
    assert_eq!(vectors(&mut host), [1]);
}
