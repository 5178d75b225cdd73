//! TCP headers.

use crate::field::{be16, be32, ne32};
use crate::shape::{ACK, PSH, TIMESTAMP_OPTION};
use crate::stats::End;
use crate::{Checksums, Rules};

const CWR: u8 = 0x80;

/// What the TCP header contributes.
pub(super) struct Transport {
    /// Its length with options.
    pub header: usize,
    /// Whether its options are timestamps in their usual place.
    pub stamped: bool,
    /// Whether it has options, but not those.
    pub has_other_options: bool,
}

/// Reads the TCP header at the start of `tcp`, which ends where the IP header says, and tells why the segment never shares
/// a unit, or `None` if it may. `network` is what the IP header says to that. `None` for a header that makes no sense.
#[inline]
pub(super) fn segment(
    tcp: &[u8],
    network: Option<End>,
    checksums: Checksums,
    rules: Rules,
) -> Option<(Transport, Option<End>)> {
    let fixed = tcp.first_chunk::<20>()?;
    let header = usize::from(fixed[12] >> 4) * 4;
    let payload = tcp.len().checked_sub(header)?;
    let options = tcp.get(20..header)?;
    let stamped = options.len() == 12 && ne32(options, 0) == u32::from_ne_bytes(TIMESTAMP_OPTION);
    let flags = fixed[13];
    let has_other_options = !(stamped || options.is_empty());
    let (seed, forward) = (rules == Rules::Seed, rules == Rules::Forward);
    // Segments with CWR merge with each other, not with those without.
    let merging = if forward { PSH | CWR } else { PSH };
    let alone = if checksums == Checksums::Bad {
        Some(End::Checksum)
    } else if flags & !merging != ACK || be16(fixed, 18) != 0 {
        Some(End::Flags)
    } else if payload == 0 {
        Some(End::Empty)
    } else if network.is_some() {
        network
    } else if has_other_options && !forward {
        Some(End::Options)
    } else if forward && be16(fixed, 16) == 0xFFFF {
        // Right, but a checksum that is computed again comes out as 0.
        Some(End::Checksum)
    } else if seed && flags & PSH != 0 {
        Some(End::Push)
    } else if seed && stamped && be32(options, 8) == 0 {
        Some(End::Timestamp)
    } else {
        None
    };
    Some((Transport { header, stamped, has_other_options }, alone))
}
