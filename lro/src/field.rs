//! Fields of headers, loaded and stored as words.

/// The `N` bytes at `at`. The callers' headers are arrays and their offsets constants, so this is one load; out of bounds,
/// where no caller reaches, it is zeros.
#[inline(always)]
pub(crate) fn field<const N: usize>(header: &[u8], at: usize) -> [u8; N] {
    header.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

/// A number of 16 bits, network order.
#[inline(always)]
pub(crate) fn be16(header: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(field(header, at))
}

/// A number of 32 bits, network order.
#[inline(always)]
pub(crate) fn be32(header: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(field(header, at))
}

/// Two bytes as they lie in memory.
#[inline(always)]
pub(crate) fn ne16(header: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(field(header, at))
}

/// Four bytes as they lie in memory.
#[inline(always)]
pub(crate) fn ne32(header: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(field(header, at))
}

/// Eight bytes as they lie in memory.
#[inline(always)]
pub(crate) fn ne64(header: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(field(header, at))
}

/// Overwrites the bytes at `at`; nothing if they do not fit.
#[inline(always)]
pub(crate) fn put<const N: usize>(header: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(field) = header.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *field = bytes;
    }
}
