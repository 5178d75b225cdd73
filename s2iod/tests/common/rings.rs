//! Several rings: a bench, and flows of which each has a ring of its own.

use model::Step;
use s2iod::Options;

use super::Bench;
use super::frames::{payload_of, segment};

pub fn options(rings: u8) -> Options {
    Options { rings, rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() }
}

pub fn bench(rings: u8) -> Bench {
    Bench::new(options(rings))
}

/// The ring that a frame goes to.
pub fn ring_of(bench: &mut Bench, frame: Vec<u8>) -> usize {
    let steps = bench.arrive([frame]);
    bench.settle();
    bench.read_all();
    let mut rings =
        steps.into_iter().filter_map(|step| if let Step::Received { ring } = step { Some(ring) } else { None });
    let ring = rings.next().unwrap();
    assert_eq!(rings.next(), None);
    ring
}

/// A flow for each ring but the first.
pub fn flows(bench: &mut Bench, rings: u8) -> Vec<u16> {
    let flow_of = |ring| (0..1_000).find(|flow| ring_of(bench, segment(*flow, 1, 10)) == ring).unwrap();
    (1..rings.into()).map(flow_of).collect()
}

/// The flows' payload in what was read, a flow each.
pub fn payloads(units: &[Vec<u8>], flows: &[u16]) -> Vec<Vec<u8>> {
    let port = |unit: &[u8]| u16::from_be_bytes([unit[34], unit[35]]);
    let of = |flow| units.iter().filter(move |unit| unit[12..14] == [8, 0] && port(unit) == 1_000 + flow);
    flows.iter().map(|flow| of(*flow).flat_map(|unit| payload_of(unit)).copied().collect()).collect()
}
