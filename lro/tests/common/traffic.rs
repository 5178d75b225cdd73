//! Random traffic of a few flows that mostly go on in sequence, and random readers.

use lro::{Checksums, MAX_UNIT, Rules};
use proptest::collection::vec;
use proptest::prelude::*;

use super::frame::{self, ACK, CWR, ECE, FIN, MORE_FRAGMENTS, RST, SYN, Tcp, URG, data, data6};
use super::other::{arp, ipv4, other, udp};
use super::parse::{Kind, parse};
use super::rig::Rig;

/// One thing that happens.
#[derive(Clone, Debug)]
pub enum Step {
    /// A flow's next frame, with something about it.
    Send { flow: usize, length: usize, twist: Twist, checksums: Checksums },
    /// A frame of no TCP flow.
    Other(usize),
    /// `units` reads with a buffer of this length, by `pop_into` or by `front`.
    Read { units: usize, buffer: usize, pop: bool },
}

/// What is special about a frame. Changes of what a flow's frames have in common stay.
#[derive(Clone, Debug)]
pub enum Twist {
    Plain,
    Psh,
    PureAck,
    /// The flow's last frame once more.
    Duplicate,
    Gap(u32),
    /// Sent now, though the frame before it comes later.
    Early,
    Ack(u32),
    Window(u16),
    Timestamps(u32, u32),
    Ttl(u8),
    Tos(u8),
    FlowLabel(u32),
    Fragment(u16),
    /// The identification jumps.
    Id(u16),
    /// By how much the identification grows from now on.
    IdStep(u16),
    Reserved(u8),
    Flags(u8),
    Urgent(u16),
    Options(usize),
    IpOptions,
    Extension(u8),
    Damaged,
    IpDamaged,
    /// A checksum that is a zero, written like this.
    ZeroSum(u16),
    Trailer(usize),
    Mac(u8),
    Tag(u16),
    /// One byte of the headers changed.
    Flip(usize, u8),
    CutShort(usize),
}

fn twist() -> impl Strategy<Value = Twist> {
    let rare = prop_oneof![
        Just(Twist::PureAck),
        Just(Twist::Duplicate),
        prop_oneof![1..300_u32, Just(0xFFFF_FFFF_u32)].prop_map(Twist::Gap),
        Just(Twist::Early),
        prop_oneof![1..3000_u32, Just(0xFFFF_FFF0), Just(0x8000_0000)].prop_map(Twist::Ack),
        any::<u16>().prop_map(Twist::Window),
        (prop_oneof![0..20_u32, Just(0xFFFF_FFFF), Just(0x8000_0000)], 0..2_u32)
            .prop_map(|(value, echo)| Twist::Timestamps(value, echo)),
        (63..65_u8).prop_map(Twist::Ttl),
        (0..4_u8).prop_map(Twist::Tos),
        (0..2_u32).prop_map(Twist::FlowLabel),
        prop_oneof![Just(0x4000), Just(0), Just(0x8000), Just(MORE_FRAGMENTS), 1..0x2000_u16].prop_map(Twist::Fragment),
        any::<u16>().prop_map(Twist::Id),
        (0..3_u16).prop_map(Twist::IdStep),
        (0..2_u8).prop_map(Twist::Reserved),
        prop_oneof![Just(SYN), Just(FIN), Just(RST), Just(URG), Just(ECE), Just(CWR), Just(ACK)].prop_map(Twist::Flags),
        any::<u16>().prop_map(Twist::Urgent),
        (0..4_usize).prop_map(Twist::Options),
        Just(Twist::IpOptions),
        prop_oneof![Just(0), Just(43), Just(44), Just(51), Just(60), Just(253)].prop_map(Twist::Extension),
        Just(Twist::Damaged),
        Just(Twist::IpDamaged),
        prop_oneof![Just(0), Just(0xFFFF)].prop_map(Twist::ZeroSum),
        (1..50_usize).prop_map(Twist::Trailer),
        any::<u8>().prop_map(Twist::Mac),
        (0..2_u16).prop_map(Twist::Tag),
        (0..100_usize, 1..=255_u8).prop_map(|(at, bits)| Twist::Flip(at, bits)),
        (0..200_usize).prop_map(Twist::CutShort),
    ];
    prop_oneof![4 => Just(Twist::Plain), 1 => Just(Twist::Psh), 3 => rare]
}

fn checksums() -> impl Strategy<Value = Checksums> {
    prop_oneof![8 => Just(Checksums::Unknown), 8 => Just(Checksums::Verified), 1 => Just(Checksums::Bad)]
}

fn buffer() -> impl Strategy<Value = usize> {
    prop_oneof![Just(MAX_UNIT), Just(1514), 0..54_usize, 64..300_usize, 64..4000_usize, Just(65_535)]
}

fn arrival() -> impl Strategy<Value = Step> {
    let length = prop_oneof![30 => 1..=120_usize, 30 => Just(100_usize), 10 => Just(1448), 1 => 9_000..40_000_usize];
    prop_oneof![
        20 => (0..FLOWS, length, twist(), checksums())
            .prop_map(|(flow, length, twist, checksums)| Step::Send { flow, length, twist, checksums }),
        1 => (0..OTHERS).prop_map(Step::Other),
    ]
}

fn read() -> impl Strategy<Value = Step> {
    (1..5_usize, buffer(), any::<bool>()).prop_map(|(units, buffer, pop)| Step::Read { units, buffer, pop })
}

/// Up to `steps` steps.
pub fn steps(steps: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(prop_oneof![7 => arrival(), 1 => read()], 1..steps)
}

/// The same without reads.
pub fn arrivals(steps: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(arrival(), 1..steps)
}

pub const FLOWS: usize = 7;
pub const OTHERS: usize = 6;

/// A frame of no TCP flow.
fn stranger(kind: usize) -> Vec<u8> {
    match kind {
        0 => arp(7),
        1 => udp(30),
        2 => ipv4(47, &data(1, 50).frame()),
        3 => other(0x0030, &[0xAA, 0xAA, 3, 0, 0, 0, 8, 0, 0x45, 0]),
        4 => other(0x8100, &[0, 5, 0x81, 0, 0, 6, 0x81, 0, 0, 7, 8, 0, 0x45]),
        _ => vec![2; 9],
    }
}

/// The senders: what each flow's next frame looks like.
pub struct Senders {
    next: Vec<Tcp>,
    last: Vec<Tcp>,
    /// By how much the identifications grow.
    id_steps: Vec<u16>,
}

impl Default for Senders {
    fn default() -> Self {
        let next = vec![
            data(1, 0),
            data(0xFFFF_FF00, 0).flow(1).timestamps(0xFFFF_FFF0, 1),
            data6(1, 0).ack(0xFFFF_FF00),
            data6(0x7FFF_FF80, 0).flow(3).tag(0x8100, 10).timestamps(1, 1),
            data(1, 0).hosts([2, 1]).flow(4).tag(0x88A8, 1).tag(0x8100, 0x2001),
            data6(1, 0).flow(5).extension(0, &[0, 0, 1, 4, 0, 0, 0, 0]).extension(60, &[7; 16]).timestamps(1, 1),
            data(1, 0).flow(6).id(0xFFF0).options(vec![1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2]),
        ];
        Self { id_steps: vec![0, 1, 0, 0, 0, 0, 1], last: next.clone(), next }
    }
}

impl Senders {
    /// Writes the frame of a step that sends one.
    fn send(&mut self, flow: usize, length: usize, twist: &Twist) -> Vec<u8> {
        let next = &mut self.next[flow];
        if let Twist::IdStep(step) = *twist {
            self.id_steps[flow] = step;
        }
        next.id = next.id.wrapping_add(self.id_steps[flow]);
        change(next, twist);
        let mut sent = once(Tcp { payload: length, ..next.clone() }, twist);
        match twist {
            Twist::Duplicate => sent = self.last[flow].clone(),
            Twist::Early => sent.sequence = sent.sequence.wrapping_add(length as u32),
            Twist::CutShort(_) | Twist::PureAck => {}
            _ => next.sequence = next.sequence.wrapping_add(length as u32),
        }
        self.last[flow] = sent.clone();
        let mut frame = sent.frame();
        match twist {
            Twist::Flip(at, bits) => frame[*at % sent.payload_offset()] ^= bits,
            Twist::CutShort(at) => frame.truncate(*at),
            _ => {}
        }
        frame
    }
}

/// What stays from this frame on.
fn change(next: &mut Tcp, twist: &Twist) {
    match *twist {
        Twist::Gap(bytes) => next.sequence = next.sequence.wrapping_add(bytes),
        Twist::Ack(bytes) => next.acknowledgment = next.acknowledgment.wrapping_add(bytes),
        Twist::Window(window) => next.window = window,
        Twist::Timestamps(later, echo) if !next.options.is_empty() => {
            let value = u32::from_be_bytes([next.options[4], next.options[5], next.options[6], next.options[7]]);
            next.options = frame::timestamps(value.wrapping_add(later), echo);
        }
        Twist::Ttl(ttl) => next.ttl = ttl,
        Twist::Tos(tos) => next.tos = tos,
        Twist::FlowLabel(label) => next.flow_label = label,
        Twist::Fragment(bits) if bits & 0x3FFF == 0 => next.fragment = bits,
        Twist::Id(jump) => next.id = next.id.wrapping_add(jump),
        Twist::Reserved(bits) => next.reserved = bits,
        Twist::Mac(byte) => next.source[5] = byte & 1,
        Twist::Tag(tci) if !next.tags.is_empty() => next.tags[0].1 = tci,
        _ => {}
    }
}

/// What this frame alone has.
fn once(sent: Tcp, twist: &Twist) -> Tcp {
    match *twist {
        Twist::Psh => sent.psh(),
        Twist::PureAck => Tcp { payload: 0, ..sent },
        Twist::Fragment(bits) if bits & 0x3FFF != 0 && !sent.v6 => sent.fragment(bits),
        Twist::Flags(flags) => sent.flags(ACK ^ flags),
        Twist::Urgent(urgent) => sent.urgent(urgent),
        Twist::Options(kind) => sent.options(match kind {
            0 => vec![],
            1 => frame::timestamps(7, 7),
            2 => vec![2, 4, 5, 180],
            _ => vec![1; 40],
        }),
        Twist::IpOptions if !sent.v6 => sent.ip_options(vec![1, 1, 1, 0]),
        Twist::Extension(kind) if sent.v6 => sent.extension(kind, &[0; 8]),
        Twist::Damaged => sent.damaged(),
        Twist::IpDamaged => sent.ip_damaged(),
        Twist::ZeroSum(written) if sent.payload >= 2 => sent.zero_sum(written),
        Twist::Trailer(length) => sent.trailer(length),
        _ => sent,
    }
}

/// What a card would have said of a frame, where it is wanted verified.
pub fn honest(frame: &[u8], wanted: Checksums, rules: Rules) -> Checksums {
    match parse(frame) {
        Kind::Segment(segment) if wanted == Checksums::Verified && rules != Rules::Off => {
            if segment.tcp_sum_is_true() {
                Checksums::Verified
            } else {
                Checksums::Bad
            }
        }
        _ if wanted == Checksums::Verified => Checksums::Unknown,
        _ => wanted,
    }
}

/// Plays the steps. A reader takes a unit whenever the engine is full.
pub fn play(rig: &mut Rig, steps: &[Step]) {
    let mut senders = Senders::default();
    for step in steps {
        match step {
            Step::Read { units, buffer, pop } => {
                for _ in 0..*units {
                    if *pop {
                        rig.pop(*buffer)
                    } else {
                        rig.read(*buffer)
                    };
                }
            }
            Step::Other(kind) => push(rig, &stranger(*kind), Checksums::Unknown),
            Step::Send { flow, length, twist, checksums } => {
                let frame = senders.send(*flow, *length, twist);
                let checksums = honest(&frame, *checksums, rig.config.rules);
                push(rig, &frame, checksums);
            }
        }
    }
}

fn push(rig: &mut Rig, frame: &[u8], checksums: Checksums) {
    if rig.try_push(frame, checksums).is_err() {
        assert_eq!(rig.engine.len(), rig.engine.capacity());
        rig.read(MAX_UNIT);
        rig.push_as(frame, checksums);
    }
}
