//! The function that a driver was started for.

use std::fmt;

use pci_types::PciAddress;
use serde::{Deserialize, Serialize};

use crate::{FullDeviceId, PciBar};

/// What a driver is told when it connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubdriverArguments {
    /// Its function.
    pub func: PciFunction,
}

/// A PCI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PciFunction {
    /// Where it is.
    #[serde(with = "Address")]
    pub addr: PciAddress,
    /// Its base address registers.
    pub bars: [PciBar; 6],
    /// Its expansion ROM.
    pub rom: Option<PciRom>,
    /// Its interrupt line, if it has one; pcid has connected it to the interrupt controller.
    pub legacy_interrupt_line: Option<LegacyInterruptLine>,
    /// What it is.
    pub full_device_id: FullDeviceId,
}

impl PciFunction {
    /// What names of schemes and log files have in them: `pci-0000-00-03.0`. No colon, which a scheme's name may not have.
    #[must_use]
    pub fn name(&self) -> String {
        format!("pci-{}", self.addr).replace(':', "-")
    }
}

impl fmt::Display for PciFunction {
    /// Where it is, what it is, and what its registers decode, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.addr, self.full_device_id)?;
        for (index, bar) in self.bars.iter().enumerate().filter(|(_, bar)| !bar.is_none()) {
            write!(f, ", BAR {index} {bar}")?;
        }
        self.legacy_interrupt_line.map_or(Ok(()), |line| write!(f, ", interrupt {line}"))
    }
}

/// An expansion ROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PciRom {
    /// Physical address.
    pub addr: u32,
    /// Bytes.
    pub size: u32,
    /// Whether it is decoded.
    pub enabled: bool,
}

/// An INTx line, as the interrupt scheme names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegacyInterruptLine {
    /// Its number, where interrupts have numbers.
    #[doc(hidden)]
    pub irq: u8,
    /// Where a device tree describes interrupts: the controller, what it calls this one, and how many words of that count.
    pub phandled: Option<(u32, [u32; 3], usize)>,
}

impl LegacyInterruptLine {
    /// Its path in the interrupt scheme, and whether it is to be created (`O_CREAT`), which reserves it; `None` when its
    /// description has a length that no controller has.
    #[must_use]
    pub fn path(&self) -> Option<(String, bool)> {
        let Some((controller, [a, b, c], words)) = self.phandled else {
            return Some((format!("/scheme/irq/{}", self.irq), false));
        };
        let name = match words {
            1 => format!("{a}"),
            2 => format!("{a},{b}"),
            3 => format!("{a},{b},{c}"),
            _ => return None,
        };
        Some((format!("/scheme/irq/phandle-{controller}/{name}"), true))
    }
}

impl fmt::Display for LegacyInterruptLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phandled {
            None => write!(f, "{}", self.irq),
            Some((controller, name, words)) => {
                write!(f, "{:?} of controller {controller}", name.get(..words).unwrap_or(&name))
            }
        }
    }
}

/// A [`PciAddress`] on the wire.
#[derive(Serialize, Deserialize)]
#[serde(remote = "PciAddress")]
struct Address {
    #[serde(getter = "PciAddress::segment")]
    segment: u16,
    #[serde(getter = "PciAddress::bus")]
    bus: u8,
    #[serde(getter = "PciAddress::device")]
    device: u8,
    #[serde(getter = "PciAddress::function")]
    function: u8,
}

impl From<Address> for PciAddress {
    fn from(Address { segment, bus, device, function }: Address) -> Self {
        Self::new(segment, bus, device, function)
    }
}
