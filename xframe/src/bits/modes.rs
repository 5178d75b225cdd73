//! Owns the enumerated field values and the magic values of single fields.

use super::{AdapterStatus, I2cControl, MdioControl, RmacCfgKey, SpiControl, SwReset};

/// The bus a Herc sits on (`PCI_MODE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusMode {
    /// Conventional PCI, 33 MHz.
    Pci33,
    /// Conventional PCI, 66 MHz.
    Pci66,
    /// PCI-X mode 1, 66 MHz.
    PcixM1At66,
    /// PCI-X mode 1, 100 MHz.
    PcixM1At100,
    /// PCI-X mode 1, 133 MHz.
    PcixM1At133,
    /// PCI-X mode 2, 66 MHz.
    PcixM2At66,
    /// PCI-X mode 2, 100 MHz.
    PcixM2At100,
    /// PCI-X mode 2, 133 MHz.
    PcixM2At133,
    /// A reserved code.
    Reserved(u8),
}

impl BusMode {
    pub(crate) const fn from_bits(code: u8) -> Self {
        match code {
            0 => Self::Pci33,
            1 => Self::Pci66,
            2 => Self::PcixM1At66,
            3 => Self::PcixM1At100,
            4 => Self::PcixM1At133,
            5 => Self::PcixM2At66,
            6 => Self::PcixM2At100,
            7 => Self::PcixM2At133,
            other => Self::Reserved(other),
        }
    }

    pub(crate) const fn into_bits(self) -> u8 {
        match self {
            Self::Pci33 => 0,
            Self::Pci66 => 1,
            Self::PcixM1At66 => 2,
            Self::PcixM1At100 => 3,
            Self::PcixM1At133 => 4,
            Self::PcixM2At66 => 5,
            Self::PcixM2At100 => 6,
            Self::PcixM2At133 => 7,
            Self::Reserved(code) => code,
        }
    }

    /// The base clock of the bus in MHz; `None` for reserved codes.
    pub const fn bus_mhz(self) -> Option<u32> {
        match self {
            Self::Pci33 => Some(33),
            Self::Pci66 | Self::PcixM1At66 | Self::PcixM2At66 => Some(66),
            Self::PcixM1At100 | Self::PcixM2At100 => Some(100),
            Self::PcixM1At133 | Self::PcixM2At133 => Some(133),
            Self::Reserved(_) => None,
        }
    }

    /// The clock in MHz that Herc's timers count: twice the base clock, except at 33 MHz.
    pub const fn core_mhz(self) -> Option<u32> {
        match self {
            Self::Pci33 => Some(33),
            Self::PcixM1At133 | Self::PcixM2At133 => Some(266),
            other => match other.bus_mhz() {
                Some(bus) => Some(2 * bus),
                None => None,
            },
        }
    }
}

/// Shape of the descriptors in a ring (`PRC_CTRL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingMode {
    /// One buffer per descriptor, 32 bytes.
    OneBuffer,
    /// Three buffers, 48 bytes.
    ThreeBuffer,
    /// Five buffers, 64 bytes.
    FiveBuffer,
    /// Reserved.
    Reserved,
}

impl RingMode {
    pub(crate) const fn from_bits(code: u8) -> Self {
        match code {
            0 => Self::OneBuffer,
            1 => Self::ThreeBuffer,
            2 => Self::FiveBuffer,
            _ => Self::Reserved,
        }
    }

    pub(crate) const fn into_bits(self) -> u8 {
        match self {
            Self::OneBuffer => 0,
            Self::ThreeBuffer => 1,
            Self::FiveBuffer => 2,
            Self::Reserved => 3,
        }
    }
}

impl SwReset {
    /// The byte that resets a block or holds it in reset.
    pub const ACTIVE: u8 = 0xA5;
    /// Resets the core, reloads the flash and holds the EOI: a full reset.
    pub const FULL: Self = Self::new().with_xena(Self::ACTIVE).with_flash(Self::ACTIVE).with_eoi(Self::ACTIVE);
    /// Releases the EOI and keeps the XGXS held: the first step after a reset of Herc.
    pub const XGXS_HELD: Self = Self::new().with_xgxs(Self::ACTIVE);
    /// What Herc reads after a core reset: EOI and XGXS held.
    pub const AFTER_RESET_HERC: Self = Self::new().with_eoi(Self::ACTIVE).with_xgxs(Self::ACTIVE);
    /// What Xena reads after a core reset: XGXS held.
    pub const AFTER_RESET_XENA: Self = Self::XGXS_HELD;
}

impl AdapterStatus {
    /// Neither end of the link reports a fault.
    pub const fn link_up(self) -> bool {
        !self.rmac_remote_fault() && !self.rmac_local_fault()
    }

    /// Every block is ready and no descriptor or frame is on its way. `p_pll` says whether the bus PLL must have locked:
    /// everywhere except on a Herc in a PCI-33 slot.
    pub const fn quiescent(self, p_pll: bool) -> bool {
        self.tdma_ready()
            && self.rdma_ready()
            && self.pfc_ready()
            && self.tmac_buf_empty()
            && self.pic_quiescent()
            && self.rc_prc_quiescent() == 0xFF
            && self.mc_dram_ready()
            && self.mc_queues_ready()
            && self.m_pll_lock()
            && (!p_pll || self.p_pll_lock())
    }
}

impl MdioControl {
    /// The nibble in `ctrl_start_trans` that starts a cycle.
    pub const START: u8 = 0xE;
    /// The nibble that reads back when the cycle is done.
    pub const DONE: u8 = 0x1;
}

impl I2cControl {
    /// The nibble in `cntl_start` that starts an access.
    pub const START: u8 = 0xE;
    /// The bit of `cntl_start` that reads 1 when the access is done.
    pub const DONE: u8 = 0x1;
    /// The `dev_id` of the EEPROM.
    pub const EEPROM: u8 = 5;
}

impl SpiControl {
    /// The value of `key` without which an access is ignored.
    pub const KEY: u8 = 9;
    /// The opcode that writes.
    pub const WRITE: u8 = 2;
    /// The opcode that reads.
    pub const READ: u8 = 3;
}

impl RmacCfgKey {
    /// Unlocks one write of `MAC_CFG`.
    pub const UNLOCK: Self = Self::new().with_rmac_cfg_key(0x4C0D);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reset_words_are_those_of_the_hardware() {
        assert_eq!(u64::from(SwReset::FULL), 0xA5A5_A500_0000_0000);
        assert_eq!(u64::from(SwReset::XGXS_HELD), 0x0000_00A5_0000_0000);
        assert_eq!(u64::from(SwReset::AFTER_RESET_HERC), 0x0000_A5A5_0000_0000);
        assert_eq!(u64::from(RmacCfgKey::UNLOCK), 0x4C0D_0000_0000_0000);
    }

    #[test]
    fn the_idle_card_is_quiescent_with_the_link_up_or_down() {
        assert!(AdapterStatus::from(0xF400_FFC3_0000_0000).quiescent(true));
        assert!(AdapterStatus::from(0xF4FF_FFC3_0000_0000).link_up());
        let down = AdapterStatus::from(0xF5FF_FFC3_0000_0000);
        assert!(down.quiescent(true) && !down.link_up());
    }

    #[test]
    fn a_busy_ring_is_not_quiescent() {
        assert!(!AdapterStatus::from(0xF4FF_7FC3_0000_0000).quiescent(true));
    }

    #[test]
    fn a_pci_33_slot_needs_no_bus_pll() {
        let unlocked = AdapterStatus::from(0xF4FF_FFC2_0000_0000);
        assert!(unlocked.quiescent(false) && !unlocked.quiescent(true));
    }

    #[test]
    fn bus_codes_survive_the_round_trip() {
        for code in 0..16 {
            assert_eq!(BusMode::from_bits(code).into_bits(), code);
        }
        assert_eq!(BusMode::from_bits(7).core_mhz(), Some(266));
        assert_eq!(BusMode::from_bits(0).core_mhz(), Some(33));
    }
}
