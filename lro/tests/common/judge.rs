//! The contract, as a judge who sees only what went in and what came out.
//!
//! It asks for no merging at all; [`complete`](super::complete) does.

use std::collections::{BTreeMap, VecDeque};

use lro::{Config, Info, Rules};

use super::eligible::{ip_id_step, is_eligible, may_join};
use super::frame::PSH;
use super::parse::{Flow, Kind, Segment, parse};
use super::rig::{Arrival, Departure};
use super::sum::{checksum, pseudo_header};

/// All that is wrong with these departures; empty if the contract was kept.
pub fn judge(config: &Config, arrivals: &[Arrival], departures: &[Departure]) -> Vec<String> {
    let mut court = Court::new(config, arrivals);
    for (n, departure) in departures.iter().enumerate() {
        if let Err(fault) = court.hear(departure) {
            court.faults.push(format!("unit {n}: {fault}"));
        }
    }
    for index in (0..arrivals.len()).filter(|index| !court.left[*index]) {
        court.faults.push(format!("frame {index} never left"));
    }
    court.faults
}

struct Court<'a> {
    config: &'a Config,
    arrivals: &'a [Arrival],
    kinds: Vec<Kind>,
    left: Vec<bool>,
    /// Frames that have not left, by index: of each flow, the barriers, and all others.
    flows: BTreeMap<Flow, VecDeque<usize>>,
    barriers: VecDeque<usize>,
    others: VecDeque<usize>,
    faults: Vec<String>,
}

impl<'a> Court<'a> {
    fn new(config: &'a Config, arrivals: &'a [Arrival]) -> Self {
        let kinds: Vec<Kind> = arrivals.iter().map(|arrival| parse(&arrival.frame)).collect();
        let mut flows: BTreeMap<Flow, VecDeque<usize>> = BTreeMap::new();
        let (mut barriers, mut others) = (VecDeque::new(), VecDeque::new());
        for (index, kind) in kinds.iter().enumerate() {
            match kind {
                Kind::Segment(segment) => flows.entry(segment.flow()).or_default().push_back(index),
                Kind::Barrier(_) => barriers.push_back(index),
                Kind::Other => others.push_back(index),
            }
        }
        let left = vec![false; arrivals.len()];
        Self { config, arrivals, kinds, left, flows, barriers, others, faults: Vec::new() }
    }

    /// Finds the frames that a unit was made of and says what is wrong with it.
    fn hear(&mut self, departure: &Departure) -> Result<(), String> {
        let info = departure.info;
        let count = info.segments as usize;
        if departure.frame.len() != info.length {
            return Err(format!("{} bytes, said to be {}", departure.frame.len(), info.length));
        }
        let kind = parse(&departure.frame);
        let queue = match &kind {
            Kind::Segment(segment) => self.flows.get_mut(&segment.flow()).ok_or("a flow that nobody sent")?,
            Kind::Barrier(_) => &mut self.barriers,
            Kind::Other => &mut self.others,
        };
        if count == 0 || queue.len() < count {
            return Err(format!("{count} segments, {} frames are left", queue.len()));
        }
        let frames: Vec<usize> = queue.drain(..count).collect();
        if let Some(late) = frames.iter().find(|frame| **frame >= departure.after) {
            return Err(format!("frame {late} left before it came"));
        }
        frames.iter().for_each(|frame| self.left[*frame] = true);
        self.no_barrier_is_crossed(&frames)?;
        if count == 1 { self.came_so(frames[0], &kind, departure) } else { self.is_true_unit(&frames, departure) }
    }

    /// A frame may not leave while an earlier one is queued from which the two could be told apart by no receiver.
    fn no_barrier_is_crossed(&self, frames: &[usize]) -> Result<(), String> {
        for late in frames {
            let overtaken = (0..*late).find(|early| !self.left[*early] && self.may_be_one_flow(*early, *late));
            if let Some(early) = overtaken {
                return Err(format!("frame {late} overtook frame {early}, one of them a barrier"));
            }
        }
        Ok(())
    }

    fn may_be_one_flow(&self, one: usize, other: usize) -> bool {
        match (&self.kinds[one], &self.kinds[other]) {
            (Kind::Barrier(Some(addresses)), Kind::Segment(segment))
            | (Kind::Segment(segment), Kind::Barrier(Some(addresses))) => segment.addresses() == &addresses[..],
            (Kind::Barrier(None), Kind::Segment(_)) | (Kind::Segment(_), Kind::Barrier(None)) => true,
            (Kind::Barrier(_), Kind::Barrier(_)) => true,
            _ => false,
        }
    }

    /// A unit of one segment is the frame that came, bit for bit.
    fn came_so(&self, index: usize, kind: &Kind, departure: &Departure) -> Result<(), String> {
        if departure.frame != self.arrivals[index].frame {
            return Err(format!("not frame {index} as it came"));
        }
        let offsets = match kind {
            Kind::Segment(segment) if self.config.rules != Rules::Off => Some(segment),
            _ => None,
        };
        let offset = |of: fn(&Segment) -> usize| offsets.map_or(0, of) as u8;
        let expected = Info {
            length: departure.frame.len(),
            segments: 1,
            segment_size: 0,
            ip_id_step: None,
            ip: offset(|segment| segment.ip),
            tcp: offset(|segment| segment.tcp),
            payload: offset(|segment| segment.payload.start),
        };
        if departure.info == expected {
            Ok(())
        } else {
            Err(format!("frame {index} described as {:?}, is {expected:?}", departure.info))
        }
    }

    /// A merged unit is what a sender would have sent who had no limit on the length of a segment.
    fn is_true_unit(&self, frames: &[usize], departure: &Departure) -> Result<(), String> {
        let segments: Vec<&Segment> = frames.iter().filter_map(|index| self.segment(*index)).collect();
        for (index, segment) in frames.iter().zip(&segments) {
            if !is_eligible(segment, self.config.rules, self.arrivals[*index].checksums) {
                return Err(format!("frame {index} is not eligible"));
            }
        }
        for n in 1..segments.len() {
            if !may_join(self.config.rules, &segments[..n], segments[n]) {
                return Err(format!("frame {} may not join frames {:?}", frames[n], &frames[..n]));
            }
        }
        let expected = merged(&segments);
        if departure.frame != expected {
            return Err(format!("frames {frames:?} make\n{expected:02X?}, not\n{:02X?}", departure.frame));
        }
        let info = Info {
            length: expected.len(),
            segments: frames.len() as u32,
            segment_size: segments.iter().map(|segment| segment.payload.len() as u16).max().unwrap_or(0),
            ip_id_step: ip_id_step(self.config.rules, &segments),
            ip: segments[0].ip as u8,
            tcp: segments[0].tcp as u8,
            payload: segments[0].payload.start as u8,
        };
        if departure.info != info {
            return Err(format!("frames {frames:?} described as {:?}, are {info:?}", departure.info));
        }
        if let Some(segment) = segments.iter().find(|segment| segment.frame.len() > departure.buffer) {
            return Err(format!(
                "a frame of {} bytes merged for a buffer of {}",
                segment.frame.len(),
                departure.buffer
            ));
        }
        self.has_right_size(departure, expected.len() - segments[0].ip)
    }

    fn has_right_size(&self, departure: &Departure, ip_length: usize) -> Result<(), String> {
        if ip_length > 65_535 {
            return Err(format!("{ip_length} bytes of IP"));
        }
        if departure.frame.len() > departure.buffer {
            return Err(format!("{} bytes for a buffer of {}", departure.frame.len(), departure.buffer));
        }
        if departure.info.segments > self.config.max_segments {
            return Err(format!("{} segments, {} are allowed", departure.info.segments, self.config.max_segments));
        }
        Ok(())
    }

    fn segment(&self, index: usize) -> Option<&Segment> {
        match &self.kinds[index] {
            Kind::Segment(segment) => Some(segment),
            _ => None,
        }
    }
}

/// These segments as one, every checksum made anew from all bytes.
pub fn merged(segments: &[&Segment]) -> Vec<u8> {
    let (first, last) = (segments[0], segments[segments.len() - 1]);
    let mut frame = first.frame[..first.payload.start].to_vec();
    for segment in segments {
        frame.extend_from_slice(segment.payload());
    }
    let (ip, tcp) = (first.ip, first.tcp);
    let length = frame.len() - ip;
    if first.is_v6() {
        frame[ip + 4..ip + 6].copy_from_slice(&((length - 40) as u16).to_be_bytes());
    } else {
        frame[ip + 2..ip + 4].copy_from_slice(&(length as u16).to_be_bytes());
        frame[ip + 10..ip + 12].fill(0);
        let sum = checksum(&[&frame[ip..tcp]]);
        frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
    }
    frame[tcp + 8..tcp + 12].copy_from_slice(&last.acknowledgment().to_be_bytes());
    frame[tcp + 13] |= last.flags() & PSH;
    frame[tcp + 14..tcp + 16].copy_from_slice(&last.window().to_be_bytes());
    frame[tcp + 20..first.payload.start].copy_from_slice(last.options());
    frame[tcp + 16..tcp + 18].fill(0);
    let sum = checksum(&[&pseudo_header(first.addresses(), length - (tcp - ip)), &frame[tcp..]]);
    frame[tcp + 16..tcp + 18].copy_from_slice(&sum.to_be_bytes());
    frame
}
