//! Reading a frame's headers, once, and telling what the frame is to the engine.

mod ip;
mod tcp;

use crate::field::be16;
use crate::shape::{Head, Place, Shape};
use crate::stats::End;
use crate::{Checksums, Rules};

const TPID_802_1Q: u16 = 0x8100;
const TPID_802_1AD: u16 = 0x88A8;

/// What a frame is to the engine.
pub(crate) enum Class {
    /// Belongs to no TCP flow: may be overtaken and may overtake.
    Opaque,
    /// May belong to any flow: nothing crosses it.
    Barrier,
    /// A TCP segment that may share a unit, if its flow, sequence and the rest allow it.
    Plain(Shape),
    /// The same, but of a shape that only `Rules::Forward` merges.
    General(Place),
    /// A TCP segment that never shares a unit, and why.
    Odd(Place, End),
}

/// A frame that is no TCP segment of a known flow.
enum NoSegment {
    Opaque,
    Barrier,
}

/// Whether a frame without VLAN tags holds IPv6; `None` if it has tags, or no IP.
#[inline(always)]
pub(crate) fn untagged(head: &Head, length: u32) -> Option<bool> {
    match be16(head, 12) {
        _ if length < 14 => None,
        ip::V4 => Some(false),
        ip::V6 => Some(true),
        _ => None,
    }
}

/// Where the IP header of a plain Ethernet frame starts, and whether it is IPv6's. `None`: no IP behind two tags or fewer,
/// so the frame belongs to no flow.
#[inline(always)]
pub(crate) fn find_ip(head: &Head, length: usize) -> Option<(usize, bool)> {
    for ip in [14, 18, 22] {
        let is_v6 = match be16(head, ip - 2) {
            _ if length < ip => return None,
            ip::V4 => false,
            ip::V6 => true,
            TPID_802_1Q | TPID_802_1AD => continue,
            _ => return None,
        };
        return Some((ip, is_v6));
    }
    None
}

/// Tells what `frame` is, all its headers read; `head` is its start.
#[inline]
pub(crate) fn classify(frame: &[u8], head: &Head, checksums: Checksums, rules: Rules) -> Class {
    let Some((ip, is_v6)) = find_ip(head, frame.len()) else { return Class::Opaque };
    let behind = frame.get(ip..).unwrap_or_default();
    let network = if is_v6 { ip::v6(behind, rules) } else { ip::v4(behind, checksums, rules) };
    let (network, segment) = match network {
        Ok(network) => network,
        Err(NoSegment::Opaque) => return Class::Opaque,
        Err(NoSegment::Barrier) => return Class::Barrier,
    };
    let Some((transport, alone)) = tcp::segment(segment, network.alone, checksums, rules) else {
        return Class::Barrier;
    };
    let tcp = ip + network.header;
    let payload = tcp + transport.header;
    if payload > u8::MAX.into() {
        // Extension headers of that length are not followed to ports.
        return Class::Barrier;
    }
    let is_general = network.has_extensions || transport.has_other_options;
    let shape = if is_general { Shape::general(is_v6) } else { Shape::new(ip, is_v6, transport.stamped) };
    let place = Place { ip: ip as u8, tcp: tcp as u8, payload: payload as u8, shape };
    match alone {
        None if is_general => Class::General(place),
        None => Class::Plain(shape),
        Some(end) => Class::Odd(place, end),
    }
}
