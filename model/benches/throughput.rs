//! What a frame costs: made by the generator, brought through the card into a ring, or out of a list onto the wire.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Host, MAC, frames};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use model::wire::{Flows, Generator, Loopback, Versions};
use model::{Config, Step, Wire};
use xframe::constants::Asic;
use xframe::txd::{Control1, Control2};

/// Frames per measured round, as a driver would post and take them.
const BATCH: usize = 64;

fn main() {
    divan::main();
}

fn counted<'a, 'b>(bencher: Bencher<'a, 'b>, frames: usize, bytes: usize) -> Bencher<'a, 'b> {
    bencher.counter(ItemsCount::new(frames)).counter(BytesCount::new(frames * bytes))
}

#[divan::bench(args = [1, 1000])]
fn generate(bencher: Bencher<'_, '_>, flows: usize) {
    let mut generator = Generator::new(&Flows { flows, ..Flows::new(MAC) });
    let mut frame = Vec::new();
    counted(bencher, 1, 1514).bench_local(|| generator.receive(&mut frame));
}

/// Posting the RxDs and taking them back is the host's work, but small beside the card's.
#[divan::bench(args = [1, 1000])]
fn generator_to_ring(bencher: Bencher<'_, '_>, flows: usize) {
    let settings = Flows { flows, versions: Versions::Both, ..Flows::new(MAC) };
    let mut host = Host::on(Config::new(Asic::Herc, MAC), Generator::new(&settings));
    host.bring_up(4);
    counted(bencher, BATCH, 1514).bench_local(|| {
        host.post_many(BATCH);
        let mut received = 0;
        while received < BATCH {
            received += usize::from(matches!(host.card.step(), Step::Received { .. }));
        }
        for _ in 0..BATCH {
            host.discard().unwrap();
        }
    });
}

#[divan::bench]
fn list_to_wire(bencher: Bencher<'_, '_>) {
    let mut host = Host::on(Config::new(Asic::Herc, MAC), Loopback::new(0));
    host.bring_up(1);
    let frame = frames::tcp4(1448);
    let checksums = Control2::new().with_tx_cko_ipv4_en(true).with_tx_cko_tcp_en(true);
    counted(bencher, 1, frame.len()).bench_local(|| {
        host.send_with(0, &[&frame], Control1::new(), checksums);
        while !matches!(host.card.step(), Step::Sent { .. }) {}
    });
}
