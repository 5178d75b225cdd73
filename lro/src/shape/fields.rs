//! What a segment's head says.

use super::{Head, IP_BITS, IPV4, IPV6, PSH, TCP, TIMESTAMPS};
use crate::field::{be16, be32, ne32, ne64};
use crate::sum::Sum;

/// Bytes of IP of a segment with its IP header at `ip`, if they lie within `length` and hold payload.
#[inline(always)]
pub(crate) fn ip_length(head: &Head, length: u32, ip: usize, is_v6: bool, stamped: bool) -> Option<u32> {
    let ip = ip & IP_BITS;
    let ip_length = if is_v6 { u32::from(be16(head, ip + 4)) + IPV6 as u32 } else { be16(head, ip + 2).into() };
    let headers = if is_v6 { IPV6 } else { IPV4 } + TCP + if stamped { TIMESTAMPS } else { 0 };
    let is_whole = ip_length > headers as u32 && ip as u32 + ip_length <= length && ip_length <= 0xFFFF;
    is_whole.then_some(ip_length)
}

/// The fields of a segment with its IP header at `ip`; `None` unless [`ip_length`] has an answer.
#[inline(always)]
pub(crate) fn fields(head: &Head, length: u32, ip: usize, is_v6: bool, stamped: bool) -> Option<Fields> {
    let ip_length = ip_length(head, length, ip, is_v6, stamped)?;
    let ip = ip & IP_BITS;
    let network = if is_v6 { IPV6 } else { IPV4 };
    let tcp = head.get(ip + network..)?.first_chunk::<{ TCP + TIMESTAMPS }>()?;
    let tcp_length = ip_length - network as u32;
    let mut sum = Sum::default().word64(ne64(tcp, 0)).word64(ne64(tcp, 8)).word32(ne32(tcp, 16));
    let (mut timestamp, mut echo, mut options) = (0, 0, 0);
    if stamped {
        options = TIMESTAMPS as u32;
        timestamp = be32(tcp, 24);
        echo = be32(tcp, 28);
        sum = sum.word32(ne32(tcp, 20)).word64(ne64(tcp, 24));
    }
    Some(Fields {
        ip_length,
        payload: tcp_length - TCP as u32 - options,
        sequence: be32(tcp, 4),
        acknowledgment: be32(tcp, 8),
        timestamp,
        push: tcp[13] & PSH != 0,
        checksum: be16(tcp, 16),
        identification: be16(head, ip + 4),
        ip_checksum: be16(head, ip + 10),
        echo,
        // At most 65,535.
        header_sum: sum.number(tcp_length as u16),
    })
}

/// What may differ between segments of a unit.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    /// Bytes of IP, at most 65,535.
    pub ip_length: u32,
    /// Bytes of payload, at least one.
    pub payload: u32,
    pub sequence: u32,
    pub acknowledgment: u32,
    /// The timestamp's value; 0 without timestamps.
    pub timestamp: u32,
    pub push: bool,
    /// TCP's checksum field.
    pub checksum: u16,
    /// IPv4's identification; no meaning for IPv6.
    pub identification: u16,
    /// IPv4's checksum field; no meaning for IPv6.
    pub ip_checksum: u16,
    /// The timestamp that is echoed; 0 without timestamps.
    pub echo: u32,
    /// Sum of the TCP header and of the pseudo header's length.
    pub header_sum: Sum,
}

impl Fields {
    /// Sum of the payload, as the checksum field implies it. `pseudo_sum` is the flow's.
    #[inline(always)]
    pub(crate) fn payload_sum(&self, pseudo_sum: u32) -> u16 {
        !self.header_sum.word32(pseudo_sum).fold()
    }
}
