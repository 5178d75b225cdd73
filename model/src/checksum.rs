//! Owns ones' complement sums: the arithmetic of the Internet checksum, without the final inversion.

/// The sum of `bytes` taken as big-endian 16-bit words, an odd last byte padded with zero.
#[inline]
pub(crate) fn sum(bytes: &[u8]) -> u16 {
    // The sum does not care about byte order until the end, so whole words can be added as the machine likes them.
    let (quads, rest) = bytes.as_chunks::<8>();
    let (mut low, mut high) = (0_u64, 0_u64);
    for quad in quads {
        let quad = u64::from_le_bytes(*quad);
        low += quad & 0xFFFF_FFFF;
        high += quad >> 32;
    }
    let mut tail = [0; 8];
    for (to, from) in tail.iter_mut().zip(rest) {
        *to = *from;
    }
    let tail = u64::from_le_bytes(tail);
    fold(low + high + (tail & 0xFFFF_FFFF) + (tail >> 32)).swap_bytes()
}

/// Folds carries back until 16 bits are left.
pub(crate) const fn fold(sum: u64) -> u16 {
    let sum = (sum & 0xFFFF_FFFF) + (sum >> 32);
    let sum = (sum & 0xFFFF) + (sum >> 16 & 0xFFFF) + (sum >> 32);
    let sum = (sum & 0xFFFF) + (sum >> 16);
    let sum = (sum & 0xFFFF) + (sum >> 16);
    sum as u16
}

/// Adds two sums.
pub(crate) const fn add(one: u16, two: u16) -> u16 {
    fold(one as u64 + two as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, word by word.
    fn slow(bytes: &[u8]) -> u16 {
        let mut sum = 0_u32;
        for pair in bytes.chunks(2) {
            sum += u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        sum as u16
    }

    #[test]
    fn the_fast_sum_equals_the_definition_at_every_length() {
        let bytes: Vec<u8> = (0..300_u32).map(|i| (i * 167 + 13) as u8).collect();
        for length in 0..bytes.len() {
            assert_eq!(sum(&bytes[..length]), slow(&bytes[..length]), "{length}");
        }
    }

    #[test]
    fn carries_of_a_long_run_of_ones_fold_back() {
        assert_eq!(sum(&[0xFF; 65_536]), 0xFFFF);
        assert_eq!(fold(u64::MAX), 0xFFFF);
    }

    #[test]
    fn zeros_sum_to_zero() {
        assert_eq!(sum(&[0; 64]), 0);
    }
}
