//! The match table: which functions an entry is for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::XFRAME;
use pcid_interface::FullDeviceId;
use pcid_interface::config::{Config, DriverConfig};

fn entry(text: &str) -> DriverConfig {
    let config: Config = toml::from_str(&format!("[[drivers]]\ncommand = [\"driver\"]\n{text}")).unwrap();
    config.drivers.into_iter().next().unwrap()
}

#[test]
fn an_entry_matches_what_it_says_and_everything_that_it_does_not_say() {
    for matching in [
        "",
        "name = \"anything\"",
        "class = 2",
        "class = 2\nsubclass = 0\ninterface = 0",
        "vendor = 0x17d5",
        "vendor = 0x17d5\ndevice = 0x5832",
        "device_id_range = { start = 0x5832, end = 0x5833 }",
        "ids = { 0x17d5 = [0x5831, 0x5832] }",
        "ids = { \"17D5\" = [0x5832] }",
        "ids = { 0x17d5 = [0x5832] }\nvendor = 1\ndevice = 2",
    ] {
        assert!(entry(matching).match_function(&XFRAME), "{matching}");
    }
    for other in [
        "class = 1",
        "subclass = 1",
        "interface = 1",
        "vendor = 0x17d4",
        "device = 0x5831",
        "device_id_range = { start = 0x5831, end = 0x5832 }",
        "device_id_range = { start = 0x5833, end = 0x5899 }",
        "ids = { 0x17d5 = [0x5831] }",
        "ids = { 0x17d6 = [0x5832] }",
        "ids = { }",
        "ids = { 0xother = [0x5832] }",
        "ids = { 0x17d5 = [0x5832] }\nclass = 1",
    ] {
        assert!(!entry(other).match_function(&XFRAME), "{other}");
    }
}

#[test]
fn the_vendor_alone_does_not_make_a_device() {
    let entry = entry("ids = { 0x17d5 = [0x5832] }");
    assert!(!entry.match_function(&FullDeviceId { device_id: 0x5833, ..XFRAME }));
    assert!(!entry.match_function(&FullDeviceId { vendor_id: 0x8086, ..XFRAME }));
}
