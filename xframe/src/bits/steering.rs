//! Owns the bits of the receive steering: which ring a frame goes to.

use bitfield_struct::bitfield;

/// Longest frame steered to a ring.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsFrmLen {
    #[bits(2)]
    __: u64,
    /// Bytes; 0 keeps every frame away.
    #[bits(14)]
    pub len_set: u16,
    #[bits(48)]
    __: u64,
}

/// Ring of frames that nothing steers.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsDefaultQ {
    #[bits(5)]
    __: u64,
    /// Ring.
    #[bits(3)]
    pub rts_default_q: u8,
    #[bits(56)]
    __: u64,
}

/// Steering options.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsCtrl {
    #[bits(2)]
    __: u64,
    /// Ignores the SNAP OUI.
    pub ignore_snap_oui: bool,
    /// Ignores the LLC control field.
    pub ignore_llc_ctrl: bool,
    #[bits(3)]
    __: u64,
    /// Steers by MAC address, port and hash instead of priority and length (Herc).
    pub enhanced_mode: bool,
    #[bits(56)]
    __: u64,
}

/// Entry of the port table.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsPnCamData {
    #[bits(7)]
    __: u64,
    /// TCP rather than UDP.
    pub tcp_select: bool,
    /// Port number.
    pub port: u16,
    /// Steering word.
    pub scw: u8,
    #[bits(5)]
    __: u64,
    /// Ring.
    #[bits(3)]
    pub ring: u8,
    #[bits(7)]
    __: u64,
    /// The source port rather than the destination's.
    pub source: bool,
    #[bits(15)]
    __: u64,
    /// Enable.
    pub entry_en: bool,
}

/// Entry of the DSCP table.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsDsMemData {
    /// Ring.
    pub rts_ds_mem_data: u8,
    #[bits(56)]
    __: u64,
}

/// Steering by MAC address.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsMacCfg {
    /// One bit per 32 CAM entries, section 0 most significant: entry `i` steers to ring `i % 8`.
    pub sections: u8,
    #[bits(56)]
    __: u64,
}

/// Receive hashing.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsRthCfg {
    #[bits(3)]
    __: u64,
    /// Enable.
    pub en: bool,
    /// Log2 of the buckets used.
    #[bits(4)]
    pub bucket_size: u8,
    #[bits(3)]
    __: u64,
    /// Toeplitz rather than Jenkins.
    pub alg_sel_ms: bool,
    #[bits(3)]
    __: u64,
    /// Hash TCP over IPv4.
    pub tcp_ipv4_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash UDP over IPv4.
    pub udp_ipv4_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash other IPv4.
    pub ipv4_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash TCP over IPv6.
    pub tcp_ipv6_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash UDP over IPv6.
    pub udp_ipv6_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash other IPv6.
    pub ipv6_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash TCP over IPv6 with extension headers.
    pub tcp_ipv6_ex_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash UDP over IPv6 with extension headers.
    pub udp_ipv6_ex_en: bool,
    #[bits(3)]
    __: u64,
    /// Hash other IPv6 with extension headers.
    pub ipv6_ex_en: bool,
    #[bits(16)]
    __: u64,
}

/// Bucket of the indirection table.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct RtsRthMapMemData {
    #[bits(3)]
    __: u64,
    /// Enable.
    pub entry_en: bool,
    #[bits(1)]
    __: u64,
    /// Ring.
    #[bits(3)]
    pub data: u8,
    #[bits(56)]
    __: u64,
}
