//! Interrupt moderation: how many frames share an interrupt, and how long they wait for it at the most.
//!
//! At low load the first frame interrupts at once. At high load many share an interrupt, which costs nothing in latency:
//! a reader that keeps up looks at the rings by itself.

use xframe::bits::{Command, MacLinkUtil, RtiData1, RtiData2, TtiData1, TtiData2};
use xframe::registers as reg;

use crate::csr::Csr;
use crate::error::Error;
use crate::options::Options;
use crate::platform::Platform;

/// Setting of the period in which the use of the link is measured.
const SAMPLING: u8 = 5;
/// Percent of the link up to which ranges A, B and C reach.
const RANGES: [u8; 3] = [0x0A, 0x10, 0x30];
/// Clocks of a timer's tick. The receive timers of some cards may tick eight times as fast, which makes them no worse.
const TICK: u64 = 64;

/// Sets up the entry of the FIFO, and that of each ring.
pub(super) fn moderation<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    mhz: u32,
    options: &Options,
) -> Result<(), Error> {
    csr.write(reg::MAC_LINK_UTIL, MacLinkUtil::new().with_tx_link_util_val(SAMPLING).with_rx_link_util_val(SAMPLING));
    let [low, middle, high] = RANGES;
    let timer = TtiData1::new().with_timer_val(ticks(mhz, options.tx_usecs)).with_timer_ac_en(true);
    csr.write(reg::TTI_DATA1_MEM, timer.with_urng_a(low).with_urng_b(middle).with_urng_c(high));
    let most = at_most(options.tx_frames, options.tx_slots);
    let [a, b, c, d] = [most / 8, most / 4, most / 2, most].map(|count| count.max(1));
    csr.write(reg::TTI_DATA2_MEM, TtiData2::new().with_a(a).with_b(b).with_c(c).with_d(d));
    csr.command(platform, reg::TTI_COMMAND_MEM, Command::write(0))?;
    let timer = RtiData1::new().with_timer_val(ticks(mhz, options.rx_usecs)).with_timer_ac_en(true);
    csr.write(reg::RTI_DATA1_MEM, timer.with_urng_a(low).with_urng_b(middle).with_urng_c(high));
    let most = at_most(options.rx_frames, options.rx_slots);
    let [a, b, c, d] = [1, most.min(2), (most / 2).max(1), most];
    csr.write(reg::RTI_DATA2_MEM, RtiData2::new().with_a(a).with_b(b).with_c(c).with_d(d));
    (0..options.rings).try_for_each(|ring| csr.command(platform, reg::RTI_COMMAND_MEM, Command::write(ring)))
}

fn ticks(mhz: u32, microseconds: u32) -> u32 {
    (u64::from(mhz) * u64::from(microseconds) / TICK).max(1) as u32
}

/// Frames that share an interrupt on a busy link: never so many that all slots are used up before it comes.
fn at_most(frames: u16, slots: u32) -> u16 {
    u32::from(frames).min(slots / 2).max(1) as u16
}

#[cfg(test)]
mod tests {
    use super::{at_most, ticks};

    #[test]
    fn timers_are_in_ticks_of_64_clocks_and_never_zero() {
        assert_eq!(
            [ticks(266, 2_000), ticks(133, 4_000), ticks(33, 1), ticks(266, 100_000)],
            [8_312, 8_312, 1, 415_625]
        );
    }

    #[test]
    fn an_interrupt_comes_before_the_slots_run_out() {
        assert_eq!(
            [at_most(64, 1_024), at_most(64, 128), at_most(64, 16), at_most(64, 2), at_most(1, 1)],
            [64, 64, 8, 1, 1]
        );
    }
}
