//! Once under way, moving frames allocates nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use allocation_counter::measure;
use common::{Host, MAC, frames};
use model::wire::{Flows, Generator, Loopback, Versions};
use model::{Config, Step};
use xframe::constants::Asic;
use xframe::txd::{Control1, Control2, LsoCof};

const BATCH: usize = 100;

fn receive_batch(host: &mut Host<Generator>, post_first: bool) {
    let mut held = 0;
    if !post_first {
        while held < BATCH {
            held += usize::from(matches!(host.card.step(), Step::Held { .. }));
        }
    }
    host.post_many(BATCH);
    let mut received = 0;
    while received < BATCH {
        received += usize::from(matches!(host.card.step(), Step::Received { .. }));
    }
    for _ in 0..BATCH {
        host.discard().unwrap();
    }
}

#[test]
fn receiving_allocates_nothing() {
    for post_first in [true, false] {
        let flows = Flows { flows: 10, versions: Versions::Both, ..Flows::new(MAC) };
        let mut host = Host::on(Config::new(Asic::Herc, MAC), Generator::new(&flows));
        host.bring_up(2);
        receive_batch(&mut host, post_first);
        let allocated = measure(|| receive_batch(&mut host, post_first));
        assert_eq!(allocated.count_total, 0);
    }
}

#[test]
fn sending_allocates_nothing() {
    let mut host = Host::on(Config::new(Asic::Herc, MAC), Loopback::new(0));
    host.bring_up(1);
    let frame = frames::tcp4(5000);
    let lso = Control1::new().with_lso_cof_ctrl(LsoCof::TcpLso).with_lso_mss(1448);
    let tag = Control2::new().with_vlan_enable(true).with_vlan_tag(5);
    let mut send = || {
        host.send_with(0, &[&frame[..54], &frame[54..]], lso, tag);
        while !matches!(host.card.step(), Step::Sent { .. }) {}
    };
    send();
    assert_eq!(measure(&mut send).count_total, 0);
}
