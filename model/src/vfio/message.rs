//! Owns the shape of messages: the header, the numbers of the protocol, and fields in the host's byte order.

use rustix::io::Errno;

/// Bytes of the header that every message begins with; its size field counts them.
pub(crate) const HEADER: usize = 16;
/// The longest message taken: far beyond any that carries register accesses.
pub(crate) const LONGEST: usize = 64 << 10;
/// The most data of one region access, as told to the client.
pub(crate) const MAX_TRANSFER: u32 = 16 << 10;
/// The most descriptors in one message, as told to the client.
pub(crate) const MAX_DESCRIPTORS: usize = 16;
/// The most mappings at a time, as told to the client: each costs a descriptor, of which a process has about a thousand.
pub(crate) const MAX_MAPPINGS: usize = 512;

/// Commands a client sends.
pub(crate) mod command {
    pub const VERSION: u16 = 1;
    pub const DMA_MAP: u16 = 2;
    pub const DMA_UNMAP: u16 = 3;
    pub const DEVICE_GET_INFO: u16 = 4;
    pub const DEVICE_GET_REGION_INFO: u16 = 5;
    pub const DEVICE_GET_REGION_IO_FDS: u16 = 6;
    pub const DEVICE_GET_IRQ_INFO: u16 = 7;
    pub const DEVICE_SET_IRQS: u16 = 8;
    pub const REGION_READ: u16 = 9;
    pub const REGION_WRITE: u16 = 10;
    pub const DEVICE_RESET: u16 = 13;
    pub const REGION_WRITE_MULTI: u16 = 15;
}

const TYPE: u32 = 0xF;
const REPLY: u32 = 1;
const NO_REPLY: u32 = 1 << 4;
const ERROR: u32 = 1 << 5;

/// What a message says about itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    id: u16,
    pub command: u16,
    /// Of the whole message.
    pub size: usize,
    flags: u32,
}

impl Header {
    pub fn parse(bytes: &[u8; HEADER]) -> Self {
        let mut fields = Fields(bytes);
        let mut field = || fields.u32().unwrap_or(0);
        let (id_and_command, size, flags) = (field().to_ne_bytes(), field(), field());
        let [a, b, c, d] = id_and_command;
        Self { id: u16::from_ne_bytes([a, b]), command: u16::from_ne_bytes([c, d]), size: size as usize, flags }
    }

    /// A command, rather than a reply to one.
    pub const fn is_command(self) -> bool {
        self.flags & TYPE == 0
    }

    pub const fn wants_reply(self) -> bool {
        self.flags & NO_REPLY == 0
    }

    /// Appends the reply to `output`: what `build` writes, or the error it ends with.
    pub fn reply(self, output: &mut Vec<u8>, result: Result<(), Errno>, body: &[u8]) {
        let (body, flags, error) = match result {
            Ok(()) => (body, REPLY, 0),
            Err(errno) => (&[][..], REPLY | ERROR, errno.raw_os_error()),
        };
        output.extend_from_slice(&self.id.to_ne_bytes());
        output.extend_from_slice(&self.command.to_ne_bytes());
        output.put32((HEADER + body.len()) as u32);
        output.put32(flags);
        output.put32(error as u32);
        output.extend_from_slice(body);
    }
}

/// Takes fields off the front of a message. One that is not there makes the message invalid.
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        let (field, rest) = self.0.split_first_chunk().ok_or(Errno::INVAL)?;
        self.0 = rest;
        Ok(*field)
    }

    pub fn u16(&mut self) -> Result<u16, Errno> {
        self.take().map(u16::from_ne_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, Errno> {
        self.take().map(u32::from_ne_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Errno> {
        self.take().map(u64::from_ne_bytes)
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Errno> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Errno::INVAL)?;
        self.0 = rest;
        Ok(bytes)
    }
}

/// Puts fields at the end of a message.
pub(crate) trait Put {
    fn put32(&mut self, value: u32);
    fn put64(&mut self, value: u64);
}

impl Put for Vec<u8> {
    fn put32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_ne_bytes());
    }

    fn put64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_ne_bytes());
    }
}
