//! Owns interrupt moderation: the TTI and RTI entries, what was credited to them, and when they fire.
//!
//! There is no clock. The link counts as the busier the more completions follow one another without the card coming to
//! rest, and a timer expires when it does.

use xframe::bits::{RtiData1, RtiData2};

/// All of the link, in percent.
const FULL: u8 = 100;

/// An entry: its two data words as written, and the completions since it last fired. TTI and RTI share the layout of all
/// that is used here.
#[derive(Clone, Copy, Default)]
struct Entry {
    data1: u64,
    data2: u64,
    count: u16,
}

impl Entry {
    /// Completions to gather while the link is used to `utilisation` percent.
    fn limit(&self, utilisation: u8) -> u16 {
        let (ranges, counts) = (RtiData1::from(self.data1), RtiData2::from(self.data2));
        match utilisation {
            used if used <= ranges.urng_a() => counts.a(),
            used if used <= ranges.urng_b() => counts.b(),
            used if used <= ranges.urng_c() => counts.c(),
            _ => counts.d(),
        }
    }
}

/// A table of at most 64 entries.
pub(crate) struct Moderation {
    entries: Vec<Entry>,
    /// Percent of the link that is used.
    utilisation: u8,
    /// The most that is measured.
    full: u8,
}

impl Moderation {
    /// `measures`: whether the link's use is measured; otherwise it counts as idle.
    pub fn new(entries: usize, measures: bool) -> Self {
        let full = if measures { FULL } else { 0 };
        Self { entries: vec![Entry::default(); entries], utilisation: 0, full }
    }

    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
        self.utilisation = 0;
    }

    pub fn read(&self, offset: u8) -> (u64, u64) {
        self.entries.get(self.index(offset)).map_or((0, 0), |entry| (entry.data1, entry.data2))
    }

    pub fn write(&mut self, offset: u8, data1: u64, data2: u64) {
        let index = self.index(offset);
        if let Some(entry) = self.entries.get_mut(index) {
            (entry.data1, entry.data2) = (data1, data2);
        }
    }

    fn index(&self, offset: u8) -> usize {
        usize::from(offset) % self.entries.len().max(1)
    }

    /// Counts a completion; true when the entry fires.
    pub fn credit(&mut self, index: usize, at_once: bool) -> bool {
        let Some(entry) = self.entries.get_mut(index) else { return false };
        entry.count = entry.count.saturating_add(1);
        let fires = at_once || entry.count >= entry.limit(self.utilisation);
        self.utilisation += (self.full - self.utilisation) / 8;
        if fires {
            entry.count = 0;
        }
        fires
    }

    /// The card came to rest: the link is not used.
    pub fn rest(&mut self) {
        self.utilisation = 0;
    }

    /// The timer of the first entry that has counted something expires; `None` if none has.
    pub fn expire(&mut self) -> Option<usize> {
        let index = self.entries.iter().position(|entry| entry.count > 0)?;
        if let Some(entry) = self.entries.get_mut(index) {
            entry.count = 0;
        }
        Some(index)
    }

    /// Entries that interrupt at every expiry, traffic or not.
    pub fn continuous(&self) -> impl Iterator<Item = usize> {
        let ci = |entry: &Entry| RtiData1::from(entry.data1).timer_ci_en();
        self.entries.iter().enumerate().filter(move |(_, entry)| ci(entry)).map(|(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UFC_3: u64 = 0x0003_0003_0003_0003;

    #[test]
    fn an_entry_fires_at_its_count() {
        let mut table = Moderation::new(8, false);
        table.write(2, 0, UFC_3);
        assert_eq!([(); 4].map(|()| table.credit(2, false)), [false, false, true, false]);
    }

    #[test]
    fn a_busy_link_gathers_more() {
        let mut table = Moderation::new(8, true);
        let ranges = RtiData1::new().with_urng_a(10).with_urng_b(16).with_urng_c(48);
        let counts = RtiData2::new().with_a(1).with_b(2).with_c(4).with_d(32);
        table.write(0, ranges.into(), counts.into());
        assert!(table.credit(0, false), "the first comes through at once");
        let gathered = (2..).find(|_| table.credit(0, false));
        assert!(gathered.is_some_and(|frames| frames > 2));
        let fired = (0..320).filter(|_| table.credit(0, false)).count();
        assert!((9..=12).contains(&fired), "{fired}");
        table.rest();
        table.expire();
        assert!(table.credit(0, false));
    }

    #[test]
    fn an_entry_never_set_up_fires_at_once() {
        assert!(Moderation::new(8, false).credit(0, false));
    }

    #[test]
    fn the_timer_fires_what_the_count_did_not() {
        let mut table = Moderation::new(8, false);
        table.write(5, 0, UFC_3);
        table.credit(5, false);
        assert_eq!(table.expire(), Some(5));
        assert_eq!(table.expire(), None);
    }

    #[test]
    fn a_list_can_ask_to_fire_at_once() {
        let mut table = Moderation::new(64, false);
        table.write(0, 0, UFC_3);
        assert!(table.credit(0, true));
    }
}
