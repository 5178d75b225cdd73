//! Owns the shapes of RxDs: how many lie in a block, what their buffers take, and which part of a frame goes where.

use xframe::bits::RingMode;
use xframe::rxd::{self, FrameType};
use xframe::{block, rxd::three};

use crate::parse::{self, TCP, UDP, be16};

/// The most buffers that an RxD has here.
pub(crate) const BUFFERS: usize = 3;
const ETHERNET_HEADER: usize = 14;
const TAG: usize = 4;
/// LLC and SNAP.
const LLC: usize = 8;
const UDP_HEADER: usize = 8;

/// A shape that is served. RxDs of five buffers, which no driver in use posts, are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    Three,
}

impl Shape {
    pub const fn of(mode: RingMode) -> Option<Self> {
        match mode {
            RingMode::OneBuffer => Some(Self::One),
            RingMode::ThreeBuffer => Some(Self::Three),
            RingMode::FiveBuffer | RingMode::Reserved => None,
        }
    }

    /// Bytes of an RxD.
    pub const fn size(self) -> usize {
        match self {
            Self::One => rxd::SIZE,
            Self::Three => three::SIZE,
        }
    }

    /// RxDs in a block.
    pub const fn rxds(self) -> usize {
        match self {
            Self::One => block::RXDS,
            Self::Three => three::RXDS,
        }
    }

    /// Bytes of each buffer, as the posted second control word says.
    pub fn sizes(self, control_2: u64) -> [u16; BUFFERS] {
        match self {
            Self::One => [rxd::Control2::from(control_2).buffer_0_size(), 0, 0],
            Self::Three => {
                let sizes = three::Control2::from(control_2);
                [sizes.buffer_0_size().into(), sizes.buffer_1_size(), sizes.buffer_2_size()]
            }
        }
    }

    /// What of `frame` goes to each buffer. Three buffers take Ethernet header, headers above it, and payload; or, with
    /// `scatter_mode` set, Ethernet header, nothing, and the rest.
    pub fn parts(self, frame: &[u8], scatter_mode: bool) -> [&[u8]; BUFFERS] {
        if self == Self::One {
            return [frame, &[], &[]];
        }
        let (first, second) = header_ends(frame);
        let (ethernet, rest) = frame.split_at_checked(first).unwrap_or((frame, &[]));
        if scatter_mode {
            return [ethernet, &[], rest];
        }
        let (headers, payload) = rest.split_at_checked(second.saturating_sub(first)).unwrap_or((rest, &[]));
        [ethernet, headers, payload]
    }
}

/// Where the Ethernet header ends, with tag and LLC, and where the headers above it end.
fn header_ends(frame: &[u8]) -> (usize, usize) {
    let headers = parse::headers(frame);
    let framing = if headers.frame_type == FrameType::Dix { 0 } else { LLC };
    let ethernet = ETHERNET_HEADER + headers.tag.map_or(0, |_| TAG) + framing;
    let Some(ip) = &headers.ip else { return (ethernet, ethernet) };
    let transport = if ip.carries(TCP) {
        be16(frame, ip.payload.start + 12).map_or(0, |word| usize::from(word >> 12) * 4)
    } else if ip.carries(UDP) {
        UDP_HEADER
    } else {
        0
    };
    (ip.header.start, ip.payload.start + transport)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TCP segment of `payload` bytes with timestamps over IPv4.
    fn segment(payload: usize) -> Vec<u8> {
        let mut frame = vec![0; 14 + 20 + 32 + payload];
        frame[12..16].copy_from_slice(&[0x08, 0x00, 0x45, 0]);
        frame[16..18].copy_from_slice(&((20 + 32 + payload) as u16).to_be_bytes());
        frame[23] = TCP;
        frame[14 + 20 + 12] = 0x80;
        frame
    }

    fn lengths(shape: Shape, frame: &[u8], scatter_mode: bool) -> [usize; BUFFERS] {
        let parts = shape.parts(frame, scatter_mode);
        assert_eq!(parts.concat(), frame);
        parts.map(<[u8]>::len)
    }

    #[test]
    fn one_buffer_takes_all() {
        assert_eq!(lengths(Shape::One, &segment(100), true), [166, 0, 0]);
    }

    #[test]
    fn three_buffers_take_header_and_rest_or_headers_and_payload() {
        assert_eq!(lengths(Shape::Three, &segment(100), true), [14, 0, 152]);
        assert_eq!(lengths(Shape::Three, &segment(100), false), [14, 52, 100]);
    }

    #[test]
    fn frames_of_other_kinds_have_only_an_ethernet_header() {
        let mut arp = vec![0; 60];
        arp[12..14].copy_from_slice(&[0x08, 0x06]);
        assert_eq!(lengths(Shape::Three, &arp, false), [14, 0, 46]);
        let mut llc = vec![0; 60];
        llc[12..17].copy_from_slice(&[0, 46, 0x42, 0x42, 3]);
        assert_eq!(lengths(Shape::Three, &llc, false), [22, 0, 38]);
    }

    #[test]
    fn a_frame_cut_short_fits_into_what_there_is() {
        let frame = segment(0);
        for length in 0..frame.len() {
            for scatter_mode in [false, true] {
                lengths(Shape::Three, &frame[..length], scatter_mode);
            }
        }
    }
}
