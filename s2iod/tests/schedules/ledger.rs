//! What must come out: follows each frame through the wire, the card's packet memory and the ring.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use etherparse::PacketBuilder;
use model::{Step, Wire};
use xframe::constants::RINGS;

pub const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x12, 0x34, 0x56];
const PEER: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];
pub const FLOWS: u16 = 3;
/// Bytes before a segment's payload.
const HEADERS: usize = 54;

/// A frame of no protocol that anyone knows.
pub fn plain(number: u32, length: usize) -> Vec<u8> {
    let header = [MAC.as_slice(), &PEER, &[0x88, 0xB5]].concat();
    header.into_iter().chain(number.to_be_bytes().into_iter().cycle()).take(length).collect()
}

/// A segment of a flow.
pub fn segment(flow: u16, sequence: u32, length: usize) -> Vec<u8> {
    let payload: Vec<u8> =
        (sequence..).take(length).map(|place| (place ^ place >> 8).wrapping_mul(167) as u8).collect();
    let builder = PacketBuilder::ethernet2(PEER, MAC).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let mut frame = Vec::new();
    builder.tcp(1_000 + flow, 80, sequence, 500).ack(1).write(&mut frame, &payload).unwrap();
    frame
}

/// The flow of a frame, if it is a segment.
fn flow_of(frame: &[u8]) -> Option<usize> {
    (frame[12..14] == [0x08, 0x00]).then(|| usize::from(u16::from_be_bytes([frame[34], frame[35]])) - 1_000)
}

#[derive(Default)]
pub struct Ledger {
    /// Taken from the wire in this step.
    arrived: Option<Vec<u8>>,
    /// In packet memory, for each ring.
    in_card: [VecDeque<Vec<u8>>; RINGS],
    /// Written to a slot and not read: frames that are no segments, and the segments of each flow.
    frames: VecDeque<Vec<u8>>,
    flows: [VecDeque<Vec<u8>>; FLOWS as usize],
    /// Handed to the card by writers, not seen on the wire.
    written: VecDeque<Vec<u8>>,
    pub writes: u64,
    pub sent: u64,
}

impl Ledger {
    /// The card has done a step.
    pub fn stepped(&mut self, step: Step) {
        match step {
            Step::Received { ring } => {
                let frame = self.arrived.take().or_else(|| self.in_card[ring].pop_front());
                let frame = frame.expect("a frame that was never sent is received");
                match flow_of(&frame) {
                    Some(flow) => self.flows[flow].push_back(frame),
                    None => self.frames.push_back(frame),
                }
            }
            Step::Held { ring } => self.in_card[ring].extend(self.arrived.take()),
            Step::Discarded => self.arrived = None,
            _ => {}
        }
    }

    /// The card has been reset: its packet memory is empty.
    pub fn reset(&mut self) {
        self.in_card.iter_mut().for_each(VecDeque::clear);
    }

    /// A unit has been read: it must be what is due.
    pub fn read(&mut self, unit: &[u8]) {
        let Some(flow) = flow_of(unit) else {
            assert!(self.frames.pop_front().as_deref() == Some(unit), "not the frame that was due");
            return;
        };
        let mut payload = &unit[HEADERS..];
        while !payload.is_empty() {
            let segment = self.flows[flow].pop_front().expect("more than was delivered");
            assert_eq!(unit.len() == segment.len(), unit == segment, "a lone segment is as it came");
            payload = payload.strip_prefix(&segment[HEADERS..]).expect("not the segment that was due");
        }
    }

    /// Nothing that was delivered is still to be read.
    pub fn is_read(&self) -> bool {
        self.frames.is_empty() && self.flows.iter().all(VecDeque::is_empty)
    }

    pub fn wrote(&mut self, frame: Vec<u8>) {
        self.writes += 1;
        self.written.push_back(frame);
    }
}

/// A cable that keeps the ledger.
#[derive(Default)]
pub struct Cable {
    pub to_card: VecDeque<Vec<u8>>,
    pub ledger: Rc<RefCell<Ledger>>,
}

impl Wire for Cable {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let Some(next) = self.to_card.pop_front() else { return false };
        frame.clone_from(&next);
        self.ledger.borrow_mut().arrived = Some(next);
        true
    }

    /// Frames leave in the order in which they were written; those in between were lost in a reset.
    fn send(&mut self, frame: &[u8]) {
        let mut ledger = self.ledger.borrow_mut();
        ledger.sent += 1;
        loop {
            let next =
                ledger.written.pop_front().expect("a frame leaves that was not written, or twice, or out of order");
            if next == frame {
                return;
            }
        }
    }
}
