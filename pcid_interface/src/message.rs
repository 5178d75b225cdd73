//! Requests and responses. The order of variants and fields is the wire format.

use serde::{Deserialize, Serialize};

use crate::SubdriverArguments;
use crate::msi::{MsiAddrAndData, MsiInfo, MsixInfo};

/// What a driver asks of pcid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PcidClientRequest {
    /// Turn on bus mastering, memory and ports; pcid-spawner has done so already.
    EnableDevice,
    /// Tell about the function; the first request of all.
    RequestConfig,
    /// List the ways of interrupting by message.
    RequestFeatures,
    /// List the vendor's own capabilities.
    RequestVendorCapabilities,
    /// Turn a way of interrupting on, and others off.
    EnableFeature(PciFeature),
    /// Describe a way of interrupting.
    FeatureInfo(PciFeature),
    /// Set up a way of interrupting.
    SetFeatureInfo(SetFeatureInfo),
    /// Read four bytes of configuration space.
    ReadConfig(u16),
    /// Write four bytes of configuration space.
    WriteConfig(u16, u32),
}

/// What pcid answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PcidClientResponse {
    /// To [`PcidClientRequest::EnableDevice`].
    EnabledDevice,
    /// To [`PcidClientRequest::RequestConfig`].
    Config(SubdriverArguments),
    /// To [`PcidClientRequest::RequestFeatures`].
    AllFeatures(Vec<PciFeature>),
    /// To [`PcidClientRequest::RequestVendorCapabilities`].
    VendorCapabilities(Vec<VendorSpecificCapability>),
    /// To [`PcidClientRequest::EnableFeature`].
    FeatureEnabled(PciFeature),
    /// Whether a feature is on; no request asks this.
    FeatureStatus(PciFeature, FeatureStatus),
    /// The request failed.
    Error(PcidServerResponseError),
    /// To [`PcidClientRequest::FeatureInfo`].
    FeatureInfo(PciFeature, PciFeatureInfo),
    /// To [`PcidClientRequest::SetFeatureInfo`].
    SetFeatureInfo(PciFeature),
    /// To [`PcidClientRequest::ReadConfig`].
    ReadConfig(u32),
    /// To [`PcidClientRequest::WriteConfig`].
    WriteConfig,
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PcidServerResponseError {
    /// The function has no such feature.
    NonexistentFeature(PciFeature),
    /// A number in the request is out of range.
    InvalidBitPattern,
}

/// A way of interrupting by message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PciFeature {
    /// Up to 32 messages that differ in their low bits.
    Msi,
    /// A table of messages.
    MsiX,
}

impl PciFeature {
    /// Whether it is MSI.
    #[must_use]
    pub const fn is_msi(self) -> bool {
        matches!(self, Self::Msi)
    }

    /// Whether it is MSI-X.
    #[must_use]
    pub const fn is_msix(self) -> bool {
        matches!(self, Self::MsiX)
    }
}

/// Whether a feature is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FeatureStatus {
    /// On.
    Enabled,
    /// Off.
    Disabled,
}

/// What a function says of a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PciFeatureInfo {
    /// Of MSI.
    Msi(MsiInfo),
    /// Of MSI-X.
    MsiX(MsixInfo),
}

/// How MSI is set up. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MsiSetFeatureInfo {
    /// Binary logarithm of the number of messages, up to 5.
    pub multi_message_enable: Option<u8>,
    /// What is written where.
    pub message_address_and_data: Option<MsiAddrAndData>,
    /// A bit for each message that is kept back; not every function has them.
    pub mask_bits: Option<u32>,
}

/// How a feature is set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SetFeatureInfo {
    /// MSI.
    Msi(MsiSetFeatureInfo),
    /// MSI-X. Its messages are set up in the table, in memory of the function.
    MsiX {
        /// Keep every message back, or none; `None` leaves it as it is.
        function_mask: Option<bool>,
    },
}

impl SetFeatureInfo {
    /// The feature that it is about.
    #[must_use]
    pub const fn feature(&self) -> PciFeature {
        match self {
            Self::Msi(_) => PciFeature::Msi,
            Self::MsiX { .. } => PciFeature::MsiX,
        }
    }
}

/// A capability that the vendor defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VendorSpecificCapability {
    /// Its bytes, as pcid gives them.
    pub data: Vec<u8>,
}
