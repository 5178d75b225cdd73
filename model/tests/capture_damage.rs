//! Damaged captures: what each error says, and that none is fatal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "capture/mod.rs"]
mod files;

use files::{Folder, ORDERS, Order, Pcap, Pcapng, read};
use model::capture::{self, Reader, Resolution};

#[test]
fn a_missing_file_is_named() {
    let error = capture::read("/no/such/file.pcap").unwrap_err();
    let line = error.to_string();
    assert_eq!(line, "/no/such/file.pcap: cannot open: No such file or directory (os error 2)");
}

#[test]
fn a_folder_is_unreadable() {
    let folder = Folder::new();
    let line = capture::read(folder.0.path()).unwrap_err().to_string();
    assert!(line.contains("cannot read at byte 0: Is a directory"), "{line}");
}

#[test]
fn an_empty_file_is_called_empty() {
    assert_eq!(read(b"").unwrap_err(), "empty file, not a capture");
}

#[test]
fn a_file_of_another_kind_is_no_capture() {
    for bytes in [
        &b"x"[..],
        b"\x1f\x8b\x08\0 gzip, for example, of any length",
        b"\x0a\x0d\x0d\x0a\x1c\0\0\0 no byte order here",
    ] {
        assert_eq!(read(bytes).unwrap_err(), "not a pcap or pcapng capture");
    }
}

#[test]
fn a_pcap_of_another_link_type_is_refused() {
    let mut file = Pcap::new(Order::Little, Resolution::Micro).bytes;
    file[20] = 101;
    assert_eq!(read(&file).unwrap_err(), "the file header has link type 101; only Ethernet (link type 1) can be read");
}

#[test]
fn a_pcap_cut_short_says_where() {
    let file = Pcap::new(Order::Little, Resolution::Micro).packet(0, 0, b"first").packet(0, 0, b"second").bytes;
    for (length, place) in
        [(10, "the file header"), (30, "packet 1"), (44, "packet 1"), (46, "packet 2"), (file.len() - 1, "packet 2")]
    {
        let expected = format!("ends in the middle of {place}, at byte {length}");
        assert_eq!(read(&file[..length]), Err(expected));
    }
}

#[test]
fn a_pcapng_cut_short_says_where() {
    let header = Pcapng::new(Order::Little).interface(1, &[]);
    let start = header.bytes.len();
    let file = header.packet(0, 0, b"frame").bytes;
    for (length, place) in [
        (6, "the file header"),
        (20, "the file header"),
        (start - 1, "a block before the first packet"),
        (start + 7, "a block before the first packet"),
        (file.len() - 1, "packet 1"),
    ] {
        let expected = format!("ends in the middle of {place}, at byte {length}");
        assert_eq!(read(&file[..length]), Err(expected));
    }
}

#[test]
fn packets_before_the_damage_are_read_and_the_reader_ends_after_it() {
    let mut file = Pcap::new(Order::Little, Resolution::Micro).packet(0, 0, b"sound").packet(0, 0, b"cut");
    file.bytes.pop();
    let folder = Folder::new();
    let mut reader = Reader::open(folder.file(&file.bytes)).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().data, b"sound");
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn a_length_beyond_reason_is_refused() {
    let mut pcap = Pcap::new(Order::Little, Resolution::Micro).packet(0, 0, b"x");
    pcap.bytes[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        read(&pcap.bytes).unwrap_err(),
        "packet 1 at byte 24 claims 4294967295 bytes (between 0 and 262144 can be)"
    );
    for claimed in [0, 11, u32::MAX] {
        let mut pcapng = Pcapng::new(Order::Little).block(0x0BAD, b"");
        let start = pcapng.bytes.len() - 12;
        pcapng.bytes[start + 4..start + 8].copy_from_slice(&claimed.to_le_bytes());
        let error = read(&pcapng.bytes).unwrap_err();
        let expected = format!(
            "a block before the first packet at byte {start} claims {claimed} bytes (between 12 and 16777216 can be)"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn a_pcapng_packet_that_contradicts_its_block_is_damaged() {
    let sound = Pcapng::new(Order::Little).interface(1, &[]);
    let start = sound.bytes.len();
    let sound = sound.packet(0, 0, b"frame").bytes;
    let expected = format!("packet 1 at byte {start} is damaged");

    let mut captured = sound.clone();
    captured[start + 20] = 200;
    assert_eq!(read(&captured).unwrap_err(), expected);

    let mut trailer = sound.clone();
    *trailer.last_mut().unwrap() ^= 1;
    assert_eq!(read(&trailer).unwrap_err(), expected);
}

#[test]
fn a_pcapng_packet_needs_its_interface() {
    let file = Pcapng::new(Order::Little).interface(1, &[]);
    let start = file.bytes.len();
    let error = read(&file.packet(4, 0, b"frame").bytes).unwrap_err();
    let expected = format!("packet 1 at byte {start} names interface 4, which nothing describes");
    assert_eq!(error, expected);
}

#[test]
fn an_obsolete_packet_block_is_not_passed_over() {
    let file = Pcapng::new(Order::Big).interface(1, &[]);
    let start = file.bytes.len();
    let error = read(&file.block(2, &[0; 20]).bytes).unwrap_err();
    assert_eq!(error, format!("packet 1 at byte {start} is an obsolete pcapng packet block"));
}

/// Every prefix and every damaged byte of a sound file ends, in packets or in an error.
#[test]
fn damage_anywhere_is_survived() {
    let mut files = Vec::new();
    for order in ORDERS {
        files.push(Pcap::new(order, Resolution::Nano).packet(1, 2, b"frame"));
        let pcapng = Pcapng::new(order)
            .interface(1, &[(9, vec![6]), (14, order.i64(1).to_vec())])
            .packet(0, 9, b"frame")
            .simple_packet(3, b"abc");
        files.push(Pcap { order, bytes: pcapng.bytes });
    }
    let folder = Folder::new();
    for file in files.into_iter().map(|file| file.bytes) {
        for length in 0..file.len() {
            let _ = folder.read(&file[..length]);
        }
        for position in 0..file.len() {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                let mut damaged = file.clone();
                damaged[position] = value;
                let packets = folder.read(&damaged).unwrap_or_default();
                assert!(packets.iter().all(|packet| packet.data.len() <= file.len()));
            }
        }
    }
}
