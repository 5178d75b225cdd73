//! The groups of the Linux kernel's test of GRO.

use std::collections::HashMap;

use lro::{Config, MAX_UNIT, Rules};

use crate::common::parse::segment;
use crate::common::rig::Rig;
use crate::common::selftest::{self, Group, Make};

#[track_caller]
fn conforms(group: Group) {
    let mut rig = Rig::with(Config::new(Rules::Forward, 2_000));
    // Of a frame that leaves as it came, a reader of headers may not find the payload.
    let mut sent = HashMap::new();
    for burst in &group.bursts {
        sent.extend(burst.iter().map(|frame| (frame.frame(), frame.payload)));
        rig.push_all(burst.clone());
        rig.drain(MAX_UNIT);
    }
    let payload = |unit: &Vec<u8>| sent.get(unit).copied().unwrap_or_else(|| segment(unit).payload().len());
    assert_eq!(rig.finish().iter().map(payload).collect::<Vec<_>>(), group.payloads);
}

#[track_caller]
fn conforms_with_both(make: Make) {
    conforms(make(false));
    conforms(make(true));
}

#[test]
fn data_same() {
    conforms_with_both(selftest::data_same);
}

#[test]
fn data_lrg_sml() {
    conforms_with_both(selftest::data_lrg_sml);
}

#[test]
fn data_lrg_1byte() {
    conforms_with_both(selftest::data_lrg_1byte);
}

#[test]
fn data_sml_lrg() {
    conforms_with_both(selftest::data_sml_lrg);
}

#[test]
fn data_burst() {
    conforms_with_both(selftest::data_burst);
}

#[test]
fn ack() {
    conforms_with_both(selftest::ack);
}

#[test]
fn flags_psh() {
    conforms_with_both(selftest::flags_psh);
}

#[test]
fn flags_syn() {
    conforms_with_both(selftest::flags_syn);
}

#[test]
fn flags_rst() {
    conforms_with_both(selftest::flags_rst);
}

#[test]
fn flags_urg() {
    conforms_with_both(selftest::flags_urg);
}

#[test]
fn flags_cwr() {
    conforms_with_both(selftest::flags_cwr);
}

#[test]
fn tcp_csum() {
    conforms_with_both(selftest::tcp_csum);
}

#[test]
fn tcp_seq() {
    conforms_with_both(selftest::tcp_seq);
}

#[test]
fn tcp_ts() {
    conforms_with_both(selftest::tcp_ts);
}

#[test]
fn tcp_opt() {
    conforms_with_both(selftest::tcp_opt);
}

#[test]
fn ip_ecn() {
    conforms_with_both(selftest::ip_ecn);
}

#[test]
fn ip_tos() {
    conforms_with_both(selftest::ip_tos);
}

#[test]
fn large_max() {
    conforms_with_both(selftest::large_max);
}

#[test]
fn large_rem() {
    conforms_with_both(selftest::large_rem);
}

#[test]
fn single() {
    conforms_with_both(selftest::single);
}

#[test]
fn ip_ttl() {
    conforms(selftest::ip_ttl(false));
}

#[test]
fn ip_opt() {
    conforms(selftest::ip_opt(false));
}

#[test]
fn ip_frag4() {
    conforms(selftest::ip_frag4(false));
}

#[test]
fn ip_id_df1_inc() {
    conforms(selftest::ip_id_df1_inc(false));
}

#[test]
fn ip_id_df1_fixed() {
    conforms(selftest::ip_id_df1_fixed(false));
}

#[test]
fn ip_id_df0_inc() {
    conforms(selftest::ip_id_df0_inc(false));
}

#[test]
fn ip_id_df0_fixed() {
    conforms(selftest::ip_id_df0_fixed(false));
}

#[test]
fn ip_id_df1_inc_fixed() {
    conforms(selftest::ip_id_df1_inc_fixed(false));
}

#[test]
fn ip_id_df1_fixed_inc() {
    conforms(selftest::ip_id_df1_fixed_inc(false));
}

#[test]
fn ip_frag6() {
    conforms(selftest::ip_frag6(true));
}

#[test]
fn ip_v6ext_same() {
    conforms(selftest::ip_v6ext_same(true));
}

#[test]
fn ip_v6ext_diff() {
    conforms(selftest::ip_v6ext_diff(true));
}

#[test]
fn capacity() {
    for flows in [4, 8, 64, 1000] {
        conforms(selftest::capacity(false, flows));
        conforms(selftest::capacity(true, flows));
    }
}
