//! Owns the frame check sequence, for hosts that want to see it.

/// The four bytes that end `frame` on the wire.
pub(crate) fn of(frame: &[u8]) -> [u8; 4] {
    crc32fast::hash(frame).to_le_bytes()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_frame_with_its_fcs_leaves_the_known_residue() {
        let mut frame = b"an Ethernet frame, padded to sixty bytes as the wire wants it".to_vec();
        frame.extend_from_slice(&super::of(&frame));
        assert_eq!(crc32fast::hash(&frame), 0x2144_DF1C);
    }
}
