//! Owns large send: cutting one TCP list into frames of at most the segment size.

use std::ops::Range;

use crate::parse::{Headers, TCP, be16};

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// The frames of one list, in order. Checksums are left to be inserted.
pub(crate) struct Segments<'a> {
    list: &'a [u8],
    v6: bool,
    /// Start of the IP and of the TCP header.
    ip: usize,
    tcp: usize,
    data: Range<usize>,
    mss: usize,
    /// Bytes of data already cut off, and frames made of them.
    sent: usize,
    count: u16,
}

impl<'a> Segments<'a> {
    /// `None` if the list is no TCP datagram, or fits one segment.
    pub fn new(list: &'a [u8], headers: &Headers, mss: usize) -> Option<Self> {
        let ip = headers.ip.as_ref().filter(|ip| ip.protocol == TCP && !ip.fragment)?;
        let offset = usize::from(list.get(ip.payload.start + 12)? >> 4) * 4;
        let data = ip.payload.start.checked_add(offset)?..ip.payload.end;
        if mss == 0 || offset < 20 || data.len() <= mss {
            return None;
        }
        Some(Self { list, v6: ip.v6, ip: ip.header.start, tcp: ip.payload.start, data, mss, sent: 0, count: 0 })
    }

    /// Bytes of the longest frame.
    pub fn longest(&self) -> usize {
        self.data.start + self.mss
    }

    /// Makes the next frame in `frame`; false when there is none left.
    pub fn next_into(&mut self, frame: &mut Vec<u8>) -> bool {
        let start = self.data.start + self.sent;
        let end = self.data.end.min(start + self.mss);
        let (Some(headers), Some(data)) = (self.list.get(..self.data.start), self.list.get(start..end)) else {
            return false;
        };
        if data.is_empty() {
            return false;
        }
        frame.clear();
        frame.extend_from_slice(headers);
        frame.extend_from_slice(data);
        self.patch(frame, end == self.data.end);
        self.sent += data.len();
        self.count = self.count.wrapping_add(1);
        true
    }

    /// Makes lengths, identification, sequence number and flags those of this segment.
    fn patch(&self, frame: &mut [u8], last: bool) {
        let length = frame.len() - self.ip;
        if self.v6 {
            put16(frame, self.ip + 4, (length - 40) as u16);
        } else {
            put16(frame, self.ip + 2, length as u16);
            let id = be16(frame, self.ip + 4).unwrap_or(0);
            put16(frame, self.ip + 4, id.wrapping_add(self.count));
        }
        if let Some(seq) = frame.get_mut(self.tcp + 4..).and_then(|rest| rest.first_chunk_mut()) {
            *seq = u32::from_be_bytes(*seq).wrapping_add(self.sent as u32).to_be_bytes();
        }
        if let Some(flags) = frame.get_mut(self.tcp + 13) {
            let drop = if last { 0 } else { FIN | PSH } | if self.sent == 0 { 0 } else { CWR };
            *flags &= !drop;
        }
    }
}

fn put16(frame: &mut [u8], at: usize, value: u16) {
    if let Some(field) = frame.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *field = value.to_be_bytes();
    }
}
