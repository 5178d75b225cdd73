//! Client and server over the loopback interface, and the driver's scheme as a folder.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;

use s2io_bench::{Error, read, receive, send, serve};
use tempfile::TempDir;

const BYTES: u64 = 300_001;

/// A server with a driver's scheme, and the folder that stands for it; the thread ends with the test.
fn server() -> (SocketAddr, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let scheme = folder.path().join("network.pci-0000-00-03.0_s2io");
    fs::create_dir(&scheme).unwrap();
    fs::write(scheme.join("stats"), "lro_frames 7\n").unwrap();
    (server_in(folder.path()), folder)
}

fn server_in(schemes: &Path) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let schemes = schemes.to_owned();
    std::thread::spawn(move || serve(&listener, &schemes, |_| {}));
    address
}

fn connect(server: SocketAddr) -> TcpStream {
    TcpStream::connect(server).unwrap()
}

#[test]
fn bytes_that_the_server_sends_are_right() {
    let (server, _schemes) = server();
    let tally = receive(&mut connect(server), BYTES).unwrap();
    assert_eq!((tally.bytes, tally.wrong), (BYTES, None));
}

#[test]
fn bytes_that_the_server_receives_are_counted_and_right() {
    let (server, _schemes) = server();
    let tally = send(&mut connect(server), BYTES).unwrap();
    assert_eq!((tally.bytes, tally.wrong), (BYTES, None));
    assert!(tally.reads > 0 && !tally.time.is_zero());
}

#[test]
fn one_connection_after_the_other_is_served() {
    let (server, _schemes) = server();
    for _ in 0..3 {
        assert_eq!(receive(&mut connect(server), 10).unwrap().bytes, 10);
    }
}

#[test]
fn a_wrong_byte_is_found_by_the_server() {
    let (server, _schemes) = server();
    let mut stream = connect(server);
    stream.write_all(b"receive 3\n\x15\x7c\x00").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("wrong 1 2\n"), "{answer}");
}

#[test]
fn a_file_of_the_scheme_comes_with_the_name_of_the_scheme() {
    let (server, _schemes) = server();
    let (name, text) = read(&mut connect(server), "stats").unwrap();
    assert_eq!((name.as_str(), text.as_str()), ("network.pci-0000-00-03.0_s2io", "lro_frames 7\n"));
}

#[test]
fn without_a_driver_the_client_hears_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = read(&mut connect(server_in(folder.path())), "stats").unwrap_err();
    assert!(matches!(&error, Error::Refused(words) if words.contains("no scheme")), "{error}");
}

#[test]
fn a_line_that_is_no_request_is_refused_and_the_next_client_is_served() {
    let (server, _schemes) = server();
    for line in ["what 1\n".to_owned(), "x".repeat(1000) + "\n", "\n".to_owned()] {
        let mut stream = connect(server);
        stream.write_all(line.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A server that leaves bytes unread may reset the connection.
        let _reset = stream.read_to_end(&mut answer);
    }
    assert_eq!(receive(&mut connect(server), 10).unwrap().bytes, 10);
}
