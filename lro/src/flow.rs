//! Who talks to whom.

use crate::field::{ne32, ne64};
use crate::shape::{Head, IP_BITS, IPV4, IPV6};
use crate::wire;

/// A TCP flow: VLAN tags, addresses and ports, as they lie in memory. Equal exactly for frames of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// IPv4: both addresses in the first word. IPv6: source and destination, two words each.
    addresses: [u64; 4],
    /// Both ports, low half; 1 in the high half for IPv6, so that no IPv4 flow equals an IPv6 one.
    ports: u64,
    /// Up to two tags, each TPID and TCI; 0 where there is none.
    tags: u64,
}

impl Flow {
    pub(crate) const VOID: Self = Self { addresses: [0; 4], ports: 0, tags: 0 };

    /// The flow of a frame whose IP and TCP headers start at `ip` and `tcp`.
    #[inline(always)]
    pub(crate) fn of(frame: &[u8], ip: usize, tcp: usize, is_v6: bool) -> Self {
        let addresses = if is_v6 {
            [ne64(frame, ip + 8), ne64(frame, ip + 16), ne64(frame, ip + 24), ne64(frame, ip + 32)]
        } else {
            [ne64(frame, ip + 12), 0, 0, 0]
        };
        let tags = match ip {
            14 => 0,
            18 => ne32(frame, 12).into(),
            _ => ne64(frame, 12),
        };
        Self { addresses, ports: u64::from(is_v6) << 32 | u64::from(ne32(frame, tcp)), tags }
    }

    /// A hash that a stranger who picks addresses and ports cannot aim without the seed.
    #[inline(always)]
    pub(crate) fn hash(&self, Seed(one, two): Seed) -> u32 {
        let [a, b, c, d] = self.addresses;
        let mut hash = mix(a ^ one, self.ports ^ self.tags.rotate_left(32) ^ two);
        if self.ports >> 32 != 0 {
            hash ^= mix(b ^ one, c ^ two ^ SALT[0]);
            hash ^= mix(d ^ one, hash ^ two ^ SALT[1]);
        }
        // Once more, because sums of products keep some of the pattern of neighbouring addresses.
        mix(hash ^ two, SALT[2]) as u32
    }
}

/// Where the units of a frame's flow are found.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub hash: u32,
    /// Where the IP header starts.
    pub ip: u8,
    pub is_v6: bool,
}

impl Address {
    /// Of a frame of `length` bytes without VLAN tags; `None` if it has tags, or no IP.
    #[inline(always)]
    pub(crate) fn untagged(head: &Head, length: u32, seed: Seed) -> Option<Self> {
        // Twice, so that in each all offsets are constants.
        match wire::untagged(head, length)? {
            false => Some(Self::at(head, 14, false, seed)),
            true => Some(Self::at(head, 14, true, seed)),
        }
    }

    /// Of a frame of `length` bytes; `None` if there is no IP behind two tags or fewer.
    pub(crate) fn of(head: &Head, length: u32, seed: Seed) -> Option<Self> {
        let (ip, is_v6) = wire::find_ip(head, length as usize)?;
        Some(Self::at(head, ip & IP_BITS, is_v6, seed))
    }

    #[inline(always)]
    fn at(head: &Head, ip: usize, is_v6: bool, seed: Seed) -> Self {
        let tcp = ip + if is_v6 { IPV6 } else { IPV4 };
        Self { hash: Flow::of(head, ip, tcp, is_v6).hash(seed), ip: ip as u8, is_v6 }
    }
}

/// What makes hashes unpredictable.
#[derive(Clone, Copy)]
pub(crate) struct Seed(u64, u64);

impl Seed {
    /// Two words without a pattern, even if `seed` has one.
    pub(crate) fn new(seed: u64) -> Self {
        let one = mix(seed ^ SALT[0], SALT[1]);
        Self(one, mix(one ^ SALT[2], seed ^ SALT[1]))
    }
}

/// Odd constants with about half of their bits set, so that no input leaves a factor of the products near zero.
const SALT: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03, 0xA24B_AED4_963E_E407];

/// Both halves of a 64 x 64 bit product, folded: every input bit reaches every output bit.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::{Flow, Seed};

    fn flow(a: u64, ports: u64) -> Flow {
        Flow { addresses: [a, 0, 0, 0], ports, tags: 0 }
    }

    #[test]
    fn neighbouring_flows_spread_over_the_table() {
        let mut buckets = [0_u32; 256];
        for port in 0..4096 {
            buckets[flow(0x0A00_0001_0A00_0002, port << 16).hash(Seed::new(7)) as usize % 256] += 1;
        }
        assert!(buckets.iter().all(|&count| count < 40), "16 expected in each: {buckets:?}");
    }

    #[test]
    fn another_seed_gives_another_order() {
        let one = flow(1, 2);
        assert_ne!(one.hash(Seed::new(1)), one.hash(Seed::new(2)));
    }

    #[test]
    fn every_part_of_the_flow_counts() {
        let base = Flow { addresses: [1, 2, 3, 4], ports: 1 << 32 | 5, tags: 6 };
        for part in 0..6 {
            let mut other = base;
            match part {
                0..=3 => other.addresses[part] ^= 1,
                4 => other.ports ^= 1,
                _ => other.tags ^= 1,
            }
            assert_ne!(base.hash(Seed::new(9)), other.hash(Seed::new(9)), "part {part}");
        }
    }
}
