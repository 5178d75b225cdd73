//! What segments of a unit must agree in, by shape and rules: tables that the compiler computes.

use super::{HEAD, Head, PSH, SHAPES, Shape};

/// Ones where segments of a unit must agree.
#[derive(Clone, Copy)]
#[repr(align(128))]
pub(crate) struct Mask(pub Head);

/// One mask for each shape.
pub(crate) type Masks = [Mask; SHAPES];

/// The masks of a host's rules: acknowledgment, window and timestamps may differ.
pub(crate) const ENDPOINT: &Masks = &masks(Alike::Flow);

/// The masks of a forwarder's rules.
pub(crate) const FORWARD: &Masks = &masks(Alike::Unit);

/// The masks of a segment that is just what a host's unit expects next.
pub(crate) const EXPECTED: &Masks = &masks(Alike::Next);

/// How much is compared.
#[derive(Clone, Copy)]
enum Alike {
    /// What no rule set lets differ.
    Flow,
    /// The acknowledgment, the window and the timestamps too.
    Unit,
    /// The length, the sequence number and PSH too.
    Next,
}

const fn masks(alike: Alike) -> Masks {
    let mut masks = [Mask([0; HEAD]); SHAPES];
    let mut rows = masks.as_mut_slice();
    let mut shape = 0;
    while let [row, rest @ ..] = rows {
        *row = Mask(mask(Shape(shape), alike));
        shape += 1;
        rows = rest;
    }
    masks
}

/// The mask of a shape, made from the layout of the headers.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn mask(shape: Shape, alike: Alike) -> Head {
    let (forward, next) = (matches!(alike, Alike::Unit), matches!(alike, Alike::Next));
    let (ip, tcp) = (shape.ip(), shape.tcp());
    let mut mask = [0; HEAD];
    let mut at = 0;
    while at < shape.payload() && at < HEAD {
        let equal = if at < ip {
            // The whole Ethernet header.
            true
        } else if at < tcp && shape.is_v6() {
            // All but the payload length.
            next || !matches!(at - ip, 4 | 5)
        } else if at < tcp {
            // All but total length, identification and checksum.
            !matches!(at - ip, 4 | 5 | 10 | 11) && (next || !matches!(at - ip, 2 | 3))
        } else {
            // Ports, data offset and AE/NS, flags, urgent pointer, kind and length of the options.
            matches!(at - tcp, 0..=3 | 12 | 13 | 18..=23)
                || forward && matches!(at - tcp, 8..=11 | 14 | 15 | 24..)
                || next && matches!(at - tcp, 4..=7)
        };
        if equal {
            mask[at] = 0xFF;
        }
        at += 1;
    }
    if !next {
        mask[tcp + 13] = !PSH;
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::{EXPECTED, Mask, Shape};
    use crate::shape::SHORT;

    #[test]
    fn all_that_is_expected_of_a_short_shape_lies_in_the_short_part() {
        for (number, Mask(mask)) in (0..).zip(EXPECTED) {
            if Shape(number).is_short() {
                assert!(mask[SHORT..].iter().all(|&byte| byte == 0), "shape {number}");
            }
        }
    }
}
