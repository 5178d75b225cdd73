//! Owns what a completed RxD says about receive hashing.

/// What receive hashing made of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hash {
    /// What was hashed; `Nothing` if hashing was off or knew no such frame.
    pub kind: HashType,
    /// The hash.
    pub value: u32,
    /// The indirection table chose the ring by it.
    pub hit: bool,
}

/// What a hash was computed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashType {
    /// There is no hash.
    #[default]
    Nothing,
    /// Addresses and ports of TCP over IPv4.
    TcpIpv4,
    /// Addresses and ports of UDP over IPv4.
    UdpIpv4,
    /// Addresses of IPv4.
    Ipv4,
    /// Addresses and ports of TCP over IPv6.
    TcpIpv6,
    /// Addresses and ports of UDP over IPv6.
    UdpIpv6,
    /// Addresses of IPv6.
    Ipv6,
    /// Addresses and ports of TCP over IPv6 with extension headers.
    TcpIpv6Ex,
    /// Addresses and ports of UDP over IPv6 with extension headers.
    UdpIpv6Ex,
    /// Addresses of IPv6 with extension headers.
    Ipv6Ex,
    /// A code the hardware does not define.
    Other(u8),
}

impl HashType {
    pub(super) const fn from_bits(code: u8) -> Self {
        match code {
            0 => Self::Nothing,
            1 => Self::TcpIpv4,
            2 => Self::UdpIpv4,
            3 => Self::Ipv4,
            4 => Self::TcpIpv6,
            5 => Self::UdpIpv6,
            6 => Self::Ipv6,
            7 => Self::TcpIpv6Ex,
            8 => Self::UdpIpv6Ex,
            9 => Self::Ipv6Ex,
            other => Self::Other(other),
        }
    }

    pub(super) const fn into_bits(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::TcpIpv4 => 1,
            Self::UdpIpv4 => 2,
            Self::Ipv4 => 3,
            Self::TcpIpv6 => 4,
            Self::UdpIpv6 => 5,
            Self::Ipv6 => 6,
            Self::TcpIpv6Ex => 7,
            Self::UdpIpv6Ex => 8,
            Self::Ipv6Ex => 9,
            Self::Other(code) => code,
        }
    }
}
