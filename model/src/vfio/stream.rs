//! Owns the two directions of a client's socket: cutting the bytes that come into messages with their descriptors, and
//! keeping replies until the client takes them.

use std::collections::VecDeque;
use std::io::{IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};

use super::message::{HEADER, Header, LONGEST};

/// Why a conversation ends.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum End {
    #[error("the client hung up")]
    Closed,
    #[error("the connection failed: {0}")]
    Failed(Errno),
    #[error("a message claims {0} bytes")]
    Size(usize),
    #[error("a message brought more descriptors than can be taken")]
    Descriptors,
    #[error("the client does not read its replies")]
    Unread,
}

/// Descriptors that one read can bring: what a system call can send, so that none is ever cut off.
const MOST_DESCRIPTORS: usize = 253;
/// Replies kept for a client that does not read them.
const MOST_REPLIES: usize = 1 << 20;

/// A command as it came, borrowed from the stream's buffer.
pub(crate) struct Message<'a> {
    pub header: Header,
    pub body: &'a [u8],
    pub descriptors: Vec<OwnedFd>,
}

/// What comes from the client.
pub(crate) struct Input {
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Bytes taken out of the buffer so far: where in the stream `start` is.
    position: u64,
    /// Descriptors, each with the stream position of the last byte of the read that brought them. The system ends a read
    /// behind the bytes that descriptors were sent with, so they belong to the message that this byte is part of.
    descriptors: VecDeque<(u64, Vec<OwnedFd>)>,
}

impl Input {
    pub fn new() -> Self {
        let buffer = vec![0; LONGEST].into_boxed_slice();
        Self { buffer, start: 0, end: 0, position: 0, descriptors: VecDeque::new() }
    }

    /// Takes what the socket has; false if that is nothing.
    pub fn fill(&mut self, socket: &UnixStream) -> Result<bool, End> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let received = match recvmsg(socket, &mut [IoSliceMut::new(room)], &mut control, flags) {
            Ok(received) if received.bytes == 0 => return Err(End::Closed),
            Ok(received) => received,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
            Err(Errno::CONNRESET) => return Err(End::Closed),
            Err(errno) => return Err(End::Failed(errno)),
        };
        self.end += received.bytes;
        let mut descriptors = Vec::new();
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(more) = message {
                descriptors.extend(more);
            }
        }
        if received.flags.contains(ReturnFlags::CTRUNC) {
            return Err(End::Descriptors);
        }
        if !descriptors.is_empty() {
            let last = self.position + self.end as u64 - 1;
            self.descriptors.push_back((last, descriptors));
        }
        Ok(true)
    }

    /// Takes the next whole message; `None` if there is none yet.
    pub fn next(&mut self) -> Result<Option<Message<'_>>, End> {
        let waiting = self.buffer.get(self.start..self.end).unwrap_or_default();
        let Some(header) = waiting.first_chunk() else { return Ok(None) };
        let header = Header::parse(header);
        if !(HEADER..=LONGEST).contains(&header.size) {
            return Err(End::Size(header.size));
        }
        let Some(body) = waiting.get(HEADER..header.size) else { return Ok(None) };
        self.start += header.size;
        self.position += header.size as u64;
        let mut descriptors = Vec::new();
        while self.descriptors.front().is_some_and(|(last, _)| *last < self.position) {
            descriptors.extend(self.descriptors.pop_front().into_iter().flat_map(|(_, more)| more));
        }
        Ok(Some(Message { header, body, descriptors }))
    }
}

/// What goes to the client.
#[derive(Default)]
pub(crate) struct Output {
    pub bytes: Vec<u8>,
}

impl Output {
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Sends what the socket takes and keeps the rest.
    pub fn flush(&mut self, mut socket: &UnixStream) -> Result<(), End> {
        while !self.bytes.is_empty() {
            match socket.write(&self.bytes) {
                Ok(sent) => drop(self.bytes.drain(..sent)),
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::AGAIN) => break,
                    Some(Errno::INTR) => {}
                    Some(Errno::PIPE | Errno::CONNRESET) | None => return Err(End::Closed),
                    Some(errno) => return Err(End::Failed(errno)),
                },
            }
        }
        if self.bytes.len() > MOST_REPLIES { Err(End::Unread) } else { Ok(()) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use std::io::IoSlice;
    use std::os::fd::AsFd;

    fn message(id: u16, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let header = [id, 9].map(u16::to_ne_bytes).concat();
        bytes.extend(header);
        bytes.extend(((HEADER + body.len()) as u32).to_ne_bytes());
        bytes.extend([0; 8]);
        bytes.extend(body);
        bytes
    }

    /// Sends bytes, and with them as many descriptors.
    fn send(socket: &UnixStream, bytes: &[u8], descriptors: usize) {
        let file = std::fs::File::open("/dev/null").unwrap();
        let all = vec![file.as_fd(); descriptors];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(16))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if descriptors > 0 {
            assert!(control.push(SendAncillaryMessage::ScmRights(&all)));
        }
        sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::empty()).unwrap();
    }

    /// Reads everything that came, as (bytes of the body, descriptors) of each message.
    fn drain(input: &mut Input, socket: &UnixStream) -> Vec<(usize, usize)> {
        let mut messages = Vec::new();
        while input.fill(socket).unwrap() {
            while let Some(message) = input.next().unwrap() {
                messages.push((message.body.len(), message.descriptors.len()));
            }
        }
        messages
    }

    #[test]
    fn messages_come_whole_however_they_were_sent() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let bytes = [message(1, &[1; 16]), message(2, &[2; 5]), message(3, &[])].concat();
        let mut input = Input::new();
        let mut messages = Vec::new();
        for byte in bytes {
            send(&theirs, &[byte], 0);
            messages.extend(drain(&mut input, &ours));
        }
        assert_eq!(messages, [(16, 0), (5, 0), (0, 0)]);
    }

    #[test]
    fn descriptors_go_with_the_message_they_were_sent_with() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        for (length, descriptors) in [(4, 0), (8, 2), (12, 0), (16, 1), (20, 3)] {
            send(&theirs, &message(0, &vec![0; length]), descriptors);
        }
        assert_eq!(drain(&mut Input::new(), &ours), [(4, 0), (8, 2), (12, 0), (16, 1), (20, 3)]);
    }

    #[test]
    fn a_size_that_cannot_be_ends_the_conversation() {
        for size in [0, 15, LONGEST + 1, u32::MAX as usize] {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let mut bytes = message(0, &[]);
            bytes.splice(4..8, (size as u32).to_ne_bytes());
            send(&theirs, &bytes, 0);
            let mut input = Input::new();
            assert!(input.fill(&ours).unwrap());
            assert_eq!(input.next().err(), Some(End::Size(size)));
        }
    }
}
