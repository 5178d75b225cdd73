//! Owns a cable plugged back into its own card.

use std::collections::VecDeque;

use super::Wire;

/// Every frame sent comes back, in order, up to a limit of frames on their way; what is sent beyond it is lost.
pub struct Loopback {
    frames: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
    limit: usize,
}

impl Loopback {
    /// A loop that holds `limit` frames.
    pub const fn new(limit: usize) -> Self {
        Self { frames: VecDeque::new(), spare: Vec::new(), limit }
    }

    /// Frames on their way.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}

impl Wire for Loopback {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let Some(mut next) = self.frames.pop_front() else { return false };
        std::mem::swap(frame, &mut next);
        self.spare.push(next);
        true
    }

    fn send(&mut self, frame: &[u8]) {
        if self.frames.len() < self.limit {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(frame);
            self.frames.push_back(copy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_in_order_and_the_surplus_is_lost() {
        let mut wire = Loopback::new(2);
        for byte in 0..3 {
            wire.send(&[byte; 60]);
        }
        let mut frame = Vec::new();
        assert!(wire.receive(&mut frame));
        assert_eq!(frame, [0; 60]);
        assert!(wire.receive(&mut frame));
        assert_eq!(frame, [1; 60]);
        assert!(!wire.receive(&mut frame) && wire.is_empty());
    }
}
