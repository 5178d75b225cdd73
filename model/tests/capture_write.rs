//! Written captures: whole under their name, or not there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "capture/mod.rs"]
mod files;

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use files::{Folder, Order, Pcap, packet};
use model::capture::{self, MAX_PACKET, Packet, Reader, Resolution, Writer};

fn write(path: &Path, resolution: Resolution, packets: &[Packet]) {
    let mut writer = Writer::create(path, resolution).unwrap();
    for packet in packets {
        writer.write(packet.time, packet.original_length, &packet.data).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn what_is_written_is_read_back() {
    let folder = Folder::new();
    let path = folder.0.path().join("out.pcap");
    let mut packets = vec![
        packet(Duration::new(u32::MAX.into(), 999_999_999), b"frame"),
        packet(Duration::ZERO, &[]),
        packet(Duration::from_secs(1), &vec![7; MAX_PACKET]),
    ];
    packets[0].original_length = 1_514;
    write(&path, Resolution::Nano, &packets);
    assert_eq!(capture::read(&path).unwrap(), packets);
}

#[test]
fn a_capture_in_microseconds_is_given_back_byte_for_byte() {
    let folder = Folder::new();
    let file = Pcap::new(Order::Little, Resolution::Micro).packet(1, 999_999, b"first").cut_packet(1_514, b"second");
    let path = folder.file(&file.bytes);
    let out = folder.0.path().join("out.pcap");
    write(&out, Resolution::Micro, &capture::read(path).unwrap());
    assert_eq!(fs::read(out).unwrap(), file.bytes);
}

#[test]
fn a_dropped_writer_leaves_nothing() {
    let folder = Folder::new();
    let mut writer = Writer::create(folder.0.path().join("out.pcap"), Resolution::Micro).unwrap();
    writer.write(Duration::ZERO, 5, b"frame").unwrap();
    drop(writer);
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn a_dropped_writer_leaves_the_old_file_untouched() {
    let folder = Folder::new();
    let path = folder.file(b"old");
    let writer = Writer::create(&path, Resolution::Micro).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["in.pcap"]);
}

#[test]
fn a_finished_capture_replaces_the_old_file_and_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file(b"old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write(&path, Resolution::Micro, &[]);
    assert_eq!(capture::read(&path).unwrap(), vec![]);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(folder.names(), ["in.pcap"]);
}

#[test]
fn a_capture_can_replace_the_one_it_is_made_from() {
    let folder = Folder::new();
    let path = folder.file(&Pcap::new(Order::Big, Resolution::Micro).packet(1, 2, b"x").bytes);
    let packets = Reader::open(&path).unwrap();
    let mut writer = Writer::create(&path, Resolution::Micro).unwrap();
    for packet in packets.map(Result::unwrap) {
        writer.write(packet.time, packet.original_length, &packet.data).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(capture::read(&path).unwrap().len(), 1);
}

#[test]
fn a_symbolic_link_stays_and_its_target_is_replaced() {
    let folder = Folder::new();
    let target = folder.file(b"old");
    let link = folder.0.path().join("link");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write(&link, Resolution::Micro, &[]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(capture::read(&target).unwrap(), vec![]);
}

#[test]
fn a_file_that_is_not_regular_is_written_to_directly() {
    write(Path::new("/dev/null"), Resolution::Micro, &[Packet::default()]);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_file_behind_an_open_descriptor_is_appended_to() {
    let folder = Folder::new();
    let path = folder.file(b"before");
    let open = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let descriptor = format!("/dev/fd/{}", open.as_raw_fd());
    write(Path::new(&descriptor), Resolution::Micro, &[]);
    let header = Pcap::new(Order::Little, Resolution::Micro).bytes;
    assert_eq!(fs::read(&path).unwrap(), [b"before", &header[..]].concat());
}

#[test]
fn a_full_disk_is_an_error_of_the_writer() {
    let mut writer = Writer::create("/dev/full", Resolution::Micro).unwrap();
    let data = vec![0; 100_000];
    let error = writer.write(Duration::ZERO, 100_000, &data).unwrap_err();
    assert_eq!(error.to_string(), "/dev/full: cannot write: No space left on device (os error 28)");
}

#[test]
fn a_full_disk_is_an_error_at_the_latest_when_finished() {
    let writer = Writer::create("/dev/full", Resolution::Micro).unwrap();
    assert!(writer.finish().is_err());
}

#[test]
fn an_output_that_cannot_be_created_is_named() {
    let folder = Folder::new();
    let missing = folder.0.path().join("missing/out.pcap");
    for path in [&missing, folder.0.path()] {
        let error = Writer::create(path, Resolution::Micro).err().unwrap();
        let prefix = format!("{}: cannot create: ", path.display());
        assert!(error.to_string().starts_with(&prefix), "{error}");
    }
}

#[test]
fn a_packet_that_pcap_cannot_hold_is_refused() {
    let folder = Folder::new();
    let path = folder.0.path().join("out.pcap");
    let mut writer = Writer::create(path, Resolution::Micro).unwrap();
    let late = Duration::from_secs(1 << 32);
    let error = writer.write(late, 0, b"").unwrap_err().to_string();
    assert!(error.ends_with("packet 1 has a time of 4294967296 s since 1970, more than pcap can hold"));
    let error = writer.write(Duration::ZERO, 0, &vec![0; MAX_PACKET + 1]).unwrap_err().to_string();
    assert!(error.ends_with("packet 1 has 262145 bytes, more than the 262144 a capture can hold"));
}
