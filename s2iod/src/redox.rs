//! Redox OS as the driver's world, and the program that pcid-spawner starts.

mod dma;
mod events;
mod irqs;
mod logging;
mod platform;
mod scheme;
mod start;

pub use start::main;
