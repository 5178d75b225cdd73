//! Frames as a sender makes them: every field can be chosen, checksums are true unless damaged on purpose.

use super::sum::{checksum, pseudo_header};

pub const FIN: u8 = 0x01;
pub const SYN: u8 = 0x02;
pub const RST: u8 = 0x04;
pub const PSH: u8 = 0x08;
pub const ACK: u8 = 0x10;
pub const URG: u8 = 0x20;
pub const ECE: u8 = 0x40;
pub const CWR: u8 = 0x80;

/// Bytes of the Ethernet header.
pub const ETHERNET: usize = 14;
/// Bytes in front of the payload: untagged, no options.
pub const HEADERS4: usize = 14 + 20 + 20;
pub const HEADERS6: usize = 14 + 40 + 20;

/// A TCP segment in an Ethernet frame. [`data`] and its kind start one; the methods change it; [`Tcp::frame`] writes it.
#[derive(Clone, Debug)]
pub struct Tcp {
    pub destination: [u8; 6],
    pub source: [u8; 6],
    /// TPID and TCI of each VLAN tag, outermost first.
    pub tags: Vec<(u16, u16)>,
    pub v6: bool,
    /// The last byte of the source and of the destination address.
    pub hosts: [u8; 2],
    pub ports: [u16; 2],
    pub ttl: u8,
    pub tos: u8,
    pub flow_label: u32,
    pub id: u16,
    /// The IPv4 header's flags and fragment offset.
    pub fragment: u16,
    pub ip_options: Vec<u8>,
    /// IPv6 extension headers: kind and bytes, of which the first two are written by [`Tcp::frame`].
    pub extensions: Vec<(u8, Vec<u8>)>,
    pub sequence: u32,
    pub acknowledgment: u32,
    pub window: u16,
    pub flags: u8,
    /// The low half of the byte with the data offset: three reserved bits and AE (once NS).
    pub reserved: u8,
    pub urgent: u16,
    pub options: Vec<u8>,
    pub payload: usize,
    /// Bytes behind the IP datagram.
    pub trailer: Vec<u8>,
    /// Has the payload's first bytes changed so that the TCP checksum is a zero, which is written like this: 0 or 0xFFFF.
    pub zero_sum: Option<u16>,
    /// Added to the TCP checksum.
    pub damage: u16,
    /// Added to the IPv4 header's checksum.
    pub ip_damage: u16,
}

pub const DONT_FRAGMENT: u16 = 0x4000;
pub const MORE_FRAGMENTS: u16 = 0x2000;
pub const RESERVED_BIT: u16 = 0x8000;

/// IPv4, ACK, DF, TTL 64, acknowledgment 1, window 500, untagged, no options: `length` bytes from `sequence` on.
pub fn data(sequence: u32, length: usize) -> Tcp {
    Tcp {
        destination: [2, 0, 0, 0, 0, 2],
        source: [2, 0, 0, 0, 0, 1],
        tags: Vec::new(),
        v6: false,
        hosts: [1, 2],
        ports: [1000, 2000],
        ttl: 64,
        tos: 0,
        flow_label: 0,
        id: 0,
        fragment: DONT_FRAGMENT,
        ip_options: Vec::new(),
        extensions: Vec::new(),
        sequence,
        acknowledgment: 1,
        window: 500,
        flags: ACK,
        reserved: 0,
        urgent: 0,
        options: Vec::new(),
        payload: length,
        trailer: Vec::new(),
        zero_sum: None,
        damage: 0,
        ip_damage: 0,
    }
}

/// The same over IPv6.
pub fn data6(sequence: u32, length: usize) -> Tcp {
    Tcp { v6: true, ..data(sequence, length) }
}

/// A segment without payload that acknowledges `acknowledgment`.
pub fn pure_ack(sequence: u32, acknowledgment: u32) -> Tcp {
    data(sequence, 0).ack(acknowledgment)
}

/// The payload byte with this sequence number: every flow has its own bytes, and no short period.
pub fn payload_byte(port: u16, sequence: u32) -> u8 {
    let mixed = (sequence ^ u32::from(port) << 16).wrapping_mul(0x9E37_79B1);
    (mixed >> 24) as u8
}

/// NOP, NOP, timestamps: the twelve bytes that nearly every segment of today's hosts carries.
pub fn timestamps(value: u32, echo: u32) -> Vec<u8> {
    [[1, 1, 8, 10], value.to_be_bytes(), echo.to_be_bytes()].concat()
}

impl Tcp {
    pub fn ack(self, acknowledgment: u32) -> Self {
        Self { acknowledgment, ..self }
    }

    pub fn window(self, window: u16) -> Self {
        Self { window, ..self }
    }

    /// These flags instead of ACK.
    pub fn flags(self, flags: u8) -> Self {
        Self { flags, ..self }
    }

    pub fn psh(self) -> Self {
        Self { flags: self.flags | PSH, ..self }
    }

    pub fn urgent(self, urgent: u16) -> Self {
        Self { urgent, ..self }
    }

    pub fn reserved(self, reserved: u8) -> Self {
        Self { reserved, ..self }
    }

    pub fn options(self, options: Vec<u8>) -> Self {
        Self { options, ..self }
    }

    pub fn timestamps(self, value: u32, echo: u32) -> Self {
        self.options(timestamps(value, echo))
    }

    pub fn ttl(self, ttl: u8) -> Self {
        Self { ttl, ..self }
    }

    /// TOS or traffic class.
    pub fn tos(self, tos: u8) -> Self {
        Self { tos, ..self }
    }

    pub fn flow_label(self, flow_label: u32) -> Self {
        Self { flow_label, ..self }
    }

    pub fn id(self, id: u16) -> Self {
        Self { id, ..self }
    }

    pub fn fragment(self, fragment: u16) -> Self {
        Self { fragment, ..self }
    }

    pub fn ip_options(self, ip_options: Vec<u8>) -> Self {
        Self { ip_options, ..self }
    }

    pub fn extension(mut self, kind: u8, bytes: &[u8]) -> Self {
        self.extensions.push((kind, bytes.to_vec()));
        self
    }

    pub fn tag(mut self, tpid: u16, tci: u16) -> Self {
        self.tags.push((tpid, tci));
        self
    }

    /// Another flow: both ports moved by `n`.
    pub fn flow(self, n: u16) -> Self {
        Self { ports: [1000 + n, 2000 + n], ..self }
    }

    pub fn hosts(self, hosts: [u8; 2]) -> Self {
        Self { hosts, ..self }
    }

    pub fn source(self, source: [u8; 6]) -> Self {
        Self { source, ..self }
    }

    pub fn destination(self, destination: [u8; 6]) -> Self {
        Self { destination, ..self }
    }

    /// `length` bytes behind the datagram that belong to nothing.
    pub fn trailer(self, length: usize) -> Self {
        Self { trailer: vec![0xEE; length], ..self }
    }

    /// Padded to the 60 bytes of the shortest Ethernet frame.
    pub fn padded(self) -> Self {
        let length = self.frame().len();
        self.trailer(60_usize.saturating_sub(length))
    }

    /// A checksum that is a zero, written as 0 or as 0xFFFF: both are right, the first is what a computation yields.
    pub fn zero_sum(self, written: u16) -> Self {
        assert!(self.payload >= 2);
        Self { zero_sum: Some(written), ..self }
    }

    /// A wrong TCP checksum.
    pub fn damaged(self) -> Self {
        Self { damage: 0x0102, ..self }
    }

    /// A wrong IPv4 header checksum.
    pub fn ip_damaged(self) -> Self {
        Self { ip_damage: 0x0102, ..self }
    }

    pub fn payload_bytes(&self) -> Vec<u8> {
        (0..self.payload as u32).map(|i| payload_byte(self.ports[0], self.sequence.wrapping_add(i))).collect()
    }

    /// Where the IP header starts.
    pub fn ip_offset(&self) -> usize {
        ETHERNET + 4 * self.tags.len()
    }

    /// Where the TCP header starts.
    pub fn tcp_offset(&self) -> usize {
        let extensions: usize = self.extensions.iter().map(|(_, bytes)| bytes.len()).sum();
        self.ip_offset() + if self.v6 { 40 + extensions } else { 20 + self.ip_options.len() }
    }

    /// Where the payload starts.
    pub fn payload_offset(&self) -> usize {
        self.tcp_offset() + 20 + self.options.len()
    }

    /// The frame, without FCS.
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = [self.destination, self.source].concat();
        for (tpid, tci) in &self.tags {
            frame.extend(tpid.to_be_bytes());
            frame.extend(tci.to_be_bytes());
        }
        frame.extend(if self.v6 { [0x86, 0xDD] } else { [0x08, 0x00] });
        let tcp = self.tcp();
        frame.extend(if self.v6 { self.ipv6(tcp.len()) } else { self.ipv4(tcp.len()) });
        frame.extend(tcp);
        frame.extend(&self.trailer);
        frame
    }

    /// Source and destination address, one behind the other.
    fn addresses(&self) -> Vec<u8> {
        let prefix: &[u8] = if self.v6 { &[0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] } else { &[10, 0, 0] };
        self.hosts.iter().flat_map(|host| [prefix, &[*host]].concat()).collect()
    }

    /// The IPv4 header for `tcp_length` bytes behind it.
    pub fn ipv4(&self, tcp_length: usize) -> Vec<u8> {
        let length = 20 + self.ip_options.len();
        let mut header = vec![0x40 | (length / 4) as u8, self.tos];
        header.extend(((length + tcp_length) as u16).to_be_bytes());
        header.extend(self.id.to_be_bytes());
        header.extend(self.fragment.to_be_bytes());
        header.extend([self.ttl, 6, 0, 0]);
        header.extend(self.addresses());
        header.extend(&self.ip_options);
        let sum = checksum(&[&header]).wrapping_add(self.ip_damage);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        header
    }

    fn ipv6(&self, tcp_length: usize) -> Vec<u8> {
        let extensions: usize = self.extensions.iter().map(|(_, bytes)| bytes.len()).sum();
        let mut header = (6 << 28 | u32::from(self.tos) << 20 | self.flow_label).to_be_bytes().to_vec();
        header.extend(((extensions + tcp_length) as u16).to_be_bytes());
        let mut kinds = self.extensions.iter().map(|(kind, _)| *kind).chain([6]);
        header.extend([kinds.next().unwrap(), self.ttl]);
        header.extend(self.addresses());
        for ((_, bytes), next) in self.extensions.iter().zip(kinds) {
            header.extend([next, (bytes.len() / 8 - 1) as u8]);
            header.extend(&bytes[2..]);
        }
        header
    }

    fn tcp(&self) -> Vec<u8> {
        let mut tcp = [self.ports[0].to_be_bytes(), self.ports[1].to_be_bytes()].concat();
        tcp.extend(self.sequence.to_be_bytes());
        tcp.extend(self.acknowledgment.to_be_bytes());
        let data_offset = ((20 + self.options.len()) / 4) as u8;
        tcp.extend([data_offset << 4 | self.reserved, self.flags]);
        tcp.extend(self.window.to_be_bytes());
        tcp.extend([0, 0]);
        tcp.extend(self.urgent.to_be_bytes());
        tcp.extend(&self.options);
        tcp.extend(self.payload_bytes());
        let sum = |tcp: &[u8]| checksum(&[&pseudo_header(&self.addresses(), tcp.len()), tcp]);
        let mut field = sum(&tcp).wrapping_add(self.damage);
        if let Some(written) = self.zero_sum {
            let payload = tcp.len() - self.payload;
            tcp[payload..payload + 2].fill(0);
            let rest = sum(&tcp);
            tcp[payload..payload + 2].copy_from_slice(&rest.to_be_bytes());
            field = written;
        }
        tcp[16..18].copy_from_slice(&field.to_be_bytes());
        tcp
    }

    /// Makes the checksums true again of this segment's frame, in which bytes were changed.
    pub fn seal(&self, mut frame: Vec<u8>) -> Vec<u8> {
        let (ip, tcp, end) = (self.ip_offset(), self.tcp_offset(), frame.len() - self.trailer.len());
        if !self.v6 {
            frame[ip + 10..ip + 12].fill(0);
            let sum = checksum(&[&frame[ip..tcp]]);
            frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
        }
        let addresses = if self.v6 { ip + 8..ip + 40 } else { ip + 12..ip + 20 };
        frame[tcp + 16..tcp + 18].fill(0);
        let sum = checksum(&[&pseudo_header(&frame[addresses], end - tcp), &frame[tcp..end]]);
        frame[tcp + 16..tcp + 18].copy_from_slice(&sum.to_be_bytes());
        frame
    }
}

impl From<Tcp> for Vec<u8> {
    fn from(tcp: Tcp) -> Self {
        tcp.frame()
    }
}
