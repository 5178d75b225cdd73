//! Owns the statistics block that the card writes to host memory: where each counter lies and how wide it is.
//!
//! The block is big-endian in 64-bit words. With the swapper's STATS SE set, each word is reversed on its way, so a
//! little-endian host finds each counter as a plain little-endian integer, but at another offset within its word.

mod table;

pub use table::*;

/// Bytes of the block on Xena.
pub const XENA_SIZE: usize = 0x218;
/// Bytes of the block on Herc, which must be told so (`STAT_BYTE_CNT`).
pub const HERC_SIZE: usize = 0x320;

/// A counter's place in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    offset: u16,
    width: u8,
    high: Option<u16>,
    name: &'static str,
}

impl Field {
    /// Byte offset in the big-endian block.
    pub const fn natural_offset(self) -> usize {
        self.offset as usize
    }

    /// Byte offset in memory when the words are written little-endian.
    pub const fn le_host_offset(self) -> usize {
        let within = self.offset & 7;
        (self.offset - within + 8 - self.width as u16 - within) as usize
    }

    /// Bytes: 2, 4 or 8.
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Natural offset of the 32-bit word that extends this counter to 64 bits on Herc.
    pub const fn high_offset(self) -> Option<usize> {
        match self.high {
            Some(offset) => Some(offset as usize),
            None => None,
        }
    }

    /// The hardware's name, in capitals.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Only Herc writes it.
    pub const fn herc_only(self) -> bool {
        self.offset as usize >= XENA_SIZE
    }

    const fn high(self) -> Option<Self> {
        match self.high {
            Some(offset) => Some(Self { offset, high: None, ..self }),
            None => None,
        }
    }
}

/// A counter's value in a little-endian block, without its high word; `None` if the block is too short to hold it.
pub fn read(block: &[u8], field: Field) -> Option<u64> {
    let bytes = block.get(field.le_host_offset()..)?.get(..field.width())?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

/// A counter's value in a little-endian block together with its high word, where the block holds one (Herc).
pub fn read_wide(block: &[u8], field: Field) -> Option<u64> {
    let low = read(block, field)?;
    let high = field.high().and_then(|high| read(block, high)).unwrap_or(0);
    Some(high << 32 | low)
}

/// Turns the rows of the block into one constant each and into `TABLE`.
macro_rules! counters {
    ($($offset:literal $width:literal $name:ident $(($high:ident))? $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub const $name: Field = Field {
                offset: $offset,
                width: $width,
                high: counters!(@high $($high)?),
                name: stringify!($name),
            };
        )*

        /// All counters in the order of the block.
        pub static TABLE: &[Field] = &[$($name),*];
    };
    (@high) => { None };
    (@high $high:ident) => { Some($high.offset) };
}
use counters;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_counter_is_read_from_its_place_in_the_reversed_word() {
        let mut block = [0; HERC_SIZE];
        block[0x1A4..0x1A6].copy_from_slice(&0x1234_u16.to_le_bytes());
        assert_eq!(read(&block, RMAC_FULL_Q1), Some(0x1234));
        assert_eq!(read(&block, RMAC_FULL_Q0), Some(0));
    }

    #[test]
    fn a_high_word_extends_its_counter() {
        let mut block = [0; HERC_SIZE];
        block[0x004..0x008].copy_from_slice(&7_u32.to_le_bytes());
        block[0x21C..0x220].copy_from_slice(&2_u32.to_le_bytes());
        assert_eq!(read_wide(&block, TMAC_FRMS), Some(0x2_0000_0007));
    }

    #[test]
    fn the_short_block_has_no_high_words() {
        let mut block = [0; XENA_SIZE];
        block[0x004..0x008].copy_from_slice(&7_u32.to_le_bytes());
        assert_eq!(read_wide(&block, TMAC_FRMS), Some(7));
        assert_eq!(read(&block, LINK_FAULT_CNT), None);
    }

    #[test]
    fn every_high_word_is_named_after_its_counter() {
        for field in TABLE {
            let extends = TABLE.iter().find(|other| other.name().strip_suffix("_OFLOW") == Some(field.name()));
            assert_eq!(field.high_offset(), extends.map(|high| high.natural_offset()), "{}", field.name());
        }
    }
}
