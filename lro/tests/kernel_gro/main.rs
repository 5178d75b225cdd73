//! The Linux kernel's GRO as an oracle for `Rules::Forward`: both are given the same frames and must make the same units.
//!
//! Needs root, `ip` and `ethtool`, and says so where it cannot make namespaces:
//! `cargo test -p lro --test kernel_gro -- --ignored --nocapture`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod compare;
mod link;
mod packet;

use std::cell::RefCell;

use common::rig::Rig;
use common::selftest::{BOTH, Make, ONLY_4, ONLY_6, capacity};
use common::traffic::{arrivals, play};
use compare::Verdicts;
use link::Link;
use lro::Rules;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Bursts of random traffic, at about twenty a second.
const CASES: u32 = 700;
/// Frames in one of them: fewer than the kernel takes from a device at a time.
const FRAMES: usize = 48;

/// A link, or a line that says why there is none.
fn link() -> Option<Link> {
    Link::new().inspect_err(|reason| println!("SKIPPED: the kernel cannot be asked: {reason}")).ok()
}

#[test]
#[ignore = "asks the kernel: needs root and network namespaces"]
fn linux_agrees_on_the_groups_of_its_own_test() {
    let Some(link) = link() else { return };
    let mut verdicts = Verdicts::default();
    let versions = |v6, groups: &[(&'static str, Make)]| {
        groups.iter().map(|(name, make)| (*name, v6, make(v6))).collect::<Vec<_>>()
    };
    let groups = [versions(false, &BOTH), versions(false, &ONLY_4), versions(true, &BOTH), versions(true, &ONLY_6)];
    for (name, v6, group) in groups.into_iter().flatten() {
        for burst in group.bursts {
            let frames: Vec<_> = burst.iter().map(|frame| frame.frame()).collect();
            verdicts.hear(&link, &frames).unwrap_or_else(|fault| panic!("{name}, IPv6 {v6}: {fault}"));
        }
    }
    for v6 in [false, true] {
        let frames: Vec<_> = capacity(v6, 8).bursts.concat().iter().map(|frame| frame.frame()).collect();
        verdicts.hear(&link, &frames).unwrap();
    }
    println!("groups: {verdicts}");
}

#[test]
#[ignore = "asks the kernel: needs root and network namespaces"]
fn linux_agrees_on_random_traffic() {
    let Some(link) = link() else { return };
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]);
    // The runner runs what changes nothing.
    let verdicts = RefCell::new(Verdicts::default());
    let result = TestRunner::new_with_rng(config, rng).run(&arrivals(FRAMES), |steps| {
        let mut rig = Rig::new(Rules::Forward);
        play(&mut rig, &steps);
        let frames = rig.arrivals.into_iter().map(|arrival| arrival.frame).filter(|frame| compare::can_be_asked(frame));
        verdicts.borrow_mut().hear(&link, &frames.collect::<Vec<_>>()).map_err(TestCaseError::fail)
    });
    result.unwrap_or_else(|fault| panic!("{fault}"));
    println!("random traffic: {}", verdicts.borrow());
}
