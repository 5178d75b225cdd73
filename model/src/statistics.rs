//! Owns the statistics DMA: one-shot and periodic transfers of the counter block.

use xframe::bits::{StatByteCnt, StatCfg};
use xframe::registers::STAT_ADDR;

use crate::chip::Chip;
use crate::memory::Memory;

impl Chip {
    /// The enable bit was written: the block goes out at once.
    pub fn start_statistics<M: Memory>(&mut self, memory: &mut M) {
        self.write_statistics(memory);
        let cfg: StatCfg = self.store.word();
        if cfg.one_shot_en() {
            self.store.put(cfg.with_stat_en(false));
        }
    }

    pub fn periodic_statistics<M: Memory>(&mut self, memory: &mut M) {
        if self.store.word::<StatCfg>().stat_en() {
            self.write_statistics(memory);
        }
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
