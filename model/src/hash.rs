//! Owns receive hashing: what of a frame is hashed, by which key, and what the indirection table makes of it.

use xframe::bits::{PrcCtrl, RtsCtrl, RtsRthCfg, RtsRthMapMemData};
use xframe::constants::Asic;
use xframe::registers::{PRC_CTRL, RTS_RTH_HASH_MASK};
use xframe::rxd::{Hash, HashType};

use crate::chip::Chip;
use crate::parse::{Headers, Ip, TCP, UDP};

/// Bytes of the key.
const KEY: usize = 40;
/// The longest input: two IPv6 addresses and two ports.
const INPUT: usize = 36;

/// The Toeplitz hash: for each bit of the input that is set, the 32 bits of the key that begin there.
fn toeplitz(key: &[u8; KEY], input: impl Iterator<Item = u8>) -> u32 {
    let mut key = key.iter();
    // The key's next 32 bits, and behind them the byte that is shifted in.
    let mut window = (&mut key).take(4).fold(0, |window, byte| window << 8 | u64::from(*byte)) << 8;
    let mut hash = 0;
    for byte in input {
        window |= u64::from(key.next().copied().unwrap_or(0));
        for bit in (0..8).rev() {
            if byte >> bit & 1 != 0 {
                hash ^= (window >> 8) as u32;
            }
            window <<= 1;
        }
    }
    hash
}

/// What is hashed of a frame with `ip`, by what is enabled: ports as well where there are any, or else addresses alone.
fn kind(ip: &Ip, cfg: RtsRthCfg) -> HashType {
    let extended = ip.v6 && ip.payload.start > ip.header.end;
    let whole = |protocol| ip.carries(protocol) && !ip.fragment;
    let choices = match (ip.v6, extended) {
        (false, _) => [
            (whole(TCP) && cfg.tcp_ipv4_en(), HashType::TcpIpv4),
            (whole(UDP) && cfg.udp_ipv4_en(), HashType::UdpIpv4),
            (cfg.ipv4_en(), HashType::Ipv4),
        ],
        (true, false) => [
            (whole(TCP) && cfg.tcp_ipv6_en(), HashType::TcpIpv6),
            (whole(UDP) && cfg.udp_ipv6_en(), HashType::UdpIpv6),
            (cfg.ipv6_en(), HashType::Ipv6),
        ],
        (true, true) => [
            (whole(TCP) && cfg.tcp_ipv6_ex_en(), HashType::TcpIpv6Ex),
            (whole(UDP) && cfg.udp_ipv6_ex_en(), HashType::UdpIpv6Ex),
            (cfg.ipv6_ex_en(), HashType::Ipv6Ex),
        ],
    };
    choices.into_iter().find(|(enabled, _)| *enabled).map_or(HashType::Nothing, |(_, kind)| kind)
}

const fn has_ports(kind: HashType) -> bool {
    !matches!(kind, HashType::Ipv4 | HashType::Ipv6 | HashType::Ipv6Ex)
}

impl Chip {
    /// Steering by address, port and hash rather than by priority alone.
    pub fn enhanced(&self) -> bool {
        self.config.asic == Asic::Herc && self.store.word::<RtsCtrl>().enhanced_mode()
    }

    /// Hashes a frame; nothing if hashing is off, or by an algorithm other than Toeplitz.
    pub fn hash(&self, frame: &[u8], headers: &Headers) -> Hash {
        let cfg: RtsRthCfg = self.store.word();
        let Some(ip) = headers.ip.as_ref().filter(|_| cfg.en() && cfg.alg_sel_ms()) else { return Hash::default() };
        let kind = kind(ip, cfg);
        if kind == HashType::Nothing {
            return Hash::default();
        }
        let (from, addresses) = if ip.v6 { (8, 32) } else { (12, 8) };
        let addresses = frame.iter().skip(ip.header.start + from).take(addresses);
        let ports = frame.iter().skip(ip.payload.start).take(if has_ports(kind) { 4 } else { 0 });
        let value = toeplitz(&self.hash_key(), addresses.chain(ports).take(INPUT).copied());
        Hash { kind, value, hit: false }
    }

    fn hash_key(&self) -> [u8; KEY] {
        let mut key = [0; KEY];
        for (bytes, register) in key.chunks_exact_mut(8).zip(RTS_RTH_HASH_MASK.iter()) {
            bytes.copy_from_slice(&self.store.get(register).to_be_bytes());
        }
        key
    }

    /// The ring that the indirection table names for a hash, unless the ring is kept out of hashing.
    pub fn indirect(&self, hash: Hash) -> Option<usize> {
        if hash.kind == HashType::Nothing {
            return None;
        }
        let buckets = 1_u32 << self.store.word::<RtsRthCfg>().bucket_size().min(8);
        let bucket = self.hash_map.get((hash.value & (buckets - 1)) as usize).copied().unwrap_or(0);
        let entry = RtsRthMapMemData::from(bucket);
        let ring = usize::from(entry.data());
        let ctrl = PRC_CTRL.at(ring).map_or(0, |at| self.store.get(at));
        (entry.entry_en() && !PrcCtrl::from(ctrl).rth_disable()).then_some(ring)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    /// The key and the vectors that Microsoft published for receive-side scaling.
    const MICROSOFT: [u8; KEY] = [
        0x6D, 0x5A, 0x56, 0xDA, 0x25, 0x5B, 0x0E, 0xC2, 0x41, 0x67, 0x25, 0x3D, 0x43, 0xA3, 0x8F, 0xB0, 0xD0, 0xCA,
        0x2B, 0xCB, 0xAE, 0x7B, 0x30, 0xB4, 0x77, 0xCB, 0x2D, 0xA3, 0x80, 0x30, 0xF2, 0x0C, 0x6A, 0x42, 0xB7, 0x3B,
        0xBE, 0xAC, 0x01, 0xFA,
    ];

    #[test]
    fn toeplitz_over_ipv4_is_as_published() {
        for (from, source, to, target, addresses, ports) in [
            ([66, 9, 149, 187], 2794_u16, [161, 142, 100, 80], 1766_u16, 0x323E_8FC2, 0x51CC_C178),
            ([199, 92, 111, 2], 14230, [65, 69, 140, 83], 4739, 0xD718_262A, 0xC626_B0EA),
            ([24, 19, 198, 95], 12898, [12, 22, 207, 184], 38024, 0xD2D0_A5DE, 0x5C2B_394A),
        ] {
            let bytes = [Ipv4Addr::from(from).octets(), Ipv4Addr::from(to).octets()].concat();
            assert_eq!(toeplitz(&MICROSOFT, bytes.iter().copied()), addresses);
            let all = [&bytes[..], &source.to_be_bytes(), &target.to_be_bytes()].concat();
            assert_eq!(toeplitz(&MICROSOFT, all.iter().copied()), ports);
        }
    }

    #[test]
    fn toeplitz_over_ipv6_is_as_published() {
        let address = |text: &str| text.parse::<Ipv6Addr>().unwrap().octets();
        let bytes = [address("3ffe:2501:200:1fff::7"), address("3ffe:2501:200:3::1")].concat();
        assert_eq!(toeplitz(&MICROSOFT, bytes.iter().copied()), 0x2CC1_8CD5);
        let all = [&bytes[..], &2794_u16.to_be_bytes(), &1766_u16.to_be_bytes()].concat();
        assert_eq!(toeplitz(&MICROSOFT, all.iter().copied()), 0x4020_7D3D);
    }
}
