//! Sound captures: what is read from them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "capture/mod.rs"]
mod files;

use std::time::Duration;

use files::{Folder, ORDERS, Order, Pcap, Pcapng, packet, read};
use model::capture::{Reader, Resolution};

// Reading pcap.

#[test]
fn pcap_of_either_byte_order_and_resolution_is_read() {
    for order in ORDERS {
        for (resolution, fraction, nanos) in [(Resolution::Micro, 7, 7_000), (Resolution::Nano, 7, 7)] {
            let file = Pcap::new(order, resolution).packet(3, fraction, b"frame");
            let expected = packet(Duration::new(3, nanos), b"frame");
            assert_eq!(read(&file.bytes), Ok(vec![expected]));
        }
    }
}

#[test]
fn pcap_without_packets_is_an_empty_capture() {
    let file = Pcap::new(Order::Little, Resolution::Micro);
    assert_eq!(read(&file.bytes), Ok(vec![]));
}

#[test]
fn a_frame_that_the_capture_cut_short_keeps_its_original_length() {
    let file = Pcap::new(Order::Little, Resolution::Micro).cut_packet(1_514, b"head");
    let packets = read(&file.bytes).unwrap();
    assert_eq!(packets[0].original_length, 1_514);
    assert_eq!(packets[0].data, b"head");
}

#[test]
fn a_fraction_of_more_than_a_second_is_carried() {
    let file = Pcap::new(Order::Little, Resolution::Micro).packet(1, 2_500_000, b"");
    let packets = read(&file.bytes).unwrap();
    assert_eq!(packets[0].time, Duration::from_millis(3_500));
}

#[test]
fn the_reader_tells_the_files_resolution() {
    for resolution in [Resolution::Micro, Resolution::Nano] {
        let folder = Folder::new();
        let path = folder.file(&Pcap::new(Order::Big, resolution).bytes);
        assert_eq!(Reader::open(path).unwrap().resolution(), resolution);
    }
}

// Reading pcapng.

#[test]
fn pcapng_of_either_byte_order_is_read() {
    for order in ORDERS {
        let file = Pcapng::new(order).interface(1, &[]).packet(0, 5_000_001, b"frame");
        let expected = packet(Duration::from_micros(5_000_001), b"frame");
        assert_eq!(read(&file.bytes), Ok(vec![expected]));
    }
}

#[test]
fn pcapng_timestamps_follow_the_interfaces_unit_and_offset() {
    for order in ORDERS {
        let nano = [(9, vec![9])];
        let binary = [(9, vec![0x80 | 10])];
        let offset = [(14, order.i64(100).to_vec())];
        let before_1970 = [(14, order.i64(-100).to_vec())];
        let senseless = [(9, vec![127])];
        for (options, ticks, expected) in [
            (&nano[..], 1_000_000_005, Duration::new(1, 5)),
            (&binary, 1_536, Duration::from_millis(1_500)),
            (&offset, 2_000_000, Duration::from_secs(102)),
            (&before_1970, 2_000_003, Duration::from_micros(3)),
            (&senseless, u64::MAX, Duration::ZERO),
        ] {
            let file = Pcapng::new(order).interface(1, options).packet(0, ticks, b"frame");
            assert_eq!(read(&file.bytes), Ok(vec![packet(expected, b"frame")]));
        }
    }
}

#[test]
fn pcapng_sections_may_differ_in_byte_order_and_interfaces() {
    let file = Pcapng::new(Order::Little)
        .interface(1, &[])
        .packet(0, 1, b"first")
        .section(Order::Big)
        .interface(1, &[(9, vec![0])])
        .packet(0, 2, b"second");
    let expected = vec![packet(Duration::from_micros(1), b"first"), packet(Duration::from_secs(2), b"second")];
    assert_eq!(read(&file.bytes), Ok(expected));
}

#[test]
fn pcapng_simple_packets_are_read_up_to_the_snap_length() {
    let file = Pcapng::new(Order::Little).snapping_interface(5).simple_packet(9, b"frame");
    let packets = read(&file.bytes).unwrap();
    assert_eq!(packets[0].data, b"frame");
    assert_eq!(packets[0].original_length, 9);
    assert_eq!(packets[0].time, Duration::ZERO);
}

#[test]
fn pcapng_blocks_that_hold_no_packet_are_passed_over() {
    let file = Pcapng::new(Order::Little).interface(1, &[]).block(0x0BAD, b"whatever").packet(0, 0, b"frame");
    assert_eq!(read(&file.bytes), Ok(vec![packet(Duration::ZERO, b"frame")]));
}

#[test]
fn packets_of_an_interface_that_is_not_ethernet_are_refused_and_others_read() {
    let file = Pcapng::new(Order::Little).interface(1, &[]).interface(113, &[]).packet(0, 0, b"frame");
    assert_eq!(read(&file.bytes).unwrap().len(), 1);
    let error = read(&file.packet(1, 0, b"cooked").bytes).unwrap_err();
    assert_eq!(error, "packet 2 has link type 113; only Ethernet (link type 1) can be read");
}
