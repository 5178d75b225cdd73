//! Owns what is copied to: a reader's buffer, which starts on a page as that of a reader that cares does.
//!
//! Where else it started would be an accident, and copies are slow when the low bits of addresses read and written come too close.

use lro::MAX_UNIT;

const PAGE: usize = 4096;

/// Room for the longest unit.
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

impl Buffer {
    /// A buffer of zeros.
    pub fn new() -> Self {
        let memory = vec![0; MAX_UNIT + PAGE];
        let start = memory.as_ptr().align_offset(PAGE) % PAGE;
        Self { memory, start }
    }

    /// All of it.
    pub fn bytes(&mut self) -> &mut [u8] {
        self.memory.get_mut(self.start..self.start + MAX_UNIT).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_starts_on_a_page_and_holds_the_longest_unit() {
        let mut buffer = Buffer::new();
        assert_eq!((buffer.bytes().as_ptr() as usize % PAGE, buffer.bytes().len()), (0, MAX_UNIT));
    }
}
