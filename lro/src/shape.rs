//! The shapes of segments that may share a unit, and what their heads say.

mod fields;
mod mask;

use crate::field::{be16, field, ne32, ne64};
use crate::flow::Flow;
use crate::sum::Sum;

pub(crate) use fields::{Fields, fields, ip_length};
pub(crate) use mask::{ENDPOINT, EXPECTED, FORWARD, Mask, Masks};

/// Bytes of the head: two VLAN tags, IPv6, TCP with timestamps need 94.
pub(crate) const HEAD: usize = 96;
/// Numbers that a [`Shape`] can be.
const SHAPES: usize = 16;
/// Bytes of the head in which all that is expected of most IPv4 segments lies.
const SHORT: usize = 64;

const ETHERNET: usize = 14;
const TAG: usize = 4;
pub(crate) const IPV4: usize = 20;
pub(crate) const IPV6: usize = 40;
const TCP: usize = 20;
const TIMESTAMPS: usize = 12;

/// Bits of the offsets, 22 and 62 at most. Masked with them they are the same, and the compiler can tell that all of the
/// headers lies within the head.
pub(crate) const IP_BITS: usize = 31;
pub(crate) const TCP_BITS: usize = 63;

/// TCP's PSH, the one flag in which segments of a unit may differ.
pub(crate) const PSH: u8 = 0x08;
pub(crate) const ACK: u8 = 0x10;

/// TCP's number in an IP header.
pub(crate) const PROTOCOL_TCP: u8 = 6;

/// NOP, NOP, timestamps of ten bytes: the one option layout that merges under every rule set.
pub(crate) const TIMESTAMP_OPTION: [u8; 4] = [1, 1, 8, 10];

/// Data offset and flags of a segment without options, and of one with timestamps.
const UNSTAMPED: u16 = 0x5000 | ACK as u16;
const STAMPED: u16 = 0x8000 | ACK as u16;

/// The first bytes of a frame, behind its end whatever follows there.
pub(crate) type Head = [u8; HEAD];

/// A head that is kept, aligned for vector instructions.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Kept(pub Head);

/// Whether two heads agree in all that segments of a unit share.
#[inline(always)]
pub(crate) fn agree(Kept(one): &Kept, other: &Head, masks: &Masks, shape: Shape) -> bool {
    differ(one, other, shape.mask(masks), 0, HEAD) == 0
}

/// Whether a head looks as it is expected to, next in a host's unit.
#[inline(always)]
pub(crate) fn is_expected(Kept(one): &Kept, other: &Head, shape: Shape) -> bool {
    let mask = shape.mask(EXPECTED);
    differ(one, other, mask, 0, SHORT) == 0 && (shape.is_short() || differ(one, other, mask, SHORT, HEAD) == 0)
}

/// The masked bits in which bytes `from` to `to` differ, one on top of the other.
#[inline(always)]
fn differ(one: &Head, other: &Head, Mask(mask): &Mask, from: usize, to: usize) -> u64 {
    (from..to).step_by(8).fold(0, |differ, at| differ | (ne64(one, at) ^ ne64(other, at)) & ne64(mask, at))
}

/// The shape of a frame with an IP header at `ip`, if its fixed fields are those of a segment that may share a unit. Lengths
/// and checksums are not looked at.
#[inline(always)]
pub(crate) fn plain(head: &Head, ip: usize, is_v6: bool) -> Option<Shape> {
    let ip = ip & IP_BITS;
    let tcp = ip + if is_v6 { IPV6 } else { IPV4 };
    let network = if is_v6 {
        // Version; next header.
        let ([version], [next]) = (field(head, ip), field(head, ip + 6));
        version >> 4 == 6 && next == PROTOCOL_TCP
    } else {
        // Version and length; no fragment, whatever DF and the reserved bit say; protocol.
        let ([version], [protocol]) = (field(head, ip), field(head, ip + 9));
        version == 0x45 && be16(head, ip + 6) & 0x3FFF == 0 && protocol == PROTOCOL_TCP
    };
    // Data offset and flags; urgent pointer.
    let offset_flags = be16(head, tcp + 12) & !(0x0F00 | u16::from(PSH));
    let stamped = offset_flags == STAMPED && ne32(head, tcp + 20) == u32::from_ne_bytes(TIMESTAMP_OPTION);
    let is_plain = network && (stamped || offset_flags == UNSTAMPED) && be16(head, tcp + 18) == 0;
    is_plain.then(|| Shape::new(ip, is_v6, stamped))
}

/// Plain Ethernet with up to two VLAN tags; IPv4 without options or IPv6 without extension headers; TCP without options or
/// with timestamps in their usual place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape(u8);

impl Shape {
    const V6: u8 = 4;
    const STAMPED: u8 = 8;
    const GENERAL: u8 = 16;

    /// The shape with an IP header at byte `ip`: 14, 18 or 22.
    #[inline(always)]
    pub(crate) fn new(ip: usize, is_v6: bool, stamped: bool) -> Self {
        let tags = ((ip - ETHERNET) / TAG) as u8;
        Self((tags & 3) | (u8::from(is_v6) * Self::V6) | (u8::from(stamped) * Self::STAMPED))
    }

    /// Any other shape that `Rules::Forward` merges: extension headers, other options.
    pub(crate) const fn general(is_v6: bool) -> Self {
        Self(Self::GENERAL | if is_v6 { Self::V6 } else { 0 })
    }

    /// Whether it is none of those with a number and a mask.
    pub(crate) const fn is_general(self) -> bool {
        self.0 & Self::GENERAL != 0
    }

    /// Whether all that is expected of a next segment lies in the first [`SHORT`] bytes: IPv4 behind one tag at most.
    #[inline(always)]
    const fn is_short(self) -> bool {
        self.0 & (Self::V6 | 2) == 0
    }

    /// Its mask.
    #[inline(always)]
    fn mask(self, masks: &Masks) -> &Mask {
        let [first, ..] = masks;
        masks.get(usize::from(self.0) % SHAPES).unwrap_or(first)
    }

    /// Where the IP header starts.
    #[inline(always)]
    pub(crate) const fn ip(self) -> usize {
        ETHERNET + (self.0 & 3) as usize * TAG
    }

    /// Where the TCP header starts.
    #[inline(always)]
    pub(crate) const fn tcp(self) -> usize {
        self.ip() + if self.is_v6() { IPV6 } else { IPV4 }
    }

    /// Where the payload starts.
    #[inline(always)]
    pub(crate) const fn payload(self) -> usize {
        self.tcp() + TCP + if self.is_stamped() { TIMESTAMPS } else { 0 }
    }

    #[inline(always)]
    pub(crate) const fn is_v6(self) -> bool {
        self.0 & Self::V6 != 0
    }

    /// Whether it has timestamps.
    #[inline(always)]
    pub(crate) const fn is_stamped(self) -> bool {
        self.0 & Self::STAMPED != 0
    }

    /// The flow of a segment of this shape.
    pub(crate) fn flow(self, head: &Head) -> Flow {
        Flow::of(head, self.ip(), self.tcp(), self.is_v6())
    }

    /// Bytes of IP, as the header says.
    #[inline(always)]
    pub(crate) fn ip_length(self, head: &Head) -> u32 {
        let ip = self.ip() & IP_BITS;
        if self.is_v6() { u32::from(be16(head, ip + 4)) + IPV6 as u32 } else { be16(head, ip + 2).into() }
    }

    /// Sum of the pseudo header without its length.
    #[inline(always)]
    pub(crate) fn pseudo_sum(self, head: &Head) -> u32 {
        let ip = self.ip() & IP_BITS;
        let sum = Sum::default().number(6);
        if self.is_v6() {
            (8..IPV6).step_by(8).fold(sum, |sum, at| sum.word64(ne64(head, ip + at))).fold32()
        } else {
            sum.word64(ne64(head, ip + 12)).fold32()
        }
    }

    /// Whether the sum of the IP header is right; IPv6 has none.
    #[inline(always)]
    pub(crate) fn has_good_ip_sum(self, head: &Head) -> bool {
        let ip = self.ip() & IP_BITS;
        let sum = Sum::default().word64(ne64(head, ip)).word64(ne64(head, ip + 8)).word32(ne32(head, ip + 16));
        self.is_v6() || sum.fold() == 0xFFFF
    }
}

/// Where the headers of a segment are, in bytes from the start of the frame, and its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(4))]
pub(crate) struct Place {
    pub ip: u8,
    pub tcp: u8,
    pub payload: u8,
    pub shape: Shape,
}

impl From<Shape> for Place {
    #[inline(always)]
    fn from(shape: Shape) -> Self {
        PLACES.get(usize::from(shape.0)).copied().unwrap_or(Self::VOID)
    }
}

impl Place {
    /// Of a frame that is no segment.
    pub(crate) const VOID: Self = Self { ip: 0, tcp: 0, payload: 0, shape: Shape(0) };

    /// Whether PSH is set.
    #[inline(always)]
    pub(crate) fn has_push(self, head: &Head) -> bool {
        head.get((usize::from(self.tcp) & TCP_BITS) + 13).is_some_and(|flags| flags & PSH != 0)
    }

    /// The fields of a segment of this shape; `None` unless its IP datagram lies within `length` and has payload.
    #[inline(always)]
    pub(crate) fn fields(self, head: &Head, length: u32) -> Option<Fields> {
        fields(head, length, self.ip.into(), self.shape.is_v6(), self.shape.is_stamped())
    }
}

/// By shape: where its headers are.
static PLACES: [Place; SHAPES] = {
    let mut places = [Place::VOID; SHAPES];
    let mut rows = places.as_mut_slice();
    let mut number = 0;
    while let [place, rest @ ..] = rows {
        let shape = Shape(number);
        // At most 98.
        *place = Place { ip: shape.ip() as u8, tcp: shape.tcp() as u8, payload: shape.payload() as u8, shape };
        number += 1;
        rows = rest;
    }
    places
};
