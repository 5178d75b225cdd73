//! The way back: units cut into frames again, and whether those are the frames that came.

use std::collections::BTreeMap;

use lro::{Info, MAX_UNIT, resegment};

use super::parse::{Flow, Kind, parse};
use super::rig::Rig;

/// The frames that a unit is cut into.
pub fn cut(unit: &[u8], info: &Info) -> Vec<Vec<u8>> {
    let mut segments = resegment(unit, info);
    let mut buffer = vec![0; MAX_UNIT.max(unit.len())];
    let frame = || segments.next_into(&mut buffer).unwrap().map(|length| buffer[..length].to_vec());
    std::iter::from_fn(frame).collect()
}

/// A segment without what follows its datagram; any other frame as it is.
pub fn without_trailer(mut frame: Vec<u8>) -> Vec<u8> {
    if let Kind::Segment(segment) = parse(&frame) {
        frame.truncate(segment.payload.end);
    }
    frame
}

/// All that left a forwarder's engine comes back as it came, flow by flow.
#[track_caller]
pub fn all_come_back(rig: &Rig) {
    // Of nothing, nothing is made.
    let came = rig.arrivals.iter().map(|arrival| arrival.frame.clone()).filter(|frame| !frame.is_empty());
    let back = rig.departures.iter().flat_map(|unit| cut(&unit.frame, &unit.info));
    assert_eq!(by_flow(came), by_flow(back));
}

/// The frames of each flow, the barriers, and all others, in order.
fn by_flow(frames: impl IntoIterator<Item = Vec<u8>>) -> BTreeMap<Option<Flow>, Vec<Vec<u8>>> {
    let mut flows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for frame in frames {
        let flow = match parse(&frame) {
            Kind::Segment(segment) => Some(segment.flow()),
            Kind::Barrier(_) => None,
            Kind::Other => Some(vec![]),
        };
        flows.entry(flow).or_default().push(without_trailer(frame));
    }
    flows
}
