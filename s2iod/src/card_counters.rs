//! The card's statistics: its block in memory, and totals that neither a reset nor a narrow counter sets back.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

use xframe::bits::StatCfg;
use xframe::constants::Asic;
use xframe::registers as reg;
use xframe::statistics::{self, Field};

use crate::csr::Csr;
use crate::dma::{PAGE, Slab};
use crate::error::Error;
use crate::platform::{Bar, Platform};

/// Units of 1,000 PCI clocks between transfers; a one-shot transfer takes one.
const CLICKS: u32 = 10;
/// How often and how long the end of a transfer is waited for.
const BUDGET: (u32, Duration) = (50, Duration::from_micros(100));

/// A counter of the block.
struct Counter {
    field: Field,
    /// Its value since the last reset, as last seen.
    seen: u64,
    /// Its value since the driver came.
    total: u64,
}

pub(crate) struct CardCounters {
    asic: Asic,
    block: Slab,
    counters: Vec<Counter>,
}

impl CardCounters {
    /// # Errors
    ///
    /// The system has no memory for the block.
    pub fn new(platform: &mut impl Platform, asic: Asic) -> Result<Self, Error> {
        let block = platform.slab(PAGE).map_err(Error::platform("allocate the statistics block"))?;
        // High words and reserved places are parts of others, or nothing.
        let counts = |field: &&Field| !field.name().ends_with("_OFLOW") && !field.name().starts_with("RESERVED");
        let written = |field: &&Field| asic == Asic::Herc || !field.herc_only();
        let fields = statistics::TABLE.iter().filter(counts).filter(written);
        let counters = fields.map(|&field| Counter { field, seen: 0, total: 0 }).collect();
        Ok(Self { asic, block, counters })
    }

    /// Where the card finds the block.
    pub fn block(&self) -> &Slab {
        &self.block
    }

    /// Has the card write its block and takes it in; whether it did.
    pub fn transfer<P: Platform>(&mut self, platform: &mut P, csr: &Csr<P::Bar>) -> bool {
        start(csr);
        let done = csr.wait(platform, reg::STAT_CFG, "the end of the transfer", BUDGET, is_over).is_ok();
        if done {
            self.take();
        }
        done
    }

    /// Takes in what the card has written since the last look and has it write again, without waiting.
    pub fn keep_up<B: Bar>(&mut self, csr: &Csr<B>) {
        if is_over(csr.read(reg::STAT_CFG)) {
            self.take();
            start(csr);
        }
    }

    /// The card counts from zero again.
    pub fn restart(&mut self) {
        for word in self.block.words() {
            word.store(0, Ordering::Relaxed);
        }
        for counter in &mut self.counters {
            counter.seen = 0;
        }
    }

    fn take(&mut self) {
        let mut block = [0; statistics::HERC_SIZE];
        self.block.copy_out(0, &mut block);
        for counter in &mut self.counters {
            let read = match self.asic {
                Asic::Xena => statistics::read(&block, counter.field),
                Asic::Herc => statistics::read_wide(&block, counter.field),
            };
            let now = read.unwrap_or(counter.seen);
            let grown = growth(counter.seen, now, bits(self.asic, counter.field));
            counter.total = counter.total.saturating_add(grown);
            counter.seen = now;
        }
    }

    /// Writes the totals, one `name value` a line.
    pub fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut lines = self.counters.iter().map(|counter| (counter.field.name(), counter.total));
        lines.try_for_each(|(name, total)| writeln!(out, "{} {total}", name.to_ascii_lowercase()))
    }
}

/// A one-shot transfer.
fn start<B: Bar>(csr: &Csr<B>) {
    csr.write(reg::STAT_CFG, StatCfg::new().with_stat_en(true).with_one_shot_en(true).with_set_updt_period(CLICKS));
}

fn is_over(cfg: u64) -> bool {
    !StatCfg::from(cfg).stat_en()
}

/// How wide a counter is.
fn bits(asic: Asic, field: Field) -> u32 {
    let extended = asic == Asic::Herc && field.high_offset().is_some();
    if extended { 64 } else { 8 * field.width() as u32 }
}

/// By how much a counter has grown. A narrow one that is lower now has wrapped; one of 64 bits has started anew.
fn growth(seen: u64, now: u64, bits: u32) -> u64 {
    match now.checked_sub(seen) {
        Some(grown) => grown,
        None if bits < 64 => (1_u64 << bits).saturating_sub(seen).saturating_add(now),
        None => now,
    }
}

#[cfg(test)]
mod tests {
    use super::growth;

    #[test]
    fn a_narrow_counter_wraps() {
        assert_eq!(growth(0xFFFF, 2, 16), 3);
        assert_eq!(growth(0xFFFF_FFF0, 0x10, 32), 0x20);
    }

    #[test]
    fn a_wide_counter_that_is_lower_has_started_anew() {
        assert_eq!(growth(1 << 40, 7, 64), 7);
    }

    #[test]
    fn a_counter_grows_by_the_difference() {
        assert_eq!(growth(5, 12, 16), 7);
        assert_eq!(growth(0, u64::MAX, 64), u64::MAX);
    }
}
