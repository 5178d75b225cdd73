//! What a function says it is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// All that identifies a function's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullDeviceId {
    /// Who made it.
    pub vendor_id: u16,
    /// Which of the vendor's devices it is.
    pub device_id: u16,
    /// Base class.
    pub class: u8,
    /// Class below it.
    pub subclass: u8,
    /// Programming interface.
    pub interface: u8,
    /// Revision, by the vendor's own count.
    pub revision: u8,
}

impl fmt::Display for FullDeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vendor_id, device_id, class, subclass, interface, revision } = self;
        write!(
            f,
            "{vendor_id:04x}:{device_id:04x} class {class:02x}.{subclass:02x}.{interface:02x} revision {revision:02x}"
        )
    }
}
