//! What ought to merge: the rules played through flow by flow, for judging whether the engine merged all it could.

use std::collections::{BTreeMap, VecDeque};

use lro::Config;

use super::eligible::{is_eligible, is_whole, may_join};
use super::parse::{Flow, Kind, Segment, has_nonsense_length, parse};
use super::rig::{Arrival, Departure, Rig};

/// A unit that is queued.
#[derive(Default)]
struct Unit {
    segments: VecDeque<Segment>,
    open: bool,
}

impl Unit {
    fn ip_length(&self) -> usize {
        let headers = self.segments[0].payload.start - self.segments[0].ip;
        headers + self.segments.iter().map(|segment| segment.payload.len()).sum::<usize>()
    }

    /// How many segments fit a buffer. One leaves in any case, and alone if it came longer than the buffer.
    fn fitting(&self, buffer: usize) -> usize {
        let mut length = self.segments[0].payload.start;
        let fit = self.segments.iter().take_while(|segment| {
            length += segment.payload.len();
            length <= buffer && segment.frame.len() <= buffer
        });
        fit.count().max(1)
    }
}

#[derive(Default)]
struct Model {
    flows: BTreeMap<Flow, VecDeque<Unit>>,
}

impl Model {
    fn push(&mut self, config: &Config, arrival: &Arrival) {
        let segment = match parse(&arrival.frame) {
            Kind::Other if !has_nonsense_length(&arrival.frame) => return,
            // A wide barrier is allowed, so nothing may be asked for that a narrow one would let through.
            Kind::Barrier(_) | Kind::Other => {
                return self.flows.values_mut().flatten().for_each(|unit| unit.open = false);
            }
            Kind::Segment(segment) => segment,
        };
        let eligible = is_eligible(&segment, config.rules, arrival.checksums);
        let units = self.flows.entry(segment.flow()).or_default();
        if let Some(unit) = units.back_mut().filter(|unit| unit.open) {
            let fits = unit.ip_length() + segment.payload.len() <= 65_535;
            if eligible && fits && may_join(config.rules, &Vec::from_iter(&unit.segments), &segment) {
                unit.segments.push_back(segment);
                let has_room = unit.segments.len() < config.max_segments as usize;
                unit.open = has_room && !is_whole(config.rules, &Vec::from_iter(&unit.segments));
                return;
            }
            unit.open = false;
        }
        let open = eligible && config.max_segments > 1;
        units.push_back(Unit { segments: [segment].into(), open });
    }

    /// How many segments the next unit of this flow ought to have.
    fn take(&mut self, flow: &Flow, buffer: usize) -> usize {
        let Some(units) = self.flows.get_mut(flow) else { return 0 };
        let Some(unit) = units.front_mut() else { return 0 };
        let count = unit.fitting(buffer);
        unit.segments.drain(..count);
        if unit.segments.is_empty() {
            units.pop_front();
        }
        count
    }
}

/// Every unit that is not as long as it could have been. The engine must have had a session for every flow.
fn shortfalls(config: &Config, arrivals: &[Arrival], departures: &[Departure]) -> Vec<String> {
    let mut model = Model::default();
    let mut arrived = 0;
    let mut faults = Vec::new();
    for (n, departure) in departures.iter().enumerate() {
        for arrival in &arrivals[arrived..departure.after] {
            model.push(config, arrival);
        }
        arrived = departure.after;
        let Kind::Segment(segment) = parse(&departure.frame) else { continue };
        let expected = model.take(&segment.flow(), departure.buffer);
        let segments = departure.info.segments as usize;
        if segments != expected {
            faults.push(format!("unit {n} has {segments} segments, {expected} could have joined"));
        }
    }
    faults
}

/// The engine merged all that it could.
#[track_caller]
pub fn is_complete(rig: &Rig) {
    let config = Config { max_segments: rig.config.max_segments.max(1), ..rig.config };
    let shortfalls = shortfalls(&config, &rig.arrivals, &rig.departures);
    assert!(shortfalls.is_empty(), "{shortfalls:#?}");
}
