//! Owns the floors: what it costs to copy the payloads and do nothing else, and to sum them and do nothing else.

use std::hint::black_box;

use anyhow::Result;
use lro::MAX_UNIT;

use super::buffer::Buffer;
use super::contestant::Player;
use super::frames::{Frames, PAYLOAD};

/// Copies every payload, as many in a row as the longest unit holds.
pub struct Copy<'a> {
    frames: &'a Frames,
    buffer: Buffer,
}

impl<'a> Copy<'a> {
    /// Copies the payloads of `frames`.
    pub fn new(frames: &'a Frames) -> Self {
        Self { frames, buffer: Buffer::new() }
    }
}

impl Player for Copy<'_> {
    fn play(&mut self) -> Result<()> {
        let mut payloads = self.frames.payloads().peekable();
        while payloads.peek().is_some() {
            let whole = self.buffer.bytes().chunks_exact_mut(PAYLOAD).take(MAX_UNIT / PAYLOAD);
            for (place, payload) in whole.zip(payloads.by_ref()) {
                place.copy_from_slice(payload);
            }
            black_box(self.buffer.bytes());
        }
        Ok(())
    }
}

/// Sums every payload.
pub struct Checksum<'a> {
    frames: &'a Frames,
}

impl<'a> Checksum<'a> {
    /// Sums the payloads of `frames`.
    pub fn new(frames: &'a Frames) -> Self {
        Self { frames }
    }
}

impl Player for Checksum<'_> {
    fn play(&mut self) -> Result<()> {
        for payload in self.frames.payloads() {
            black_box(sum(payload));
        }
        Ok(())
    }
}

/// The ones' complement sum of 16-bit words before it is folded: 32 bits at a time in eight lanes, which compilers turn into
/// vector instructions. Takes a multiple of four bytes.
fn sum(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [0_u64; 8];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
            *lane += u64::from(u32::from_ne_bytes(*word));
        }
    }
    let rest: u64 = rest.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).sum();
    lanes.iter().sum::<u64>() + rest
}

#[cfg(test)]
mod tests {
    use etherparse::checksum::Sum16BitWords;

    use super::*;

    #[test]
    fn the_floors_sum_is_the_checksum() {
        let frames = Frames::new(1, 2).unwrap();
        for payload in frames.payloads() {
            let mut folded = sum(payload);
            while folded > 0xFFFF {
                folded = (folded & 0xFFFF) + (folded >> 16);
            }
            assert_eq!(!(folded as u16), Sum16BitWords::new().add_slice(payload).ones_complement());
        }
    }

    #[test]
    fn the_floors_copy_ends_with_the_last_payload() {
        let frames = Frames::new(1, 46).unwrap();
        let mut copy = Copy::new(&frames);
        copy.play().unwrap();
        assert_eq!(copy.buffer.bytes()[..PAYLOAD], *frames.payloads().last().unwrap());
        assert_eq!(copy.buffer.bytes()[PAYLOAD..2 * PAYLOAD], *frames.payloads().nth(1).unwrap());
    }
}
