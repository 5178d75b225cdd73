//! Ones' complement sums (RFC 1071): the arithmetic behind IPv4 and TCP checksums.
//!
//! Words are added in the byte order they have in memory. The sum of byte-swapped words is the byte-swapped sum, so
//! nothing is swapped until a 16-bit result is stored, and then not either: it goes back the way it came.

/// A sum that has not been folded to 16 bits yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum(u64);

impl Sum {
    /// The sum of `bytes`; an odd last byte is padded with a zero behind it.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks::<32>();
        let mut lanes = [0_u64; 4];
        for block in blocks {
            for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
                *lane += halves(u64::from_ne_bytes(*word));
            }
        }
        let mut sum = Self(lanes.iter().sum());
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
    #[inline]
    pub(crate) fn word64(self, word: u64) -> Self {
        Self(self.0 + halves(word))
    }

    /// Adds four bytes as they lie in memory.
    #[inline]
    pub(crate) fn word32(self, word: u32) -> Self {
        Self(self.0 + u64::from(word))
    }

    /// Adds two bytes as they lie in memory.
    #[inline]
    pub(crate) fn word16(self, word: u16) -> Self {
        Self(self.0 + u64::from(word))
    }

    /// Adds a number of host order, as the network would carry it.
    #[inline]
    pub(crate) fn number(self, number: u16) -> Self {
        self.word16(number.to_be())
    }

    /// Adds another sum.
    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// The sum in 16 bits, byte order as in memory. 0 only when every byte was zero.
    #[inline]
    pub(crate) fn fold(self) -> u16 {
        let mut sum = halves(self.0);
        sum = (sum >> 16) + (sum & 0xFFFF);
        sum = (sum >> 16) + (sum & 0xFFFF);
        sum = (sum >> 16) + (sum & 0xFFFF);
        sum as u16
    }
}

/// The two halves of a word, added: never overflows, unlike the word itself.
#[inline]
fn halves(word: u64) -> u64 {
    (word >> 32) + (word & 0xFFFF_FFFF)
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
            let back = Sum::of(back).fold();
            let back = if cut % 2 == 1 { back.swap_bytes() } else { back };
            assert_eq!(Sum::of(front).word16(back).fold(), Sum::of(&bytes).fold(), "cut at {cut}");
        }
    }

    #[test]
    fn numbers_and_words_are_added_as_the_network_carries_them() {
        assert_eq!(Sum::default().number(0x1234).fold(), Sum::of(&[0x12, 0x34]).fold());
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(Sum::default().word64(u64::from_ne_bytes(bytes)).fold(), Sum::of(&bytes).fold());
    }
}
