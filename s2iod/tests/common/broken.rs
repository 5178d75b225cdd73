//! Cards with something wrong, and what shows that nothing is any more.

use std::time::Duration;

use s2iod::Options;
use xframe::bits::SmErr;
use xframe::registers::{self as reg, Register};

use super::Bench;
use super::frames::plain;

pub const NOW: Duration = Duration::from_secs(100);

pub fn options() -> Options {
    Options { rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() }
}

pub fn bench() -> Bench {
    Bench::new(options())
}

pub fn latch(bench: &Bench, register: Register, causes: impl Into<u64>) {
    bench.machine.card.borrow_mut().latch(register, causes.into());
}

/// A cause that only a reset helps.
pub fn break_it(bench: &Bench) {
    latch(bench, reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true));
}

/// The card receives and sends.
pub fn works(bench: &mut Bench) {
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
