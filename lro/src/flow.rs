//! Who talks to whom (`Flow`), and what else all segments of a unit must have in common (`Common`).

/// A TCP flow: VLAN tags, addresses and ports, as they lie in memory. Equal exactly for frames of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// IPv4: both addresses in the first word. IPv6: source, destination, two words each.
    pub addresses: [u64; 4],
    /// Both ports, low half; the IP version, high half (so that no IPv4 flow equals an IPv6 one).
    pub ports: u64,
    /// Up to two tags, each TPID and TCI; 0 where there is none.
    pub tags: u64,
}

impl Flow {
    /// A hash that a stranger who picks addresses and ports cannot aim without the seed.
    #[inline]
    pub(crate) fn hash(&self, seed: u64) -> u32 {
        let [a, b, c, d] = self.addresses;
        let mut hash = mix(a ^ seed, self.ports ^ self.tags.rotate_left(32) ^ SALT[0]);
        if b | c | d != 0 {
            hash ^= mix(b ^ seed.rotate_left(17), c ^ SALT[1]);
            hash ^= mix(d ^ seed.rotate_left(41), hash ^ SALT[2]);
        }
        let hash = mix(hash ^ seed, SALT[3]);
        hash as u32
    }
}

/// Odd constants with about half of their bits set, so that no input leaves a factor of the products near zero.
const SALT: [u64; 4] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03, 0xA24B_AED4_963E_E407, 0x9FB2_1C65_1E98_DF25];

/// Both halves of a 64 x 64 bit product, folded: every input bit reaches every output bit.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Header fields beyond the flow's that must be equal in all segments of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Common {
    /// Destination address and the head of the source address of the Ethernet header.
    pub macs: u64,
    /// The tail of the Ethernet source address; IPv4: TOS, DF and the reserved bit; IPv6: traffic class, flow label.
    pub mac_ip: u64,
    /// TTL or hop limit; TCP data offset, reserved bits and AE/NS; the option layout.
    pub rest: u32,
}

#[cfg(test)]
mod tests {
    use super::Flow;

    fn flow(a: u64, ports: u64) -> Flow {
        Flow { addresses: [a, 0, 0, 0], ports, tags: 0 }
    }

    #[test]
    fn neighbouring_flows_spread_over_the_table() {
        let mut buckets = [0_u32; 256];
        for port in 0..4096 {
            buckets[flow(0x0A00_0001_0A00_0002, port << 16).hash(7) as usize % 256] += 1;
        }
        assert!(buckets.iter().all(|&count| count < 40), "16 expected in each: {buckets:?}");
    }

    #[test]
    fn another_seed_gives_another_order() {
        let one = flow(1, 2);
        assert_ne!(one.hash(1), one.hash(2));
    }

    #[test]
    fn every_part_of_the_flow_counts() {
        let base = Flow { addresses: [1, 2, 3, 4], ports: 5, tags: 6 };
        for part in 0..6 {
            let mut other = base;
            match part {
                0..=3 => other.addresses[part] ^= 1,
                4 => other.ports ^= 1,
                _ => other.tags ^= 1,
            }
            assert_ne!(base.hash(9), other.hash(9), "part {part}");
        }
    }
}
