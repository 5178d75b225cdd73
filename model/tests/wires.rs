//! The wires at the card's other end, card included: every byte, and no allocation once under way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC, frames};
use model::wire::{Flows, Generator, Pcap, Versions};
use model::{Wire, capture};

/// Receives through the card all that `wire` has.
fn through(wire: &mut dyn Wire, host: &mut Host) -> Vec<Vec<u8>> {
    let mut received = Vec::new();
    let mut frame = Vec::new();
    while wire.receive(&mut frame) {
        let (completion, bytes) = host.receive(&frame);
        assert!(completion.checksums_good());
        received.push(bytes);
    }
    received
}

#[test]
fn generated_flows_arrive_whole_and_in_sequence() {
    let flows = Flows { flows: 5, versions: Versions::Both, payload: 1428, frames: 3_000, ..Flows::new(MAC) };
    let mut generator = Generator::new(&flows);
    let mut offsets = [0; 5];
    for frame in through(&mut generator, &mut Host::running(2)) {
        let tcp = if frame[12] == 0x86 { &frame[54..] } else { &frame[34..] };
        let flow = usize::from(u16::from_be_bytes([tcp[0], tcp[1]]) - Generator::source_port(0));
        let sequence = u32::from_be_bytes(tcp[4..8].try_into().unwrap());
        assert_eq!(sequence, Generator::first_sequence(flow).wrapping_add(offsets[flow] as u32));
        for byte in &tcp[32..] {
            assert_eq!(*byte, Generator::byte(flow, offsets[flow]));
            offsets[flow] += 1;
        }
    }
    assert_eq!(offsets, [600 * 1428; 5]);
}

#[test]
fn a_capture_is_played_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.pcap"), folder.path().join("out.pcap"));
    let sent = [frames::tcp4(100), frames::udp6(200)];
    let mut writer = capture::Writer::create(&input, capture::Resolution::Micro).unwrap();
    for frame in &sent {
        writer.write(std::time::Duration::ZERO, frame.len() as u32, frame).unwrap();
    }
    // A packet the capture cut short is not a frame.
    writer.write(std::time::Duration::ZERO, 1514, &sent[0]).unwrap();
    writer.finish().unwrap();

    let mut wire = Pcap::play(&input).unwrap().record(&output).unwrap();
    let received = through(&mut wire, &mut Host::running(1));
    assert_eq!(received, sent);
    for frame in &received {
        wire.send(frame);
    }
    wire.finish().unwrap();
    let recorded: Vec<_> = capture::read(&output).unwrap().into_iter().map(|packet| packet.data).collect();
    assert_eq!(recorded, sent);
}

#[test]
fn a_missing_capture_is_an_error() {
    assert!(Pcap::play("no/such/file.pcap").is_err());
}
