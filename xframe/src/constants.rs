//! Owns what is neither register nor descriptor: chip kinds, PCI configuration space and the constant write sequences.

/// Vendor ID of S2io, later Neterion.
pub const VENDOR: u16 = 0x17D5;

/// Rings of either chip.
pub const RINGS: usize = 8;
/// Transmit traffic interrupts.
pub const TTIS: usize = 64;
/// Receive traffic interrupts.
pub const RTIS: usize = 8;
/// Entries of the DSCP table.
pub const DS_ENTRIES: usize = 64;
/// MSI-X vectors (Herc).
pub const VECTORS: usize = 64;
/// TxDLs that all FIFOs together can hold.
pub const FIFO_TXDLS: usize = 8192;
/// Largest MTU.
pub const MAX_MTU: u16 = 9600;

/// Bytes of BAR0's register map.
pub const CSR_SIZE: usize = 0x3188;

/// The two chips that share this register map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asic {
    /// Xframe-I, PCI-X 1.0.
    Xena,
    /// Xframe-II, PCI-X 2.0; also Xframe-E, which adds a PCI Express bridge.
    Herc,
}

impl Asic {
    /// The chip behind a PCI device ID; `None` for others, the X3100 of the same vendor included.
    pub const fn from_device_id(id: u16) -> Option<Self> {
        match id {
            0x5731 | 0x5831 => Some(Self::Xena),
            0x5732 | 0x5832 => Some(Self::Herc),
            _ => None,
        }
    }

    /// The usual device ID.
    pub const fn device_id(self) -> u16 {
        match self {
            Self::Xena => 0x5831,
            Self::Herc => 0x5832,
        }
    }

    /// Entries of the address CAM. Entry 0 holds the factory address, the last one serves all-multicast.
    pub const fn cam_entries(self) -> usize {
        match self {
            Self::Xena => 64,
            Self::Herc => 256,
        }
    }

    /// First CAM entry for multicast addresses; those below are for unicast.
    pub const fn cam_multicast(self) -> usize {
        match self {
            Self::Xena => 16,
            Self::Herc => 64,
        }
    }

    /// MiB of RLDRAM that the rings share.
    pub const fn rldram_mib(self) -> u8 {
        match self {
            Self::Xena => 64,
            Self::Herc => 32,
        }
    }

    /// Bytes of the statistics block.
    pub const fn statistics_size(self) -> usize {
        match self {
            Self::Xena => crate::statistics::XENA_SIZE,
            Self::Herc => crate::statistics::HERC_SIZE,
        }
    }

    /// 32-bit words of configuration space that a reset loses and a driver must put back.
    pub const fn saved_config_words(self) -> usize {
        match self {
            Self::Xena => 26,
            Self::Herc => 64,
        }
    }

    /// The writes that set up the XAUI transceivers, for `DTX_CONTROL`, upper half first; on Herc at least 1 ms must pass
    /// after each pair.
    pub const fn xaui(self) -> &'static [u64] {
        match self {
            Self::Xena => &XAUI_XENA,
            Self::Herc => &XAUI_HERC,
        }
    }
}

/// PCI configuration space.
pub mod config {
    /// MSI capability.
    pub const MSI: u8 = 0x40;
    /// MSI Message Control. On Herc its bit 0 must be set for MSI-X to work.
    pub const MSI_CONTROL: u8 = 0x42;
    /// VPD capability of Xena.
    pub const VPD_XENA: u8 = 0x50;
    /// PCI-X capability.
    pub const PCIX: u8 = 0x60;
    /// PCI-X command word; its bit 0 turns on recovery from data parity errors.
    pub const PCIX_COMMAND: u8 = 0x62;
    /// PCI-X ECC control and status (Herc).
    pub const PCIX_ECC: u8 = 0x68;
    /// What clears the ECC state after a reset.
    pub const PCIX_ECC_CLEAR: u32 = 0x7C;
    /// VPD capability of Herc.
    pub const VPD_HERC: u8 = 0x80;
    /// MSI-X capability (Herc).
    pub const MSIX: u8 = 0x90;
}

/// The key of the receive hash that Microsoft published for receive-side scaling, as `RTS_RTH_HASH_MASK` takes it.
pub const RSS_KEY: [u64; 5] =
    [0x6D5A_56DA_255B_0EC2, 0x4167_253D_43A3_8FB0, 0xD0CA_2BCB_AE7B_30B4, 0x77CB_2DA3_8030_F20C, 0x6A42_B73B_BEAC_01FA];

/// What a free CAM entry holds.
pub const CAM_FREE: [u8; 6] = [0xFF; 6];

/// The address, with its mask, that makes a CAM entry match every multicast address.
pub const CAM_ALL_MULTICAST: ([u8; 6], [u8; 6]) =
    ([0x01, 0x02, 0x03, 0x04, 0x05, 0x06], [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);

/// The five calendar words (Tx or Rx) that serve `queues` queues in turn, 1 to 8: 36 one-byte slots, slot `k` naming
/// queue `k % queues`. The last word uses its upper half only.
pub const fn calendar(queues: u8) -> [u64; 5] {
    let queues = if queues == 0 { 1 } else { queues };
    let mut words = [[0; 8]; 5];
    let mut rows = words.as_mut_slice();
    let mut slot = 0;
    while let [word, rest @ ..] = rows {
        let mut bytes = word.as_mut_slice();
        while let [byte, others @ ..] = bytes {
            *byte = if slot < 36 { slot % queues } else { 0 };
            slot += 1;
            bytes = others;
        }
        rows = rest;
    }
    let [a, b, c, d, e] = words;
    [u64::from_be_bytes(a), u64::from_be_bytes(b), u64::from_be_bytes(c), u64::from_be_bytes(d), u64::from_be_bytes(e)]
}

/// The steering word that spreads the eight priorities over `rings` rings, 1 to 8: a byte per priority, whose bits name
/// rings, ring 0 most significant.
pub const fn qos_steering(rings: u8) -> u64 {
    match rings {
        2 => 0x8080_8080_4040_4040,
        3 => 0x8080_8040_4040_2020,
        4 => 0x8080_4040_2020_1010,
        5 => 0x8080_4040_2020_1008,
        6 => 0x8080_4040_2010_0804,
        7 => 0x8080_4020_1008_0402,
        8 => 0x8040_2010_0804_0201,
        _ => 0x8080_8080_8080_8080,
    }
}

/// Pause thresholds for `MC_PAUSE_THRESH_*`: `share` 256ths of each of four queues. The high byte of each field is fixed.
pub const fn pause_thresholds(share: u8) -> u64 {
    (0xFF00 | share as u64) * 0x0001_0001_0001_0001
}

/// `XAUI` set-up of Herc.
pub const XAUI_HERC: [u64; 16] = [
    0x8000_0515_3675_0000,
    0x8000_0515_3675_00E0,
    0x8000_0515_3675_0004,
    0x8000_0515_3675_00E4,
    0x8001_0515_003F_0000,
    0x8001_0515_003F_00E0,
    0x8001_0515_003F_0004,
    0x8001_0515_003F_00E4,
    0x8012_0515_0D44_0000,
    0x8012_0515_0D44_00E0,
    0x8012_0515_0D44_0004,
    0x8012_0515_0D44_00E4,
    0x8002_0515_F210_0000,
    0x8002_0515_F210_00E0,
    0x8002_0515_F210_0004,
    0x8002_0515_F210_00E4,
];

/// `XAUI` set-up of Xena.
pub const XAUI_XENA: [u64; 12] = [
    0x8000_0515_0000_0000,
    0x8000_0515_0000_00E0,
    0x8000_0515_D935_0004,
    0x8000_0515_D935_00E4,
    0x8001_0515_0000_0000,
    0x8001_0515_0000_00E0,
    0x8001_0515_001E_0004,
    0x8001_0515_001E_00E4,
    0x8002_0515_0000_0000,
    0x8002_0515_0000_00E0,
    0x8002_0515_F210_0004,
    0x8002_0515_F210_00E4,
];

/// Writes to `GPIO_CONTROL` of Xena, at least 10 us apart, that free an EEPROM stuck in a read so that the next reset loads
/// the factory address.
pub const GPIO_SEQUENCE: [u64; 28] = [
    0x0060_0000_0000_0000,
    0x0060_6000_0000_0000,
    0x0040_6000_0000_0000,
    0x0000_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0060_6000_0000_0000,
    0x0020_6000_0000_0000,
    0x0000_6000_0000_0000,
    0x0040_6000_0000_0000,
    0x0060_6000_0000_0000,
];

/// Register values after a core reset, where they are known and matter.
pub mod reset {
    use super::Asic;

    /// Every `*_MASK` register: all causes masked.
    pub const MASK: u64 = u64::MAX;
    /// `MAC_CFG`: both directions on, padding on, pause frames swallowed.
    pub const MAC_CFG: u64 = 0xE880_0000_0000_0000;
    /// `RMAC_PAUSE_CFG`.
    pub const RMAC_PAUSE_CFG: u64 = 0xC000_FFFF_0000_0000;
    /// `XGXS_EFIFO_CFG`.
    pub const XGXS_EFIFO_CFG: u64 = 0x0000_0000_1923_141E;
    /// `RX_PA_CFG`: VLAN tags are stripped.
    pub const RX_PA_CFG: u64 = 0x0001_0000_0000_0000;
    /// `PCC_ENABLE`: all eight.
    pub const PCC_ENABLE: u64 = 0xFF00_0000_0000_0000;
    /// `RTS_QOS_STEERING`: everything to ring 0.
    pub const RTS_QOS_STEERING: u64 = super::qos_steering(1);
    /// `RTS_FRM_LEN`, each ring: as permissive as the field allows.
    pub const RTS_FRM_LEN: u64 = 0x3FFF_0000_0000_0000;
    /// `RMAC_MAX_PYLD_LEN`: as permissive as the hardware takes.
    pub const RMAC_MAX_PYLD_LEN: u64 = (super::MAX_MTU as u64) << 48;
    /// `PIC_CONTROL2`: two bytes of each TxD are written back.
    pub const PIC_CONTROL2: u64 = 0x0002_0000_0000_0000;

    /// `RX_QUEUE_CFG`: an equal share of the RLDRAM for each ring.
    pub const fn rx_queue_cfg(asic: Asic) -> u64 {
        (asic.rldram_mib() / 8) as u64 * 0x0101_0101_0101_0101
    }

    /// `STAT_BYTE_CNT`: the short block.
    pub const STAT_BYTE_CNT: u64 = (crate::statistics::XENA_SIZE as u64) << 48;
}
