//! The scheme's paths: who may open them, what mac and stats give, and every errno's number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "front/mod.rs"]
mod world;

use s2iod::front::{Errno, Front, Handle, Path};
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
    for path in ["", "mac", "stats", "no such path"] {
        assert_eq!(front.open(path, 1_000, false), Err(Errno::EACCES), "{path:?}");
    }
}

#[test]
fn opening_a_read_only_path_for_writing_is_eacces() {
    let mut front = Front::<u32, Vec<u8>>::new();
    assert_eq!(front.open("mac", 0, true), Err(Errno::EACCES));
    assert_eq!(front.open("stats", 0, true), Err(Errno::EACCES));
    assert!(front.open("", 0, true).is_ok());
}

#[test]
fn a_handle_tells_its_path_mode_and_size() {
    let mut world = World::new();
    for (name, path, mode, size, positioned) in [
        ("", Path::Frames, 0o600, 0, false),
        ("mac", Path::Mac, 0o400, 6, true),
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
        (Errno::EACCES, 13),
        (Errno::EINVAL, 22),
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
