//! The frames of the groups of the Linux kernel's own test of GRO, and the payload lengths that its receiver must see.

use super::frame::{ACK, CWR, DONT_FRAGMENT, MORE_FRAGMENTS, PSH, RST, SYN, Tcp, URG, data};

/// What is sent, burst by burst, and what must arrive.
pub struct Group {
    pub bursts: Vec<Vec<Tcp>>,
    pub payloads: Vec<usize>,
}

/// A group over IPv4, or over IPv6.
pub type Make = fn(bool) -> Group;

/// Groups that exist for both versions.
pub const BOTH: [(&str, Make); 20] = [
    ("data_same", data_same),
    ("data_lrg_sml", data_lrg_sml),
    ("data_lrg_1byte", data_lrg_1byte),
    ("data_sml_lrg", data_sml_lrg),
    ("data_burst", data_burst),
    ("ack", ack),
    ("flags_psh", flags_psh),
    ("flags_syn", flags_syn),
    ("flags_rst", flags_rst),
    ("flags_urg", flags_urg),
    ("flags_cwr", flags_cwr),
    ("tcp_csum", tcp_csum),
    ("tcp_seq", tcp_seq),
    ("tcp_ts", tcp_ts),
    ("tcp_opt", tcp_opt),
    ("ip_ecn", ip_ecn),
    ("ip_tos", ip_tos),
    ("large_max", large_max),
    ("large_rem", large_rem),
    ("single", single),
];

/// Groups that exist for IPv4 only.
pub const ONLY_4: [(&str, Make); 9] = [
    ("ip_ttl", ip_ttl),
    ("ip_opt", ip_opt),
    ("ip_frag4", ip_frag4),
    ("ip_id_df1_inc", ip_id_df1_inc),
    ("ip_id_df1_fixed", ip_id_df1_fixed),
    ("ip_id_df0_inc", ip_id_df0_inc),
    ("ip_id_df0_fixed", ip_id_df0_fixed),
    ("ip_id_df1_inc_fixed", ip_id_df1_inc_fixed),
    ("ip_id_df1_fixed_inc", ip_id_df1_fixed_inc),
];

/// Groups that exist for IPv6 only.
pub const ONLY_6: [(&str, Make); 3] =
    [("ip_frag6", ip_frag6), ("ip_v6ext_same", ip_v6ext_same), ("ip_v6ext_diff", ip_v6ext_diff)];

/// The usual length of a payload.
const LENGTH: u32 = 100;

/// A segment at this offset of the stream.
fn at(v6: bool, offset: u32, length: u32) -> Tcp {
    Tcp { v6, ..data(100 + offset, length as usize).ack(100).window(0xFFFF).ttl(8) }
}

/// The stream's segment number `n`, of the usual length.
fn nth(v6: bool, n: u32) -> Tcp {
    at(v6, n * LENGTH, LENGTH)
}

fn group(frames: impl IntoIterator<Item = Tcp>, payloads: impl Into<Vec<usize>>) -> Group {
    Group { bursts: vec![frames.into_iter().collect()], payloads: payloads.into() }
}

pub fn data_same(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1)], [200])
}

pub fn data_lrg_sml(v6: bool) -> Group {
    group([nth(v6, 0), at(v6, 100, 50)], [150])
}

pub fn data_lrg_1byte(v6: bool) -> Group {
    group([nth(v6, 0), at(v6, 100, 1).padded()], [101])
}

pub fn data_sml_lrg(v6: bool) -> Group {
    group([at(v6, 0, 50), at(v6, 50, 100)], [50, 100])
}

pub fn data_burst(v6: bool) -> Group {
    let bursts = [[0, 1], [2, 3]].map(|burst| burst.map(|n| nth(v6, n)).to_vec());
    Group { bursts: bursts.to_vec(), payloads: vec![200, 200] }
}

pub fn ack(v6: bool) -> Group {
    group([100, 100, 101].map(|number| at(v6, 0, 0).ack(number).padded()), [0, 0, 0])
}

/// Five segments of which the third has this flag, and no payload.
fn flags(v6: bool, flag: u8) -> Group {
    let frames = [0, 1, 2, 3, 4].map(|n| if n == 2 { at(v6, 0, 0).flags(ACK | flag).padded() } else { nth(v6, n) });
    group(frames, [200, 0, 200])
}

pub fn flags_syn(v6: bool) -> Group {
    flags(v6, SYN)
}

pub fn flags_rst(v6: bool) -> Group {
    flags(v6, RST)
}

pub fn flags_urg(v6: bool) -> Group {
    flags(v6, URG)
}

pub fn flags_psh(v6: bool) -> Group {
    group([ACK, ACK, ACK | PSH, ACK, ACK].into_iter().zip(0..).map(|(flags, n)| nth(v6, n).flags(flags)), [300, 200])
}

pub fn flags_cwr(v6: bool) -> Group {
    let flags = [ACK, ACK | CWR, ACK | CWR, ACK, ACK];
    group(flags.into_iter().zip(0..).map(|(flags, n)| nth(v6, n).flags(flags)), [100, 200, 200])
}

pub fn tcp_csum(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1).damaged()], [100, 100])
}

pub fn tcp_seq(v6: bool) -> Group {
    group([nth(v6, 0), at(v6, 101, 100)], [100, 100])
}

pub fn tcp_ts(v6: bool) -> Group {
    let stamps = |value: u32| [&[8, 10][..], &value.to_be_bytes(), &[0; 4]].concat();
    let layouts = [
        [&[1, 1][..], &stamps(0)].concat(),
        [&[1, 1][..], &stamps(0)].concat(),
        [&[1, 1][..], &stamps(100)].concat(),
        [&[1][..], &stamps(100), &[1]].concat(),
        [&stamps(100)[..], &[0, 1]].concat(),
    ];
    group(layouts.into_iter().zip(0..).map(|(options, n)| nth(v6, n).options(options)), [200, 100, 100, 100])
}

pub fn tcp_opt(v6: bool) -> Group {
    let scale = nth(v6, 2).options(vec![1, 3, 3, 0]);
    group([nth(v6, 0).timestamps(0, 0), nth(v6, 1).timestamps(0, 0), scale], [200, 100])
}

pub fn ip_ecn(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1).tos(2)], [100, 100])
}

pub fn ip_tos(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1).tos(if v6 { 0xF0 } else { 1 })], [100, 100])
}

pub fn ip_ttl(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1).ttl(7)], [100, 100])
}

pub fn ip_opt(v6: bool) -> Group {
    let stamps = [&[68, 40, 5, 0][..], &[0; 36]].concat();
    group([nth(v6, 0), nth(v6, 1).ip_options(stamps), nth(v6, 2)], [100, 100, 100])
}

pub fn ip_frag4(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1).fragment(DONT_FRAGMENT | MORE_FRAGMENTS)], [100, 100])
}

pub fn ip_frag6(v6: bool) -> Group {
    group([nth(v6, 0), nth(v6, 1), nth(v6, 2).extension(44, &[0; 8]), nth(v6, 3)], [200, 100, 100])
}

/// Destination options of this byte.
fn extended(v6: bool, bytes: [u8; 2], payloads: &[usize]) -> Group {
    group(bytes.into_iter().zip(0..).map(|(byte, n)| nth(v6, n).extension(60, &[byte; 8])), payloads)
}

pub fn ip_v6ext_same(v6: bool) -> Group {
    extended(v6, [0, 0], &[200])
}

pub fn ip_v6ext_diff(v6: bool) -> Group {
    extended(v6, [0, 0x11], &[100, 100])
}

/// Segments with these identifications.
fn ip_id(fragment: u16, ids: &[u16], payloads: &[usize]) -> Group {
    group(ids.iter().zip(0..).map(|(id, n)| nth(false, n).fragment(fragment).id(*id)), payloads)
}

pub fn ip_id_df1_inc(_: bool) -> Group {
    ip_id(DONT_FRAGMENT, &[8, 9], &[200])
}

pub fn ip_id_df1_fixed(_: bool) -> Group {
    ip_id(DONT_FRAGMENT, &[8, 8], &[200])
}

pub fn ip_id_df0_inc(_: bool) -> Group {
    ip_id(0, &[8, 9], &[200])
}

pub fn ip_id_df0_fixed(_: bool) -> Group {
    ip_id(0, &[8, 8], &[200])
}

pub fn ip_id_df1_inc_fixed(_: bool) -> Group {
    ip_id(DONT_FRAGMENT, &[8, 9, 9], &[200, 100])
}

pub fn ip_id_df1_fixed_inc(_: bool) -> Group {
    ip_id(DONT_FRAGMENT, &[8, 8, 9], &[200, 100])
}

/// Sixteen segments for an MTU of 4,096, one that is `beyond` too long to make the longest datagram, and one behind a gap.
fn large(v6: bool, beyond: u32, payloads: [[usize; 3]; 2]) -> Group {
    let (size, last) = if v6 { (4036, 899 + beyond) } else { (4056, 599 + beyond) };
    let whole = (0..16).map(|n| at(v6, n * size, size));
    let payloads = payloads[usize::from(v6)].into_iter().filter(|length| *length > 0);
    group(whole.chain([at(v6, 16 * size, last), at(v6, 17 * size, last)]), Vec::from_iter(payloads))
}

pub fn large_max(v6: bool) -> Group {
    large(v6, 0, [[65_495, 599, 0], [65_475, 899, 0]])
}

pub fn large_rem(v6: bool) -> Group {
    large(v6, 1, [[64_896, 600, 600], [64_576, 900, 900]])
}

pub fn single(v6: bool) -> Group {
    group([nth(v6, 0)], [100])
}

/// Two segments of 200 bytes in each of many flows, round robin; the second ones push.
pub fn capacity(v6: bool, flows: u16) -> Group {
    let segment = |n: u32, flow: u16| at(v6, n * 200, 200).flow(flow);
    let frames = (0..flows).map(|flow| segment(0, flow)).chain((0..flows).map(|flow| segment(1, flow).psh()));
    group(frames, vec![400; flows.into()])
}
