//! The checksum of RFC 1071 as its text has it: sixteen bits at a time, in network order.

/// Ones' complement sum of the parts, one behind the other; each but the last has an even length.
pub fn sum(parts: &[&[u8]]) -> u16 {
    let mut sum = 0_u32;
    for part in parts {
        for pair in part.chunks(2) {
            sum += u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u32::from(*low));
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
    }
    sum as u16
}

/// What a header's checksum field says for these parts, the field itself counted as zero.
pub fn checksum(parts: &[&[u8]]) -> u16 {
    !sum(parts)
}

/// The pseudo header of RFC 9293 (IPv4) or RFC 8200 (IPv6) for `length` bytes of TCP.
pub fn pseudo_header(addresses: &[u8], length: usize) -> Vec<u8> {
    let mut header = addresses.to_vec();
    if addresses.len() == 8 {
        header.extend([0, 6]);
        header.extend((length as u16).to_be_bytes());
    } else {
        header.extend((length as u32).to_be_bytes());
        header.extend([0, 0, 0, 6]);
    }
    header
}
