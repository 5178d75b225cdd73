//! Owns the statistics DMA: one-shot and periodic transfers of the counter block.

use xframe::bits::{StatByteCnt, StatCfg};
use xframe::registers::STAT_ADDR;

use crate::chip::Chip;
use crate::memory::Memory;

/// Clocks of the period's unit.
const PERIOD: u64 = 1000;

impl Chip {
    /// The configuration was written: if it says so the block goes out at once, and later every period.
    pub fn start_statistics<M: Memory>(&mut self, memory: &mut M, cfg: StatCfg) {
        self.timers.statistics = None;
        if !cfg.stat_en() {
            return;
        }
        self.write_statistics(memory);
        if cfg.one_shot_en() {
            self.store.put(cfg.with_stat_en(false));
        } else {
            self.rearm_statistics(cfg);
        }
    }

    pub fn periodic_statistics<M: Memory>(&mut self, memory: &mut M) {
        let cfg: StatCfg = self.store.word();
        if cfg.stat_en() {
            self.write_statistics(memory);
            self.rearm_statistics(cfg);
        }
    }

    fn rearm_statistics(&mut self, cfg: StatCfg) {
        let clocks = u64::from(cfg.set_updt_period().max(1)) * PERIOD;
        self.timers.statistics = Some(self.clock.now() + self.clock.nanoseconds(clocks));
    }

    /// A host address that does not answer loses the transfer and nothing else.
    fn write_statistics<M: Memory>(&mut self, memory: &mut M) {
        let block = self.counters.block(self.swapper().stats_se());
        let wanted = usize::from(self.store.word::<StatByteCnt>().stat_bc()) & !7;
        let length = wanted.min(self.config.asic.statistics_size());
        if self.pci.master()
            && let Some(block) = block.get(..length)
        {
            let _lost = memory.write(self.store.get(STAT_ADDR), block);
        }
    }
}
