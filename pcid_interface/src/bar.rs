//! Base address registers, as pcid has sized and placed them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a base address register decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PciBar {
    /// Nothing.
    None,
    /// Memory below 4 GiB.
    Memory32 {
        /// Physical address.
        addr: u32,
        /// Bytes.
        size: u32,
    },
    /// Memory anywhere; the register after this one is its upper half.
    Memory64 {
        /// Physical address.
        addr: u64,
        /// Bytes.
        size: u64,
    },
    /// I/O ports from this one.
    Port(u16),
}

impl PciBar {
    /// Whether it decodes nothing.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Physical address and bytes of memory; `None` for ports and for nothing.
    #[must_use]
    pub const fn memory(&self) -> Option<(u64, u64)> {
        match *self {
            Self::Memory32 { addr, size } => Some((addr as u64, size as u64)),
            Self::Memory64 { addr, size } => Some((addr, size)),
            Self::None | Self::Port(_) => None,
        }
    }

    /// The first port; `None` for memory and for nothing.
    #[must_use]
    pub const fn port(&self) -> Option<u16> {
        match *self {
            Self::Port(port) => Some(port),
            _ => None,
        }
    }
}

impl fmt::Display for PciBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("nothing"),
            Self::Memory32 { addr, size } => write!(f, "{size:#x} bytes of memory at {addr:#010x}"),
            Self::Memory64 { addr, size } => write!(f, "{size:#x} bytes of memory at {addr:#018x}"),
            Self::Port(port) => write!(f, "ports from {port:#06x}"),
        }
    }
}
