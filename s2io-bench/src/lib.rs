//! Bytes over TCP whose every value is known, moved between a machine with the driver and one without.
//!
//! One side runs `s2io-bench serve`; the other connects and says in a line what it wants ([`Request`]): that the server
//! receives, sends, or tells a file of the driver's scheme. One connection carries one request.

mod client;
mod driver;
mod error;
pub mod pattern;
mod request;
mod server;
mod tally;
mod transfer;

pub use client::{read, receive, send};
pub use driver::{Driver, FILES};
pub use error::Error;
pub use request::{MAX_LINE, PORT, Request};
pub use server::serve;
pub use tally::Tally;
pub use transfer::{take, write};
