//! The scheme's paths: one table of what can be opened.

/// What a handle is opened on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// `""`: Ethernet frames without frame check sequence, one per read or write.
    Frames,
    /// `link`: text, `up` or `down`.
    Link,
    /// `lro`: text, the name of the rules by which segments merge.
    Lro,
    /// `mac`: the card's six bytes of address.
    Mac,
    /// `mtu`: text, bytes of IP in the longest frame. Can be written.
    Mtu,
    /// `multicast`: text, the groups whose frames are taken, an address a line. Lines `add <address>` and
    /// `remove <address>` can be written.
    Multicast,
    /// `promiscuous`: text, `on` or `off`. Can be written.
    Promiscuous,
    /// `stats`: text, one `name value` a line. Read from the start it is made anew.
    Stats,
}

impl Path {
    /// Every path, in the order of their names.
    pub const ALL: [Self; 8] =
        [Self::Frames, Self::Link, Self::Lro, Self::Mac, Self::Mtu, Self::Multicast, Self::Promiscuous, Self::Stats];

    /// The path of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|path| path.name() == name)
    }

    /// Its name below the scheme's root.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frames => "",
            Self::Link => "link",
            Self::Lro => "lro",
            Self::Mac => "mac",
            Self::Mtu => "mtu",
            Self::Multicast => "multicast",
            Self::Promiscuous => "promiscuous",
            Self::Stats => "stats",
        }
    }

    /// Its permission bits, as for `stat`.
    #[must_use]
    pub const fn mode(self) -> u16 {
        if self.is_writable() { 0o600 } else { 0o400 }
    }

    /// Its size in bytes, as for `stat`; 0 where it is not known before reading.
    #[must_use]
    pub const fn size(self) -> u64 {
        match self {
            Self::Mac => 6,
            _ => 0,
        }
    }

    /// Whether its bytes have offsets. Frames have none.
    #[must_use]
    pub const fn is_positioned(self) -> bool {
        !matches!(self, Self::Frames)
    }

    pub(super) const fn is_writable(self) -> bool {
        matches!(self, Self::Frames | Self::Mtu | Self::Multicast | Self::Promiscuous)
    }
}
