//! What the card reports of a frame is not trusted: errors are counted, slots come back, and nothing reads out of bounds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::Bench;
use common::frames::{plain, tagged};
use s2iod::Options;
use xframe::bits::{RmacMaxPyldLen, RtsFrmLen};
use xframe::registers as reg;
use xframe::rxd::{Control1, Control2, TCode};

fn bench() -> Bench {
    Bench::new(Options { rx_slots: 8, rx_spare: 0, ..Options::default() })
}

/// The next frames find the ring as good as new.
fn works_on(bench: &mut Bench) {
    for round in 0..40 {
        let frames: Vec<_> = (0..8).map(|number| plain(round * 8 + number, 60)).collect();
        assert!(bench.deliver(frames.clone()) == frames);
    }
    assert_eq!(bench.adapter.rx_slots_in_card(), 8);
}

/// A T_CODE as the hardware encodes it.
fn t_code(code: u8) -> TCode {
    Control1::from(u64::from(code) << 48).t_code()
}

#[test]
fn every_error_code_drops_the_frame_and_only_that() {
    for code in 1..=15_u8 {
        let mut bench = bench();
        assert_eq!(t_code(code).code(), code);
        let frames: Vec<_> = (0..3).map(|number| plain(number, 100)).collect();
        bench.arrive(frames.clone());
        bench.alter_rxd(1, |one, two| (one.with_t_code(t_code(code)), two));
        bench.settle();
        // A frame of a protocol that the card does not know is good.
        let kept: Vec<_> = frames.into_iter().enumerate().filter(|(at, _)| *at != 1 || code == 5).collect();
        assert!(bench.read_all().into_iter().eq(kept.into_iter().map(|(_, frame)| frame)), "T_CODE {code}");
        let counted = |name, bench: &mut Bench| bench.statistic(name).unwrap();
        assert_eq!(counted("rx_errors_buffer_size", &mut bench), u64::from(code == 7), "T_CODE {code}");
        assert_eq!(counted("rx_errors_t_code", &mut bench), u64::from(code != 5 && code != 7), "T_CODE {code}");
        works_on(&mut bench);
    }
}

#[test]
fn a_read_that_finds_only_frames_with_errors_fills_the_ring_up_again() {
    let mut bench = bench();
    bench.arrive((0..8).map(|number| plain(number, 100)));
    for index in 0..8 {
        bench.alter_rxd(index, |one, two| (one.with_t_code(t_code(6)), two));
    }
    let mut buffer = [0; 100];
    assert!(bench.adapter.receive(&mut buffer).unwrap().is_none());
    assert_eq!(bench.adapter.rx_slots_in_card(), 8);
    assert_eq!(bench.statistic("rx_errors_t_code"), Some(8));
    works_on(&mut bench);
}

#[test]
fn a_frame_longer_than_its_slot_is_dropped_and_counted() {
    let mut bench = bench();
    // A card that lets longer frames through than it was told to.
    bench.machine.write(reg::RMAC_MAX_PYLD_LEN, RmacMaxPyldLen::new().with_rmac_max_pyld_len(9_600));
    bench.machine.write(reg::RTS_FRM_LEN.first(), RtsFrmLen::new().with_len_set(9_622));
    assert!(bench.deliver([plain(1, 60), plain(2, 3_000), plain(3, 60)]) == [plain(1, 60), plain(3, 60)]);
    assert_eq!(bench.statistic("rx_errors_buffer_size"), Some(1));
    works_on(&mut bench);
}

#[test]
fn the_longest_frame_of_the_mtu_fits_with_two_tags_and_no_longer_one_comes() {
    let mut bench = bench();
    let longest = tagged(tagged(plain(1, 1_514)));
    assert!(bench.deliver([longest.clone()]) == [longest]);
    assert!(bench.deliver([tagged(plain(2, 1_519))]).is_empty());
    assert_eq!(bench.statistic("rmac_long_frms"), Some(1));
}

#[test]
fn a_length_beyond_the_slot_is_dropped_and_counted() {
    for size in [1_527, 1_528, 2_048, 2_049, 0x3FFF] {
        let mut bench = bench();
        bench.arrive([plain(1, 100), plain(2, 100)]);
        bench.alter_rxd(0, |one, two| (one, two.with_buffer_0_size(size)));
        bench.settle();
        assert!(bench.read_all() == [plain(2, 100)], "{size}");
        assert_eq!(bench.statistic("rx_errors_size"), Some(1), "{size}");
        works_on(&mut bench);
    }
}

#[test]
fn a_length_of_nothing_harms_nothing() {
    for size in 0..14 {
        let mut bench = bench();
        bench.arrive([plain(1, 100), plain(2, 100)]);
        bench.alter_rxd(0, |one, two| (one, two.with_buffer_0_size(size)));
        bench.settle();
        let read = bench.read_all();
        assert!(read.last() == Some(&plain(2, 100)), "{size}");
        assert!(read.len() == 1 || read[0] == plain(1, 100)[..usize::from(size)], "{size}");
        works_on(&mut bench);
    }
}

#[test]
fn an_rxd_whose_second_word_is_not_written_yet_waits() {
    let mut bench = bench();
    bench.arrive([plain(1, 100), plain(2, 100)]);
    bench.alter_rxd(0, |one, two| (one, two.with_marker(Control2::MARKER)));
    bench.settle();
    assert!(bench.read_all().is_empty());
    bench.alter_rxd(0, |one, two| (one, two.with_marker(0)));
    assert!(bench.read_all() == [plain(1, 100), plain(2, 100)]);
    works_on(&mut bench);
}

#[test]
fn an_rxd_that_the_card_never_gives_back_holds_up_all_behind_it_and_nobody_spins() {
    let mut bench = bench();
    bench.arrive([plain(1, 100), plain(2, 100)]);
    bench.alter_rxd(0, |one, two| (one.with_own(true), two));
    bench.settle();
    for _ in 0..3 {
        assert!(bench.read_all().is_empty());
        assert!(!bench.adapter.has_frames());
    }
}

#[test]
fn a_ring_that_completes_without_frames_is_read_once_round() {
    let mut bench = bench();
    bench.arrive([plain(1, 100)]);
    // Every RxD at once, as after a write that went astray.
    for index in 1..8 {
        bench.alter_rxd(index, |one, two| (one.with_own(false), two.with_marker(0).with_buffer_0_size(60)));
    }
    bench.settle();
    assert_eq!(bench.read_all().len(), 8);
}

#[test]
fn bits_that_the_hardware_does_not_define_are_not_looked_at() {
    let mut bench = bench();
    bench.arrive([plain(1, 100)]);
    let undefined = 0xFE00_0000_0000_0000_u64 | 0x00F0_0000_0000_0000 | 0x0000_C000_0000_0000;
    bench.alter_rxd(0, |one, two| ((u64::from(one) | undefined).into(), two));
    bench.settle();
    assert!(bench.read_all() == [plain(1, 100)]);
}
