//! A driver that does anything to a card, whose descriptors say anything, on a wire on which anything comes.

use std::time::Duration;

use model::{Bar, Config, Fault, Step, Time, Width};
use xframe::bits::{PrcCtrl, RingMode};
use xframe::constants::Asic;
use xframe::registers as r;

use super::Bytes;
use super::common::{BASE, BLOCKS, BUFFERS, FRAMES, Host, LISTS, MAC, frames};

/// Frames that are something, to be cut and changed.
fn known_frame(kind: u8) -> Vec<u8> {
    match kind % 8 {
        0 => frames::tcp4(700),
        1 => frames::tagged_tcp4(5, 99),
        2 => frames::udp6(10),
        3 => frames::extended6(43, 6, &[0; 40]),
        4 => frames::extended6(44, 17, &[9; 40]),
        5 => frames::length_framed(&[0xAA, 0xAA, 3, 0, 0, 0, 8, 0, 0x45]),
        6 => frames::ping(),
        _ => frames::tcp4(8_000),
    }
}

fn width(byte: u8) -> Width {
    [Width::Byte, Width::Word, Width::Dword, Width::Qword][usize::from(byte & 3)]
}

/// Addresses in and out of memory, strobes, single bits, or what the bytes say.
fn value(bytes: &mut Bytes<'_>) -> u64 {
    let (kind, small) = (bytes.u8(), bytes.u16());
    match kind % 10 {
        0 => BLOCKS + u64::from(small) * 8,
        1 => LISTS + u64::from(small) * 8,
        2 => BUFFERS + u64::from(small),
        3 => FRAMES + u64::from(small),
        4 => 1 << (small % 64),
        5 => 0x0101_0000_0000_0000 | u64::from(small & 0xFF) << 32,
        6 => u64::MAX - u64::from(small),
        7 => small.into(),
        8 => u64::from(small) << 48,
        _ => bytes.u64(),
    }
}

fn fault(bytes: &mut Bytes<'_>) -> Fault {
    let (kind, small) = (bytes.u8(), bytes.u8());
    match kind % 11 {
        0 => Fault::LoseMessages(small.into()),
        1 => Fault::RepeatMessages(small.into()),
        2 => Fault::ReceiveCode(small),
        3 => Fault::SendCode(small),
        4 => Fault::Size(u16::from(small) << 8),
        5 => Fault::KeepRxd,
        6 => Fault::KeepTxd,
        7 => Fault::Abort,
        8 => Fault::Alarm(r::Register::containing(r::TABLE[usize::from(small) % r::TABLE.len()].offset), u64::MAX),
        9 => Fault::StuckReset(small & 1 != 0),
        _ => Fault::Gone(small & 1 != 0),
    }
}

/// One act of the driver, of the wire or of time.
fn act(host: &mut Host, bytes: &mut Bytes<'_>) {
    let (kind, small) = (bytes.u8(), bytes.u8());
    match kind % 16 {
        0..5 => {
            let entry = &r::TABLE[usize::from(small) % r::TABLE.len()];
            let index = u64::from(bytes.u8()) % u64::from(entry.count);
            host.card.write(Bar::Registers, u64::from(entry.offset) + 8 * index, Width::Qword, value(bytes));
        }
        5 => {
            let at = bytes.u64();
            let bar = [Bar::Registers, Bar::Doorbells, Bar::Vectors, Bar::Vectors][usize::from(small >> 6)];
            host.card.write(bar, at, width(small), value(bytes));
            assert_eq!(host.card.read(bar, at, width(small >> 2)) & !width(small >> 2).ones(), 0);
        }
        6 => {
            let fifo = u64::from(small % 8) * 0x2_0000;
            host.card.write(Bar::Doorbells, fifo, Width::Qword, value(bytes));
            host.card.write(Bar::Doorbells, fifo + 8, Width::Qword, value(bytes));
        }
        7 | 8 => {
            let base = [BLOCKS, LISTS, FRAMES, BASE][usize::from(small % 4)];
            let at = base + u64::from(bytes.u16() & 0x3FFF) * 8;
            host.card.memory_mut().put_word(at, value(bytes));
        }
        9 => {
            let mut frame = known_frame(small);
            let at = usize::from(bytes.u16());
            let (cut, byte) = (usize::from(bytes.u16()), bytes.u8());
            if let Some(place) = frame.get_mut(at) {
                *place = byte;
            }
            frame.truncate(if small & 0x80 == 0 { frame.len() } else { cut });
            host.card.wire_mut().frames.push_back(frame);
        }
        10 => host.card.wire_mut().frames.push_back(bytes.take(small.into()).to_vec()),
        11 | 12 => drop((0..small).find(|_| host.card.step() == Step::Idle)),
        13 => {
            host.card.config_write(small.into(), width(bytes.u8()), bytes.u64());
            host.card.config_read(small.into(), Width::Dword);
        }
        14 => host.card.elapse(Duration::from_nanos(1 << (small % 40))),
        _ => host.card.inject(fault(bytes)),
    }
}

/// Brings a card up as the first byte says and does to it what the others say.
pub fn run(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let setting = bytes.u8();
    let asic = if setting & 1 == 0 { Asic::Herc } else { Asic::Xena };
    let time = if setting & 2 == 0 { Time::Steps } else { Time::Host };
    let mut host = Host::new(Config { time, ..Config::new(asic, MAC) });
    host.bring_up(2);
    host.post_many(20);
    if setting & 4 != 0 {
        let ctrl = PrcCtrl::new().with_rc_enabled(true).with_ring_mode(RingMode::ThreeBuffer);
        host.write(r::PRC_CTRL.first(), 0);
        host.write(r::PRC_CTRL.first(), ctrl.into());
    }
    while !bytes.is_empty() {
        act(&mut host, &mut bytes);
        host.card.line();
        host.card.patience();
        while host.card.take_message().is_some() {}
    }
    // Nothing keeps it from coming to rest: what it can do is used up.
    host.card.repair();
    let steps = host.card.wire().frames.len() + 100_000;
    assert!((0..steps).any(|_| host.card.step() == Step::Idle), "it never comes to rest");
}
