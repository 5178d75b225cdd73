//! Which frames are taken: the settings `promiscuous` and `multicast`, and what becomes of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::daemon::Daemon;
use common::frames::to;
use common::{Bench, MAC, Machine};
use model::Config;
use s2iod::front::{Call, Errno, Op};
use s2iod::{ListFull, Options};
use xframe::bits::{Command, SmErr};
use xframe::constants::Asic;
use xframe::registers as reg;

fn bench_of(asic: Asic) -> Bench {
    Bench::on(Machine::new(Config::new(asic, MAC)), Options { rx_slots: 64, ..Options::default() })
}

fn bench() -> Bench {
    bench_of(Asic::Herc)
}

const STRANGER: [u8; 6] = [0x02, 0, 0, 0, 0, 9];

fn group(number: u16) -> [u8; 6] {
    let [high, low] = number.to_be_bytes();
    [0x01, 0x00, 0x5E, 0x01, high, low]
}

/// Whether the card takes a frame to this address.
fn takes(bench: &mut Bench, address: [u8; 6]) -> bool {
    !bench.deliver([to(address)]).is_empty()
}

fn reset(bench: &mut Bench) {
    bench.machine.card.borrow_mut().latch(reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true).into());
    bench.adapter.watch(Duration::from_secs(1));
    bench.settle();
    assert_eq!(bench.statistic("recoveries"), Some(1));
}

#[test]
fn promiscuous_takes_every_frame_until_it_is_off() {
    for asic in [Asic::Herc, Asic::Xena] {
        let mut bench = bench_of(asic);
        assert!(!takes(&mut bench, STRANGER));
        bench.adapter.set_promiscuous(true);
        assert!(takes(&mut bench, STRANGER) && takes(&mut bench, group(1)));
        reset(&mut bench);
        assert!(takes(&mut bench, STRANGER), "lost in the reset");
        bench.adapter.set_promiscuous(false);
        assert!(!takes(&mut bench, STRANGER) && takes(&mut bench, MAC) && takes(&mut bench, [0xFF; 6]));
    }
}

#[test]
fn groups_are_taken_from_when_they_are_added_until_they_are_removed() {
    for asic in [Asic::Herc, Asic::Xena] {
        let mut bench = bench_of(asic);
        for number in 0..10 {
            bench.adapter.add_multicast(group(number)).unwrap();
        }
        assert!((0..10).all(|number| takes(&mut bench, group(number))) && !takes(&mut bench, group(10)));
        for number in 0..5 {
            assert!(bench.adapter.remove_multicast(group(number)));
        }
        for number in 0..12 {
            assert_eq!(takes(&mut bench, group(number)), (5..10).contains(&number), "{asic:?} {number}");
        }
        assert!(takes(&mut bench, MAC) && !takes(&mut bench, STRANGER));
    }
}

#[test]
fn groups_outlive_a_reset() {
    let mut bench = bench();
    for number in 0..10 {
        bench.adapter.add_multicast(group(number)).unwrap();
    }
    bench.adapter.remove_multicast(group(3));
    reset(&mut bench);
    for number in 0..10 {
        assert_eq!(takes(&mut bench, group(number)), number != 3);
    }
}

#[test]
fn more_groups_than_entries_take_all_groups_until_they_fit_again() {
    for (asic, entries) in [(Asic::Herc, 191), (Asic::Xena, 47)] {
        let mut bench = bench_of(asic);
        for number in 0..entries {
            bench.adapter.add_multicast(group(number)).unwrap();
        }
        assert!(!takes(&mut bench, group(999)), "{asic:?}");
        bench.adapter.add_multicast(group(entries)).unwrap();
        assert!(takes(&mut bench, group(999)) && !takes(&mut bench, STRANGER), "{asic:?}");
        reset(&mut bench);
        assert!(takes(&mut bench, group(999)), "{asic:?}");
        bench.adapter.remove_multicast(group(0));
        assert!(!takes(&mut bench, group(999)) && !takes(&mut bench, group(0)), "{asic:?}");
        assert!((1..=entries).all(|number| takes(&mut bench, group(number))), "{asic:?}");
    }
}

#[test]
fn the_list_has_an_end() {
    let mut bench = bench();
    for number in 0..1_024 {
        bench.adapter.add_multicast(group(number)).unwrap();
        bench.adapter.add_multicast(group(number)).unwrap();
    }
    assert_eq!(bench.adapter.add_multicast(group(1_024)), Err(ListFull));
    assert_eq!(bench.adapter.add_multicast(group(7)), Ok(()));
    assert_eq!(bench.adapter.multicast().len(), 1_024);
}

#[test]
fn an_address_that_the_card_does_not_take_is_set_by_a_reset() {
    let mut bench = bench();
    let busy = Command::new().with_strobe(true).into();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::RMAC_ADDR_CMD_MEM, busy, busy));
    bench.adapter.add_multicast(group(1)).unwrap();
    bench.machine.mischief.borrow_mut().stuck = None;
    bench.adapter.watch(Duration::from_secs(1));
    bench.settle();
    assert_eq!(bench.statistic("recoveries"), Some(1));
    assert!(takes(&mut bench, group(1)));
}

#[test]
fn settings_that_change_while_the_card_is_down_hold_when_it_is_up() {
    let mut bench = bench();
    bench.machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
    bench.machine.card.borrow_mut().latch(reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true).into());
    bench.adapter.watch(Duration::from_secs(1));
    bench.adapter.set_promiscuous(true);
    bench.adapter.add_multicast(group(1)).unwrap();
    bench.adapter.set_mtu(3_000).unwrap();
    bench.machine.mischief.borrow_mut().stuck = None;
    bench.adapter.watch(Duration::from_secs(9));
    bench.settle();
    assert!(takes(&mut bench, STRANGER));
    bench.adapter.set_promiscuous(false);
    assert!(takes(&mut bench, group(1)) && !takes(&mut bench, STRANGER));
    assert_eq!(bench.statistic("mtu"), Some(3_000));
}

fn write(daemon: &mut Daemon, path: &str, text: &str) -> Result<usize, Errno> {
    let handle = daemon.front.open(path, 0, true).unwrap();
    let op = Op::Write { offset: 0 };
    daemon.front.submit(Call { tag: 1, handle, op, buffer: text.into(), nonblock: false });
    daemon.front.service(&mut daemon.bench.adapter, daemon.now);
    daemon.front.next_completion().unwrap().result
}

#[test]
fn the_scheme_s_paths_show_and_change_them() {
    let mut daemon = Daemon::new(Options { rx_slots: 64, ..Options::default() });
    assert_eq!(daemon.text("link"), b"up\n");
    assert_eq!(daemon.text("lro"), b"endpoint\n");
    assert_eq!(daemon.text("promiscuous"), b"off\n");
    assert_eq!(write(&mut daemon, "promiscuous", "on\n"), Ok(3));
    assert_eq!(daemon.text("promiscuous"), b"on\n");
    assert_eq!(daemon.text("multicast"), b"");
    let two = "add 01:00:5e:00:00:01\nadd 33:33:00:00:00:FB\n";
    assert_eq!(write(&mut daemon, "multicast", two), Ok(two.len()));
    assert_eq!(daemon.text("multicast"), b"01:00:5e:00:00:01\n33:33:00:00:00:fb\n");
    assert!(takes(&mut daemon.bench, STRANGER));
    assert_eq!(write(&mut daemon, "multicast", "remove 01:00:5e:00:00:01"), Ok(24));
    assert_eq!(write(&mut daemon, "multicast", "remove 01:00:5e:00:00:01"), Err(Errno::ENOENT));
    assert_eq!(daemon.text("multicast"), b"33:33:00:00:00:fb\n");
    assert_eq!(daemon.text("mtu"), b"1500\n");
    assert_eq!(write(&mut daemon, "mtu", "2000\n"), Ok(5));
    assert_eq!(daemon.text("mtu"), b"2000\n");
    assert_eq!(write(&mut daemon, "mtu", "45"), Err(Errno::EINVAL));
    assert_eq!(write(&mut daemon, "mtu", "9601"), Err(Errno::EINVAL));
    assert_eq!(daemon.text("link"), b"down\n");
    daemon.settle();
    assert_eq!(daemon.text("link"), b"up\n");
}
