//! Frames read again, by code that shares nothing with the engine.

use std::ops::Range;

use super::frame::PSH;
use super::sum::{pseudo_header, sum};

/// What the contract distinguishes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// No TCP: may overtake and be overtaken.
    Other,
    /// TCP whose flow cannot be told. Holds the addresses if they can be believed.
    Barrier(Option<Vec<u8>>),
    Segment(Segment),
}

/// Tags, addresses and ports: frames with the same key are one flow.
pub type Flow = Vec<u8>;

/// A TCP segment and where its parts are.
#[derive(Clone, Debug)]
pub struct Segment {
    pub frame: Vec<u8>,
    pub ip: usize,
    pub tcp: usize,
    pub payload: Range<usize>,
}

const TCP: u8 = 6;
/// A reader of headers must stop somewhere; RFC 8200 recommends six at most.
const MAX_EXTENSIONS: usize = 8;
/// The longest header that the engine's description of a unit can express.
const MAX_HEADERS: usize = 255;
/// The longest IP datagram that has a unit.
const MAX_IP_LENGTH: usize = 65_535;

fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from(be16(bytes, at)) << 16 | u32::from(be16(bytes, at + 2))
}

/// Whether an IPv6 header's length cannot be: what is behind it may then be anything.
pub fn has_nonsense_length(frame: &[u8]) -> bool {
    let ip = ip_offset(frame);
    frame.get(ip..).is_some_and(|bytes| {
        let length = bytes.get(4..6).map_or(0, |length| 40 + usize::from(be16(length, 0)));
        be16(frame, ip - 2) == 0x86DD && (length > bytes.len() || length > MAX_IP_LENGTH)
    })
}

/// Where the IP header starts behind up to two tags, if there is one.
fn ip_offset(frame: &[u8]) -> usize {
    let mut ip = 14;
    while ip <= 18 && frame.len() >= ip && matches!(be16(frame, ip - 2), 0x8100 | 0x88A8) {
        ip += 4;
    }
    ip
}

/// Reads a frame as the contract's second and fifth points divide them.
pub fn parse(frame: &[u8]) -> Kind {
    let ip = ip_offset(frame);
    if frame.len() < ip {
        return Kind::Other;
    }
    match be16(frame, ip - 2) {
        0x0800 => ipv4(frame, ip),
        0x86DD => ipv6(frame, ip),
        _ => Kind::Other,
    }
}

fn ipv4(frame: &[u8], ip: usize) -> Kind {
    let bytes = &frame[ip..];
    if bytes.len() < 20 || bytes[0] >> 4 != 4 || bytes[0] & 15 < 5 {
        return Kind::Barrier(None);
    }
    if bytes[9] != TCP {
        return Kind::Other;
    }
    let header = usize::from(bytes[0] & 15) * 4;
    let length = usize::from(be16(bytes, 2));
    if header > bytes.len() || sum(&[&bytes[..header]]) != 0xFFFF {
        return Kind::Barrier(None);
    }
    if length < header || length > bytes.len() || be16(bytes, 6) & 0x3FFF != 0 {
        return Kind::Barrier(Some(bytes[12..20].to_vec()));
    }
    tcp(frame, ip, ip + header, ip + length)
}

fn ipv6(frame: &[u8], ip: usize) -> Kind {
    let bytes = &frame[ip..];
    if bytes.len() < 40 || bytes[0] >> 4 != 6 {
        return Kind::Barrier(None);
    }
    let addresses = Some(bytes[8..40].to_vec());
    let length = 40 + usize::from(be16(bytes, 4));
    let (mut next, mut at) = (bytes[6], 40);
    for _ in 0..MAX_EXTENSIONS {
        match next {
            TCP if length <= bytes.len() => return tcp(frame, ip, ip + at, ip + length),
            TCP => return Kind::Barrier(addresses),
            0 | 43 | 60 if at + 8 <= length.min(bytes.len()) => {
                (next, at) = (bytes[at], at + 8 * (usize::from(bytes[at + 1]) + 1));
                if at > length.min(bytes.len()) {
                    return Kind::Barrier(addresses);
                }
            }
            44 if bytes.get(at).is_some_and(|inner| ![TCP, 0, 43, 60].contains(inner)) => return Kind::Other,
            0 | 43 | 60 | 44 | 51 | 135 | 139 | 140 | 253 | 254 => return Kind::Barrier(addresses),
            _ => return Kind::Other,
        }
    }
    Kind::Barrier(addresses)
}

fn tcp(frame: &[u8], ip: usize, tcp: usize, end: usize) -> Kind {
    let segment = Segment { frame: frame.to_vec(), ip, tcp, payload: end..end };
    if tcp + 20 > end {
        return Kind::Barrier(Some(segment.addresses().to_vec()));
    }
    let payload = tcp + usize::from(frame[tcp + 12] >> 4) * 4;
    if payload < tcp + 20 || payload > end || payload > MAX_HEADERS || end - ip > MAX_IP_LENGTH {
        return Kind::Barrier(Some(segment.addresses().to_vec()));
    }
    Kind::Segment(Segment { payload: payload..end, ..segment })
}

impl Segment {
    pub fn is_v6(&self) -> bool {
        self.frame[self.ip] >> 4 == 6
    }

    pub fn addresses(&self) -> &[u8] {
        if self.is_v6() { &self.frame[self.ip + 8..self.ip + 40] } else { &self.frame[self.ip + 12..self.ip + 20] }
    }

    pub fn flow(&self) -> Flow {
        [&self.frame[12..self.ip], self.addresses(), &self.frame[self.tcp..self.tcp + 4]].concat()
    }

    pub fn sequence(&self) -> u32 {
        be32(&self.frame, self.tcp + 4)
    }

    /// The sequence number behind the payload.
    pub fn next_sequence(&self) -> u32 {
        self.sequence().wrapping_add(self.payload.len() as u32)
    }

    pub fn acknowledgment(&self) -> u32 {
        be32(&self.frame, self.tcp + 8)
    }

    pub fn flags(&self) -> u8 {
        self.frame[self.tcp + 13]
    }

    pub fn window(&self) -> u16 {
        be16(&self.frame, self.tcp + 14)
    }

    pub fn urgent(&self) -> u16 {
        be16(&self.frame, self.tcp + 18)
    }

    /// The checksum fields, as they came.
    pub fn tcp_sum(&self) -> u16 {
        be16(&self.frame, self.tcp + 16)
    }

    pub fn ip_sum(&self) -> u16 {
        if self.is_v6() { 0 } else { be16(&self.frame, self.ip + 10) }
    }

    /// IPv4's identification.
    pub fn identification(&self) -> Option<u16> {
        (!self.is_v6()).then(|| be16(&self.frame, self.ip + 4))
    }

    /// Whether IPv4's ECN field says that congestion was met.
    pub fn is_congested(&self) -> bool {
        !self.is_v6() && self.frame[self.ip + 1] & 3 == 3
    }

    pub fn ip_options(&self) -> &[u8] {
        if self.is_v6() { &[] } else { &self.frame[self.ip + 20..self.tcp] }
    }

    /// The kinds of the IPv6 extension headers, in order.
    pub fn extensions(&self) -> Vec<u8> {
        let mut kinds = Vec::new();
        let (mut kind, mut at) = (self.frame[self.ip + 6], self.ip + 40);
        while self.is_v6() && at < self.tcp {
            kinds.push(kind);
            (kind, at) = (self.frame[at], at + 8 * (usize::from(self.frame[at + 1]) + 1));
        }
        kinds
    }

    pub fn options(&self) -> &[u8] {
        &self.frame[self.tcp + 20..self.payload.start]
    }

    /// Value and echo, if the options are NOP, NOP, timestamps.
    pub fn timestamps(&self) -> Option<[u32; 2]> {
        let options = self.options();
        (options.len() == 12 && options[..4] == [1, 1, 8, 10]).then(|| [be32(options, 4), be32(options, 8)])
    }

    pub fn payload(&self) -> &[u8] {
        &self.frame[self.payload.clone()]
    }

    /// Bytes counted from the first byte of the IP header.
    pub fn ip_length(&self) -> usize {
        self.payload.end - self.ip
    }

    pub fn ip_sum_is_true(&self) -> bool {
        self.is_v6() || sum(&[&self.frame[self.ip..self.tcp]]) == 0xFFFF
    }

    pub fn tcp_sum_is_true(&self) -> bool {
        let tcp = &self.frame[self.tcp..self.payload.end];
        sum(&[&pseudo_header(self.addresses(), tcp.len()), tcp]) == 0xFFFF
    }

    /// The headers with all blanked in which segments of a unit may differ that can be cut into them again.
    pub fn exact_headers(&self) -> Vec<u8> {
        let mut headers = self.frame[..self.payload.start].to_vec();
        let (ip, tcp) = (self.ip, self.tcp);
        if self.is_v6() {
            headers[ip + 4..ip + 6].fill(0);
        } else {
            // Total length, identification, checksum.
            headers[ip + 2..ip + 6].fill(0);
            headers[ip + 10..ip + 12].fill(0);
        }
        // Sequence, PSH, checksum.
        headers[tcp + 4..tcp + 8].fill(0);
        headers[tcp + 13] &= !PSH;
        headers[tcp + 16..tcp + 18].fill(0);
        headers
    }

    /// The same for units of which the last segment's acknowledgment, window and timestamps are enough.
    pub fn shared_headers(&self) -> Vec<u8> {
        let mut headers = self.exact_headers();
        let tcp = self.tcp;
        headers[tcp + 8..tcp + 12].fill(0);
        headers[tcp + 14..tcp + 16].fill(0);
        if self.timestamps().is_some() {
            headers[tcp + 24..tcp + 32].fill(0);
        }
        headers
    }
}

/// Reads a frame that is known to be a TCP segment.
pub fn segment(frame: &[u8]) -> Segment {
    match parse(frame) {
        Kind::Segment(segment) => segment,
        kind => panic!("no TCP segment but {kind:?}: {frame:02X?}"),
    }
}

/// The payload length of each unit, in the order in which they left.
pub fn payloads(units: &[Vec<u8>]) -> Vec<usize> {
    units.iter().map(|unit| segment(unit).payload.len()).collect()
}
