//! Owns what the protocol assists see in a frame: framing, tag, IP and transport headers, and where their bytes lie.

use std::ops::Range;

use xframe::rxd::FrameType;

/// Ethernet type of an 802.1Q tag.
pub(crate) const TAG: u16 = 0x8100;
/// Ethernet type of MAC control frames.
pub(crate) const MAC_CONTROL: u16 = 0x8808;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;

/// Transport protocols the assists know.
pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
pub(crate) const ICMPV6: u8 = 58;

/// A frame's headers. Ranges lie within the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Headers {
    pub frame_type: FrameType,
    /// The 802.1Q tag's control word.
    pub tag: Option<u16>,
    /// The type of what follows the tag; 0 for frames with a length instead of a type, unless SNAP names one.
    pub ethertype: u16,
    pub ip: Option<Ip>,
}

/// An IP datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ip {
    pub v6: bool,
    /// The IP header, options included, extension headers not.
    pub header: Range<usize>,
    /// What the IP header says follows: transport header and data, without Ethernet padding.
    pub payload: Range<usize>,
    /// Protocol of the payload.
    pub protocol: u8,
    pub fragment: bool,
    /// A fragment other than the first: its payload begins in the middle.
    pub continued: bool,
    /// An IPv6 extension header that the card cannot step over.
    pub unknown: bool,
    pub traffic_class: u8,
}

impl Ip {
    /// The datagram carries a transport header of `protocol`.
    pub fn carries(&self, protocol: u8) -> bool {
        self.protocol == protocol && !self.continued && !self.unknown
    }
}

pub(crate) fn be16(frame: &[u8], at: usize) -> Option<u16> {
    frame.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
}

/// Takes the headers of `frame` apart. A frame too short for an Ethernet header has none of the others.
pub(crate) fn headers(frame: &[u8]) -> Headers {
    let mut at = 12;
    let mut ethertype = be16(frame, at).unwrap_or(0);
    let mut tag = None;
    if ethertype == TAG
        && let (Some(control), Some(inner)) = (be16(frame, 14), be16(frame, 16))
    {
        (tag, ethertype, at) = (Some(control), inner, 16);
    }
    at += 2;
    let mut frame_type = FrameType::Dix;
    if ethertype < 0x600 {
        (frame_type, ethertype) = framing(frame, at);
        at += 8;
    }
    let ip = match ethertype {
        IPV4 => ipv4(frame, at),
        IPV6 => ipv6(frame, at),
        _ => None,
    };
    Headers { frame_type, tag, ethertype, ip }
}

/// What an 802.3 frame holds, and the type that a SNAP header with a null organisation names.
fn framing(frame: &[u8], at: usize) -> (FrameType, u16) {
    match frame.get(at..) {
        Some([0xFF, 0xFF, ..]) => (FrameType::Ipx, 0),
        Some([0xAA, 0xAA, 0x03, 0, 0, 0, high, low, ..]) => (FrameType::Snap, u16::from_be_bytes([*high, *low])),
        Some([0xAA, 0xAA, 0x03, ..]) => (FrameType::Snap, 0),
        _ => (FrameType::Llc, 0),
    }
}

fn ipv4(frame: &[u8], at: usize) -> Option<Ip> {
    let fixed: &[u8; 20] = frame.get(at..)?.first_chunk()?;
    let [version, traffic_class, ..] = *fixed;
    let length = usize::from(version & 0xF) * 4;
    if version >> 4 != 4 || length < 20 || frame.len() < at + length {
        return None;
    }
    let total = usize::from(be16(frame, at + 2)?);
    let offset = be16(frame, at + 6)?;
    let fragment = offset & 0x3FFF != 0;
    // A datagram that claims more than the frame holds has no payload that can be summed.
    let whole = total >= length && at + total <= frame.len();
    let end = if whole { at + total } else { at + length };
    Some(Ip {
        v6: false,
        header: at..at + length,
        payload: at + length..end,
        protocol: if whole { *frame.get(at + 9)? } else { 0xFF },
        fragment,
        continued: offset & 0x1FFF != 0,
        unknown: false,
        traffic_class,
    })
}

/// Extension headers that the card steps over, and those it cannot.
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION: u8 = 60;
const UNKNOWN: [u8; 7] = [50, 51, 135, 139, 140, 253, 254];

/// The most extension headers the card follows.
const MAX_EXTENSIONS: usize = 8;

fn ipv6(frame: &[u8], at: usize) -> Option<Ip> {
    let fixed: &[u8; 40] = frame.get(at..)?.first_chunk()?;
    let [one, two, ..] = *fixed;
    if one >> 4 != 6 {
        return None;
    }
    let end = at + 40 + usize::from(be16(frame, at + 4)?);
    let mut ip = Ip {
        v6: true,
        header: at..at + 40,
        payload: at + 40..at + 40,
        protocol: 0xFF,
        fragment: false,
        continued: false,
        unknown: false,
        traffic_class: one << 4 | two >> 4,
    };
    if end <= frame.len() {
        ip.payload.end = end;
        ip.protocol = *frame.get(at + 6)?;
        step_over(frame, &mut ip);
    }
    Some(ip)
}

/// Moves the start of the payload over the extension headers.
fn step_over(frame: &[u8], ip: &mut Ip) {
    for _ in 0..MAX_EXTENSIONS {
        if UNKNOWN.contains(&ip.protocol) {
            ip.unknown = true;
            return;
        }
        if !matches!(ip.protocol, HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION) {
            return;
        }
        let Some([next, length, high, low, ..]) = frame.get(ip.payload.clone()) else { break };
        let mut size = 8;
        if ip.protocol == FRAGMENT {
            let offset = u16::from_be_bytes([*high, *low]);
            ip.fragment |= offset & 0xFFF9 != 0;
            ip.continued |= offset & 0xFFF8 != 0;
        } else {
            size += 8 * usize::from(*length);
        }
        if size > ip.payload.len() {
            break;
        }
        ip.payload.start += size;
        ip.protocol = *next;
        if ip.continued {
            return;
        }
    }
    ip.unknown = true;
}
