//! A client that says anything to the card's server, and one after it that finds the card as ever.

use std::cell::RefCell;
use std::io::Read;
use std::net::Shutdown;
use std::os::fd::AsFd;

use super::Bytes;
use super::vfio_client::{DMA_MAP, NO_REPLY, REGION_WRITE, SET_IRQS, Served, Shared, VERSION, access, event, version};

thread_local! {
    /// One server for all inputs, as in life.
    static SERVED: RefCell<Option<Served>> = const { RefCell::new(None) };
}

/// Says to a server what the bytes mean: messages with any command and body, whole or cut, with descriptors or without.
pub fn run(bytes: &[u8]) {
    SERVED.with_borrow_mut(|served| {
        let served = served.get_or_insert_with(Served::new);
        talk(served, &mut Bytes(bytes));
        assert_eq!(served.client().region_read(7, 0, 2).unwrap(), [0xD5, 0x17]);
    });
}

fn talk(served: &Served, bytes: &mut Bytes<'_>) {
    let mut client = served.connect();
    let setting = bytes.u8();
    let mut said = Vec::new();
    if setting & 1 == 0 {
        said.extend(client.message(VERSION, NO_REPLY, &version(b"{\"capabilities\":{\"write_multiple\":true}}\0")));
    }
    if setting & 2 == 0 {
        // Memory decoding and bus mastering.
        said.extend(client.message(REGION_WRITE, NO_REPLY, &access(7, 4, 2, &[6, 0])));
    }
    if client.try_send(&said, &[]).is_err() {
        return;
    }
    while !bytes.is_empty() {
        let (kind, command, length) = (bytes.u8(), u16::from(bytes.u8() % 18), usize::from(bytes.u8()));
        let body = bytes.take(length).to_vec();
        let flags = if kind & 1 == 0 { NO_REPLY } else { 0 };
        let mut message = client.message(command, flags, &body);
        if kind & 0xE0 == 0xE0 {
            // A header that says what it likes.
            let at = usize::from(bytes.u8() & 15);
            message[at] = bytes.u8();
        }
        let sent = match (command, kind >> 1 & 7) {
            (DMA_MAP, 1..4) => client.try_send(&message, &[Shared::new(0x1_0000, kind & 8 == 0).0.as_fd()]),
            (SET_IRQS, 1..4) => client.try_send(&message, &[event().as_fd()]),
            (_, 4) => client.try_send(&message, &[event().as_fd(), event().as_fd()]),
            _ => client.try_send(&message, &[]),
        };
        if sent.is_err() {
            return;
        }
    }
    // Its replies are read, or not.
    let _ = client.socket.shutdown(Shutdown::Write);
    if setting & 4 == 0 {
        let _ = client.socket.read_to_end(&mut Vec::new());
    }
}
