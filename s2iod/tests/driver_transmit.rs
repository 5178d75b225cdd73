//! Sending: frames leave in order, as they were given, and slots come back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::frames::{damaged, fragmented, plain, segment, tagged};
use common::{Bench, Machine, config};
use model::Step;
use s2iod::{Options, SendError};
use xframe::registers as reg;

fn bench(tx_slots: u32) -> Bench {
    Bench::new(Options { tx_slots, ..Options::default() })
}

/// Everything that has left since the last look.
fn left(bench: &Bench) -> Vec<Vec<u8>> {
    std::mem::take(&mut bench.cable().from_card)
}

#[test]
fn a_frame_leaves_as_it_was_given() {
    let mut bench = bench(256);
    for frame in [
        plain(1, 60),
        plain(2, 61),
        plain(3, 1_514),
        segment(0, 1, 1_400),
        tagged(plain(4, 1_514)),
        tagged(tagged(plain(5, 1_514))),
    ] {
        bench.adapter.send(&frame).unwrap();
        bench.settle();
        assert!(left(&bench) == [frame]);
    }
}

#[test]
fn checksums_are_the_sender_s_and_nothing_is_touched() {
    let mut bench = bench(256);
    let frames = [damaged(segment(0, 1, 100)), fragmented(segment(0, 1, 100))];
    for frame in &frames {
        bench.adapter.send(frame).unwrap();
    }
    bench.settle();
    assert!(left(&bench) == frames);
}

#[test]
fn a_frame_shorter_than_ethernet_allows_is_padded_with_zeros() {
    let mut bench = bench(256);
    bench.adapter.send(&plain(1, 30)).unwrap();
    bench.settle();
    assert!(left(&bench) == [[plain(1, 30), vec![0; 30]].concat()]);
}

#[test]
fn frames_leave_in_order_round_and_round_fifos_of_every_size() {
    for tx_slots in [2, 3, 16, 127, 256, 300] {
        let mut bench = bench(tx_slots);
        let mut sent = Vec::new();
        for round in 0..20 {
            for number in 0..tx_slots / 2 + 1 {
                let frame = plain(round * 1_000 + number, 60 + number as usize);
                bench.adapter.send(&frame).unwrap();
                sent.push(frame);
            }
            bench.settle();
        }
        assert!(left(&bench) == sent, "{tx_slots} slots");
    }
}

#[test]
fn a_full_fifo_takes_no_frame_until_one_has_left() {
    let mut bench = bench(16);
    for number in 0..16 {
        assert!(bench.adapter.has_room());
        bench.adapter.send(&plain(number, 60)).unwrap();
    }
    assert!(!bench.adapter.has_room());
    assert_eq!(bench.adapter.send(&plain(16, 60)), Err(SendError::Full));
    assert_eq!(bench.machine.card.borrow_mut().step(), Step::Sent { fifo: 0 });
    assert!(bench.adapter.has_room());
    bench.adapter.send(&plain(16, 60)).unwrap();
    assert_eq!(bench.adapter.send(&plain(17, 60)), Err(SendError::Full));
    bench.settle();
    assert!(left(&bench) == (0..17).map(|number| plain(number, 60)).collect::<Vec<_>>());
}

#[test]
fn room_again_raises_the_line_even_after_a_single_frame() {
    for frames in [1, 2, 15, 16, 17] {
        let mut bench = bench(32);
        for number in 0..frames {
            bench.adapter.send(&plain(number, 60)).unwrap();
        }
        bench.machine.step();
        assert!(bench.machine.line(), "{frames} frames");
        assert!(bench.adapter.service().unwrap().sent);
        assert!(!bench.machine.line());
    }
}

#[test]
fn the_longest_frame_is_the_mtu_with_header_and_two_tags() {
    for mtu in [46, 1_500, 9_000, 9_596] {
        let mut bench = Bench::new(Options { mtu, rx_slots: 8, rx_spare: 0, ..Options::default() });
        let longest = usize::from(mtu) + 14 + 8;
        bench.adapter.send(&plain(1, longest)).unwrap();
        assert_eq!(bench.adapter.send(&plain(2, longest + 1)), Err(SendError::TooLong));
        bench.settle();
        assert!(left(&bench) == [[plain(1, longest), vec![0; 60_usize.saturating_sub(longest)]].concat()], "{mtu}");
        assert_eq!(bench.statistic("tx_errors"), Some(0), "{mtu}");
    }
}

/// The hardware's longest frame has one tag.
#[test]
fn at_the_largest_mtu_what_is_accepted_leaves() {
    let mut bench = Bench::new(Options { mtu: 9_600, rx_slots: 8, rx_spare: 0, ..Options::default() });
    let mut accepted = Vec::new();
    for length in 9_600..9_700 {
        if bench.adapter.send(&plain(1, length)).is_ok() {
            accepted.push(plain(1, length));
        }
        bench.settle();
    }
    assert!(accepted.last().unwrap().len() >= 9_618);
    assert!(left(&bench) == accepted);
}

#[test]
fn a_frame_that_is_too_long_is_told_so_even_when_there_is_no_room() {
    let mut bench = bench(2);
    bench.adapter.send(&plain(1, 60)).unwrap();
    bench.adapter.send(&plain(2, 60)).unwrap();
    assert_eq!(bench.adapter.send(&plain(3, 1_600)), Err(SendError::TooLong));
    assert_eq!(bench.adapter.send(&plain(3, 1_500)), Err(SendError::Full));
}

#[test]
fn what_the_card_cannot_send_is_counted_and_its_slot_comes_back() {
    let mut bench = bench(4);
    for _ in 0..20 {
        // No Ethernet header: the card refuses the list.
        bench.adapter.send(&[0; 13]).unwrap();
        bench.adapter.send(&[]).unwrap();
        bench.adapter.send(&plain(1, 60)).unwrap();
        bench.settle();
        assert!(left(&bench) == [plain(1, 60)]);
    }
    assert_eq!((bench.statistic("tx_frames"), bench.statistic("tx_errors")), (Some(60), Some(40)));
}

#[test]
fn every_frame_is_one_doorbell_of_one_descriptor_in_one_buffer() {
    let mut bench = bench(16);
    let before = bench.machine.mischief.borrow().accesses;
    for number in 0..10 {
        bench.adapter.send(&plain(number, 1_514)).unwrap();
    }
    // A pointer and a control word each, and not one register.
    assert_eq!(bench.machine.mischief.borrow().accesses - before, 20);
    bench.settle();
    assert_eq!(bench.statistic("txd_rd_cnt"), Some(10));
    assert_eq!(bench.statistic("txf_rd_cnt"), Some(10));
    assert_eq!(bench.machine.read(reg::PFC_ERR_REG), 0);
}

#[test]
fn what_is_sent_does_not_disturb_what_is_received() {
    let mut bench = Bench::on(Machine::new(config()), Options { tx_slots: 8, rx_slots: 8, ..Options::default() });
    let mut read = Vec::new();
    for number in 0..500 {
        bench.cable().to_card.push_back(plain(number, 100));
        bench.adapter.send(&plain(1_000 + number, 200)).unwrap();
        if number % 5 == 4 {
            bench.settle();
            read.extend(bench.read_all());
        }
    }
    assert!(read == (0..500).map(|number| plain(number, 100)).collect::<Vec<_>>());
    assert!(left(&bench) == (0..500).map(|number| plain(1_000 + number, 200)).collect::<Vec<_>>());
}

#[test]
fn a_card_that_is_gone_takes_no_frame() {
    let mut bench = bench(16);
    bench.machine.mischief.borrow_mut().gone = true;
    assert!(bench.adapter.service().is_err());
    assert_eq!(bench.adapter.send(&plain(1, 60)), Err(SendError::Gone));
}
