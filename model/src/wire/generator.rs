//! Owns a sender of TCP traffic that costs little per frame: flows of known bytes with valid checksums.

use super::Wire;
use super::headers::{ipv4_header, ipv6_header, tcp_header};
use crate::checksum::{add, fold, sum};

/// Length of the payload's pattern, a prime so that no power of two hides a misplaced byte.
const PERIOD: u64 = 251;
/// What sets the patterns of neighbouring flows apart.
const SKEW: u64 = 7;
/// The longest payload, which leaves room for all headers in the largest MTU.
const MAX_PAYLOAD: u16 = 9_500;
/// Frames per tick of the timestamp clock.
const FRAMES_PER_TICK: u64 = 64;
const FIRST_PORT: u16 = 1024;
pub(super) const PORTS: usize = 0xFFFF - FIRST_PORT as usize;

/// IP versions of the flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// IPv4 only.
    V4,
    /// IPv6 only.
    V6,
    /// IPv4 for even flows, IPv6 for odd ones.
    Both,
}

/// What to generate.
#[derive(Clone, Debug)]
pub struct Flows {
    /// Number of flows, served round robin; at least one.
    pub flows: usize,
    /// Frames of one flow before the next has its turn; at least one.
    pub burst: usize,
    /// IP versions.
    pub versions: Versions,
    /// Bytes of payload per frame, 1 to 9,500.
    pub payload: u16,
    /// Whether segments carry the timestamps option.
    pub timestamps: bool,
    /// Destination of the frames.
    pub destination: [u8; 6],
    /// Frames after which the generator falls silent.
    pub frames: u64,
}

impl Flows {
    /// One endless IPv4 flow of 1,448-byte segments with timestamps to `destination`.
    pub const fn new(destination: [u8; 6]) -> Self {
        Self {
            flows: 1,
            burst: 1,
            versions: Versions::V4,
            payload: 1448,
            timestamps: true,
            destination,
            frames: u64::MAX,
        }
    }
}

/// Generates in-sequence TCP segments. Frame by frame only sequence number, timestamp, IPv4 identification and checksums
/// change in a prepared header, and the payload is a copy out of a prepared pattern.
pub struct Generator {
    flows: Vec<Flow>,
    /// The pattern, repeated often enough that a payload can start anywhere in its first period.
    pattern: Vec<u8>,
    /// Sums of the payloads that start there.
    sums: Vec<u16>,
    payload: u16,
    burst: usize,
    turn: usize,
    in_burst: usize,
    made: u64,
    limit: u64,
    taken: u64,
}

struct Flow {
    header: Vec<u8>,
    /// Where the TCP header starts.
    tcp: usize,
    v6: bool,
    timestamps: bool,
    /// Sums over all that does not change from frame to frame.
    ip_sum: u16,
    tcp_sum: u16,
    first_sequence: u32,
    /// Bytes sent.
    offset: u64,
    /// Where the pattern stood at offset 0.
    skew: u64,
    identification: u16,
}

impl Generator {
    /// A generator of `settings`; values out of range count as the nearest in range.
    pub fn new(settings: &Flows) -> Self {
        let payload = settings.payload.clamp(1, MAX_PAYLOAD);
        let length = PERIOD as usize + usize::from(payload);
        let pattern: Vec<u8> = (0..length as u64).map(|at| (at % PERIOD) as u8).collect();
        let sums = pattern.windows(usize::from(payload)).map(sum).collect();
        Self {
            flows: (0..settings.flows.max(1)).map(|index| Flow::new(index, settings, payload)).collect(),
            pattern,
            sums,
            payload,
            burst: settings.burst.max(1),
            turn: 0,
            in_burst: 0,
            made: 0,
            limit: settings.frames,
            taken: 0,
        }
    }

    /// The byte that flow `flow` carries at `offset` from its first.
    pub const fn byte(flow: usize, offset: u64) -> u8 {
        (offset.wrapping_add(skew(flow)) % PERIOD) as u8
    }

    /// Sequence number of flow `flow`'s first byte. Flow 0 wraps early.
    pub const fn first_sequence(flow: usize) -> u32 {
        0xFFFF_0000_u32.wrapping_add((flow as u32).wrapping_mul(0x0101_0101))
    }

    /// The source port that tells flow `flow` from the others of its address.
    pub const fn source_port(flow: usize) -> u16 {
        FIRST_PORT + (flow % PORTS) as u16
    }

    /// Frames made so far.
    pub const fn made(&self) -> u64 {
        self.made
    }

    /// Frames taken from the card so far.
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// Bytes that flow `flow` has sent; 0 for a flow that does not exist.
    pub fn offset(&self, flow: usize) -> u64 {
        self.flows.get(flow).map_or(0, |flow| flow.offset)
    }

    fn advance(&mut self) {
        self.made += 1;
        self.in_burst += 1;
        if self.in_burst == self.burst {
            self.in_burst = 0;
            self.turn = (self.turn + 1) % self.flows.len().max(1);
        }
    }
}

impl Wire for Generator {
    #[inline]
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        if self.made >= self.limit {
            return false;
        }
        let Some(flow) = self.flows.get_mut(self.turn) else { return false };
        let start = (flow.offset.wrapping_add(flow.skew) % PERIOD) as usize;
        let payload = self.pattern.get(start..start + usize::from(self.payload)).unwrap_or(&[]);
        let sum = self.sums.get(start).copied().unwrap_or(0);
        frame.clear();
        frame.extend_from_slice(&flow.header);
        frame.extend_from_slice(payload);
        flow.patch(frame, sum, (self.made / FRAMES_PER_TICK) as u32);
        flow.offset += u64::from(self.payload);
        self.advance();
        true
    }

    fn send(&mut self, _frame: &[u8]) {
        self.taken += 1;
    }
}

const fn skew(flow: usize) -> u64 {
    flow as u64 * SKEW
}

impl Flow {
    fn new(index: usize, settings: &Flows, payload: u16) -> Self {
        let v6 = match settings.versions {
            Versions::V4 => false,
            Versions::V6 => true,
            Versions::Both => index % 2 == 1,
        };
        let tcp_header = tcp_header(index, settings.timestamps);
        let length = tcp_header.len() as u16 + payload;
        let ip_header = if v6 { ipv6_header(index, length) } else { ipv4_header(index, length) };
        let addresses = ip_header.get(if v6 { 8 } else { 12 }..).map_or(0, sum);
        let mut header = settings.destination.to_vec();
        header.extend_from_slice(&[0x02, 0x00, 0x00, 0x00, 0x00, 0x01]);
        header.extend_from_slice(if v6 { &[0x86, 0xDD] } else { &[0x08, 0x00] });
        header.extend_from_slice(&ip_header);
        let tcp = header.len();
        header.extend_from_slice(&tcp_header);
        Self {
            ip_sum: sum(&ip_header),
            tcp_sum: fold(u64::from(addresses) + u64::from(length) + 6 + u64::from(sum(&tcp_header))),
            header,
            tcp,
            v6,
            timestamps: settings.timestamps,
            first_sequence: Generator::first_sequence(index),
            offset: 0,
            skew: skew(index),
            identification: 0,
        }
    }

    #[inline]
    fn patch(&mut self, frame: &mut [u8], payload_sum: u16, tick: u32) {
        let sequence = self.first_sequence.wrapping_add(self.offset as u32);
        put(frame, self.tcp + 4, sequence.to_be_bytes());
        let mut tcp_sum = u64::from(self.tcp_sum) + halves(sequence) + u64::from(payload_sum);
        if self.timestamps {
            put(frame, self.tcp + 24, tick.to_be_bytes());
            tcp_sum += halves(tick);
        }
        put(frame, self.tcp + 16, (!fold(tcp_sum)).to_be_bytes());
        if !self.v6 {
            put(frame, self.tcp - 16, self.identification.to_be_bytes());
            put(frame, self.tcp - 10, (!add(self.ip_sum, self.identification)).to_be_bytes());
            self.identification = self.identification.wrapping_add(1);
        }
    }
}

fn halves(word: u32) -> u64 {
    u64::from(word >> 16) + u64::from(word & 0xFFFF)
}

#[inline]
fn put<const N: usize>(frame: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(field) = frame.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *field = bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assist::describe;
    use crate::parse::headers;

    fn frames(settings: &Flows) -> Vec<Vec<u8>> {
        let mut generator = Generator::new(settings);
        std::iter::from_fn(|| {
            let mut frame = Vec::new();
            generator.receive(&mut frame).then_some(frame)
        })
        .collect()
    }

    fn settings(versions: Versions, timestamps: bool, payload: u16) -> Flows {
        Flows { flows: 3, versions, timestamps, payload, frames: 600, ..Flows::new([2; 6]) }
    }

    #[test]
    fn every_checksum_is_right() {
        for versions in [Versions::V4, Versions::V6, Versions::Both] {
            for (timestamps, payload) in [(true, 1448), (false, 1), (true, 537), (false, 9_500)] {
                for frame in frames(&settings(versions, timestamps, payload)) {
                    assert!(describe(&frame, &headers(&frame)).checksums_good());
                }
            }
        }
    }

    #[test]
    fn a_flow_is_in_sequence_and_carries_its_pattern() {
        let mut offset = 0;
        for frame in frames(&settings(Versions::Both, true, 700)).iter().skip(1).step_by(3) {
            let ip = headers(frame).ip.unwrap();
            let tcp = &frame[ip.payload];
            let sequence = u32::from_be_bytes(tcp[4..8].try_into().unwrap());
            assert_eq!(sequence, Generator::first_sequence(1).wrapping_add(offset as u32));
            for byte in &tcp[32..] {
                assert_eq!(*byte, Generator::byte(1, offset));
                offset += 1;
            }
        }
        assert_eq!(offset, 200 * 700);
    }

    #[test]
    fn flows_take_turns_by_bursts() {
        let settings = Flows { flows: 2, burst: 3, frames: 7, ..Flows::new([2; 6]) };
        let ports = frames(&settings).into_iter().map(|frame| u16::from_be_bytes([frame[34], frame[35]]));
        let turns: Vec<_> = ports.map(|port| port - Generator::source_port(0)).collect();
        assert_eq!(turns, [0, 0, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn a_frame_of_full_size_fits_the_mtu() {
        let settings = Flows { frames: 1, ..Flows::new([2; 6]) };
        assert_eq!(frames(&settings)[0].len(), 1514);
    }
}
