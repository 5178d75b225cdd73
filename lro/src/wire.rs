//! Reading a frame's headers, once: what the engine may know of a frame is what [`classify`] returns.

use crate::flow::{Common, Flow};
use crate::stats::End;
use crate::sum::Sum;
use crate::{Checksums, Rules};

pub(crate) const FIN: u8 = 0x01;
pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const PSH: u8 = 0x08;
pub(crate) const ACK: u8 = 0x10;
pub(crate) const URG: u8 = 0x20;
pub(crate) const ECE: u8 = 0x40;
pub(crate) const CWR: u8 = 0x80;

const TCP: u8 = 6;
/// More IPv6 extension headers than this are not followed.
const MAX_EXTENSIONS: usize = 8;
/// NOP, NOP, timestamps of ten bytes: the one option layout that merges under every rule set.
const TIMESTAMPS: [u8; 4] = [1, 1, 8, 10];

/// What a frame is to the engine.
pub(crate) enum Class {
    /// Belongs to no TCP flow: may be overtaken and may overtake.
    Opaque,
    /// May belong to any flow: nothing crosses it.
    Barrier,
    /// A TCP segment whose flow is known.
    Segment(Segment),
}

/// Where the headers of a segment are, in bytes from the start of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    pub ip: u8,
    pub tcp: u8,
    pub payload: u8,
}

/// TCP options, as far as the rules distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Options {
    None,
    Timestamps,
    Other,
}

/// A TCP segment's headers.
#[derive(Clone, Copy)]
pub(crate) struct Segment {
    pub flow: Flow,
    pub common: Common,
    pub offsets: Offsets,
    /// Bytes from the start of the IP header to the end of the payload.
    pub ip_length: u16,
    pub payload: u16,
    pub sequence: u32,
    pub acknowledgment: u32,
    pub window: u16,
    pub flags: u8,
    pub timestamps: [u32; 2],
    pub options: Options,
    /// Sum of the TCP header with its checksum field, pseudo header excluded.
    pub header_sum: u16,
    /// Why this segment never shares a unit, or `None` if it may.
    pub alone: Option<End>,
}

impl Segment {
    pub(crate) fn is_v6(&self) -> bool {
        self.flow.ports >> 32 == 6
    }

    /// Sum of the pseudo header without its length.
    #[inline]
    pub(crate) fn pseudo_sum(&self) -> u16 {
        let [a, b, c, d] = self.flow.addresses;
        Sum::default().word64(a).word64(b).word64(c).word64(d).number(u16::from(TCP)).fold()
    }

    /// Sum of the payload, as the checksum field implies it. `pseudo_sum` is this flow's.
    #[inline]
    pub(crate) fn payload_sum(&self, pseudo_sum: u16) -> u16 {
        let tcp_length = self.ip_length - u16::from(self.offsets.tcp - self.offsets.ip);
        !Sum::default().word16(self.header_sum).word16(pseudo_sum).number(tcp_length).fold()
    }
}

/// Reads the headers of `frame`.
#[inline]
pub(crate) fn classify(frame: &[u8], checksums: Checksums, rules: Rules) -> Class {
    let Some((ethernet, rest)) = frame.split_first_chunk::<14>() else { return Class::Opaque };
    let mut ethertype = [ethernet[12], ethernet[13]];
    let mut ip = rest;
    let mut tags = 0_u64;
    for _ in 0..2 {
        if !matches!(ethertype, [0x81, 0x00] | [0x88, 0xA8]) {
            break;
        }
        let Some((tag, rest)) = ip.split_first_chunk::<4>() else { return Class::Opaque };
        tags = tags << 32 | u64::from(u32::from_ne_bytes([ethertype[0], ethertype[1], tag[0], tag[1]]));
        ethertype = [tag[2], tag[3]];
        ip = rest;
    }
    let link = Link {
        macs: u64::from_ne_bytes(first(ethernet)),
        mac_tail: u32::from_ne_bytes([ethernet[8], ethernet[9], ethernet[10], ethernet[11]]),
        tags,
        // At most 14 + 2 * 4.
        length: (frame.len() - ip.len()) as u8,
    };
    match ethertype {
        [0x08, 0x00] => ipv4(&link, ip, checksums, rules),
        [0x86, 0xDD] => ipv6(&link, ip, checksums, rules),
        _ => Class::Opaque,
    }
}

/// What the Ethernet header contributes.
struct Link {
    macs: u64,
    mac_tail: u32,
    tags: u64,
    length: u8,
}

/// What the IP header contributes.
struct Network {
    addresses: [u64; 4],
    version: u64,
    /// Fields of the IP header that a unit's segments share.
    common: u32,
    hops: u8,
    /// Length of IP header and extension headers.
    header: u8,
    ip_length: u16,
    alone: Option<End>,
}

#[inline]
fn ipv4(link: &Link, ip: &[u8], checksums: Checksums, rules: Rules) -> Class {
    let Some(fixed) = ip.first_chunk::<20>() else { return Class::Barrier };
    let header = (fixed[0] & 0x0F) * 4;
    if fixed[0] >> 4 != 4 || header < 20 {
        return Class::Barrier;
    }
    if fixed[9] != TCP {
        return Class::Opaque;
    }
    let fragment = u16::from_be_bytes([fixed[6], fixed[7]]) & 0x3FFF;
    let ip_length = u16::from_be_bytes([fixed[2], fixed[3]]);
    let Some(datagram) = ip.get(..usize::from(ip_length)) else { return Class::Barrier };
    let Some((ip_header, tcp)) = datagram.split_at_checked(usize::from(header)) else { return Class::Barrier };
    // A card that verified the sums has verified this one; of any other frame the addresses must not be believed yet.
    if fragment != 0 || checksums != Checksums::Verified && Sum::of(ip_header).fold() != 0xFFFF {
        return Class::Barrier;
    }
    let marked = rules == Rules::Seed && fixed[1] & 3 == 3;
    let network = Network {
        addresses: [
            u64::from_ne_bytes([
                fixed[12], fixed[13], fixed[14], fixed[15], fixed[16], fixed[17], fixed[18], fixed[19],
            ]),
            0,
            0,
            0,
        ],
        version: 4,
        common: u32::from_ne_bytes([fixed[1], 0, fixed[6], fixed[7]]),
        hops: fixed[8],
        header,
        ip_length,
        alone: if header != 20 {
            Some(End::Options)
        } else if marked {
            Some(End::Header)
        } else {
            None
        },
    };
    segment(link, &network, tcp, checksums, rules)
}

#[inline]
fn ipv6(link: &Link, ip: &[u8], checksums: Checksums, rules: Rules) -> Class {
    let Some((fixed, behind)) = ip.split_first_chunk::<40>() else { return Class::Barrier };
    let payload = u16::from_be_bytes([fixed[4], fixed[5]]);
    let Some(ip_length) = payload.checked_add(40) else { return Class::Barrier };
    if fixed[0] >> 4 != 6 {
        return Class::Barrier;
    }
    let Some(behind) = behind.get(..usize::from(payload)) else { return Class::Barrier };
    let tcp = match behind_extensions(fixed[6], behind) {
        Inner::Tcp(tcp) => tcp,
        Inner::Other => return Class::Opaque,
        Inner::Unknown => return Class::Barrier,
    };
    let Ok(header) = u8::try_from(40 + behind.len() - tcp.len()) else { return Class::Barrier };
    let (addresses, _) = fixed[8..].as_chunks::<8>();
    let &[a, b, c, d] = addresses else { return Class::Barrier };
    let network = Network {
        addresses: [a, b, c, d].map(u64::from_ne_bytes),
        version: 6,
        common: u32::from_ne_bytes([fixed[0], fixed[1], fixed[2], fixed[3]]),
        hops: fixed[7],
        header,
        ip_length,
        alone: if header != 40 {
            Some(End::Options)
        } else if rules == Rules::Seed {
            Some(End::Opaque)
        } else {
            None
        },
    };
    segment(link, &network, tcp, checksums, rules)
}

/// What is behind the IPv6 header.
enum Inner<'a> {
    Tcp(&'a [u8]),
    Other,
    Unknown,
}

/// Follows hop-by-hop, routing and destination options headers.
fn behind_extensions(mut next: u8, mut rest: &[u8]) -> Inner<'_> {
    for _ in 0..MAX_EXTENSIONS {
        match next {
            TCP => return Inner::Tcp(rest),
            0 | 43 | 60 => {
                let Some(&[after, words]) = rest.first_chunk::<2>() else { return Inner::Unknown };
                let Some(behind) = rest.get(8 * (usize::from(words) + 1)..) else { return Inner::Unknown };
                next = after;
                rest = behind;
            }
            // A fragment of TCP belongs to some flow; one of anything else to none.
            44 => {
                return if matches!(rest.first(), Some(&(TCP | 0 | 43 | 60)) | None) {
                    Inner::Unknown
                } else {
                    Inner::Other
                };
            }
            // Authentication, mobility, HIP, shim6, experiments: something follows, and it may be TCP.
            51 | 135 | 139 | 140 | 253 | 254 => return Inner::Unknown,
            _ => return Inner::Other,
        }
    }
    Inner::Unknown
}

#[inline]
fn segment(link: &Link, network: &Network, tcp: &[u8], checksums: Checksums, rules: Rules) -> Class {
    let Some(fixed) = tcp.first_chunk::<20>() else { return Class::Barrier };
    let header = (fixed[12] >> 4) * 4;
    let Some(payload) = tcp.len().checked_sub(usize::from(header)) else { return Class::Barrier };
    if header < 20 {
        return Class::Barrier;
    }
    let (options, timestamps, options_sum) = options(header, tcp);
    let tcp_offset = link.length.saturating_add(network.header);
    let Some(payload_offset) = tcp_offset.checked_add(header) else { return Class::Barrier };
    let flags = fixed[13];
    let urgent = [fixed[18], fixed[19]];
    let header_sum = Sum::of(fixed).plus(options_sum).fold();
    let segment = Segment {
        flow: Flow {
            addresses: network.addresses,
            ports: network.version << 32 | u64::from(u32::from_ne_bytes([fixed[0], fixed[1], fixed[2], fixed[3]])),
            tags: link.tags,
        },
        common: Common {
            macs: link.macs,
            mac_ip: u64::from(link.mac_tail) << 32 | u64::from(network.common),
            rest: u32::from_ne_bytes([network.hops, fixed[12], options as u8, 0]),
        },
        offsets: Offsets { ip: link.length, tcp: tcp_offset, payload: payload_offset },
        ip_length: network.ip_length,
        // Smaller than the IP length, a 16-bit number.
        payload: payload as u16,
        sequence: u32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]),
        acknowledgment: u32::from_be_bytes([fixed[8], fixed[9], fixed[10], fixed[11]]),
        window: u16::from_be_bytes([fixed[14], fixed[15]]),
        flags,
        timestamps,
        options,
        header_sum,
        alone: None,
    };
    let alone = if checksums == Checksums::Bad {
        Some(End::Checksum)
    } else if flags & (FIN | SYN | RST | URG | ECE | CWR) != 0 || flags & ACK == 0 || urgent != [0, 0] {
        Some(End::Flags)
    } else if segment.payload == 0 {
        Some(End::Empty)
    } else if network.alone.is_some() {
        network.alone
    } else if options == Options::Other {
        Some(End::Options)
    } else if rules == Rules::Seed && flags & PSH != 0 {
        Some(End::Push)
    } else if rules == Rules::Seed && options == Options::Timestamps && timestamps[1] == 0 {
        Some(End::Timestamp)
    } else {
        None
    };
    Class::Segment(Segment { alone, ..segment })
}

/// The option layout, the timestamp's value and echo if it has them, and the sum of all option bytes.
#[inline]
fn options(header: u8, tcp: &[u8]) -> (Options, [u32; 2], Sum) {
    if header == 20 {
        return (Options::None, [0; 2], Sum::default());
    }
    let bytes = tcp.get(20..usize::from(header)).unwrap_or_default();
    if let Some(bytes) = bytes.first_chunk::<12>()
        && header == 32
        && bytes.first_chunk::<4>() == Some(&TIMESTAMPS)
    {
        let value = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        let echo = u32::from_be_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
        return (Options::Timestamps, [value, echo], Sum::of(bytes));
    }
    (Options::Other, [0; 2], Sum::of(bytes))
}

#[inline]
fn first(ethernet: &[u8; 14]) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = *ethernet;
    [a, b, c, d, e, f, g, h]
}
