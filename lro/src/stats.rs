//! What the engine counts: units, segments, and why each unit ended.

/// Why a unit ended: why the next segment of its flow could not join it, or why the frame is a unit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum End {
    /// The reader took it while it could still have grown: the reader kept up.
    Read,
    /// The reader's buffer was full; the rest of the chain left as a later unit.
    Buffer,
    /// A segment with PSH ended it.
    Push,
    /// One more segment would have made more than 65,535 bytes of IP.
    Size,
    /// It reached the caller's longest number of segments.
    Segments,
    /// The flow's next segment was not the next in sequence: a gap, a duplicate, a reordering.
    Sequence,
    /// The flow's next frame had another Ethernet, IP or TCP header field than may differ (TTL, TOS, DF, a MAC address...).
    Header,
    /// The flow's next segment acknowledged less than the one before.
    Acknowledgment,
    /// The flow's next segment had an older timestamp, or one the rules do not merge.
    Timestamp,
    /// The flow's next segment was longer than the unit's, or this one's last was shorter: `Rules::Forward` merges segments of
    /// one size.
    SegmentSize,
    /// The flow's next frame broke the step of the IPv4 identification, which `Rules::Forward` keeps.
    Identification,
    /// A flag that never merges: SYN, FIN, RST, URG, ECE, CWR, or no ACK.
    Flags,
    /// TCP or IP options, or IPv6 extension headers, that the rules do not merge.
    Options,
    /// A segment without payload: a pure ACK, a window update, a probe.
    Empty,
    /// A checksum was wrong, or, under `Rules::Forward`, right but not as it would be computed again (FFFF for 0).
    Checksum,
    /// A frame that might belong to any flow: a fragment, a header that makes no sense.
    Barrier,
    /// Nothing that the rules coalesce: no TCP over IP in a plain Ethernet frame, or IPv6 under `Rules::Seed`.
    Opaque,
    /// All sessions were taken by other flows.
    Sessions,
}

impl End {
    /// Every reason, in the order of the counters.
    pub const ALL: [Self; 18] = [
        Self::Read,
        Self::Buffer,
        Self::Push,
        Self::Size,
        Self::Segments,
        Self::Sequence,
        Self::Header,
        Self::Acknowledgment,
        Self::Timestamp,
        Self::SegmentSize,
        Self::Identification,
        Self::Flags,
        Self::Options,
        Self::Empty,
        Self::Checksum,
        Self::Barrier,
        Self::Opaque,
        Self::Sessions,
    ];

    /// The reason's name in statistics, lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Buffer => "buffer",
            Self::Push => "push",
            Self::Size => "size",
            Self::Segments => "segments",
            Self::Sequence => "sequence",
            Self::Header => "header",
            Self::Acknowledgment => "acknowledgment",
            Self::Timestamp => "timestamp",
            Self::SegmentSize => "segment_size",
            Self::Identification => "identification",
            Self::Flags => "flags",
            Self::Options => "options",
            Self::Empty => "empty",
            Self::Checksum => "checksum",
            Self::Barrier => "barrier",
            Self::Opaque => "opaque",
            Self::Sessions => "sessions",
        }
    }
}

/// Counters since construction. Each unit that left is counted under exactly one [`End`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Frames taken in by `push`.
    pub frames: u64,
    /// Units that left.
    pub units: u64,
    /// Units of more than one segment among them.
    pub merged_units: u64,
    /// Segments in those.
    pub merged_segments: u64,
    /// Bytes that left, headers included.
    pub bytes: u64,
    ended: [u64; End::ALL.len()],
}

/// Adds up the counters of several engines.
impl core::iter::Sum for Stats {
    fn sum<I: Iterator<Item = Self>>(stats: I) -> Self {
        stats.fold(Self::default(), |mut sum, stats| {
            sum.frames += stats.frames;
            sum.units += stats.units;
            sum.merged_units += stats.merged_units;
            sum.merged_segments += stats.merged_segments;
            sum.bytes += stats.bytes;
            sum.ended.iter_mut().zip(stats.ended).for_each(|(sum, ended)| *sum += ended);
            sum
        })
    }
}

impl Stats {
    /// How many of the units that left had ended for this reason.
    pub fn ended(&self, reason: End) -> u64 {
        self.ended.get(reason as usize).copied().unwrap_or(0)
    }

    /// Frames that left: each unit that did not merge was one.
    pub(crate) fn frames_left(&self) -> u64 {
        self.merged_segments + self.units - self.merged_units
    }

    pub(crate) fn unit_left(&mut self, segments: u32, bytes: u32, reason: End) {
        self.units += 1;
        self.bytes += u64::from(bytes);
        if segments > 1 {
            self.merged_units += 1;
            self.merged_segments += u64::from(segments);
        }
        if let Some(count) = self.ended.get_mut(reason as usize) {
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Stats};

    #[test]
    fn every_reason_has_its_own_counter() {
        let mut stats = Stats::default();
        for (index, reason) in End::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, index);
            stats.unit_left(1, 60, reason);
            assert_eq!(stats.ended(reason), 1, "{}", reason.name());
        }
        assert_eq!(stats.units, End::ALL.len() as u64);
    }

    #[test]
    fn counters_of_several_engines_add_up() {
        let mut engines = [Stats { frames: 5, ..Stats::default() }, Stats { frames: 2, ..Stats::default() }];
        for stats in &mut engines {
            stats.unit_left(2, 100, End::Read);
        }
        engines[1].unit_left(1, 60, End::Flags);
        let sum: Stats = engines.into_iter().sum();
        assert_eq!((sum.frames, sum.units, sum.bytes), (7, 3, 260));
        assert_eq!((sum.merged_units, sum.merged_segments), (2, 4));
        assert_eq!((sum.ended(End::Read), sum.ended(End::Flags)), (2, 1));
    }
}
