//! Whether the kernel's units and ours are the same, flow by flow, and which differences are meant.

use std::collections::BTreeMap;
use std::fmt;

use lro::Rules;

use super::common::frame::{ACK, CWR, ECE, FIN};
use super::common::parse::{Flow, Kind, Segment, parse};
use super::common::rig::Rig;
use super::link::Link;

/// A difference that is meant, and in which flows it shows.
struct Difference {
    reason: &'static str,
    shows: fn(&[Segment]) -> bool,
}

const DIFFERENCES: [Difference; 10] = [
    Difference {
        reason: "a wrong checksum: Linux delivers the segment ahead of what it holds of the flow; ours keeps its place",
        shows: |segments| segments.iter().any(|segment| !segment.tcp_sum_is_true()),
    },
    Difference {
        reason: "IP options: Linux delivers the segment ahead of what it holds of the flow; ours keeps its place",
        shows: |segments| segments.iter().any(|segment| !segment.ip_options().is_empty()),
    },
    Difference {
        reason: "another MAC address, flow label or extension header: another flow to Linux, which may overtake; one to ours",
        shows: |segments| segments.windows(2).any(|pair| aside(&pair[0]) != aside(&pair[1])),
    },
    Difference {
        reason: "CWR: Linux up to 6.18 merges no two segments with it; newer ones do, and so does ours",
        shows: |segments| segments.iter().any(|segment| segment.flags() & CWR != 0),
    },
    Difference {
        reason: "bytes behind the datagram: Linux merges no such segment; ours drops them, as every receiver does",
        shows: |segments| segments.iter().any(|segment| segment.payload.end < segment.frame.len()),
    },
    Difference {
        reason: "a checksum written FFFF for 0: Linux merges the segment, which then comes back with 0; ours leaves it alone",
        shows: |segments| segments.iter().any(|segment| [segment.tcp_sum(), segment.ip_sum()].contains(&0xFFFF)),
    },
    Difference {
        reason: "an urgent pointer without URG: Linux keeps the first segment's; ours merges none but 0",
        shows: |segments| segments.iter().any(|segment| segment.urgent() != 0),
    },
    Difference {
        reason: "the reserved bit of IPv4: Linux merges no segment with it; ours merges those that have it alike",
        shows: |segments| segments.iter().any(|segment| !segment.is_v6() && segment.frame[segment.ip + 6] & 0x80 != 0),
    },
    Difference {
        reason: "FIN with data: Linux has it join and end the unit, as PSH does; ours leaves it alone",
        shows: |segments| segments.iter().any(|segment| segment.flags() & FIN != 0),
    },
    Difference {
        reason: "ECE, or no ACK: Linux merges segments that have it alike; ours leaves them alone",
        shows: |segments| segments.iter().any(|segment| segment.flags() & (ECE | ACK) != ACK),
    },
];

/// What Linux tells flows apart by besides addresses and ports: Ethernet header, flow label, extension headers.
fn aside(segment: &Segment) -> Vec<u8> {
    let (ethernet, ip) = segment.frame[..segment.tcp].split_at(segment.ip);
    let behind = if segment.is_v6() { [&[ip[1] & 0x0F], &ip[2..4], &ip[6..7], &ip[40..]].concat() } else { vec![] };
    [ethernet, &behind].concat()
}

/// How often the kernel may be asked: on a busy machine a burst may come in two parts, but hardly each time.
const HEARINGS: usize = 3;

/// A unit: its bytes, checksums made, and the payload of its segments.
type Unit = (Vec<u8>, u16);

/// What was found so far.
#[derive(Default)]
pub struct Verdicts {
    bursts: usize,
    frames: usize,
    flows: usize,
    merged: usize,
    meant: BTreeMap<&'static str, usize>,
}

impl Verdicts {
    /// Has the kernel and the engine coalesce the same frames. The error is the first flow of which they make something else.
    pub fn hear(&mut self, link: &Link, frames: &[Vec<u8>]) -> Result<(), String> {
        let mut heard = Self::of(link, frames);
        for _ in 1..HEARINGS {
            heard = heard.or_else(|_| Self::of(link, frames));
        }
        self.add(heard?);
        Ok(())
    }

    /// On one burst.
    fn of(link: &Link, frames: &[Vec<u8>]) -> Result<Self, String> {
        let theirs = by_flow(link.coalesce(frames)?.into_iter().map(|unit| (unit.whole(), unit.segment_size)));
        let mut rig = Rig::new(Rules::Forward);
        rig.push_all(frames.to_vec()).finish();
        let ours = by_flow(rig.departures.into_iter().map(|unit| (unit.frame, unit.info.segment_size)));
        let mut verdict = Self { bursts: 1, frames: frames.len(), flows: ours.len(), ..Self::default() };
        for (flow, ours) in &ours {
            let theirs = theirs.get(flow).map_or(&[][..], Vec::as_slice);
            if ours == theirs {
                verdict.merged += ours.iter().filter(|(_, segment_size)| *segment_size > 0).count();
                continue;
            }
            let came = segments(frames, flow);
            let Some(meant) = DIFFERENCES.iter().find(|difference| (difference.shows)(&came)) else {
                return Err(format!("Linux makes {}, the engine {}", told(theirs), told(ours)));
            };
            *verdict.meant.entry(meant.reason).or_default() += 1;
        }
        Ok(verdict)
    }

    fn add(&mut self, other: Self) {
        self.bursts += other.bursts;
        self.frames += other.frames;
        self.flows += other.flows;
        self.merged += other.merged;
        for (reason, count) in other.meant {
            *self.meant.entry(reason).or_default() += count;
        }
    }
}

impl fmt::Display for Verdicts {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bursts, frames, flows, merged, meant } = self;
        write!(to, "{bursts} bursts of {frames} frames, {flows} flows, {merged} merged units the same")?;
        meant.iter().try_for_each(|(reason, count)| write!(to, "\n  {count} flows differ as is meant: {reason}"))
    }
}

/// The flow of a frame; none for what is no segment.
fn flow(frame: &[u8]) -> Option<Flow> {
    match parse(frame) {
        Kind::Segment(segment) => Some(segment.flow()),
        Kind::Barrier(_) | Kind::Other => None,
    }
}

fn by_flow(units: impl IntoIterator<Item = Unit>) -> BTreeMap<Option<Flow>, Vec<Unit>> {
    let mut flows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for unit in units {
        flows.entry(flow(&unit.0)).or_default().push(unit);
    }
    // Frames of no flow have no order.
    flows.entry(None).or_default().sort();
    flows
}

/// What came of a flow.
fn segments(frames: &[Vec<u8>], flow: &Option<Flow>) -> Vec<Segment> {
    let segment = |frame: &Vec<u8>| match parse(frame) {
        Kind::Segment(segment) => Some(segment).filter(|segment| Some(segment.flow()) == *flow),
        _ => None,
    };
    frames.iter().filter_map(segment).collect()
}

/// Units in short: sequence number, payload length, segment size.
fn told(units: &[Unit]) -> String {
    let unit = |(frame, segment_size): &Unit| match parse(frame) {
        Kind::Segment(segment) => {
            let (sequence, flags) = (segment.sequence(), segment.flags());
            let (headers, payload) = (&frame[..segment.payload.start], segment.payload().len());
            format!("{sequence}+{payload} in {segment_size}s, flags {flags:02X}: {headers:02X?}")
        }
        _ => format!("{} bytes", frame.len()),
    };
    format!("[{}]", units.iter().map(unit).collect::<Vec<_>>().join("; "))
}

/// Whether this frame can be sent, and means the same to both: Linux lets data pass what may belong to any flow, and VLAN
/// tags never merge on such a link.
pub fn can_be_asked(frame: &[u8]) -> bool {
    let is_tagged = matches!(frame.get(12..14), Some([0x81, 0x00] | [0x88, 0xA8]));
    frame.len() >= 14 && !is_tagged && !matches!(parse(frame), Kind::Barrier(_))
}
