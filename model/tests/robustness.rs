//! Whatever the host writes, the card neither panics nor runs away, and never touches memory it was refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BASE, BLOCKS, Host, LISTS, frames};
use model::{Bar, Step, Width};
use proptest::prelude::*;
use xframe::registers as r;

#[derive(Clone, Debug)]
enum Act {
    Read(Bar, u64, Width),
    Write(Bar, u64, Width, u64),
    Config(u16, Width, u64),
    ConfigRead(u16, Width),
    Memory(u64, u64),
    Frame(Vec<u8>),
    Step(u8),
    Tick,
    Link(bool),
}

fn width() -> impl Strategy<Value = Width> {
    prop_oneof![1 => Just(Width::Byte), 1 => Just(Width::Word), 1 => Just(Width::Dword), 5 => Just(Width::Qword)]
}

/// Offsets that mean something, and some that do not.
fn place() -> impl Strategy<Value = (Bar, u64)> {
    let registers = prop::sample::select(r::TABLE).prop_map(|entry| u64::from(entry.offset));
    prop_oneof![
        6 => (registers, 0..9_u64).prop_map(|(at, off)| (Bar::Registers, at + off)),
        2 => (0..8_u64, 0..32_u64).prop_map(|(fifo, at)| (Bar::Doorbells, fifo * 0x2_0000 + at)),
        1 => (0..0x480_u64).prop_map(|at| (Bar::Vectors, at)),
        1 => (prop::sample::select(vec![Bar::Registers, Bar::Doorbells, Bar::Vectors]), any::<u64>()),
    ]
}

/// Values with a strobe or a switch set now and then, and addresses in and out of memory.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0..64_u32).prop_map(|bit| 1 << bit),
        any::<u8>().prop_map(|entry| 0x0101_0000_0000_0000 | u64::from(entry) << 32),
        (0..0x2_0000_u64).prop_map(|at| BLOCKS + at),
        (0..0x2_0000_u64).prop_map(|at| LISTS + at),
        (0..0x40_u64).prop_map(|at| u64::MAX - at),
    ]
}

fn frame() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop::sample::select(vec![
        frames::tcp4(700),
        frames::tagged_tcp4(3, 99),
        frames::udp6(10),
        frames::extended6(43, 6, &[0; 40]),
        frames::extended6(44, 17, &[9; 40]),
        frames::length_framed(&[0xAA, 0xAA, 3, 0, 0, 0, 8, 0, 0x45]),
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        // Cut anywhere, with one byte changed.
        (whole, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()).prop_map(
            |(mut frame, cut, at, byte)| {
                frame.truncate(cut.index(frame.len()) + 1);
                let at = at.index(frame.len());
                frame[at] = byte;
                frame
            }
        ),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => (place(), width()).prop_map(|((bar, at), width)| Act::Read(bar, at, width)),
        8 => (place(), width(), value()).prop_map(|((bar, at), width, value)| Act::Write(bar, at, width, value)),
        1 => (0..300_u16, width(), any::<u64>()).prop_map(|(at, width, value)| Act::Config(at, width, value)),
        1 => (0..300_u16, width()).prop_map(|(at, width)| Act::ConfigRead(at, width)),
        3 => (0..0x4000_u64, value()).prop_map(|(at, value)| Act::Memory(at, value)),
        3 => frame().prop_map(Act::Frame),
        8 => any::<u8>().prop_map(Act::Step),
        1 => Just(Act::Tick),
        1 => any::<bool>().prop_map(Act::Link),
    ]
}

fn run(acts: Vec<Act>) {
    let mut host = Host::running(2);
    host.card.wire_mut().frames.clear();
    host.post_many(20);
    for act in acts {
        match act {
            Act::Read(bar, at, width) => {
                let value = host.card.read(bar, at, width);
                assert_eq!(value & !width.ones(), 0);
            }
            Act::Write(bar, at, width, value) => host.card.write(bar, at, width, value),
            Act::Config(at, width, value) => host.card.config_write(at, width, value),
            Act::ConfigRead(at, width) => {
                host.card.config_read(at, width);
            }
            Act::Memory(at, value) => {
                let base = if at % 2 == 0 { BLOCKS } else { LISTS };
                host.card.memory_mut().put_word(base + (at & !1) * 4, value);
            }
            Act::Frame(frame) => {
                host.card.wire_mut().frames.push_back(frame);
            }
            Act::Step(count) => {
                for _ in 0..count {
                    if host.card.step() == Step::Idle {
                        break;
                    }
                }
            }
            Act::Tick => host.card.tick(),
            Act::Link(up) => host.card.set_link(up),
        }
        host.card.line();
        while host.card.take_message().is_some() {}
    }
    host.settle();
}

proptest! {
    #[test]
    fn no_schedule_of_a_wild_host_breaks_the_card(acts in prop::collection::vec(act(), 1..120)) {
        run(acts);
    }
}

#[test]
fn a_block_that_links_to_itself_is_a_ring_of_one() {
    let mut host = Host::running(1);
    for length in 0..300 {
        host.receive(&frames::tcp4(length));
    }
}

#[test]
fn a_block_in_the_middle_of_a_page_is_taken_from_its_start() {
    let mut host = Host::running(1);
    host.write(r::PRC_CTRL.first(), 0);
    host.write(r::PRC_RXD0.first(), BLOCKS + 0x123);
    host.write(r::PRC_CTRL.first(), 0x0100_0000_0000_0000);
    host.receive(&frames::tcp4(100));
}

#[test]
fn a_link_out_of_memory_stops_the_ring() {
    let mut host = Host::running(1);
    host.card.memory_mut().put_word(BASE + xframe::block::LINK as u64, u64::MAX - 5);
    for _ in 0..xframe::block::RXDS {
        host.receive(&frames::tcp4(1));
    }
    host.post_many(1);
    host.arrive(&frames::tcp4(1));
    assert_eq!(host.get::<xframe::bits::PrcPcixErr>().ab_rd_rn(), 0x80);
    assert_eq!(host.settle(), []);
}

#[test]
fn lists_at_the_end_of_the_address_space_are_refused() {
    let mut host = Host::running(1);
    for pointer in [u64::MAX, u64::MAX - 31, u64::MAX - 8191, 0] {
        host.ring_doorbell(0, pointer, xframe::txd::ListControl::single(255));
    }
    assert!(host.settle().ends_with(&[Step::Sent { fifo: 0 }; 4]));
    assert!(host.sent().is_empty());
}
