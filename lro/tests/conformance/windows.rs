//! The two examples that Windows' documentation of Receive Segment Coalescing gives.

use lro::Rules;

use crate::common::frame::{data, pure_ack};
use crate::common::parse::payloads;
use crate::common::rig::units;

#[test]
fn ten_segments_in_sequence_are_one_unit() {
    for rules in [Rules::Endpoint, Rules::Forward] {
        let segments = (0..10).map(|n| data(1 + n * 1460, 1460));
        assert_eq!(payloads(&units(rules, segments)), [14_600]);
    }
}

#[test]
fn five_segments_a_duplicate_ack_with_sack_and_two_segments_are_three_units() {
    let sack = vec![1, 1, 5, 10, 0, 0, 0x20, 0, 0, 0, 0x30, 0];
    for rules in [Rules::Endpoint, Rules::Forward] {
        let segments = (0..7).map(|n| data(1 + n * 1460, 1460));
        let mut frames: Vec<_> = segments.collect();
        frames.insert(5, pure_ack(1 + 5 * 1460, 1).options(sack.clone()));
        assert_eq!(payloads(&units(rules, frames)), [7_300, 0, 2_920]);
    }
}
