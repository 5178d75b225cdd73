//! What clients do wrong: the server answers or hangs up, and serves the next one as if nothing had been.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod vfio_client;

use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;

use model::Config;
use model::vfio::{Error, Server};
use model::wire::Loopback;
use proptest::prelude::*;
use vfio_client::*;
use xframe::constants::Asic;

/// A client after all that still finds the card.
fn still_serves(served: &Served) {
    assert_eq!(served.client().region_read(7, 0, 2).unwrap(), [0xD5, 0x17]);
}

#[test]
fn nothing_is_done_before_the_version_is_agreed_on() {
    let served = Served::new();
    let mut client = served.connect();
    for command in [DMA_MAP, REGION_READ, RESET, 0, 999] {
        assert_eq!(client.call(command, &[0; 32], &[]), Err(EINVAL));
    }
    client.call(VERSION, &version(&[]), &[]).unwrap();
    assert_eq!(client.call(VERSION, &version(&[]), &[]), Err(EINVAL), "it is agreed on once");
}

#[test]
fn versions_that_cannot_be_are_refused_and_can_be_tried_again() {
    let served = Served::new();
    let mut client = served.connect();
    let wrong: [&[u8]; 8] = [
        &[],
        &[0; 3],
        &[1, 0, 0, 0],
        b"\0\0\0\0{}",
        b"\0\0\0\0{\0",
        b"\0\0\0\0\xFF\0",
        b"\0\0\0\0\0",
        b"\0\0\0\0{}{}\0",
    ];
    for body in wrong {
        assert!(client.call(VERSION, body, &[]).is_err(), "{body:?}");
    }
    client.call(VERSION, &version(b"[1,2]\0"), &[]).unwrap();
}

#[test]
fn messages_too_short_for_their_command_are_refused() {
    let served = Served::new();
    let mut client = served.client();
    for command in (2..=10).chain([15]) {
        for length in 0..8 {
            assert!(client.call(command, &vec![1; length], &[]).is_err(), "{command} {length}");
        }
    }
    still_serves_here(&mut client);
}

fn still_serves_here(client: &mut Client) {
    assert_eq!(client.region_read(7, 0, 2).unwrap(), [0xD5, 0x17]);
}

#[test]
fn accesses_outside_a_region_are_refused() {
    let served = Served::new();
    let mut client = served.client();
    client.enable();
    for (region, offset, count) in [
        (0, 0x8000, 1),
        (0, 0x7FFC, 8),
        (0, u64::MAX, 8),
        (1, 0, 1),
        (9, 0, 1),
        (7, 255, 2),
        (0, 0, 1 << 20),
        (u32::MAX, 0, 4),
    ] {
        assert_eq!(client.region_read(region, offset, count), Err(EINVAL));
        assert_eq!(client.call(REGION_WRITE, &access(region, offset, count, &[0; 16]), &[]), Err(EINVAL));
    }
    assert_eq!(client.call(REGION_WRITE, &access(0, 0, 8, &[0; 7]), &[]), Err(EINVAL), "data is missing");
    let short = [&u64::MAX.to_ne_bytes()[..], &access(0, 0, 8, &[0; 8])].concat();
    assert_eq!(client.call(WRITE_MULTI, &short, &[]), Err(EINVAL));
    let wide = [&1_u64.to_ne_bytes()[..], &access(0, 0, 9, &[0; 8])].concat();
    assert_eq!(client.call(WRITE_MULTI, &wide, &[]), Err(EINVAL));
    still_serves_here(&mut client);
}

#[test]
fn interrupts_set_up_wrongly_are_refused() {
    let served = Served::new();
    let mut client = served.client();
    for (flags, index, start, count) in [
        (0, 2, 0, 1),
        (0b111_111, 2, 0, 1),
        (0b100_001, 2, 64, 1),
        (0b100_001, 2, 1, u32::MAX),
        (0b100_010, 2, 0, 64),
        (0b001_001, 2, 0, 1),
        (0b100_001, 7, 0, 0),
        (u32::MAX, 0, 0, 1),
    ] {
        assert_eq!(client.call(SET_IRQS, &irqs(flags, index, start, count), &[]), Err(EINVAL), "{flags:b}");
    }
    let event = event();
    assert_eq!(client.call(SET_IRQS, &irqs(0b100_100, 2, 0, 2), &[event.as_fd()]), Err(EINVAL), "one is missing");
    client.set_irq(2, 63, &event).unwrap();
}

#[test]
fn replies_to_what_nobody_asked_are_passed_over() {
    let served = Served::new();
    let mut client = served.client();
    let reply = client.message(REGION_READ, 1, &access(0, 0, 4, &[]));
    client.send(&reply, &[]);
    still_serves_here(&mut client);
}

#[test]
fn sizes_that_cannot_be_end_the_conversation() {
    let served = Served::new();
    for size in [0_u32, 15, (64 << 10) + 1, u32::MAX] {
        let mut client = served.client();
        let mut message = client.message(REGION_READ, 0, &[0; 16]);
        message.splice(4..8, size.to_ne_bytes());
        client.send(&message, &[]);
        client.hung_up();
    }
    still_serves(&served);
}

#[test]
fn a_client_that_dies_in_the_middle_of_a_message_is_forgotten() {
    let served = Served::new();
    for length in [0, 1, 15, 16, 20, 31] {
        let mut client = served.client();
        let message = client.message(REGION_READ, 0, &access(7, 0, 4, &[]));
        client.send(&message[..length.min(message.len())], &[]);
    }
    still_serves(&served);
}

#[test]
fn a_client_that_does_not_read_its_replies_is_dropped_in_time() {
    let served = Served::new();
    let mut client = served.client();
    client.enable();
    let message = client.message(REGION_READ, 0, &access(2, 0, 16 << 10, &[]));
    client.socket.set_nonblocking(true).unwrap();
    // More than the server and both sockets keep; it stops reading long before it is short of memory.
    let mut sent = 0;
    while sent < 100_000 && client.socket.write_all(&message).is_ok() {
        sent += 1;
    }
    assert!(sent < 100_000, "the server took everything");
    drop(client);
    still_serves(&served);
}

#[test]
fn descriptors_nobody_asked_for_are_closed() {
    let served = Served::new();
    let mut client = served.client();
    let event = event();
    for _ in 0..2000 {
        client.call(REGION_READ, &access(7, 0, 4, &[]), &[event.as_fd(); 4]).unwrap();
    }
    let memory = Shared::new(1 << 20, true);
    client.call(DMA_MAP, &mapping(3, 0, 0, 1 << 20), &[memory.0.as_fd()]).unwrap();
}

#[test]
fn mappings_are_limited() {
    let served = Served::new();
    let mut client = served.client();
    let mut last = Ok(Vec::new());
    for page in 0..600 {
        last = client.call(DMA_MAP, &mapping(3, 0, page << 12, 4096), &[]);
    }
    assert!(last.is_err());
    still_serves_here(&mut client);
}

#[test]
fn the_server_stops_while_a_client_is_there() {
    let served = Served::new();
    let mut client = served.client();
    let folder = served.stop();
    client.hung_up();
    assert!(!folder.path().join("card").exists(), "the socket goes with it");
}

#[test]
fn a_server_takes_the_place_of_a_dead_one_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    let bind = || Server::bind(&path, Config::new(Asic::Herc, MAC), Loopback::new(1), None);
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "a dead server left its socket");
    let server = bind().unwrap();
    assert!(matches!(bind().err(), Some(Error::InUse(_))));
    drop(server);
    assert!(!path.exists());
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(bind().err(), Some(Error::NotSocket(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    let nowhere = Server::bind(&path.join("card"), Config::new(Asic::Herc, MAC), Loopback::new(1), None);
    assert!(matches!(nowhere.err(), Some(Error::Listen { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes at all, then any well-framed messages: the server is still there for the next client.
    #[test]
    fn garbage_does_not_reach_the_next_client(
        noise in proptest::collection::vec(any::<u8>(), 0..200),
        messages in proptest::collection::vec((0_u16..20, any::<u32>(), proptest::collection::vec(any::<u8>(), 0..80)), 0..20),
    ) {
        let served = Served::new();
        let mut client = served.connect();
        client.send(&noise, &[]);
        drop(client);
        let mut client = served.client();
        client.enable();
        let event = event();
        for (command, flags, body) in messages {
            let message = client.message(command, flags, &body);
            client.send(&message, &[event.as_fd()]);
        }
        drop(client);
        still_serves(&served);
        served.stop();
    }
}
