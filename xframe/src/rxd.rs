//! Owns the receive side's memory formats: the RxD of one buffer, and what a completed one says.

use bitfield_struct::bitfield;

mod hash;
pub mod three;

pub use hash::{Hash, HashType};

/// Bytes of an RxD of one buffer.
pub const SIZE: usize = 32;
/// Byte offset of Host_Control, which the card never reads or writes.
pub const HOST_CONTROL: usize = 0x00;
/// Byte offset of Control_1.
pub const CONTROL_1: usize = 0x08;
/// Byte offset of Control_2.
pub const CONTROL_2: usize = 0x10;
/// Byte offset of Buffer0_ptr, the bus address of the buffer.
pub const BUFFER0_PTR: usize = 0x18;

/// The largest buffer an RxD can name.
pub const MAX_BUFFER: u16 = 0x3FFF;

/// First control word of an RxD.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct Control1 {
    #[bits(7)]
    __: u64,
    /// The card owns the RxD; it clears this last.
    pub own: bool,
    #[bits(4)]
    __: u64,
    /// How the reception ended.
    #[bits(4)]
    pub t_code: TCode,
    #[bits(2)]
    __: u64,
    /// The socket-pair table chose the ring (Herc).
    pub rth_spdm_hit: bool,
    /// The indirection table chose the ring (Herc).
    pub rth_it_hit: bool,
    /// What was hashed (Herc).
    #[bits(4)]
    pub rth_hash_type: HashType,
    /// The frame carried an 802.1Q tag.
    pub frame_vlan_tag: bool,
    /// Framing.
    #[bits(2)]
    pub frame_type: FrameType,
    /// IPv4.
    pub proto_ipv4: bool,
    /// IPv6.
    pub proto_ipv6: bool,
    /// A fragment.
    pub ip_frag: bool,
    /// TCP.
    pub proto_tcp: bool,
    /// UDP.
    pub proto_udp: bool,
    /// IP header sum; `CHECKSUM_GOOD` when correct.
    pub l3_checksum: u16,
    /// TCP or UDP sum; `CHECKSUM_GOOD` when correct.
    pub l4_checksum: u16,
}

impl Control1 {
    /// What hands an RxD to the card. Store it last.
    pub const POSTED: Self = Self::new().with_own(true);
}

/// Second control word of an RxD.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct Control2 {
    /// The host writes 3, the card 0: tells that this word, too, is the card's.
    #[bits(2)]
    pub marker: u8,
    /// Posted: bytes of the buffer. Completed: bytes of the frame.
    #[bits(14)]
    pub buffer_0_size: u16,
    /// The hash (Herc, completed).
    pub rth_hash_value: u32,
    /// The tag that was stripped (completed); 0 if none was.
    pub vlan_tag: u16,
}

impl Control2 {
    /// What `marker` holds in a posted RxD.
    pub const MARKER: u8 = 3;

    /// What a posted RxD holds for a buffer of `size` bytes, at most `MAX_BUFFER`.
    pub const fn posted(size: u16) -> Self {
        let size = if size > MAX_BUFFER { MAX_BUFFER } else { size };
        Self::new().with_marker(Self::MARKER).with_buffer_0_size(size)
    }
}

/// Whether the card is done with an RxD. Its two control words can become visible apart, so both must say so.
pub const fn is_complete(control_1: Control1, control_2: Control2) -> bool {
    !control_1.own() && control_2.marker() == 0
}

/// A checksum word that means "correct". Any other value is the ones' complement sum that was found.
pub const CHECKSUM_GOOD: u16 = 0xFFFF;

/// What a completed RxD says about its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Bytes written to the buffer. Not to be trusted beyond the buffer's size.
    pub size: u16,
    /// How the reception ended.
    pub t_code: TCode,
    /// Framing.
    pub frame_type: FrameType,
    /// The frame carried an 802.1Q tag.
    pub vlan: bool,
    /// The tag that was stripped; 0 if it stayed in the frame or there was none.
    pub vlan_tag: u16,
    /// IPv4.
    pub ipv4: bool,
    /// IPv6.
    pub ipv6: bool,
    /// A fragment: `l4` means nothing.
    pub fragment: bool,
    /// TCP.
    pub tcp: bool,
    /// UDP.
    pub udp: bool,
    /// IP header sum, `CHECKSUM_GOOD` when correct.
    pub l3: u16,
    /// TCP or UDP sum, `CHECKSUM_GOOD` when correct.
    pub l4: u16,
    /// What receive hashing made of it (Herc).
    pub hash: Hash,
}

impl Completion {
    /// The completion that two control words hold; `None` while either of them still says "posted".
    pub const fn decode(control_1: Control1, control_2: Control2) -> Option<Self> {
        if !is_complete(control_1, control_2) {
            return None;
        }
        Some(Self {
            size: control_2.buffer_0_size(),
            t_code: control_1.t_code(),
            frame_type: control_1.frame_type(),
            vlan: control_1.frame_vlan_tag(),
            vlan_tag: control_2.vlan_tag(),
            ipv4: control_1.proto_ipv4(),
            ipv6: control_1.proto_ipv6(),
            fragment: control_1.ip_frag(),
            tcp: control_1.proto_tcp(),
            udp: control_1.proto_udp(),
            l3: control_1.l3_checksum(),
            l4: control_1.l4_checksum(),
            hash: Hash {
                kind: control_1.rth_hash_type(),
                value: control_2.rth_hash_value(),
                hit: control_1.rth_it_hit(),
            },
        })
    }

    /// The words a card writes back: Control_2 first, Control_1 last.
    pub const fn encode(self) -> (Control1, Control2) {
        let size = if self.size > MAX_BUFFER { MAX_BUFFER } else { self.size };
        let control_1 = Control1::new()
            .with_t_code(self.t_code)
            .with_frame_type(self.frame_type)
            .with_frame_vlan_tag(self.vlan)
            .with_proto_ipv4(self.ipv4)
            .with_proto_ipv6(self.ipv6)
            .with_ip_frag(self.fragment)
            .with_proto_tcp(self.tcp)
            .with_proto_udp(self.udp)
            .with_l3_checksum(self.l3)
            .with_l4_checksum(self.l4)
            .with_rth_hash_type(self.hash.kind)
            .with_rth_it_hit(self.hash.hit);
        let control_2 = Control2::new().with_buffer_0_size(size).with_vlan_tag(self.vlan_tag);
        (control_1, control_2.with_rth_hash_value(self.hash.value))
    }

    /// The card vouches for every checksum of an unfragmented TCP or UDP frame.
    pub const fn checksums_good(self) -> bool {
        (self.tcp || self.udp) && !self.fragment && self.l3 == CHECKSUM_GOOD && self.l4 == CHECKSUM_GOOD
    }
}

/// Framing of a received frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameType {
    /// Ethernet II.
    Dix,
    /// 802.3 with LLC.
    Llc,
    /// 802.3 with SNAP.
    Snap,
    /// Raw IPX.
    Ipx,
}

impl FrameType {
    const fn from_bits(code: u8) -> Self {
        match code {
            1 => Self::Llc,
            2 => Self::Snap,
            3 => Self::Ipx,
            _ => Self::Dix,
        }
    }

    const fn into_bits(self) -> u8 {
        match self {
            Self::Dix => 0,
            Self::Llc => 1,
            Self::Snap => 2,
            Self::Ipx => 3,
        }
    }
}

/// How a reception ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TCode {
    /// Good.
    Ok,
    /// Parity error.
    Parity,
    /// Abort.
    Abort,
    /// Parity error and abort.
    ParityAbort,
    /// The receive DMA arbiter failed.
    RdaFailure,
    /// A good frame of a protocol that the card cannot parse, as with unknown IPv6 extension headers.
    UnknownProtocol,
    /// Bad FCS.
    BadFcs,
    /// Longer than the buffer.
    BufferSize,
    /// ECC error in the RxD.
    Ecc,
    /// An error without a name.
    Unknown,
    /// A code the hardware does not define.
    Other(u8),
}

impl TCode {
    const fn from_bits(code: u8) -> Self {
        match code {
            0x0 => Self::Ok,
            0x1 => Self::Parity,
            0x2 => Self::Abort,
            0x3 => Self::ParityAbort,
            0x4 => Self::RdaFailure,
            0x5 => Self::UnknownProtocol,
            0x6 => Self::BadFcs,
            0x7 => Self::BufferSize,
            0x8 => Self::Ecc,
            0xF => Self::Unknown,
            other => Self::Other(other),
        }
    }

    const fn into_bits(self) -> u8 {
        match self {
            Self::Ok => 0x0,
            Self::Parity => 0x1,
            Self::Abort => 0x2,
            Self::ParityAbort => 0x3,
            Self::RdaFailure => 0x4,
            Self::UnknownProtocol => 0x5,
            Self::BadFcs => 0x6,
            Self::BufferSize => 0x7,
            Self::Ecc => 0x8,
            Self::Unknown => 0xF,
            Self::Other(code) => code,
        }
    }

    /// The code as a number, for messages.
    pub const fn code(self) -> u8 {
        self.into_bits()
    }

    /// The buffer holds a whole, good frame.
    pub const fn delivers(self) -> bool {
        matches!(self, Self::Ok | Self::UnknownProtocol)
    }
}
