//! Owns the counters of the statistics block, kept in the block's own layout so that writing it out is a copy.

use xframe::constants::Asic;
use xframe::statistics::{Field, HERC_SIZE};
use xframe::swapper::transform;

const WORDS: usize = HERC_SIZE / 8;

pub(crate) struct Counters {
    words: [u64; WORDS],
    /// Xena has no high words: its narrow counters wrap.
    wide: bool,
}

impl Counters {
    pub fn new(asic: Asic) -> Self {
        Self { words: [0; WORDS], wide: asic == Asic::Herc }
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    #[inline]
    pub fn count(&mut self, field: Field) {
        self.add(field, 1);
    }

    #[inline]
    pub fn add(&mut self, field: Field, amount: u64) {
        let carry = self.add_at(field.natural_offset(), field.width(), amount);
        if carry != 0
            && self.wide
            && let Some(high) = field.high_offset()
        {
            self.add_at(high, 4, carry);
        }
    }

    /// Adds to the counter of `width` bytes at `offset` and returns what it overflowed by, in units of its range.
    #[inline]
    fn add_at(&mut self, offset: usize, width: usize, amount: u64) -> u64 {
        let Some(word) = self.words.get_mut(offset / 8) else { return 0 };
        if width >= 8 {
            *word = word.wrapping_add(amount);
            return 0;
        }
        let bits = 8 * width;
        let shift = 64 - bits - 8 * (offset % 8);
        let range = (1 << bits) - 1;
        let sum = (*word >> shift & range) + amount;
        *word = *word & !(range << shift) | (sum & range) << shift;
        sum >> bits
    }

    /// The counter's value, high word included.
    pub fn get(&self, field: Field) -> u64 {
        let low = self.get_at(field.natural_offset(), field.width());
        let high = field.high_offset().map_or(0, |high| self.get_at(high, 4));
        high << 32 | low
    }

    fn get_at(&self, offset: usize, width: usize) -> u64 {
        let word = self.words.get(offset / 8).copied().unwrap_or(0);
        let shift = 64 - 8 * width - 8 * (offset % 8);
        word >> shift & (u64::MAX >> (64 - 8 * width))
    }

    /// The block as it lands in memory.
    pub fn block(&self, se: bool) -> [u8; HERC_SIZE] {
        let mut block = [0; HERC_SIZE];
        for (bytes, &word) in block.chunks_exact_mut(8).zip(&self.words) {
            bytes.copy_from_slice(&transform(word, se).to_le_bytes());
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xframe::statistics::{self as s, RMAC_FULL_Q2, TMAC_DATA_OCTETS, TMAC_DROP_FRMS, TMAC_FRMS};

    #[test]
    fn a_narrow_counter_carries_into_its_high_word_on_herc() {
        let mut counters = Counters::new(Asic::Herc);
        counters.add(TMAC_FRMS, 0xFFFF_FFFF);
        counters.add(TMAC_FRMS, 2);
        assert_eq!(counters.get(TMAC_FRMS), 0x1_0000_0001);
        assert_eq!(counters.get(TMAC_DATA_OCTETS), 0);
    }

    #[test]
    fn a_narrow_counter_wraps_on_xena() {
        let mut counters = Counters::new(Asic::Xena);
        counters.add(TMAC_FRMS, 0xFFFF_FFFF);
        counters.add(TMAC_FRMS, 2);
        assert_eq!(counters.get(TMAC_FRMS), 1);
    }

    #[test]
    fn counters_of_one_word_do_not_touch_each_other() {
        let mut counters = Counters::new(Asic::Herc);
        for field in s::TABLE {
            counters.add(*field, 1);
        }
        assert!(s::TABLE.iter().all(|field| counters.get(*field) & 0xFFFF_FFFF == 1));
    }

    #[test]
    fn a_host_reads_the_block_back() {
        let mut counters = Counters::new(Asic::Herc);
        counters.add(RMAC_FULL_Q2, 3);
        counters.add(TMAC_DROP_FRMS, u64::MAX);
        let block = counters.block(true);
        assert_eq!(s::read(&block, RMAC_FULL_Q2), Some(3));
        assert_eq!(s::read(&block, TMAC_DROP_FRMS), Some(u64::MAX));
    }
}
