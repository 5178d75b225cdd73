//! Owns the registers' bits: one type per 64-bit word, named as the hardware names it, its fields in the hardware's order.
//!
//! Every type converts to and from `u64` and has `field()`, `with_field()` and `set_field()`; bits without a name are dropped
//! by `new()` and kept by `from()`. A status register and its mask share a type.

mod command;
mod general;
mod mac;
mod memory;
mod modes;
mod pic;
mod places;
mod ports;
mod rx;
mod steering;
mod tx;

pub use command::Command;
pub use general::*;
pub use mac::*;
pub use memory::*;
pub use modes::*;
pub use pic::*;
pub use places::OfRegister;
pub use ports::*;
pub use rx::*;
pub use steering::*;
pub use tx::*;
