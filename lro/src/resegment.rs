//! The way back: a unit of `Rules::Forward` cut into the frames that it was made of.

use crate::field::{be16, be32, put};
use crate::shape::PSH;
use crate::sum::Sum;
use crate::{Info, TooSmall};

/// The frames of a unit, in order.
pub struct Segments<'a> {
    header: &'a [u8],
    payload: &'a [u8],
    info: Info,
    /// Segments that have been made.
    made: u32,
}

/// Cuts `unit`, whose [`Info`] is `info`, into the frames that it was made of. What comes out is what came in, byte for byte,
/// without Ethernet padding, if `Rules::Forward` has merged it.
pub fn resegment<'a>(unit: &'a [u8], info: &Info) -> Segments<'a> {
    let (header, payload) = match info.segments {
        0 | 1 => (unit, [].as_slice()),
        _ => unit.split_at_checked(info.payload.into()).unwrap_or((unit, &[])),
    };
    Segments { header, payload, info: *info, made: 0 }
}

impl Segments<'_> {
    /// Writes the next frame to the start of `frame` and returns its length; `None` after the last.
    ///
    /// # Errors
    ///
    /// [`TooSmall`] if it does not fit. Nothing changes.
    pub fn next_into(&mut self, frame: &mut [u8]) -> Result<Option<usize>, TooSmall> {
        if self.header.is_empty() {
            return Ok(None);
        }
        // No engine makes units of empty segments: whatever claims so is one frame.
        let size = match self.info.segment_size {
            0 => self.payload.len(),
            size => self.payload.len().min(size.into()),
        };
        let (payload, rest) = self.payload.split_at(size);
        let needs = self.header.len() + size;
        let Some((header, behind)) = frame.get_mut(..needs).and_then(|it| it.split_at_mut_checked(self.header.len()))
        else {
            return Err(TooSmall { needs });
        };
        header.copy_from_slice(self.header);
        behind.copy_from_slice(payload);
        if size > 0 {
            self.make_true(header, payload, rest.is_empty());
        }
        self.made += 1;
        self.payload = rest;
        if rest.is_empty() {
            self.header = &[];
        }
        Ok(Some(needs))
    }

    /// Makes a copy of the unit's header the header of the next segment.
    fn make_true(&self, header: &mut [u8], payload: &[u8], is_last: bool) {
        let made = self.made;
        let Some((ethernet_ip, tcp)) = header.split_at_mut_checked(self.info.tcp.into()) else { return };
        let Some(ip) = ethernet_ip.get_mut(self.info.ip.into()..) else { return };
        let tcp_length = tcp.len() + payload.len();
        // Of a unit of at most 65,535 bytes of IP.
        let ip_length = (ip.len() + tcp_length) as u16;
        let addresses = if ip.first().is_some_and(|version| version >> 4 == 6) {
            put(ip, 4, ip_length.wrapping_sub(40).to_be_bytes());
            ip.get(8..40)
        } else {
            let step = self.info.ip_id_step.unwrap_or(0);
            let identification = be16(ip, 4).wrapping_add((made as u16).wrapping_mul(step));
            put(ip, 2, ip_length.to_be_bytes());
            put(ip, 4, identification.to_be_bytes());
            put(ip, 10, [0, 0]);
            put(ip, 10, (!Sum::of(ip).fold()).to_ne_bytes());
            ip.get(12..20)
        };
        let pseudo = Sum::of(addresses.unwrap_or_default()).number(6).number(tcp_length as u16).fold32();
        let sequence = be32(tcp, 4).wrapping_add(made.wrapping_mul(self.info.segment_size.into()));
        put(tcp, 4, sequence.to_be_bytes());
        if let Some(flags) = tcp.get_mut(13).filter(|_| !is_last) {
            *flags &= !PSH;
        }
        put(tcp, 16, [0, 0]);
        // Headers have an even length.
        let sum = Sum::of(payload).word32(pseudo).word32(Sum::of(tcp).fold32());
        put(tcp, 16, (!sum.fold()).to_ne_bytes());
    }
}
