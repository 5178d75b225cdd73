//! Owns the address CAM and the decision whether a frame's destination is ours.

use xframe::bits::MacCfg;
use xframe::constants::{Asic, CAM_FREE};

/// 48 bits of an address, and which of them to ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub address: u64,
    pub mask: u64,
}

const BITS: u64 = 0xFFFF_FFFF_FFFF;

pub(crate) const fn address(bytes: [u8; 6]) -> u64 {
    let [a, b, c, d, e, f] = bytes;
    u64::from_be_bytes([0, 0, a, b, c, d, e, f])
}

const FREE: Entry = Entry { address: address(CAM_FREE), mask: 0 };

pub(crate) struct Cam {
    entries: Vec<Entry>,
    /// Entries in use, as the comparison wants them: address and mask of the bits that count.
    active: Vec<(u64, u64)>,
}

impl Cam {
    pub fn new(asic: Asic, mac: [u8; 6]) -> Self {
        let mut cam = Self { entries: vec![FREE; asic.cam_entries()], active: Vec::new() };
        cam.reset(mac);
        cam
    }

    pub fn reset(&mut self, mac: [u8; 6]) {
        self.entries.fill(FREE);
        self.write(0, Entry { address: address(mac), mask: 0 });
    }

    pub fn read(&self, offset: u8) -> Entry {
        self.entries.get(self.index(offset)).copied().unwrap_or(FREE)
    }

    pub fn write(&mut self, offset: u8, entry: Entry) {
        let index = self.index(offset);
        if let Some(slot) = self.entries.get_mut(index) {
            *slot = entry;
        }
        let used = self.entries.iter().filter(|entry| **entry != FREE);
        self.active.clear();
        self.active.extend(used.map(|entry| (entry.address & !entry.mask, !entry.mask & BITS)));
    }

    /// Xena decodes fewer bits of the offset: entries repeat.
    fn index(&self, offset: u8) -> usize {
        usize::from(offset) % self.entries.len()
    }

    fn matches(&self, destination: u64) -> bool {
        self.active.iter().any(|&(address, care)| destination & care == address)
    }

    /// The first entry in use that matches `destination`.
    pub fn find(&self, destination: [u8; 6]) -> Option<usize> {
        let destination = address(destination);
        let matches = |entry: &Entry| *entry != FREE && (destination ^ entry.address) & !entry.mask & BITS == 0;
        self.entries.iter().position(matches)
    }

    /// Whether a frame to `destination` passes. Broadcast has a switch of its own, so a free entry, which happens to hold
    /// the broadcast address, matches nothing.
    pub fn accepts(&self, destination: [u8; 6], mac_cfg: MacCfg) -> bool {
        if mac_cfg.rmac_prom_enable() || mac_cfg.all_addr_enable() {
            return true;
        }
        if destination == CAM_FREE {
            return mac_cfg.bcast_enable();
        }
        self.matches(address(destination))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xframe::constants::CAM_ALL_MULTICAST;

    const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 1, 2, 3];
    const GROUP: [u8; 6] = [0x01, 0x00, 0x5E, 0, 0, 1];

    #[test]
    fn the_factory_address_passes_and_others_do_not() {
        let cam = Cam::new(Asic::Herc, MAC);
        assert!(cam.accepts(MAC, MacCfg::new()));
        assert!(!cam.accepts([0x00, 0x0C, 0xFC, 1, 2, 4], MacCfg::new()));
        assert!(!cam.accepts(GROUP, MacCfg::new()));
    }

    #[test]
    fn a_mask_ignores_bits() {
        let mut cam = Cam::new(Asic::Herc, MAC);
        let (all, mask) = CAM_ALL_MULTICAST;
        cam.write(255, Entry { address: address(all), mask: address(mask) });
        assert!(cam.accepts(GROUP, MacCfg::new()));
        assert!(!cam.accepts([0x02, 0, 0, 0, 0, 1], MacCfg::new()));
        cam.write(255, FREE);
        assert!(!cam.accepts(GROUP, MacCfg::new()));
    }

    #[test]
    fn broadcast_has_its_own_switch() {
        let cam = Cam::new(Asic::Herc, MAC);
        assert!(!cam.accepts(CAM_FREE, MacCfg::new()));
        assert!(cam.accepts(CAM_FREE, MacCfg::new().with_bcast_enable(true)));
    }

    #[test]
    fn promiscuous_passes_everything() {
        let cam = Cam::new(Asic::Herc, MAC);
        assert!(cam.accepts([2, 2, 2, 2, 2, 2], MacCfg::new().with_rmac_prom_enable(true)));
    }

    #[test]
    fn entries_beyond_63_are_apart_on_herc_and_repeat_on_xena() {
        let entry = Entry { address: address(GROUP), mask: 0 };
        let mut herc = Cam::new(Asic::Herc, MAC);
        herc.write(64 + 5, entry);
        assert_eq!(herc.read(5), FREE);
        let mut xena = Cam::new(Asic::Xena, MAC);
        xena.write(64 + 5, entry);
        assert_eq!(xena.read(5), entry);
    }
}
