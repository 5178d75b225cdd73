//! What a unit must keep that can be cut into its frames again.

use lro::{Config, Rules, resegment};

use crate::common::frame::{ACK, CWR, HEADERS4, Tcp, data, data6};
use crate::common::parse::{payloads, segment};
use crate::common::rig::{Rig, units};

#[track_caller]
fn leave(frames: impl IntoIterator<Item = Tcp>, expected: &[usize]) {
    assert_eq!(payloads(&units(Rules::Forward, frames)), expected);
}

// 12.
#[test]
fn a_longer_segment_does_not_join_and_a_shorter_one_is_the_last() {
    leave([data(1, 50), data(51, 100)], &[50, 100]);
    leave([data(1, 100), data(101, 60), data(161, 60)], &[160, 60]);
    leave([data6(1, 100), data6(101, 60), data6(161, 60)], &[160, 60]);
}

// 15.
#[test]
fn a_window_that_opens_is_seen_by_itself() {
    leave([data(1, 100).window(0), data(101, 100).window(65_535)], &[100, 100]);
}

// 15, of the other fields that an end of the connection reads.
#[test]
fn a_new_acknowledgment_or_timestamp_is_seen_by_itself() {
    leave([data(1, 100).ack(1), data(101, 100).ack(2)], &[100, 100]);
    leave([data(1, 100).timestamps(1, 1), data(101, 100).timestamps(2, 1)], &[100, 100]);
    leave([data(1, 100).timestamps(1, 1), data(101, 100).timestamps(1, 2)], &[100, 100]);
}

// 19: FreeBSD PR 219672, 252015, 273046; open-vm-tools#166.
#[test]
fn a_forwarder_sends_the_frames_that_came() {
    let frames: Vec<Vec<u8>> = (0..5).map(|n| data(1 + n * 1448, 1448).timestamps(7, 7).id(n as u16).frame()).collect();
    let mut rig = Rig::new(Rules::Forward);
    rig.push_all(frames.clone());
    let units = rig.finish();
    assert_eq!(units.len(), 1);
    let (mut segments, mut buffer) = (resegment(&units[0], &rig.info(0)), [0; 1514]);
    for frame in frames {
        assert_eq!(segments.next_into(&mut buffer), Ok(Some(frame.len())));
        assert_eq!(buffer[..frame.len()], frame);
    }
    assert_eq!(segments.next_into(&mut buffer), Ok(None));
}

// 19: the other zero.
#[test]
fn a_checksum_that_would_not_come_back_does_not_join() {
    leave([data(1, 100), data(101, 100).zero_sum(0), data(201, 100)], &[300]);
    leave([data(1, 100), data(101, 100).zero_sum(0xFFFF), data(201, 100)], &[100, 100, 100]);
    leave([data6(1, 100).zero_sum(0xFFFF), data6(101, 100), data6(201, 100)], &[100, 200]);
}

// 19: the other zero, in the IP header.
#[test]
fn an_ip_checksum_that_would_not_come_back_does_not_join() {
    for (written, expected) in [([0, 0], vec![200]), ([0xFF, 0xFF], vec![100, 100])] {
        let mut second = data(101, 100);
        // The identification that makes up for all the rest of the header.
        let header = second.ipv4(120);
        second.id = u16::from_be_bytes([header[10], header[11]]);
        let mut frame = second.frame();
        assert_eq!(frame[24..26], [0, 0]);
        frame[24..26].copy_from_slice(&written);
        let units = units(Rules::Forward, [data(1, 100).id(second.id).frame(), frame]);
        assert_eq!(payloads(&units), expected);
    }
}

// 20: Linux merges none of 12 on veth.
#[test]
fn many_flows_round_robin_all_merge() {
    for flows in [12, 64, 1000] {
        let mut rig = Rig::with(Config::new(Rules::Forward, 2 * flows));
        for sequence in [1, 101] {
            rig.push_all((0..flows).map(|flow| data(sequence, 100).flow(flow as u16)));
        }
        assert_eq!(payloads(&rig.finish()), vec![200; flows as usize]);
    }
}

// 22.
#[test]
fn a_reduced_congestion_window_merges_with_its_like() {
    let flags = [ACK, ACK | CWR, ACK | CWR, ACK, ACK];
    let frames = (0..5).map(|n| data(1 + n * 100, 100).flags(flags[n as usize]));
    leave(frames, &[100, 200, 200]);
}

// 26: calico#11613.
#[test]
fn the_step_of_the_identification_stays_true_when_a_unit_is_cut() {
    let mut rig = Rig::new(Rules::Forward);
    rig.push_all((0..5).map(|n| data(1 + n * 100, 100).id(0xFFFE_u16.wrapping_add(n as u16))));
    rig.drain(HEADERS4 + 250);
    let units = rig.finish();
    let told: Vec<_> = rig.departures.iter().map(|unit| (unit.info.segment_size, unit.info.ip_id_step)).collect();
    assert_eq!(told, [(100, Some(1)), (100, Some(1)), (0, None)]);
    assert_eq!(
        units.iter().map(|unit| segment(unit).identification()).collect::<Vec<_>>(),
        [Some(0xFFFE), Some(0), Some(2)]
    );
}
