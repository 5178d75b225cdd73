//! A vfio-user client as small as can be, and a server in a thread for it to talk to.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::fs::File;
use std::io::{ErrorKind, IoSlice, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::Config;
use model::vfio::{Error, Server};
use model::wire::Socket;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use xframe::constants::Asic;
use xframe::registers::Register;

pub const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x01, 0x02, 0x03];
pub const VERSION: u16 = 1;
pub const DMA_MAP: u16 = 2;
pub const DMA_UNMAP: u16 = 3;
pub const DEVICE_GET_INFO: u16 = 4;
pub const REGION_INFO: u16 = 5;
pub const IRQ_INFO: u16 = 7;
pub const SET_IRQS: u16 = 8;
pub const REGION_READ: u16 = 9;
pub const REGION_WRITE: u16 = 10;
pub const RESET: u16 = 13;
pub const WRITE_MULTI: u16 = 15;
/// Header flag: the client does not want to hear about it.
pub const NO_REPLY: u32 = 1 << 4;
pub const EINVAL: u32 = 22;
pub const EEXIST: u32 = 17;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server in a thread, its socket in a folder of its own, and the other end of its cable.
pub struct Served {
    pub folder: tempfile::TempDir,
    pub cable: Socket,
    stop: UnixStream,
    server: JoinHandle<Result<(), Error>>,
}

impl Served {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (near, far) = UnixStream::pair().unwrap();
        let (stop, stopped) = UnixStream::pair().unwrap();
        let config = Config::new(Asic::Herc, MAC);
        let mut server = Server::bind(&folder.path().join("card"), config, Socket::new(near).unwrap(), None).unwrap();
        let server = std::thread::spawn(move || server.run(stopped));
        Self { folder, cable: Socket::new(far).unwrap(), stop, server }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("card")
    }

    /// A client that has not said anything yet.
    pub fn connect(&self) -> Client {
        let socket = UnixStream::connect(self.path()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        Client { socket, id: 0 }
    }

    /// A client that has agreed on the version.
    pub fn client(&self) -> Client {
        let mut client = self.connect();
        client.call(VERSION, &version(b"{\"capabilities\":{\"write_multiple\":true}}\0"), &[]).unwrap();
        client
    }

    /// Ends the server as a signal would, and gives its folder back.
    pub fn stop(self) -> tempfile::TempDir {
        rustix::io::write(&self.stop, &[0]).unwrap();
        self.server.join().unwrap().unwrap();
        self.folder
    }
}

pub fn version(capabilities: &[u8]) -> Vec<u8> {
    [&[0; 4], capabilities].concat()
}

pub struct Client {
    pub socket: UnixStream,
    id: u16,
}

impl Client {
    /// A message with any header.
    pub fn message(&mut self, command: u16, flags: u32, body: &[u8]) -> Vec<u8> {
        self.id = self.id.wrapping_add(1);
        let size = 16 + body.len() as u32;
        let words = [size, flags, 0].map(u32::to_ne_bytes).concat();
        [&self.id.to_ne_bytes(), &command.to_ne_bytes(), &words[..], body].concat()
    }

    pub fn send(&mut self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) {
        self.try_send(bytes, descriptors).unwrap();
    }

    /// Sends to a server that may have hung up.
    pub fn try_send(&mut self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> rustix::io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(32))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(descriptors)));
        }
        sendmsg(&self.socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)
    }

    /// The next reply: its id, and its body or error.
    pub fn reply(&mut self) -> (u16, Result<Vec<u8>, u32>) {
        let mut header = [0; 16];
        self.socket.read_exact(&mut header).unwrap();
        let word = |at: usize| u32::from_ne_bytes(header[at..at + 4].try_into().unwrap());
        let mut body = vec![0; word(4) as usize - 16];
        self.socket.read_exact(&mut body).unwrap();
        let id = u16::from_ne_bytes(header[..2].try_into().unwrap());
        assert_eq!(word(8) & 0xF, 1, "it is a reply");
        (id, if word(8) & 1 << 5 == 0 { Ok(body) } else { Err(word(12)) })
    }

    /// A command and its reply.
    pub fn call(&mut self, command: u16, body: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<Vec<u8>, u32> {
        let message = self.message(command, 0, body);
        self.send(&message, descriptors);
        let (id, result) = self.reply();
        assert_eq!(id, self.id);
        result
    }

    pub fn region_read(&mut self, region: u32, offset: u64, count: u32) -> Result<Vec<u8>, u32> {
        self.call(REGION_READ, &access(region, offset, count, &[]), &[]).map(|body| body[16..].to_vec())
    }

    pub fn region_write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), u32> {
        self.call(REGION_WRITE, &access(region, offset, data.len() as u32, data), &[]).map(drop)
    }

    pub fn register(&mut self, register: Register) -> u64 {
        let bytes = self.region_read(0, register.offset().into(), 8).unwrap();
        u64::from_le_bytes(bytes.try_into().unwrap())
    }

    pub fn write(&mut self, register: Register, value: u64) {
        self.region_write(0, register.offset().into(), &value.to_le_bytes()).unwrap();
    }

    /// Memory decoding and bus mastering.
    pub fn enable(&mut self) {
        self.region_write(7, 4, &[6, 0]).unwrap();
    }

    pub fn set_irq(&mut self, index: u32, start: u32, event: &OwnedFd) -> Result<Vec<u8>, u32> {
        self.call(SET_IRQS, &irqs(0b100_100, index, start, 1), &[event.as_fd()])
    }

    /// Waits until the server has hung up.
    pub fn hung_up(&mut self) {
        let mut rest = Vec::new();
        match self.socket.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
}

pub fn access(region: u32, offset: u64, count: u32, data: &[u8]) -> Vec<u8> {
    [&offset.to_ne_bytes()[..], &region.to_ne_bytes(), &count.to_ne_bytes(), data].concat()
}

pub fn irqs(flags: u32, index: u32, start: u32, count: u32) -> Vec<u8> {
    [20, flags, index, start, count].map(u32::to_ne_bytes).concat()
}

pub fn mapping(flags: u32, offset: u64, address: u64, size: u64) -> Vec<u8> {
    let words = [32, flags].map(u32::to_ne_bytes).concat();
    [words, [offset, address, size].map(u64::to_ne_bytes).concat()].concat()
}

pub fn event() -> OwnedFd {
    eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC).unwrap()
}

/// Waits for the event and takes it: how often it was signalled.
pub fn await_event(event: &OwnedFd) -> u64 {
    let timeout = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
    poll(&mut [PollFd::new(event, PollFlags::IN)], Some(&timeout)).unwrap();
    let mut count = [0; 8];
    rustix::io::read(event, &mut count).expect("nothing was signalled");
    u64::from_ne_bytes(count)
}

/// Waits until `done` says so.
pub fn until(mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < PATIENCE, "it does not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Memory that can be shared, as a machine's is: a file without a name that, if `sealed`, cannot shrink.
pub struct Shared(pub File);

impl Shared {
    pub fn new(size: u64, sealed: bool) -> Self {
        let file = memfd_create("memory", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&file, size).unwrap();
        if sealed {
            fcntl_add_seals(&file, SealFlags::SHRINK).unwrap();
        }
        Self(file.into())
    }

    pub fn word(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.bytes(at, 8).try_into().unwrap())
    }

    pub fn put_word(&self, at: u64, word: u64) {
        self.0.write_all_at(&word.to_le_bytes(), at).unwrap();
    }

    pub fn bytes(&self, at: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, at).unwrap();
        bytes
    }
}
