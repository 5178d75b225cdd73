//! Owns what the hardware manual of the Neterion (S2io) Xframe cards says, as code: registers and their bits,
//! descriptors, the statistics block, byte order and constant sequences. Driver and software card share it.
//!
//! Bit 0 is the *most* significant bit of a 64-bit word, as in all of the hardware's own documents.
#![no_std]
#![forbid(unsafe_code)]

pub mod bits;
pub mod block;
pub mod constants;
pub mod registers;
pub mod rxd;
pub mod statistics;
pub mod swapper;
pub mod txd;
