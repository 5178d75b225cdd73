//! The scheme's paths: who may open them, what mac and stats give, and every errno's number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "front/mod.rs"]
mod world;

use s2iod::front::{Change, Errno, Front, Handle, Path};
use world::{MAC, World, frame};

// Opening.

#[test]
fn a_path_that_is_not_there_is_enoent() {
    let mut front = Front::<u32, Vec<u8>>::new();
    for path in ["macs", "/", "mac/", "Mac", "stats ", "\0"] {
        assert_eq!(front.open(path, 0, false), Err(Errno::ENOENT), "{path:?}");
    }
}

#[test]
fn anyone_but_root_is_eacces_on_every_path() {
    let mut front = Front::<u32, Vec<u8>>::new();
    for path in Path::ALL.map(Path::name).into_iter().chain(["no such path"]) {
        assert_eq!(front.open(path, 1_000, false), Err(Errno::EACCES), "{path:?}");
    }
}

#[test]
fn opening_a_read_only_path_for_writing_is_eacces() {
    let mut front = Front::<u32, Vec<u8>>::new();
    assert_eq!(front.open("mac", 0, true), Err(Errno::EACCES));
    for path in ["stats", "link", "lro"] {
        assert_eq!(front.open(path, 0, true), Err(Errno::EACCES), "{path}");
    }
    assert!(front.open("", 0, true).is_ok());
}

#[test]
fn a_handle_tells_its_path_mode_and_size() {
    let mut world = World::new();
    for (name, path, mode, size, positioned) in [
        ("", Path::Frames, 0o600, 0, false),
        ("link", Path::Link, 0o400, 0, true),
        ("lro", Path::Lro, 0o400, 0, true),
        ("mac", Path::Mac, 0o400, 6, true),
        ("mtu", Path::Mtu, 0o600, 0, true),
        ("multicast", Path::Multicast, 0o600, 0, true),
        ("promiscuous", Path::Promiscuous, 0o600, 0, true),
        ("stats", Path::Stats, 0o400, 0, true),
    ] {
        let handle = world.open(name);
        assert_eq!(world.front.path(handle), Ok(path));
        assert_eq!((path.name(), path.mode(), path.size()), (name, mode, size));
        assert_eq!(path.is_positioned(), positioned);
    }
}

#[test]
fn a_handle_that_is_closed_or_was_never_open_is_ebadf() {
    let mut world = World::new();
    let closed = world.open("");
    world.front.close(closed).unwrap();
    for handle in [closed, Handle(0), Handle(usize::MAX)] {
        assert_eq!(world.front.path(handle), Err(Errno::EBADF));
        assert_eq!(world.front.close(handle), Err(Errno::EBADF));
        assert_eq!(world.front.fevent(handle, &mut world.card), Err(Errno::EBADF));
        assert_eq!(world.try_read(handle), Err(Errno::EBADF));
        assert_eq!(world.try_write(handle, frame(1)), Err(Errno::EBADF));
    }
}

#[test]
fn a_new_handle_never_has_the_number_of_an_old_one() {
    let mut world = World::new();
    let first = world.open("");
    world.front.close(first).unwrap();
    assert_ne!(world.open(""), first);
}

#[test]
fn errno_numbers_are_those_of_the_system() {
    for (errno, code) in [
        (Errno::ENOENT, 2),
        (Errno::EINTR, 4),
        (Errno::EIO, 5),
        (Errno::EBADF, 9),
        (Errno::EAGAIN, 11),
        (Errno::ENOMEM, 12),
        (Errno::EACCES, 13),
        (Errno::EINVAL, 22),
        (Errno::ENOSPC, 28),
        (Errno::EMSGSIZE, 90),
    ] {
        assert_eq!(errno.code(), code);
    }
}

// Bytes and text.

#[test]
fn mac_gives_six_bytes_from_any_offset_and_nothing_beyond() {
    let mut world = World::new();
    let mac = world.open("mac");
    assert_eq!(world.read_at(mac, 0, 6), Ok(MAC.to_vec()));
    assert_eq!(world.read_at(mac, 0, 4), Ok(MAC[..4].to_vec()));
    assert_eq!(world.read_at(mac, 4, 100), Ok(MAC[4..].to_vec()));
    for offset in [6, 7, u64::MAX] {
        assert_eq!(world.read_at(mac, offset, 6), Ok(vec![]));
    }
}

#[test]
fn stats_are_lines_of_name_and_value_of_the_card_and_the_front() {
    let mut world = World::new();
    let (stats, frames) = (world.open("stats"), world.open(""));
    world.arrive(frame(1));
    world.arrive(frame(2));
    world.try_read(frames).unwrap();
    let text = String::from_utf8(world.read_at(stats, 0, 10_000).unwrap()).unwrap();
    assert!(text.contains("rmac_frms 1\n"), "{text}");
    assert!(text.contains("\nreads 1\n"), "{text}");
    for line in text.lines() {
        let (name, value) = line.split_once(' ').unwrap();
        assert!(!name.is_empty() && value.parse::<u64>().is_ok(), "{line}");
    }
}

#[test]
fn stats_read_in_pieces_are_one_text_although_the_counts_move_on() {
    let mut world = World::new();
    let (stats, frames) = (world.open("stats"), world.open(""));
    let whole = world.read_at(stats, 0, 10_000).unwrap();
    let mut pieces = world.read_at(stats, 0, 7).unwrap();
    loop {
        world.arrive(frame(1));
        world.try_read(frames).unwrap();
        let piece = world.read_at(stats, pieces.len() as u64, 7).unwrap();
        if piece.is_empty() {
            break;
        }
        pieces.extend(piece);
    }
    assert_eq!(pieces, whole);
    assert_ne!(world.read_at(stats, 0, 10_000).unwrap(), whole);
}

#[test]
fn writing_to_mac_or_stats_is_ebadf() {
    let mut world = World::new();
    for path in ["mac", "stats"] {
        let handle = world.open(path);
        assert_eq!(world.try_write(handle, frame(1)), Err(Errno::EBADF));
    }
}

#[test]
fn a_handle_that_was_not_opened_for_writing_cannot_be_written_to() {
    let mut world = World::new();
    for path in Path::ALL {
        let handle = world.front.open(path.name(), 0, false).unwrap();
        assert_eq!(world.try_write(handle, frame(1)), Err(Errno::EBADF), "{path:?}");
    }
    assert!(world.card.sent.is_empty() && world.card.changes.is_empty());
}

// Settings.

fn write(world: &mut World, path: &str, text: &str) -> Result<usize, Errno> {
    let handle = world.front.open(path, 0, true).unwrap();
    let result = world.try_write(handle, text.into());
    world.front.close(handle).unwrap();
    result
}

#[test]
fn settings_are_read_as_text_from_any_offset() {
    let mut world = World::new();
    for path in ["link", "lro", "mtu", "multicast", "promiscuous"] {
        let handle = world.open(path);
        let text = format!("{path} is so\n").into_bytes();
        assert_eq!(world.read_at(handle, 0, 100), Ok(text.clone()));
        assert_eq!(world.read_at(handle, 3, 4), Ok(text[3..7].to_vec()));
        assert_eq!(world.read_at(handle, text.len() as u64, 4), Ok(vec![]));
        assert_eq!(world.read_at(handle, u64::MAX, 4), Ok(vec![]));
    }
}

#[test]
fn settings_that_are_written_reach_the_card() {
    let mut world = World::new();
    let group = [0x01, 0, 0x5E, 0, 0, 1];
    assert_eq!(write(&mut world, "mtu", "9000\n"), Ok(5));
    assert_eq!(write(&mut world, "promiscuous", "on"), Ok(2));
    assert_eq!(write(&mut world, "multicast", "add 01:00:5e:00:00:01\n"), Ok(22));
    assert_eq!(world.card.changes, [Change::Mtu(9_000), Change::Promiscuous(true), Change::AddMulticast(group)]);
}

#[test]
fn a_setting_that_cannot_be_is_an_error_that_says_why() {
    let mut world = World::new();
    for (path, text, errno) in [
        ("mtu", "9601", Errno::EINVAL),
        ("mtu", "many", Errno::EINVAL),
        ("mtu", "", Errno::EINVAL),
        ("mtu", "9600", Errno::ENOMEM),
        ("promiscuous", "perhaps", Errno::EINVAL),
        ("multicast", "remove 01:00:5e:00:00:01", Errno::ENOENT),
        ("multicast", "01:00:5e:00:00:01", Errno::EINVAL),
    ] {
        assert_eq!(write(&mut world, path, text), Err(errno), "{path} {text:?}");
    }
    assert!(world.card.changes.is_empty());
    for _ in 0..4 {
        write(&mut world, "multicast", "add 01:00:5e:00:00:01").unwrap();
    }
    assert_eq!(write(&mut world, "multicast", "add 01:00:5e:00:00:01"), Err(Errno::ENOSPC));
    world.card.gone = true;
    assert_eq!(write(&mut world, "promiscuous", "on"), Err(Errno::EIO));
}
