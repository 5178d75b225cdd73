//! Bytes as a fuzzer makes them, read as what an engine may go through.

use lro::{Checksums, Config, Rules};

use super::complete::is_complete;
use super::frame::{ACK, CWR, ECE, FIN, RST, SYN, URG};
use super::parse::{Kind, parse};
use super::rig::Rig;
use super::sum::{checksum, pseudo_header};
use super::traffic::{FLOWS, OTHERS, Step, Twist, honest, play};
use super::way_back::all_come_back;

/// Frames or steps in one run.
const LONGEST_RUN: usize = 64;

/// The bytes that are left, and zeros behind them.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *byte
    }

    fn word(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    /// A number below this one.
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    fn pick<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let (bytes, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        bytes.to_vec()
    }

    /// No more steps than a run may have, and none without input.
    fn goes_on(&self, step: usize) -> bool {
        step < LONGEST_RUN && !self.0.is_empty()
    }

    fn config(&mut self) -> Config {
        let rules = self.pick([Rules::Endpoint, Rules::Forward, Rules::Seed, Rules::Off]);
        let frames = self.pick([LONGEST_RUN as u32, 8, 3, 1]);
        let max_segments = self.pick([u32::MAX, 0, 1, 2, 5]);
        Config { max_segments, seed: self.byte().into(), ..Config::new(rules, frames) }
    }

    fn checksums(&mut self) -> Checksums {
        self.pick([Checksums::Unknown, Checksums::Verified, Checksums::Bad])
    }
}

/// Any frames, read at any time: the contract holds as long as the card says what is so, and no slot is lost if it does not.
pub fn push(bytes: &[u8]) {
    let mut input = Input(bytes);
    let mut rig = Rig::with(input.config());
    let lies = input.byte() == 1;
    for step in 0.. {
        if !input.goes_on(step) {
            break;
        }
        match input.below(8) {
            0 => drop(rig.read(input.word().into())),
            1 => drop(rig.pop(input.word().into())),
            kind => {
                let length = input.byte().into();
                let frame = input.bytes(length);
                let frame = if kind < 6 { sealed(frame) } else { frame };
                let said = input.checksums();
                let said = if lies { said } else { honest(&frame, said, rig.config.rules) };
                // A full engine has been told so.
                let _ = rig.try_push(frame, said);
            }
        }
    }
    if lies {
        rig.drain(lro::MAX_UNIT);
        assert_eq!(rig.engine.pool().releases() > 0, !rig.arrivals.is_empty());
        assert_eq!(rig.engine.pool().in_use(), 0);
        return;
    }
    judged(&mut rig);
}

/// Traffic of a few flows with anything about its frames, and readers between them.
pub fn schedule(bytes: &[u8]) {
    let mut input = Input(bytes);
    let mut rig = Rig::with(input.config());
    let mut steps = Vec::new();
    while input.goes_on(steps.len()) {
        steps.push(step(&mut input));
    }
    play(&mut rig, &steps);
    judged(&mut rig);
}

/// The contract, completeness, and a forwarder's way back.
fn judged(rig: &mut Rig) {
    rig.finish();
    is_complete(rig);
    if rig.config.rules == Rules::Forward {
        all_come_back(rig);
    }
}

/// The frame with true checksums, if it has any.
fn sealed(mut frame: Vec<u8>) -> Vec<u8> {
    for ip in [14, 18, 22] {
        let header = frame.get(ip).map_or(0, |first| usize::from(first & 15) * 4);
        if frame.get(ip).is_some_and(|first| first >> 4 == 4) && header >= 20 && frame.len() >= ip + header {
            frame[ip + 10..ip + 12].fill(0);
            let sum = checksum(&[&frame[ip..ip + header]]);
            frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
        }
    }
    if let Kind::Segment(segment) = parse(&frame) {
        let (tcp, end) = (segment.tcp, segment.payload.end);
        frame[tcp + 16..tcp + 18].fill(0);
        let sum = checksum(&[&pseudo_header(segment.addresses(), end - tcp), &frame[tcp..end]]);
        frame[tcp + 16..tcp + 18].copy_from_slice(&sum.to_be_bytes());
    }
    frame
}

fn step(input: &mut Input) -> Step {
    match input.below(16) {
        0 => Step::Other(input.below(OTHERS)),
        1 | 2 => Step::Read { units: 1 + input.below(4), buffer: input.word().into(), pop: input.byte() & 1 == 0 },
        _ => Step::Send {
            flow: input.below(FLOWS),
            length: if input.below(8) == 0 { input.word().into() } else { 1 + input.below(120) },
            twist: twist(input),
            checksums: input.checksums(),
        },
    }
}

fn twist(input: &mut Input) -> Twist {
    match input.below(64) {
        1 => Twist::Psh,
        2 => Twist::PureAck,
        3 => Twist::Duplicate,
        4 => Twist::Gap(input.word().into()),
        5 => Twist::Early,
        6 => Twist::Ack(u32::from(input.word()) << input.below(17)),
        7 => Twist::Window(input.word()),
        8 => Twist::Timestamps(u32::from(input.word()) << input.below(17), input.below(2) as u32),
        9 => Twist::Ttl(input.byte()),
        10 => Twist::Tos(input.byte()),
        11 => Twist::FlowLabel(input.byte().into()),
        12 => Twist::Fragment(input.word()),
        13 => Twist::Id(input.word()),
        14 => Twist::IdStep(input.below(3) as u16),
        15 => Twist::Reserved(input.byte() & 15),
        16 => Twist::Flags(input.pick([SYN, FIN, RST, URG, ECE, CWR, ACK])),
        17 => Twist::Urgent(input.word()),
        18 => Twist::Options(input.below(4)),
        19 => Twist::IpOptions,
        20 => Twist::Extension(input.byte()),
        21 => Twist::Damaged,
        22 => Twist::IpDamaged,
        23 => Twist::ZeroSum(input.pick([0, 0xFFFF])),
        24 => Twist::Trailer(input.below(60)),
        25 => Twist::Mac(input.byte()),
        26 => Twist::Tag(input.word()),
        27 => Twist::Flip(input.byte().into(), input.byte().max(1)),
        28 => Twist::CutShort(input.byte().into()),
        _ => Twist::Plain,
    }
}
