//! IPv4 and IPv6 headers.

use super::NoSegment;
use crate::field::be16;
use crate::shape::PROTOCOL_TCP;
use crate::stats::End;
use crate::sum::Sum;
use crate::{Checksums, Rules};

/// IPv4's Ethertype.
pub(super) const V4: u16 = 0x0800;
/// IPv6's Ethertype.
pub(super) const V6: u16 = 0x86DD;

/// More IPv6 extension headers than this are not followed.
const MAX_EXTENSIONS: usize = 8;

/// What the IP header contributes.
pub(super) struct Network {
    /// Length of IP header and extension headers.
    pub header: usize,
    /// Whether there are extension headers.
    pub has_extensions: bool,
    /// Why no segment under this header shares a unit.
    pub alone: Option<End>,
}

/// Network and the TCP segment behind it, or what the frame is instead.
type Parsed<'a> = Result<(Network, &'a [u8]), NoSegment>;

/// Reads an IPv4 header.
#[inline]
pub(super) fn v4(ip: &[u8], checksums: Checksums, rules: Rules) -> Parsed<'_> {
    let Some(fixed) = ip.first_chunk::<20>() else { return Err(NoSegment::Barrier) };
    let header = usize::from(fixed[0] & 0x0F) * 4;
    if fixed[0] >> 4 != 4 || header < 20 {
        return Err(NoSegment::Barrier);
    }
    if fixed[9] != PROTOCOL_TCP {
        return Err(NoSegment::Opaque);
    }
    let fragment = be16(fixed, 6) & 0x3FFF;
    let datagram = ip.get(..be16(fixed, 2).into()).and_then(|datagram| datagram.split_at_checked(header));
    let Some((ip_header, segment)) = datagram else { return Err(NoSegment::Barrier) };
    // A card that verified the sums has verified this one; of any other frame the addresses must not be believed yet.
    if fragment != 0 || checksums != Checksums::Verified && Sum::of(ip_header).fold() != 0xFFFF {
        return Err(NoSegment::Barrier);
    }
    let congested = fixed[1] & 3 == 3;
    let alone = match (header, rules) {
        (20, Rules::Seed) if congested => Some(End::Header),
        // Right, but a checksum that is computed again comes out as 0.
        (20, Rules::Forward) if be16(fixed, 10) == 0xFFFF => Some(End::Checksum),
        (20, _) => None,
        _ => Some(End::Options),
    };
    Ok((Network { header, has_extensions: false, alone }, segment))
}

/// Reads an IPv6 header and the extension headers behind it.
#[inline]
pub(super) fn v6(ip: &[u8], rules: Rules) -> Parsed<'_> {
    let Some((fixed, behind)) = ip.split_first_chunk::<40>() else { return Err(NoSegment::Barrier) };
    let Some(behind) = behind.get(..be16(fixed, 4).into()) else { return Err(NoSegment::Barrier) };
    if fixed[0] >> 4 != 6 || behind.len() + 40 > crate::MAX_IP_LENGTH {
        return Err(NoSegment::Barrier);
    }
    let (segment, is_routed) =
        if fixed[6] == PROTOCOL_TCP { (behind, false) } else { behind_extensions(fixed[6], behind)? };
    let header = 40 + behind.len() - segment.len();
    let alone = match (header, rules) {
        (40, Rules::Seed) => Some(End::Opaque),
        (40, _) => None,
        // A routing header may hide the destination that the checksum covers.
        (_, Rules::Forward) if !is_routed => None,
        _ => Some(End::Options),
    };
    Ok((Network { header, has_extensions: header != 40, alone }, segment))
}

/// Follows hop-by-hop, routing and destination options headers to TCP; also tells whether there was a routing header.
#[cold]
fn behind_extensions(mut next: u8, mut rest: &[u8]) -> Result<(&[u8], bool), NoSegment> {
    let mut is_routed = false;
    for _ in 0..MAX_EXTENSIONS {
        match next {
            PROTOCOL_TCP => return Ok((rest, is_routed)),
            0 | 43 | 60 => {
                is_routed |= next == 43;
                let Some(&[after, words]) = rest.first_chunk::<2>() else { return Err(NoSegment::Barrier) };
                let Some(behind) = rest.get(8 * (usize::from(words) + 1)..) else { return Err(NoSegment::Barrier) };
                next = after;
                rest = behind;
            }
            // A fragment of TCP belongs to some flow; one of anything else to none.
            44 => match rest.first() {
                Some(&(PROTOCOL_TCP | 0 | 43 | 60)) | None => return Err(NoSegment::Barrier),
                Some(_) => return Err(NoSegment::Opaque),
            },
            // Authentication, mobility, HIP, shim6, experiments: something follows, and it may be TCP.
            51 | 135 | 139 | 140 | 253 | 254 => return Err(NoSegment::Barrier),
            _ => return Err(NoSegment::Opaque),
        }
    }
    Err(NoSegment::Barrier)
}
