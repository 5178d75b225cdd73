//! Owns interrupt moderation: the TTI and RTI entries, what was credited to them, and when they fire.
//!
//! There is no clock, hence no link utilisation: counts are those of range A, and a timer expires when the card has
//! nothing better to do.

use xframe::bits::{RtiData1, RtiData2};

/// An entry: its two data words as written, and the completions since it last fired. TTI and RTI share the layout of all
/// that is used here.
#[derive(Clone, Copy, Default)]
struct Entry {
    data1: u64,
    data2: u64,
    count: u16,
}

/// A table of at most 64 entries.
pub(crate) struct Moderation {
    entries: Vec<Entry>,
}

impl Moderation {
    pub fn new(entries: usize) -> Self {
        Self { entries: vec![Entry::default(); entries] }
    }

    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
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
        let fires = at_once || entry.count >= RtiData2::from(entry.data2).a();
        if fires {
            entry.count = 0;
        }
        fires
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

    const UFC_A_3: u64 = 3 << 48;

    #[test]
    fn an_entry_fires_at_its_count() {
        let mut table = Moderation::new(8);
        table.write(2, 0, UFC_A_3);
        assert_eq!([(); 4].map(|()| table.credit(2, false)), [false, false, true, false]);
    }

    #[test]
    fn an_entry_never_set_up_fires_at_once() {
        assert!(Moderation::new(8).credit(0, false));
    }

    #[test]
    fn the_timer_fires_what_the_count_did_not() {
        let mut table = Moderation::new(8);
        table.write(5, 0, UFC_A_3);
        table.credit(5, false);
        assert_eq!(table.expire(), Some(5));
        assert_eq!(table.expire(), None);
    }

    #[test]
    fn a_list_can_ask_to_fire_at_once() {
        let mut table = Moderation::new(64);
        table.write(0, 0, UFC_A_3);
        assert!(table.credit(0, true));
    }
}
