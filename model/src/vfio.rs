//! Owns the card as a device of another process: a vfio-user server, which QEMU and others plug into their machines.
//!
//! [`Server`] listens on a Unix socket and serves one client after another. The client is not trusted: whatever it sends, the
//! server answers or hangs up, and the next client finds a card as after power-on. The card reaches only memory that the
//! client shared, and only as long as it does.

mod access;
mod device;
mod error;
mod guest;
mod irqs;
mod message;
mod server;
mod session;
mod stream;
mod trace;

pub use error::Error;
pub use server::Server;
pub use trace::Trace;
