//! Frames to put into captures, and what a receiver finds in those that come out.

use std::collections::HashMap;

use etherparse::checksum::Sum16BitWords;
use etherparse::{LinkSlice, NetSlice, PacketBuilder, SlicedPacket, TcpSlice, TransportSlice};
use model::capture::Packet;

const SERVER: u16 = 5_001;

/// The byte that every test flow carries at a place of its sequence.
fn byte(sequence: u32) -> u8 {
    (sequence ^ sequence >> 8).wrapping_mul(167) as u8
}

/// A TCP segment of IPv4 flow `flow` with ACK set; its payload starts at `sequence`.
pub fn segment(flow: u16, sequence: u32, length: usize) -> Vec<u8> {
    let payload: Vec<u8> = (0..length as u32).map(|at| byte(sequence.wrapping_add(at))).collect();
    let builder = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .tcp(1_000 + flow, SERVER, sequence, 500)
        .ack(1);
    let mut frame = Vec::new();
    builder.write(&mut frame, &payload).unwrap();
    frame
}

/// Segments of `length` bytes, each the next of its flow.
pub fn run_of(flow: u16, count: usize, length: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| segment(flow, 1 + (number * length) as u32, length)).collect()
}

/// Flips a bit of a frame's last byte: its checksum is wrong then.
pub fn damaged(mut frame: Vec<u8>) -> Vec<u8> {
    *frame.last_mut().unwrap() ^= 1;
    frame
}

/// A frame of 14 bytes or more that is no IP; its payload tells `number`, again and again.
pub fn other(number: u32, length: usize) -> Vec<u8> {
    let header = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xB5];
    header.into_iter().chain(number.to_be_bytes().into_iter().cycle()).take(length).collect()
}

/// A pause frame: it ends in the MAC.
pub fn pause() -> Vec<u8> {
    let mut frame = vec![0; 60];
    frame[..6].copy_from_slice(&[0x01, 0x80, 0xC2, 0, 0, 1]);
    frame[12..18].copy_from_slice(&[0x88, 0x08, 0, 1, 0, 0xFF]);
    frame
}

/// What a frame of TCP says.
pub struct Tcp<'a> {
    pub net: NetSlice<'a>,
    pub tcp: TcpSlice<'a>,
}

/// Addresses and ports.
pub type Flow = (Vec<u8>, u16, u16);

impl<'a> Tcp<'a> {
    /// Parses a frame whose lengths must be true; `None` if it is no TCP.
    pub fn parse(frame: &'a [u8]) -> Option<Self> {
        let packet = SlicedPacket::from_ethernet(frame).unwrap();
        assert!(matches!(packet.link, Some(LinkSlice::Ethernet2(_))));
        match (packet.net, packet.transport) {
            (Some(net), Some(TransportSlice::Tcp(tcp))) => Some(Self { net, tcp }),
            _ => None,
        }
    }

    pub fn flow(&self) -> Flow {
        let addresses = match &self.net {
            NetSlice::Ipv4(ip) => [ip.header().source(), ip.header().destination()].concat(),
            NetSlice::Ipv6(ip) => [ip.header().source(), ip.header().destination()].concat(),
            NetSlice::Arp(_) => panic!("ARP carries no TCP"),
        };
        (addresses, self.tcp.source_port(), self.tcp.destination_port())
    }

    pub fn end(&self) -> u32 {
        self.tcp.sequence_number().wrapping_add(self.tcp.payload().len() as u32)
    }

    /// Both checksums, as a receiver that checks everything sees them.
    pub fn checksums_are_good(&self) -> bool {
        let length = u32::try_from(self.tcp.slice().len()).unwrap();
        let mut sum = Sum16BitWords::new().add_4bytes(length.to_be_bytes()).add_2bytes([0, 6]);
        let (header_is_good, sum) = match &self.net {
            NetSlice::Ipv4(ip) => {
                let header = ip.header().to_header();
                let good = header.header_checksum == header.calc_header_checksum();
                (good, sum.add_4bytes(ip.header().source()).add_4bytes(ip.header().destination()))
            }
            NetSlice::Ipv6(ip) => (true, sum.add_16bytes(ip.header().source()).add_16bytes(ip.header().destination())),
            NetSlice::Arp(_) => panic!("ARP carries no TCP"),
        };
        header_is_good && sum.add_slice(self.tcp.slice()).ones_complement() == 0
    }
}

/// Every byte of every flow in the order it came, with its place in the sequence.
pub fn streams(packets: &[Packet]) -> HashMap<Flow, Vec<(u32, u8)>> {
    let mut streams: HashMap<_, Vec<_>> = HashMap::new();
    for tcp in packets.iter().filter_map(|packet| Tcp::parse(&packet.data)) {
        let first = tcp.tcp.sequence_number();
        let places = (0..).map(|offset| first.wrapping_add(offset));
        streams.entry(tcp.flow()).or_default().extend(places.zip(tcp.tcp.payload().iter().copied()));
    }
    streams
}

/// How many segments could join the one before them if nothing were ever drained and units could have any length: the next
/// in sequence of a frame of the same flow and options without PSH, acknowledgment and timestamp not going back.
pub fn joinable(packets: &[Packet]) -> u64 {
    let mut last: HashMap<Flow, &Packet> = HashMap::new();
    let mut count = 0;
    for packet in packets {
        let Some(tcp) = Tcp::parse(&packet.data) else { continue };
        let before = last.insert(tcp.flow(), packet);
        count += u64::from(before.is_some_and(|before| follows(&Tcp::parse(&before.data).unwrap(), &tcp)));
    }
    count
}

fn follows(before: &Tcp<'_>, tcp: &Tcp<'_>) -> bool {
    let plain = |tcp: &Tcp<'_>| {
        let header = tcp.tcp.to_header();
        let others = header.syn || header.fin || header.rst || header.urg || header.ece || header.cwr || header.ns;
        header.ack && !others && !tcp.tcp.payload().is_empty() && tcp.checksums_are_good()
    };
    let timestamp = |tcp: &Tcp<'_>| match tcp.tcp.options() {
        [1, 1, 8, 10, value @ ..] => u32::from_be_bytes(*value.first_chunk().unwrap()),
        options => panic!("no timestamp first: {options:?}"),
    };
    let not_back = |before: u32, now: u32| now.wrapping_sub(before) < 1 << 31;
    plain(before)
        && plain(tcp)
        && !before.tcp.psh()
        && before.end() == tcp.tcp.sequence_number()
        && not_back(before.tcp.acknowledgment_number(), tcp.tcp.acknowledgment_number())
        && not_back(timestamp(before), timestamp(tcp))
}
