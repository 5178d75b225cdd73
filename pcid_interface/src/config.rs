//! The match table that pcid-spawner starts drivers by: its shape, and the rules by which an entry matches.
//!
//! Files of one folder are one table, in the order of their names; the first entry that matches a function names its
//! driver.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

use crate::FullDeviceId;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Config {
    /// Its entries; the first that matches counts.
    pub drivers: Vec<DriverConfig>,
}

/// An entry. What it does not say matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DriverConfig {
    /// For people.
    pub name: Option<String>,
    /// Base class.
    pub class: Option<u8>,
    /// Class below it.
    pub subclass: Option<u8>,
    /// Programming interface.
    pub interface: Option<u8>,
    /// Devices by vendor, which is written in hexadecimal, with `0x` or without. Overrides `vendor` and `device`.
    pub ids: Option<BTreeMap<String, Vec<u16>>>,
    /// Vendor.
    pub vendor: Option<u16>,
    /// Device.
    pub device: Option<u16>,
    /// Devices, the end not included.
    pub device_id_range: Option<Range<u16>>,
    /// The program, and its arguments. A relative path begins at `/usr/lib/drivers/`.
    pub command: Vec<String>,
}

impl DriverConfig {
    /// Whether the entry is for a function of this kind. A vendor that is no hexadecimal number is nobody's.
    #[must_use]
    pub fn match_function(&self, id: &FullDeviceId) -> bool {
        let class = is(self.class, id.class) && is(self.subclass, id.subclass) && is(self.interface, id.interface);
        let device = match &self.ids {
            Some(ids) => ids.iter().any(|(vendor, devices)| {
                let vendor = i64::from_str_radix(vendor.trim_start_matches("0x"), 16);
                vendor.is_ok_and(|vendor| vendor as u16 == id.vendor_id) && devices.contains(&id.device_id)
            }),
            None => is(self.vendor, id.vendor_id) && is(self.device, id.device_id),
        };
        let range = self.device_id_range.as_ref().is_none_or(|range| range.contains(&id.device_id));
        class && device && range
    }
}

fn is<T: PartialEq>(wanted: Option<T>, found: T) -> bool {
    wanted.is_none_or(|wanted| wanted == found)
}
