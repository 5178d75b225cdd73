//! Owns the protocol assists: the words a received frame is described by, and the checksums put into a frame to send.

use xframe::bits::RxPaCfg;
use xframe::rxd::{CHECKSUM_GOOD, Completion, Hash, TCode};
use xframe::txd::Control2;

use crate::checksum::{add, fold, sum};
use crate::parse::{Headers, Ip, TCP, UDP};

/// Describes a received frame of `size` bytes as its descriptor will.
pub(crate) fn describe(frame: &[u8], headers: &Headers) -> Completion {
    let mut completion = Completion {
        size: frame.len() as u16,
        t_code: TCode::Ok,
        frame_type: headers.frame_type,
        vlan: headers.tag.is_some(),
        vlan_tag: 0,
        ipv4: false,
        ipv6: false,
        fragment: false,
        tcp: false,
        udp: false,
        l3: 0,
        l4: 0,
        hash: Hash::default(),
    };
    if let Some(ip) = &headers.ip {
        describe_ip(frame, ip, &mut completion);
    }
    completion
}

fn describe_ip(frame: &[u8], ip: &Ip, completion: &mut Completion) {
    completion.ipv4 = !ip.v6;
    completion.ipv6 = ip.v6;
    completion.fragment = ip.fragment;
    completion.tcp = ip.carries(TCP);
    completion.udp = ip.carries(UDP);
    completion.l3 = if ip.v6 { CHECKSUM_GOOD } else { frame.get(ip.header.clone()).map_or(0, sum) };
    if ip.unknown {
        completion.t_code = TCode::UnknownProtocol;
        completion.l3 = 0;
    }
    if (completion.tcp || completion.udp) && !ip.fragment {
        completion.l4 = transport_sum(frame, ip);
    }
}

/// The sum over pseudo header and payload; `CHECKSUM_GOOD` for UDP without a checksum.
fn transport_sum(frame: &[u8], ip: &Ip) -> u16 {
    let payload = frame.get(ip.payload.clone()).unwrap_or(&[]);
    if ip.protocol == UDP && !ip.v6 && matches!(payload, [_, _, _, _, _, _, 0, 0, ..]) {
        return CHECKSUM_GOOD;
    }
    match add(pseudo_sum(frame, ip), sum(payload)) {
        0 => CHECKSUM_GOOD,
        sum => sum,
    }
}

fn pseudo_sum(frame: &[u8], ip: &Ip) -> u16 {
    let addresses =
        if ip.v6 { ip.header.start + 8..ip.header.start + 40 } else { ip.header.start + 12..ip.header.start + 20 };
    let addresses = frame.get(addresses).map_or(0, sum);
    fold(u64::from(addresses) + ip.payload.len() as u64 + u64::from(ip.protocol))
}

/// Puts the checksums that `control_2` asks for into a frame to send. Asking is not commanding: what the frame does not
/// have is left alone, so a host may always ask for everything.
pub(crate) fn insert(frame: &mut [u8], headers: &Headers, control_2: Control2) {
    let Some(ip) = &headers.ip else { return };
    if control_2.tx_cko_ipv4_en() && !ip.v6 {
        let at = ip.header.start + 10;
        put(frame, at, 0);
        let sum = frame.get(ip.header.clone()).map_or(0, sum);
        put(frame, at, !sum);
    }
    if ip.fragment {
        return;
    }
    if control_2.tx_cko_tcp_en() && ip.carries(TCP) && ip.payload.len() >= 20 {
        insert_transport(frame, ip, 16);
    }
    if control_2.tx_cko_udp_en() && ip.carries(UDP) && ip.payload.len() >= 8 {
        insert_transport(frame, ip, 6);
    }
}

/// Whatever the field held before does not count: hosts leave different seeds there.
fn insert_transport(frame: &mut [u8], ip: &Ip, field: usize) {
    let at = ip.payload.start + field;
    put(frame, at, 0);
    let payload = frame.get(ip.payload.clone()).map_or(0, sum);
    let sum = !add(pseudo_sum(frame, ip), payload);
    // In UDP, zero would mean "no checksum".
    put(frame, at, if sum == 0 && ip.protocol == UDP { 0xFFFF } else { sum });
}

fn put(frame: &mut [u8], at: usize, value: u16) {
    if let Some(field) = frame.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *field = value.to_be_bytes();
    }
}

/// Moves the tag out of `frame` into its description, if the card is set to strip tags. Returns where the frame now starts.
pub(crate) fn strip_tag(frame: &mut [u8], completion: &mut Completion, headers: &Headers, rx_pa_cfg: RxPaCfg) -> usize {
    let Some(tag) = headers.tag else { return 0 };
    if !rx_pa_cfg.strip_vlan_tag_mode() || frame.len() < 16 {
        return 0;
    }
    frame.copy_within(..12, 4);
    completion.vlan_tag = tag;
    completion.size -= 4;
    4
}
