//! Ones' complement sums (RFC 1071): the arithmetic behind IPv4 and TCP checksums.
//!
//! Words are added in the byte order they have in memory. The sum of byte-swapped words is the byte-swapped sum, so
//! nothing is swapped until a 16-bit result is stored, and then not either: it goes back the way it came.

/// A sum that has not been folded to 16 bits yet: a number modulo 2^64 - 1, and so modulo 2^16 - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum(u64);

impl Sum {
    /// The sum of `bytes`; an odd last byte is padded with a zero behind it.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks::<32>();
        let mut lanes = [0_u64; 8];
        for block in blocks {
            // 32-bit words in 64-bit lanes: 16 GiB would overflow, and the loop becomes vector instructions.
            for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
                *lane += u64::from(u32::from_ne_bytes(*word));
            }
        }
        let mut sum = lanes.into_iter().fold(Self::default(), Self::word64);
        let (pairs, odd) = rest.as_chunks::<2>();
        for pair in pairs {
            sum = sum.word16(u16::from_ne_bytes(*pair));
        }
        if let [last] = odd {
            sum = sum.word16(u16::from_ne_bytes([*last, 0]));
        }
        sum
    }

    /// Adds eight bytes as they lie in memory.
    #[inline(always)]
    pub(crate) fn word64(self, word: u64) -> Self {
        let (sum, carry) = self.0.overflowing_add(word);
        // A sum that overflowed is far from overflowing again.
        Self(sum + u64::from(carry))
    }

    /// Adds four bytes as they lie in memory.
    #[inline(always)]
    pub(crate) fn word32(self, word: u32) -> Self {
        self.word64(word.into())
    }

    /// Adds two bytes as they lie in memory.
    #[inline(always)]
    pub(crate) fn word16(self, word: u16) -> Self {
        self.word64(word.into())
    }

    /// Adds a number of host order, as the network would carry it.
    #[inline(always)]
    pub(crate) fn number(self, number: u16) -> Self {
        self.word16(number.to_be())
    }

    /// The sum in 32 bits.
    #[inline(always)]
    pub(crate) fn fold32(self) -> u32 {
        // Both halves are added in the upper half, where the carry of the lower one arrives by itself.
        (self.0.wrapping_add(self.0.rotate_left(32)) >> 32) as u32
    }

    /// The sum in 16 bits, byte order as in memory. 0 only when every byte was zero.
    #[inline(always)]
    pub(crate) fn fold(self) -> u16 {
        let sum = self.fold32();
        (sum.wrapping_add(sum.rotate_left(16)) >> 16) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    /// The textbook definition, 16 bits at a time in network order.
    fn textbook(bytes: &[u8]) -> u16 {
        let mut sum = 0_u32;
        for pair in bytes.chunks(2) {
            sum += u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u32::from(*low));
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        sum as u16
    }

    fn pattern(length: usize) -> impl Iterator<Item = u8> {
        (0..length).map(|i| (i * 167 + 13) as u8)
    }

    #[test]
    fn any_length_sums_as_the_textbook_says() {
        for length in 0..200 {
            let bytes: std::vec::Vec<u8> = pattern(length).collect();
            assert_eq!(u16::from_be(Sum::of(&bytes).fold()), textbook(&bytes), "{length} bytes");
        }
    }

    #[test]
    fn sixty_four_kibibytes_of_ones_do_not_overflow() {
        assert_eq!(Sum::of(&[0xFF; 65_535 + 22]).fold(), u16::from_ne_bytes([0xFF, 0x00]));
    }

    #[test]
    fn parts_add_up_to_the_whole_with_a_swap_behind_an_odd_length() {
        let bytes: std::vec::Vec<u8> = pattern(151).collect();
        for cut in 0..bytes.len() {
            let (front, back) = bytes.split_at(cut);
            let back = Sum::of(back).fold32();
            let back = if cut % 2 == 1 { back.rotate_left(8) } else { back };
            assert_eq!(Sum::of(front).word32(back).fold(), Sum::of(&bytes).fold(), "cut at {cut}");
        }
    }

    #[test]
    fn numbers_and_words_are_added_as_the_network_carries_them() {
        assert_eq!(Sum::default().number(0x1234).fold(), Sum::of(&[0x12, 0x34]).fold());
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(Sum::default().word64(u64::from_ne_bytes(bytes)).fold(), Sum::of(&bytes).fold());
    }
}
