//! What each byte of a transfer is: a function of its place, so that a lost, doubled or moved byte shows.

/// Odd and without structure, so that neighbouring words share no bytes.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const WORD: usize = size_of::<u64>();

/// The bytes from `WORD * index` on.
const fn word(index: u64) -> [u8; WORD] {
    index.wrapping_add(1).wrapping_mul(STEP).to_le_bytes()
}

/// The byte at `position`.
pub const fn byte(position: u64) -> u8 {
    let word = u64::from_le_bytes(word(position / WORD as u64));
    (word >> (position % WORD as u64 * 8)) as u8
}

/// How many of `length` bytes from `position` on come before the first whole word.
fn head(position: u64, length: usize) -> usize {
    let missing = position.wrapping_neg() % WORD as u64;
    length.min(missing as usize)
}

/// Fills `bytes`, the first of which is at `position`.
pub fn fill(position: u64, bytes: &mut [u8]) {
    let (first, rest) = bytes.split_at_mut(head(position, bytes.len()));
    let start = position + first.len() as u64;
    let (words, last) = rest.as_chunks_mut();
    let end = start + (words.len() * WORD) as u64;
    for (value, place) in first.iter_mut().zip(position..).chain(last.iter_mut().zip(end..)) {
        *value = byte(place);
    }
    for (value, index) in words.iter_mut().zip(start / WORD as u64..) {
        *value = word(index);
    }
}

/// Bytes that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// How many.
    pub count: u64,
    /// Position of the first.
    pub first: u64,
}

/// What is wrong with `bytes`, the first of which is at `position`; `None` if nothing is.
pub fn check(position: u64, bytes: &[u8]) -> Option<Wrong> {
    let (first, rest) = bytes.split_at_checked(head(position, bytes.len()))?;
    let start = position + first.len() as u64;
    let (words, last) = rest.as_chunks();
    let end = start + (words.len() * WORD) as u64;
    let right = first.iter().zip(position..).chain(last.iter().zip(end..)).all(|(value, place)| *value == byte(place))
        && words.iter().zip(start / WORD as u64..).all(|(value, index)| *value == word(index));
    if right { None } else { find(position, bytes) }
}

/// The same, byte by byte.
fn find(position: u64, bytes: &[u8]) -> Option<Wrong> {
    let mut places = bytes.iter().zip(position..).filter(|(value, place)| **value != byte(*place)).map(|(_, at)| at);
    let first = places.next()?;
    Some(Wrong { count: 1 + places.count() as u64, first })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(position: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        fill(position, &mut bytes);
        bytes
    }

    #[test]
    fn the_first_bytes_are_the_step_itself() {
        assert_eq!(bytes(0, 9), [0x15, 0x7C, 0x4A, 0x7F, 0xB9, 0x79, 0x37, 0x9E, 0x2A]);
    }

    proptest! {
        #[test]
        fn a_piece_is_the_same_wherever_it_is_cut(position in 0_u64..1 << 40, length in 0_usize..100, cut in 0_usize..100) {
            let cut = cut.min(length);
            let whole = bytes(position, length);
            prop_assert_eq!(&whole[..cut], &bytes(position, cut)[..]);
            prop_assert_eq!(&whole[cut..], &bytes(position + cut as u64, length - cut)[..]);
            let single: Vec<u8> = (position..).take(length).map(byte).collect();
            prop_assert_eq!(&whole, &single);
            prop_assert_eq!(check(position, &whole), None);
        }

        #[test]
        fn one_wrong_byte_is_found_where_it_is(position in 0_u64..1 << 40, length in 1_usize..100, at in 0_usize..100, bit in 0_u32..8) {
            let at = at % length;
            let mut bytes = bytes(position, length);
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(check(position, &bytes), Some(Wrong { count: 1, first: position + at as u64 }));
        }

        #[test]
        fn bytes_of_another_place_are_wrong(position in 0_u64..1 << 40, away in 1_u64..100_000, length in 64_usize..100) {
            let wrong = check(position, &bytes(position + away, length)).expect("moved bytes");
            prop_assert!(wrong.count > 8, "{wrong:?}");
        }
    }
}
