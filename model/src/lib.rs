//! Owns a software Neterion Xframe: the card as a driver sees it, register by register, descriptor by descriptor.
//!
//! A [`Card`] sits between a host's [`Memory`] and a [`Wire`]. It has no thread and no clock: the host reads and writes its
//! windows, and [`Card::step`] does one unit of work at a time, so a test owns every interleaving.
//!
//! What the host writes is never trusted: no register value, descriptor or address makes the card panic, loop without end or
//! touch memory that [`Memory`] refuses.

pub mod capture;
pub mod serve;
pub mod vfio;
pub mod wire;

mod assist;
mod card;
mod checksum;
mod chip;
mod clock;
mod command;
mod config;
mod counters;
mod csr;
mod doorbell;
mod duration;
mod eeprom;
mod fault;
mod fcs;
mod filter;
mod groups;
mod hash;
mod interrupts;
mod link;
mod memory;
mod messages;
mod moderation;
mod optics;
mod packet_memory;
mod parse;
mod pci;
mod receive;
mod reset;
mod ring;
mod rldram;
mod scatter;
mod segment;
mod statistics;
mod status;
mod steer;
mod store;
mod timers;
mod traffic;
mod transmit;
mod vpd;

pub use card::{Bar, Card, Step, Width};
pub use clock::Time;
pub use config::Config;
pub use fault::{Fault, Plan, Schedule};
pub use memory::{MasterAbort, Memory};
pub use messages::Message;
pub use wire::Wire;
