//! Owns what the counters count of each frame, in both directions. Octet counts include the FCS that the wire would carry.

use xframe::statistics::{self as s, Field};

use crate::chip::Chip;
use crate::parse::{self, Headers, ICMP, ICMPV6, TCP, UDP};

/// Frame check sequence.
pub(crate) const FCS: usize = 4;
/// Preamble and start delimiter.
const FRAMING: usize = 8;
/// Least gap between frames.
const GAP: usize = 12;
/// What a frame takes of the wire beside its own bytes.
pub(crate) const WIRE_OVERHEAD: usize = FCS + FRAMING + GAP;
const ETHERNET_HEADER: usize = 14;
const RST: u8 = 0x04;

/// Whom a frame is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cast {
    One,
    Many,
    All,
}

pub(crate) fn cast(frame: &[u8]) -> Cast {
    match frame {
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, ..] => Cast::All,
        [group, ..] if group & 1 != 0 => Cast::Many,
        _ => Cast::One,
    }
}

/// The bucket of a frame of `octets`, FCS included.
fn size_bucket(octets: usize) -> Option<Field> {
    match octets {
        0..64 => None,
        64 => Some(s::RMAC_TTL_64_FRMS),
        65..128 => Some(s::RMAC_TTL_65_127_FRMS),
        128..256 => Some(s::RMAC_TTL_128_255_FRMS),
        256..512 => Some(s::RMAC_TTL_256_511_FRMS),
        512..1024 => Some(s::RMAC_TTL_512_1023_FRMS),
        1024..1519 => Some(s::RMAC_TTL_1024_1518_FRMS),
        1519..4096 => Some(s::RMAC_TTL_1519_4095_FRMS),
        4096..8192 => Some(s::RMAC_TTL_4096_8191_FRMS),
        _ => Some(s::RMAC_TTL_8192_MAX_FRMS),
    }
}

impl Chip {
    /// Counts a frame as it goes onto the wire, and lets the time pass that it takes.
    pub fn count_sent(&mut self, frame: &[u8]) {
        self.clock.sent(frame.len(), self.store.word());
        let octets = frame.len() + FCS;
        let counters = &mut self.counters;
        counters.count(s::TMAC_FRMS);
        counters.add(s::TMAC_DATA_OCTETS, frame.len().saturating_sub(ETHERNET_HEADER) as u64);
        counters.add(s::TMAC_TTL_OCTETS, (octets + FRAMING) as u64);
        counters.add(s::TMAC_TTL_LESS_FB_OCTETS, octets as u64);
        match cast(frame) {
            Cast::One => counters.count(s::TMAC_UCST_FRMS),
            Cast::Many => counters.count(s::TMAC_MCST_FRMS),
            Cast::All => counters.count(s::TMAC_BCST_FRMS),
        }
        if cast(frame) != Cast::One {
            counters.count(s::TMAC_NUCST_FRMS);
        }
        if parse::be16(frame, 12) == Some(parse::TAG) {
            counters.count(s::TMAC_VLAN_FRMS);
        }
    }

    /// Counts what a frame to send carries.
    pub fn count_sent_protocols(&mut self, frame: &[u8], headers: &Headers) {
        let Some(ip) = &headers.ip else { return };
        let counters = &mut self.counters;
        counters.count(s::TMAC_VLD_IP);
        counters.add(s::TMAC_VLD_IP_OCTETS, (ip.payload.end - ip.header.start) as u64);
        match ip.protocol {
            TCP => {
                counters.count(s::TMAC_TCP);
                if ip.carries(TCP) && frame.get(ip.payload.start + 13).is_some_and(|flags| flags & RST != 0) {
                    counters.count(s::TMAC_RST_TCP);
                }
            }
            UDP => counters.count(s::TMAC_UDP),
            ICMP | ICMPV6 => counters.count(s::TMAC_ICMP),
            _ => {}
        }
    }

    /// Counts any frame that comes in, before anything is known of it, and lets the time pass that it takes.
    pub fn count_arrival(&mut self, frame: &[u8]) {
        self.clock.received(frame.len(), self.store.word());
        let octets = frame.len() + FCS;
        let counters = &mut self.counters;
        counters.count(s::RMAC_TTL_FRMS);
        counters.add(s::RMAC_TTL_OCTETS, (octets + FRAMING) as u64);
        counters.add(s::RMAC_TTL_LESS_FB_OCTETS, octets as u64);
        if let Some(bucket) = size_bucket(octets) {
            counters.count(bucket);
        }
    }

    /// Counts a frame without fault, ours or not.
    pub fn count_valid(&mut self, frame: &[u8]) {
        let counters = &mut self.counters;
        counters.count(s::RMAC_VLD_FRMS);
        counters.add(s::RMAC_DATA_OCTETS, frame.len().saturating_sub(ETHERNET_HEADER) as u64);
        match cast(frame) {
            Cast::One => {}
            Cast::Many => counters.count(s::RMAC_VLD_MCST_FRMS),
            Cast::All => counters.count(s::RMAC_VLD_BCST_FRMS),
        }
        if frame.len() + FCS > 1518 {
            counters.count(s::RMAC_OSIZED_FRMS);
        }
    }

    /// Counts a frame that passed all filters and goes to `ring`.
    pub fn count_accepted(&mut self, cast: Cast, headers: &Headers, ring: usize) {
        let counters = &mut self.counters;
        match cast {
            Cast::One => counters.count(s::RMAC_ACCEPTED_UCST_FRMS),
            _ => counters.count(s::RMAC_ACCEPTED_NUCST_FRMS),
        }
        if let Some(queue) = QUEUES.get(ring) {
            counters.count(*queue);
        }
        if headers.tag.is_some() {
            counters.count(s::RMAC_VLAN_FRMS);
        }
        let Some(ip) = &headers.ip else { return };
        counters.count(s::RMAC_IP);
        counters.count(s::RMAC_ACCEPTED_IP);
        counters.add(s::RMAC_IP_OCTETS, (ip.payload.end - ip.header.start) as u64);
        match ip.protocol {
            TCP => counters.count(s::RMAC_TCP),
            UDP => counters.count(s::RMAC_UDP),
            ICMP | ICMPV6 => counters.count(s::RMAC_ICMP),
            _ => {}
        }
    }

    /// Counts a frame of `ring` that packet memory had no room for.
    pub fn count_overflow(&mut self, ring: usize) {
        self.counters.count(s::RMAC_DROP_FRMS);
        self.counters.count(s::RMAC_DROP_EVENTS);
        self.counters.count(s::RMAC_INGM_FULL_DISCARD);
        if let Some(queue) = FULL.get(ring) {
            self.counters.count(*queue);
        }
    }
}

const QUEUES: [Field; 8] = [
    s::RMAC_FRMS_Q0,
    s::RMAC_FRMS_Q1,
    s::RMAC_FRMS_Q2,
    s::RMAC_FRMS_Q3,
    s::RMAC_FRMS_Q4,
    s::RMAC_FRMS_Q5,
    s::RMAC_FRMS_Q6,
    s::RMAC_FRMS_Q7,
];

const FULL: [Field; 8] = [
    s::RMAC_FULL_Q0,
    s::RMAC_FULL_Q1,
    s::RMAC_FULL_Q2,
    s::RMAC_FULL_Q3,
    s::RMAC_FULL_Q4,
    s::RMAC_FULL_Q5,
    s::RMAC_FULL_Q6,
    s::RMAC_FULL_Q7,
];
