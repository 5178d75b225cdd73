//! Owns `lab boot`: operating systems on the software card, under QEMU, and tests of their drivers for it.

mod initramfs;
mod linux;
mod machine;
mod network;
mod packages;
mod programs;
mod redox;
mod report;

pub use linux::boot as linux;
pub use redox::{HOW_TO_GET_AN_IMAGE, boot as redox};
