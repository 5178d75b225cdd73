//! What segments of a unit must agree in, by shape and rules: tables that the compiler computes.

use super::{HEAD, Head, PSH, SHAPES, Shape, WORDS};

/// Ones where segments of a unit must agree.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Mask {
    pub words: Words,
    /// Whether all of them lie in the first [`SHORT`](super::SHORT) words.
    pub short: bool,
}

/// One mask for each shape.
pub(crate) type Masks = [Mask; SHAPES];

/// The masks of a host's rules: acknowledgment, window and timestamps may differ.
pub(crate) static ENDPOINT: Masks = masks(false);

/// The masks of a forwarder's rules.
pub(crate) static FORWARD: Masks = masks(true);

const fn masks(forward: bool) -> Masks {
    let mut masks = [Mask { words: [0; WORDS], short: true }; SHAPES];
    let mut rows = masks.as_mut_slice();
    let mut shape = 0;
    while let [row, rest @ ..] = rows {
        let words = words(mask(Shape(shape), forward));
        let [_, _, _, _, _, _, _, _, a, b, c, d] = words;
        *row = Mask { words, short: a | b | c | d == 0 };
        shape += 1;
        rows = rest;
    }
    masks
}

/// The mask of a shape, made from the layout of the headers.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn mask(shape: Shape, forward: bool) -> Head {
    let (ip, tcp) = (shape.ip(), shape.tcp());
    let mut mask = [0; HEAD];
    let mut at = 0;
    while at < shape.payload() && at < HEAD {
        let equal = if at < ip {
            // The whole Ethernet header.
            true
        } else if at < tcp && shape.is_v6() {
            // All but the payload length.
            !matches!(at - ip, 4 | 5)
        } else if at < tcp {
            // All but total length, identification and checksum.
            !matches!(at - ip, 2..=5 | 10 | 11)
        } else {
            // Ports, data offset and AE/NS, flags, urgent pointer, kind and length of the options.
            matches!(at - tcp, 0..=3 | 12 | 13 | 18..=23) || forward && matches!(at - tcp, 8..=11 | 14 | 15 | 24..)
        };
        if equal {
            mask[at] = 0xFF;
        }
        at += 1;
    }
    mask[tcp + 13] = !PSH;
    mask
}

type Words = [u64; WORDS];

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn words(bytes: Head) -> Words {
    let (chunks, _) = bytes.as_chunks::<8>();
    let mut words = [0; WORDS];
    let mut word = 0;
    while word < WORDS {
        words[word] = u64::from_ne_bytes(chunks[word]);
        word += 1;
    }
    words
}
