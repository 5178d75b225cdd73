//! Segments of any shape that `Rules::Forward` merges: with IPv6 extension headers, or with other TCP options.

use crate::field::{be16, be32};
use crate::flow::Flow;
use crate::shape::{Fields, PSH, Place};
use crate::sum::Sum;

/// The longest header that merges.
const MAX_HEADER: usize = 255;

/// What a unit's segments of such a shape must agree in.
#[derive(Clone, Copy)]
pub(crate) struct General {
    pub flow: Flow,
    header: [u8; MAX_HEADER],
}

impl General {
    pub(crate) const VOID: Self = Self { flow: Flow::VOID, header: [0; MAX_HEADER] };

    /// Of the first segment, with this header.
    pub(crate) fn new(flow: Flow, header: &[u8]) -> Self {
        let mut general = Self { flow, ..Self::VOID };
        general.header.iter_mut().zip(header).for_each(|(to, from)| *to = *from);
        general
    }

    /// Whether a header agrees with the first segment's in all but lengths, identification, checksums, sequence and PSH.
    pub(crate) fn agrees(&self, header: &[u8], place: Place) -> bool {
        let (ip, tcp) = (usize::from(place.ip), usize::from(place.tcp));
        let ignored = |at: usize| match at.checked_sub(tcp) {
            Some(at) => matches!(at, 4..=7 | 16 | 17),
            None if at < ip => false,
            None if place.shape.is_v6() => matches!(at - ip, 4 | 5),
            None => matches!(at - ip, 2..=5 | 10 | 11),
        };
        let differs = |at: usize, one: u8, other: u8| {
            let mask = if at == tcp + 13 { !PSH } else { 0xFF };
            (one ^ other) & mask != 0 && !ignored(at)
        };
        !header.iter().zip(&self.header).enumerate().any(|(at, (one, other))| differs(at, *one, *other))
    }
}

/// Sum of the pseudo header without its length.
pub(crate) fn pseudo_sum(frame: &[u8], place: Place) -> u32 {
    let ip = usize::from(place.ip);
    let addresses = if place.shape.is_v6() { ip + 8..ip + 40 } else { ip + 12..ip + 20 };
    Sum::of(frame.get(addresses).unwrap_or_default()).number(6).fold32()
}

/// The fields of a segment whose headers have been classified; `None` if they make no sense after all.
pub(crate) fn fields(frame: &[u8], place: Place) -> Option<Fields> {
    let ip = frame.get(usize::from(place.ip)..)?;
    let tcp = frame.get(usize::from(place.tcp)..usize::from(place.payload))?;
    let ip_length = if place.shape.is_v6() { u32::from(be16(ip, 4)) + 40 } else { be16(ip, 2).into() };
    let payload = ip_length.checked_sub(u32::from(place.payload - place.ip))?;
    Some(Fields {
        ip_length,
        payload,
        sequence: be32(tcp, 4),
        acknowledgment: be32(tcp, 8),
        timestamp: 0,
        push: tcp.get(13)? & PSH != 0,
        checksum: be16(tcp, 16),
        identification: be16(ip, 4),
        ip_checksum: be16(ip, 10),
        echo: 0,
        // The TCP length, at most 65,535.
        header_sum: Sum::of(tcp).number((tcp.len() as u32 + payload) as u16),
    })
}
