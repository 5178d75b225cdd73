//! Owns the shape of an RxD block: the 4 KiB page of RxDs whose last word links to the next block.

use crate::rxd;

/// Bytes of a block, and its alignment.
pub const SIZE: usize = 4096;
/// RxDs of one buffer in a block.
pub const RXDS: usize = 127;
/// Byte offset of the word the card leaves to the host.
pub const HOST: usize = 0xFF0;
/// Byte offset of the bus address of the next block.
pub const LINK: usize = 0xFF8;

/// Byte offset of RxD `index` in its block; `None` beyond the last.
pub const fn rxd_offset(index: usize) -> Option<usize> {
    if index < RXDS { Some(index * rxd::SIZE) } else { None }
}

const _: () = assert!(RXDS * rxd::SIZE <= HOST);
