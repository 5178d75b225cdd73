//! Owns configuration space: identity, capabilities, what of it a host can write, and its loss in a reset.

use xframe::bits::BusMode;
use xframe::constants::{Asic, VENDOR, config as at};

use crate::card::Width;
use crate::config::Config;
use crate::vpd;

const SIZE: usize = 256;
const COMMAND: usize = 0x04;
const STATUS: usize = 0x06;

pub(crate) struct Pci {
    bytes: [u8; SIZE],
    writable: [u8; SIZE],
    power_on: [u8; SIZE],
    vpd: [u8; 256],
    /// Offset of the VPD capability.
    vpd_at: usize,
    msix: bool,
    /// Reads that go unanswered because a reset is in progress.
    busy: u32,
}

impl Pci {
    pub fn new(config: &Config) -> Self {
        let (bytes, writable) = layout(config);
        let herc = config.asic == Asic::Herc;
        Self {
            bytes,
            writable,
            power_on: bytes,
            vpd: vpd::image(&config.product, &config.serial),
            vpd_at: usize::from(if herc { at::VPD_HERC } else { at::VPD_XENA }),
            msix: herc,
            busy: 0,
        }
    }

    /// Back to power-on values, and silent for `busy` reads.
    pub fn reset(&mut self, busy: u32) {
        self.bytes = self.power_on;
        self.busy = busy;
    }

    /// Whether the card decodes its memory windows.
    pub fn memory(&self) -> bool {
        self.byte(COMMAND) & 0x02 != 0
    }

    /// Whether the card may master the bus.
    pub fn master(&self) -> bool {
        self.byte(COMMAND) & 0x04 != 0
    }

    /// Whether the INTA# line is allowed.
    pub fn line(&self) -> bool {
        self.byte(COMMAND + 1) & 0x04 == 0
    }

    /// Whether MSI-X is on: the card also wants MSI's enable bit set, or it sends nothing.
    pub fn messages(&self) -> bool {
        let enabled = self.byte(usize::from(at::MSIX) + 3) & 0xC0 == 0x80;
        self.msix && enabled && self.byte(usize::from(at::MSI_CONTROL)) & 1 != 0
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0xFF)
    }

    pub fn read(&mut self, offset: u16, width: Width) -> u64 {
        if self.busy > 0 {
            self.busy -= 1;
            return width.ones();
        }
        let byte = |index: usize| u64::from(self.byte(usize::from(offset) + index)) << (8 * index);
        (0..width.bytes()).map(byte).fold(0, |value, byte| value | byte)
    }

    pub fn write(&mut self, offset: u16, width: Width, value: u64) {
        if self.busy > 0 {
            return;
        }
        for (index, byte) in value.to_le_bytes().into_iter().take(width.bytes()).enumerate() {
            self.write_byte(usize::from(offset) + index, byte);
        }
        let flag = self.vpd_at + 3;
        if (usize::from(offset)..usize::from(offset) + width.bytes()).contains(&flag) {
            self.fetch_vpd();
        }
    }

    fn write_byte(&mut self, at: usize, value: u8) {
        let Some(byte) = self.bytes.get_mut(at) else { return };
        if at == STATUS + 1 {
            *byte &= !value;
            return;
        }
        let writable = self.writable.get(at).copied().unwrap_or(0);
        *byte = *byte & !writable | value & writable;
    }

    /// The flag was written: 0 asks for four bytes, and 1 in its top bit says they are there. Writing to the EEPROM is not
    /// possible; such a command ends at once and changes nothing.
    fn fetch_vpd(&mut self) {
        let address = usize::from(self.byte(self.vpd_at + 2) & !3);
        let data = self.vpd.get(address..).and_then(|rest| rest.first_chunk::<4>()).copied();
        let reads = self.byte(self.vpd_at + 3) & 0x80 == 0;
        if reads && let (Some(data), Some(to)) = (data, self.bytes.get_mut(self.vpd_at + 4..self.vpd_at + 8)) {
            to.copy_from_slice(&data);
        }
        if let Some(flag) = self.bytes.get_mut(self.vpd_at + 3) {
            *flag = if reads { 0x80 } else { 0 };
        }
    }
}

/// Builds the power-on image and its write mask.
struct Layout {
    bytes: [u8; SIZE],
    writable: [u8; SIZE],
    /// Where the next capability's offset goes.
    link: usize,
}

impl Layout {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        for (to, from) in self.bytes.iter_mut().skip(at).zip(bytes) {
            *to = *from;
        }
    }

    fn writable(&mut self, at: usize, masks: &[u8]) {
        for (to, from) in self.writable.iter_mut().skip(at).zip(masks) {
            *to = *from;
        }
    }

    /// A 64-bit memory window of `size` bytes, a power of two.
    fn window(&mut self, at: usize, size: u64) {
        self.put(at, &[0x04]);
        self.writable(at, &(!(size - 1) & !0xF).to_le_bytes());
    }

    fn capability(&mut self, at: u8, id: u8, body: &[u8], masks: &[u8]) {
        self.put(self.link, &[at]);
        self.unlisted(at, id, body, masks);
        self.link = usize::from(at) + 1;
    }

    fn unlisted(&mut self, at: u8, id: u8, body: &[u8], masks: &[u8]) {
        self.put(usize::from(at), &[id, 0]);
        self.put(usize::from(at) + 2, body);
        self.writable(usize::from(at) + 2, masks);
    }
}

fn layout(config: &Config) -> ([u8; SIZE], [u8; SIZE]) {
    let herc = config.asic == Asic::Herc;
    let mut l = Layout { bytes: [0; SIZE], writable: [0; SIZE], link: 0x34 };
    l.put(0x00, &VENDOR.to_le_bytes());
    l.put(0x02, &config.asic.device_id().to_le_bytes());
    l.writable(COMMAND, &[0x56, 0x05]);
    // Status: capability list, 66 MHz, medium decode.
    l.put(STATUS, &[0x30, 0x02]);
    // Revision past all errata, Ethernet controller.
    l.put(0x08, &[if herc { 2 } else { 4 }, 0x00, 0x00, 0x02]);
    l.writable(0x0C, &[0xFF, 0xFF]);
    // Built-in self-test: capable, and passed the moment it starts.
    l.put(0x0F, &[0x80]);
    l.window(0x10, 32 << 10);
    l.window(0x18, 1 << 20);
    if herc {
        l.window(0x20, 8 << 10);
    }
    l.put(0x2C, &VENDOR.to_le_bytes());
    l.put(0x2E, &config.subsystem.to_le_bytes());
    l.put(0x3D, &[1]);
    l.writable(0x3C, &[0xFF]);
    let msi = [0x80, 0x00];
    let msi_masks = [0x71, 0x00, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
    if config.msi_capability {
        l.capability(at::MSI, 0x05, &msi, &msi_masks);
    } else {
        l.unlisted(at::MSI, 0, &msi, &msi_masks);
    }
    // PCI-X: command word, and a status that names a 64-bit 133 MHz device, and its number on a bus that is PCI-X.
    let number = if matches!(config.bus, BusMode::Pci33 | BusMode::Pci66) { 0 } else { 1 << 3 };
    l.capability(at::PCIX, 0x07, &[0x00, 0x00, number, 0x00, 0x03, 0x00], &[0x7F]);
    let vpd_masks = [0xFF, 0x80];
    if herc {
        l.writable(usize::from(at::PCIX_ECC), &[0xFF; 4]);
        l.capability(at::VPD_HERC, 0x03, &[], &vpd_masks);
        // 64 vectors; table and pending bits in window 4.
        l.capability(at::MSIX, 0x11, &[0x3F, 0x00, 0x04, 0, 0, 0, 0x04, 0x04, 0, 0], &[0x00, 0xC0]);
    } else {
        l.capability(at::VPD_XENA, 0x03, &[], &vpd_masks);
    }
    (l.bytes, l.writable)
}
