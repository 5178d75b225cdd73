//! A unit that can still grow: what its next segment must have, and what it is expected to look like.

use crate::MAX_IP_LENGTH;
use crate::field::{be16, be32, ne32, ne64, put};
use crate::shape::{Fields, HEAD, IP_BITS, Kept, Place, TCP_BITS};
use crate::sum::Sum;

use super::NONE;

/// A unit that can still grow.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// Its first segment's head, with the sequence number and the length that the next segment is expected to have.
    pub head: Kept,
    pub place: Place,
    /// The unit's position in the queue.
    pub unit: u32,
    /// The sequence number that its next segment must have.
    pub sequence: u32,
    pub acknowledgment: u32,
    pub timestamp: u32,
    /// Bytes of the frame that is expected next: as many as the newest has.
    pub length: u32,
    /// Sum of the pseudo header and of what all TCP headers of that length have in common.
    pub common_sum: u32,
    /// Sum of the pseudo header without its length.
    pub pseudo_sum: u32,
    /// Payload of the segment that is expected next.
    pub payload: u16,
    /// Bytes of payload that the unit can have before that segment.
    pub room: u16,
    /// The newest segment's IPv4 identification.
    pub identification: u16,
    /// Whether the fields above have been read from the first segment's head: not before a second one asks.
    pub started: bool,
    /// Whether the checksums of all its segments are known to be good.
    pub verified: bool,
    pub(super) hash: u32,
    /// The next record of the bucket, or of the free list.
    pub(super) next: u32,
}

impl Open {
    pub(super) const VOID: Self = Self {
        head: Kept([0; HEAD]),
        place: Place::VOID,
        unit: 0,
        sequence: 0,
        acknowledgment: 0,
        timestamp: 0,
        length: 0,
        common_sum: 0,
        pseudo_sum: 0,
        payload: 0,
        room: 0,
        identification: 0,
        started: false,
        verified: false,
        hash: 0,
        next: NONE,
    };

    /// Reads the first segment's fields from its head. Returns its bytes of payload, and their sum.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> (u16, u16) {
        let Place { ip, tcp, payload: end, shape } = self.place;
        let (head, at) = (&self.head.0, usize::from(tcp) & TCP_BITS);
        let ip_length = shape.ip_length(head);
        // It had payload when it was queued, and at most 65,535 bytes of IP.
        self.payload = (ip_length - u32::from(end - ip)) as u16;
        self.room = (MAX_IP_LENGTH as u32 - ip_length) as u16;
        self.sequence = be32(head, at + 4).wrapping_add(self.payload.into());
        self.acknowledgment = be32(head, at + 8);
        self.identification = be16(head, (usize::from(ip) & IP_BITS) + 4);
        self.pseudo_sum = shape.pseudo_sum(head);
        let mut sum = Sum::default().word64(ne64(head, at + 4)).word64(ne64(head, at + 12));
        self.timestamp = 0;
        if shape.is_stamped() {
            self.timestamp = be32(head, at + 24);
            sum = sum.word64(ne64(head, at + 24));
        }
        self.started = true;
        self.expect(ip_length);
        (self.payload, !sum.word32(self.common_sum).fold())
    }

    /// Starts with the fields of a first segment of general shape, like which no other is expected.
    pub(crate) fn start_with(&mut self, fields: &Fields, pseudo_sum: u32) {
        self.started = true;
        self.pseudo_sum = pseudo_sum;
        self.advance(fields);
    }

    /// The newest segment has these fields.
    #[inline(always)]
    pub(crate) fn advance(&mut self, fields: &Fields) {
        self.sequence = fields.sequence.wrapping_add(fields.payload);
        self.acknowledgment = fields.acknowledgment;
        self.timestamp = fields.timestamp;
        self.identification = fields.identification;
        // At most 65,535 bytes of IP.
        self.payload = fields.payload as u16;
        self.room = (MAX_IP_LENGTH as u32 - fields.ip_length) as u16;
    }

    /// The newest segment was as expected; the next one is expected behind it.
    #[inline(always)]
    pub(crate) fn follow(&mut self) {
        self.sequence = self.sequence.wrapping_add(self.payload.into());
        put(&mut self.head.0, (usize::from(self.place.tcp) & TCP_BITS) + 4, self.sequence.to_be_bytes());
    }

    /// The next segment is expected to be like the newest, which has so many bytes of IP.
    #[inline(always)]
    pub(crate) fn expect(&mut self, ip_length: u32) {
        let Place { ip, tcp, shape, .. } = self.place;
        let (ip, tcp) = (usize::from(ip) & IP_BITS, usize::from(tcp) & TCP_BITS);
        // At most 65,535 bytes of IP.
        let (at, length) = if shape.is_v6() { (ip + 4, ip_length - 40) } else { (ip + 2, ip_length) };
        let head = &mut self.head.0;
        put(head, at, (length as u16).to_be_bytes());
        put(head, tcp + 4, self.sequence.to_be_bytes());
        let options = if shape.is_stamped() { ne32(head, tcp + 20) } else { 0 };
        let tcp_length = ip_length + ip as u32 - tcp as u32;
        let sum = Sum::default().word32(self.pseudo_sum).word32(ne32(head, tcp)).word32(options);
        self.common_sum = sum.number(tcp_length as u16).fold32();
        self.length = ip as u32 + ip_length;
    }
}
