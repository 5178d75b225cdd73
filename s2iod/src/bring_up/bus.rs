//! The slot, in words.

use xframe::bits::{BusMode, PciMode};
use xframe::constants::{Asic, config};
use xframe::registers as reg;

use crate::csr::Csr;
use crate::platform::Platform;

/// Offset of the PCI-X status word from its capability, and in it the numbers of bus and device, both 0 on conventional PCI.
const PCIX_STATUS: u8 = 4;
const PCIX_NUMBERS: u32 = 0xFFF8;

/// Kind, clock and width of the bus, as far as the card tells them.
pub(crate) fn bus<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, asic: Asic) -> String {
    match asic {
        Asic::Herc => in_words(csr.read(reg::PCI_MODE).into()),
        Asic::Xena => match platform.config_read(config::PCIX + PCIX_STATUS) {
            Ok(status) if status & PCIX_NUMBERS != 0 => "PCI-X".to_owned(),
            _ => "PCI".to_owned(),
        },
    }
}

fn in_words(mode: PciMode) -> String {
    let (kind, transfers) = match mode.info() {
        BusMode::Pci33 | BusMode::Pci66 => ("PCI", 1),
        BusMode::PcixM1At66 | BusMode::PcixM1At100 | BusMode::PcixM1At133 => ("PCI-X", 1),
        BusMode::PcixM2At66 | BusMode::PcixM2At100 | BusMode::PcixM2At133 => ("PCI-X 2.0", 2),
        BusMode::Reserved(code) => return format!("mode {code}"),
    };
    let (rate, width) = (mode.info().bus_mhz().unwrap_or(0) * transfers, if mode.mode_32_bits() { 32 } else { 64 });
    format!("{kind} {rate} MT/s {width} bit")
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn modes_are_told_by_kind_rate_and_width() {
        for (mode, words) in [
            (0x0080_0000_0000_0000, "PCI 33 MT/s 32 bit"),
            (0x1000_0000_0000_0000, "PCI 66 MT/s 64 bit"),
            (0x4000_0000_0000_0000, "PCI-X 133 MT/s 64 bit"),
            (0x7000_0000_0000_0000, "PCI-X 2.0 266 MT/s 64 bit"),
            (0xC000_0000_0000_0000_u64, "mode 12"),
        ] {
            assert_eq!(in_words(mode.into()), words);
        }
    }
}
