//! What can go wrong with the card, named by the register and the step.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// Why the card could not be brought up.
#[derive(Debug, Error)]
pub enum Error {
    /// The operating system refused something.
    #[error("cannot {what}: {error}")]
    Platform {
        /// What was asked for.
        what: &'static str,
        /// What it said.
        error: io::Error,
    },
    /// Not an Xframe, or one whose map differs.
    #[error("PCI device {vendor:04x}:{device:04x} is no Xframe that this driver knows")]
    UnknownDevice {
        /// Vendor in configuration space.
        vendor: u16,
        /// Device in configuration space.
        device: u16,
    },
    /// Configuration space did not answer after the reset.
    #[error("configuration space has not come back {waited:?} after sw_reset: it reads {found:#010x}")]
    ResetLost {
        /// How long.
        waited: Duration,
        /// Vendor and device, as read last.
        found: u32,
    },
    /// No setting of the swapper makes registers read or write right.
    #[error("swapper_ctrl: no setting of the {path} path gives the right value; {register} reads {found:#018x}")]
    Swapper {
        /// Which of the two host paths.
        path: &'static str,
        /// The register that was looked at.
        register: &'static str,
        /// What it read last.
        found: u64,
    },
    /// A register did not become what it must.
    #[error("{register} has not shown {what} in {waited:?}: it reads {found:#018x}")]
    Wait {
        /// The register.
        register: &'static str,
        /// What was waited for.
        what: &'static str,
        /// How long.
        waited: Duration,
        /// What it read last.
        found: u64,
    },
    /// The slot's bus mode is none that the hardware defines.
    #[error("pci_mode reads {found:#018x}, which is no bus mode")]
    BusMode {
        /// The register.
        found: u64,
    },
    /// An option asks for what the hardware cannot do.
    #[error("{option} {value} is not possible: {least} to {most} are")]
    Option {
        /// The option.
        option: &'static str,
        /// What was asked for.
        value: usize,
        /// The least possible.
        least: usize,
        /// The most possible.
        most: usize,
    },
}

impl Error {
    /// For `map_err`: the system refused `what`.
    pub(crate) fn platform(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Platform { what, error }
    }
}
