//! Owns the bits of the MAC: enables, addresses, pause and error causes.

use bitfield_struct::bitfield;

/// MAC sides, as in `MAC_INT_STATUS`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct MacInt {
    /// Transmit.
    pub tmac_int: bool,
    /// Receive.
    pub rmac_int: bool,
    #[bits(62)]
    __: u64,
}

/// Transmit MAC errors.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct TmacErr {
    #[bits(7)]
    __: u64,
    /// Single-bit ECC.
    pub ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Double-bit ECC.
    pub ecc_db_err: bool,
    #[bits(7)]
    __: u64,
    /// Transmit buffer overrun.
    pub tx_buf_ovrn: bool,
    #[bits(7)]
    __: u64,
    /// Critical error.
    pub tx_cri_err: bool,
    #[bits(7)]
    __: u64,
    /// State machine.
    pub tx_sm_err: bool,
    #[bits(7)]
    __: u64,
    /// Descriptor, single-bit ECC.
    pub desc_ecc_sg_err: bool,
    #[bits(7)]
    __: u64,
    /// Descriptor, double-bit ECC.
    pub desc_ecc_db_err: bool,
    #[bits(8)]
    __: u64,
}

/// Receive MAC errors and the link change latch.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacErr {
    /// Receive buffer overrun.
    pub rx_buff_ovrn: bool,
    /// A frame came.
    pub frm_rcvd_int: bool,
    /// Unused.
    pub unused_int: bool,
    #[bits(2)]
    __: u64,
    /// Port table, single-bit ECC.
    pub rts_pnum_ecc_sg_err: bool,
    /// DSCP table, single-bit ECC.
    pub rts_ds_ecc_sg_err: bool,
    /// Read buffer, single-bit ECC.
    pub rd_buf_ecc_sg_err: bool,
    /// Hash map, single-bit ECC.
    pub rth_map_ecc_sg_err: bool,
    /// Socket-pair table, single-bit ECC.
    pub rth_spdm_ecc_sg_err: bool,
    /// VLAN table, single-bit ECC.
    pub rts_vid_ecc_sg_err: bool,
    /// Address table, single-bit ECC.
    pub da_shadow_ecc_sg_err: bool,
    #[bits(1)]
    __: u64,
    /// Port table, double-bit ECC.
    pub rts_pnum_ecc_db_err: bool,
    /// DSCP table, double-bit ECC.
    pub rts_ds_ecc_db_err: bool,
    /// Read buffer, double-bit ECC.
    pub rd_buf_ecc_db_err: bool,
    /// Hash map, double-bit ECC.
    pub rth_map_ecc_db_err: bool,
    /// Socket-pair table, double-bit ECC.
    pub rth_spdm_ecc_db_err: bool,
    /// VLAN table, double-bit ECC.
    pub rts_vid_ecc_db_err: bool,
    /// Address table, double-bit ECC.
    pub da_shadow_ecc_db_err: bool,
    #[bits(11)]
    __: u64,
    /// The link went up or down.
    pub link_state_change_int: bool,
    #[bits(7)]
    __: u64,
    /// State machine.
    pub rx_sm_err: bool,
    #[bits(24)]
    __: u64,
}

/// MAC configuration.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct MacCfg {
    /// Transmit.
    pub tmac_enable: bool,
    /// Receive.
    pub rmac_enable: bool,
    /// LAN rather than WAN framing.
    pub lan_not_wan: bool,
    /// Sends to itself.
    pub tmac_loopback: bool,
    /// Pads short frames to 60 bytes.
    pub tmac_append_pad: bool,
    /// Removes the FCS of received frames.
    pub rmac_strip_fcs: bool,
    /// Removes the padding of received frames.
    pub rmac_strip_pad: bool,
    /// Promiscuous.
    pub rmac_prom_enable: bool,
    /// Discards received pause frames.
    pub discard_pfrm: bool,
    /// Accepts broadcast.
    pub bcast_enable: bool,
    /// Accepts every address.
    pub all_addr_enable: bool,
    #[bits(5)]
    __: u64,
    /// Threshold for invalid inter-packet gaps.
    pub invld_ipg_thr: u8,
    #[bits(40)]
    __: u64,
}

/// Longest payload: a frame is too long beyond this plus 18 bytes (22 if tagged), FCS counted.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacMaxPyldLen {
    #[bits(2)]
    __: u64,
    /// Bytes.
    #[bits(14)]
    pub rmac_max_pyld_len: u16,
    #[bits(48)]
    __: u64,
}

/// Bad frames to accept all the same.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacErrCfg {
    /// Bad FCS.
    pub fcs: bool,
    /// Too long.
    pub too_long: bool,
    /// Too short.
    pub runt: bool,
    /// Length field disagrees.
    pub len_mismatch: bool,
    #[bits(60)]
    __: u64,
}

/// Unlocks `MAC_CFG`.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacCfgKey {
    /// `RmacCfgKey::UNLOCK`.
    pub rmac_cfg_key: u16,
    #[bits(48)]
    __: u64,
}

/// Address of a CAM entry.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacAddrData0 {
    /// The MAC address, its first byte most significant.
    #[bits(48)]
    pub addr: u64,
    /// User bit.
    pub user: bool,
    #[bits(15)]
    __: u64,
}

/// Mask of a CAM entry.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacAddrData1 {
    /// 1 ignores that bit of the address.
    #[bits(48)]
    pub mask: u64,
    #[bits(16)]
    __: u64,
}

/// Pause frames.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RmacPauseCfg {
    /// Sends them.
    pub gen_enable: bool,
    /// Obeys them.
    pub rx_enable: bool,
    #[bits(14)]
    __: u64,
    /// Pause time sent, in quanta of 512 bit times.
    pub hg_ptime: u16,
    #[bits(32)]
    __: u64,
}

/// Link utilisation, which chooses the ranges of TTI and RTI.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct MacLinkUtil {
    #[bits(1)]
    __: u64,
    /// Transmit, percent.
    #[bits(7)]
    pub tx_link_util: u8,
    /// Transmit sampling period; 0xF turns it off.
    #[bits(4)]
    pub tx_link_util_val: u8,
    #[bits(21)]
    __: u64,
    /// Receive, percent.
    #[bits(7)]
    pub rx_link_util: u8,
    /// Receive sampling period; 0xF turns it off.
    #[bits(4)]
    pub rx_link_util_val: u8,
    #[bits(20)]
    __: u64,
}
