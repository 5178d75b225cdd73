//! The rule sets: which segments may share a unit.

/// A named set of rules; the crate page compares them in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Nothing merges: every frame leaves as it came.
    Off,
    /// Neterion's Linux patch of 2005: IPv4 only, PSH and congestion marks are not eligible.
    Seed,
    /// For a host that ends the connection: IPv4 and IPv6, PSH joins, the latest ACK, window and timestamp win.
    #[default]
    Endpoint,
    /// For a forwarder, a TAP device, a VPN: a unit can be cut into the frames that came, byte for byte, as Linux's GRO
    /// merges them. Only PSH and the length of the last segment may differ.
    Forward,
}
