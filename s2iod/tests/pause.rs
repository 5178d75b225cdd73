//! Pause frames: whether the card sends and obeys them, and that they are counted and go no further.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::Bench;
use common::frames::plain;
use s2iod::{Options, Pause};
use xframe::bits::RmacPauseCfg;
use xframe::registers as reg;

/// A pause frame that asks for so many quanta.
fn pause(quanta: u16) -> Vec<u8> {
    let mut frame = plain(0, 60);
    frame[..6].copy_from_slice(&[0x01, 0x80, 0xC2, 0x00, 0x00, 0x01]);
    frame[12..16].copy_from_slice(&[0x88, 0x08, 0x00, 0x01]);
    frame[16..18].copy_from_slice(&quanta.to_be_bytes());
    frame
}

#[test]
fn the_card_sends_and_obeys_as_the_option_says() {
    for (option, sends, obeys) in [
        (Pause::Both, true, true),
        (Pause::Receive, false, true),
        (Pause::Send, true, false),
        (Pause::Off, false, false),
    ] {
        let mut bench = Bench::new(Options { pause: option, ..Options::default() });
        let cfg = RmacPauseCfg::from(bench.machine.read(reg::RMAC_PAUSE_CFG));
        assert_eq!((cfg.gen_enable(), cfg.rx_enable()), (sends, obeys), "{option:?}");
        assert_eq!(bench.deliver([pause(7), plain(1, 60)]), [plain(1, 60)], "{option:?}");
        assert_eq!(bench.statistic("rmac_pause_ctrl_frms"), Some(1), "{option:?}");
        assert_eq!(bench.statistic("rmac_pause_cnt"), Some(if obeys { 7 } else { 0 }), "{option:?}");
    }
}
