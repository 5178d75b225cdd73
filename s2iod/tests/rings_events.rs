//! Interrupts, faults and settings of several rings: all that holds for one holds for each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::collections::BTreeSet;

use common::broken::{NOW, break_it};
use common::frames::{payload_of, plain, segment};
use common::rings::{bench, flows, options, payloads};
use common::{Bench, Machine, config};
use s2iod::Options;
use xframe::registers as reg;

// Interrupts.

/// Vectors of the messages that the card has sent.
fn messages(bench: &Bench) -> Vec<u8> {
    let mut card = bench.machine.card.borrow_mut();
    std::iter::from_fn(|| card.take_message()).map(|message| message.vector).collect()
}

#[test]
fn each_ring_has_a_vector() {
    for rings in 2..=8 {
        let mut bench = Bench::on(Machine::with_messages(config()), options(rings));
        let flows = flows(&mut bench, rings);
        bench.arrive(flows.iter().map(|flow| segment(*flow, 11, 10)).chain([plain(1, 60)]));
        assert!(messages(&bench).into_iter().eq(1..=rings), "{rings} rings");
        for vector in 1..=rings {
            assert!(bench.adapter.service_vector(vector).unwrap().received, "vector {vector}");
        }
        assert_eq!(bench.read_all().len(), usize::from(rings));
    }
}

#[test]
fn a_ring_is_silent_from_its_message_on_until_the_reader_has_read_all() {
    let mut bench = Bench::on(Machine::with_messages(config()), options(3));
    let flows = flows(&mut bench, 3);
    let next = |at, number: u32| segment(flows[at], 11 + 10 * number, 10);
    bench.arrive([next(0, 0)]);
    assert_eq!(messages(&bench), [2]);
    bench.adapter.service_vector(2).unwrap();
    bench.arrive([next(0, 1), next(1, 0), plain(1, 60)]);
    assert_eq!(messages(&bench), [1, 3], "the other rings are not silent");
    for vector in [1, 3] {
        bench.adapter.service_vector(vector).unwrap();
    }
    bench.arrive([next(0, 2), next(1, 1), plain(2, 60)]);
    assert!(messages(&bench).is_empty());
    assert_eq!(bench.read_all().len(), 4);
    messages(&bench);
    bench.arrive([next(0, 3), next(1, 2), plain(3, 60)]);
    assert_eq!(messages(&bench), [1, 2, 3]);
}

#[test]
fn the_line_is_one_for_all_rings() {
    let mut bench = bench(3);
    let flows = flows(&mut bench, 3);
    bench.arrive([segment(flows[0], 11, 10), segment(flows[1], 11, 10), plain(1, 60)]);
    let interrupts = bench.statistic("interrupts");
    assert!(bench.machine.line() && bench.adapter.service().unwrap().received);
    bench.arrive([segment(flows[0], 21, 10), plain(2, 60)]);
    assert!(!bench.machine.line());
    assert_eq!(bench.read_all().len(), 4);
    assert_eq!(bench.statistic("interrupts"), interrupts.map(|count| count + 1));
}

// Faults and settings.

#[test]
fn frames_of_every_ring_are_read_after_a_reset_and_an_mtu_change() {
    type Shock = fn(&mut Bench);
    let fault: Shock = |bench| {
        break_it(bench);
        bench.adapter.watch(NOW);
    };
    let jumbo: Shock = |bench| bench.adapter.set_mtu(9_000).unwrap();
    for shock in [fault, jumbo] {
        let mut bench = bench(4);
        let flows = flows(&mut bench, 4);
        let round = |number: u32| {
            let flows = flows.iter().map(move |flow| segment(*flow, 11 + number * 500, 500));
            flows.chain([plain(number, 60)]).collect::<Vec<_>>()
        };
        bench.arrive(round(0));
        bench.settle();
        bench.arrive(round(1));
        shock(&mut bench);
        bench.settle();
        let mut units = bench.read_all();
        units.extend(bench.deliver(round(2)));
        let whole = |flow: &u16| payload_of(&segment(*flow, 11, 1_500)).to_vec();
        assert!(payloads(&units, &flows) == flows.iter().map(whole).collect::<Vec<_>>());
        units.retain(|unit| unit.len() == 60);
        assert_eq!(units, [plain(0, 60), plain(1, 60), plain(2, 60)]);
    }
}

#[test]
fn jumbo_frames_come_in_every_ring() {
    let mut bench = Bench::on(Machine::large(config()), Options { mtu: 9_600, ..options(3) });
    let flows = flows(&mut bench, 3);
    let frames = [plain(1, 9_614), segment(flows[0], 11, 9_560), segment(flows[1], 11, 9_560)];
    let read: BTreeSet<_> = bench.deliver(frames.clone()).into_iter().collect();
    assert!(read == frames.into());
}

#[test]
fn a_ring_that_has_stopped_is_a_fault_whichever_it_is() {
    for ring in 0..4 {
        let mut bench = bench(4);
        bench.machine.write(reg::PRC_CTRL.at(ring).unwrap(), 0_u64);
        bench.adapter.watch(NOW);
        assert_eq!(bench.statistic("recoveries"), Some(1), "ring {ring}");
        bench.settle();
        let flows = flows(&mut bench, 4);
        assert_eq!(bench.deliver(flows.iter().map(|flow| segment(*flow, 11, 10))).len(), 3);
    }
}

#[test]
fn frames_in_every_ring_are_found_without_an_interrupt() {
    let mut bench = bench(4);
    let flows = flows(&mut bench, 4);
    for frame in flows.iter().map(|flow| segment(*flow, 11, 10)).chain([plain(1, 60)]) {
        bench.arrive([frame]);
        bench.adapter.watch(NOW);
        assert!(bench.adapter.has_frames());
        bench.settle();
        assert_eq!(bench.read_all().len(), 1);
    }
}
