//! The handle: a method for each request, with the one answer that it can have.

use std::io::{Read, Write};

use crate::channel::exchange;
use crate::{
    Error, PciFeature, PciFeatureInfo, PcidClientRequest, PcidClientResponse, Result, SetFeatureInfo,
    SubdriverArguments, VendorSpecificCapability,
};

#[cfg(target_os = "redox")]
type DefaultChannel = crate::Channel;
#[cfg(not(target_os = "redox"))]
type DefaultChannel = std::fs::File;

/// A driver's end of its channel to pcid. On Redox the channel is a descriptor; elsewhere anything that reads and writes.
#[derive(Debug)]
pub struct PciFunctionHandle<C = DefaultChannel> {
    channel: C,
    config: SubdriverArguments,
}

impl<C: Read + Write> PciFunctionHandle<C> {
    /// Asks about the function at the other end of `channel`.
    ///
    /// # Errors
    ///
    /// Those of the exchange.
    pub fn connect(mut channel: C) -> Result<Self> {
        let asked = PcidClientRequest::RequestConfig;
        match exchange(&mut channel, &asked)? {
            PcidClientResponse::Config(config) => Ok(Self { channel, config }),
            came => Err(unexpected(asked, came)),
        }
    }

    /// What this driver was told about its function.
    pub fn config(&self) -> SubdriverArguments {
        self.config
    }

    /// The channel, for what only its own kind can do.
    pub fn channel(&self) -> &C {
        &self.channel
    }

    /// Gives the channel back.
    pub fn into_inner(self) -> C {
        self.channel
    }

    /// Turns on bus mastering, memory and ports.
    ///
    /// # Errors
    ///
    /// Those of the exchange.
    pub fn enable_device(&mut self) -> Result<()> {
        self.ask(PcidClientRequest::EnableDevice, |came| match came {
            PcidClientResponse::EnabledDevice => Some(()),
            _ => None,
        })
    }

    /// The vendor's own capabilities.
    ///
    /// # Errors
    ///
    /// Those of the exchange.
    pub fn get_vendor_capabilities(&mut self) -> Result<Vec<VendorSpecificCapability>> {
        self.ask(PcidClientRequest::RequestVendorCapabilities, |came| match came {
            PcidClientResponse::VendorCapabilities(capabilities) => Some(capabilities.clone()),
            _ => None,
        })
    }

    /// The ways of interrupting by message that the function has.
    ///
    /// # Errors
    ///
    /// Those of the exchange.
    pub fn fetch_all_features(&mut self) -> Result<Vec<PciFeature>> {
        self.ask(PcidClientRequest::RequestFeatures, |came| match came {
            PcidClientResponse::AllFeatures(features) => Some(features.clone()),
            _ => None,
        })
    }

    /// Turns a way of interrupting on.
    ///
    /// # Errors
    ///
    /// Those of the exchange; [`Error::Unexpected`] when the function does not have it.
    pub fn enable_feature(&mut self, feature: PciFeature) -> Result<()> {
        self.ask(PcidClientRequest::EnableFeature(feature), |came| match came {
            PcidClientResponse::FeatureEnabled(enabled) if *enabled == feature => Some(()),
            _ => None,
        })
    }

    /// What the function says of a way of interrupting.
    ///
    /// # Errors
    ///
    /// Those of the exchange; [`Error::Unexpected`] when the function does not have it.
    pub fn feature_info(&mut self, feature: PciFeature) -> Result<PciFeatureInfo> {
        self.ask(PcidClientRequest::FeatureInfo(feature), |came| match came {
            PcidClientResponse::FeatureInfo(about, info) if *about == feature => Some(info.clone()),
            _ => None,
        })
    }

    /// Sets up a way of interrupting.
    ///
    /// # Errors
    ///
    /// Those of the exchange; [`Error::Unexpected`] when the function does not have it, or a number is out of range.
    pub fn set_feature_info(&mut self, info: SetFeatureInfo) -> Result<()> {
        let feature = info.feature();
        self.ask(PcidClientRequest::SetFeatureInfo(info), |came| match came {
            PcidClientResponse::SetFeatureInfo(about) if *about == feature => Some(()),
            _ => None,
        })
    }

    /// Reads four bytes of configuration space.
    ///
    /// # Errors
    ///
    /// Those of the exchange.
    pub fn read_config(&mut self, offset: u16) -> Result<u32> {
        self.ask(PcidClientRequest::ReadConfig(offset), |came| match came {
            PcidClientResponse::ReadConfig(value) => Some(*value),
            _ => None,
        })
    }

    /// Writes four bytes of configuration space.
    ///
    /// # Errors
    ///
    /// Those of the exchange.
    pub fn write_config(&mut self, offset: u16, value: u32) -> Result<()> {
        self.ask(PcidClientRequest::WriteConfig(offset, value), |came| match came {
            PcidClientResponse::WriteConfig => Some(()),
            _ => None,
        })
    }

    fn ask<T>(&mut self, asked: PcidClientRequest, answer: impl FnOnce(&PcidClientResponse) -> Option<T>) -> Result<T> {
        let came = exchange(&mut self.channel, &asked)?;
        answer(&came).ok_or_else(|| unexpected(asked, came))
    }
}

fn unexpected(asked: PcidClientRequest, came: PcidClientResponse) -> Error {
    Error::Unexpected { asked, came: Box::new(came) }
}
