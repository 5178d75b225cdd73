//! Redox OS driver for Neterion (S2io) Xframe 10-gigabit cards, with Large Receive Offload.
//!
//! A library that runs on any host: the [`Adapter`] knows the world outside only through the traits of [`platform`], the
//! network scheme's calls are served by [`front`], and [`daemon`] runs both on whatever wakes it. On Redox, `redox` is that
//! world, and `redox::main` the program.

mod adapter;
mod alarms;
mod arguments;
mod bring_up;
mod card_counters;
mod csr;
pub mod daemon;
mod device;
pub mod dma;
mod error;
mod filter;
pub mod front;
mod health;
#[cfg(not(target_os = "redox"))]
pub mod host;
mod interrupts;
mod link;
mod options;
pub mod platform;
#[cfg(target_os = "redox")]
pub mod redox;
mod rings;
mod rx;
mod settings;
mod slots;
mod stats;
mod tx;

pub use adapter::{Adapter, Counters, Gone, SendError, Serviced};
pub use arguments::{ArgumentError, USAGE};
pub use bring_up::Identity;
pub use error::Error;
pub use filter::ListFull;
pub use health::State;
pub use options::{Options, Pause};
