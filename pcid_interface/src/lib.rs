//! The client side of pcid's channel: how a PCI driver on Redox OS learns of its function, configures it and maps it.
//!
//! Types and methods have the names that they have in pcid's own source tree, so that a driver can be moved between the
//! two. What differs: every failure is returned, with what was asked and what came, and nothing ends the process. The
//! transport is anything that reads and writes, so that a driver's use of the channel can be tested on any host.
//!
//! On the wire a request is bare [bincode 1](bincode) in one write; a response is its length, eight bytes, least
//! significant first, and bincode again. The order of the variants in [`PcidClientRequest`], [`PcidClientResponse`] and
//! everything within is that wire format: it can be added to at the end only.

mod bar;
mod channel;
pub mod config;
mod error;
mod function;
mod handle;
mod id;
#[cfg(target_os = "redox")]
pub mod irq_helpers;
#[cfg(target_os = "redox")]
mod mapped_bar;
mod message;
pub mod msi;
#[cfg(target_os = "redox")]
mod redox;

pub use bar::PciBar;
pub use channel::LONGEST_RESPONSE;
pub use error::{Error, Result};
pub use function::{LegacyInterruptLine, PciFunction, PciRom, SubdriverArguments};
pub use handle::PciFunctionHandle;
pub use id::FullDeviceId;
#[cfg(target_os = "redox")]
pub use mapped_bar::{MappedBar, MemoryType};
pub use message::{
    FeatureStatus, MsiSetFeatureInfo, PciFeature, PciFeatureInfo, PcidClientRequest, PcidClientResponse,
    PcidServerResponseError, SetFeatureInfo, VendorSpecificCapability,
};
pub use pci_types::PciAddress;
#[cfg(target_os = "redox")]
pub use redox::Channel;
