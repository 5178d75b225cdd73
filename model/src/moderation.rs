//! Owns interrupt moderation: the TTI and RTI entries, what was credited to them, and when they fire.

use xframe::bits::{RtiData1, RtiData2};

use crate::clock::Clock;

/// An entry: its two data words as written, the completions since it last fired, and when its timer expires. TTI and RTI
/// share the layout of all that is used here.
#[derive(Clone, Copy, Default)]
struct Entry {
    data1: u64,
    data2: u64,
    count: u16,
    /// `None` while the timer does not run.
    expires: Option<u64>,
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

    fn continuous(&self) -> bool {
        RtiData1::from(self.data1).timer_ci_en()
    }

    /// Starts afresh after an interrupt: by its count, which cancels the timer only if the entry says so, or by the timer.
    fn fired(&mut self, restart: u64, by_timer: bool) {
        self.count = 0;
        if by_timer || RtiData1::from(self.data1).timer_ac_en() {
            self.expires = self.continuous().then_some(restart);
        }
    }
}

/// A table of at most 64 entries.
pub(crate) struct Moderation {
    entries: Vec<Entry>,
    /// Clocks of a timer's tick.
    tick: u64,
    /// No timer expires before.
    soonest: u64,
}

impl Moderation {
    pub fn new(entries: usize, tick: u64) -> Self {
        Self { entries: vec![Entry::default(); entries], tick, soonest: u64::MAX }
    }

    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
    }

    pub fn read(&self, offset: u8) -> (u64, u64) {
        self.entries.get(self.index(offset)).map_or((0, 0), |entry| (entry.data1, entry.data2))
    }

    /// Sets an entry up. The timer of a continuous one runs from now on; that of another only once it counts something.
    pub fn write(&mut self, offset: u8, data1: u64, data2: u64, clock: &Clock) {
        let (index, tick) = (self.index(offset), self.tick);
        if let Some(entry) = self.entries.get_mut(index) {
            (entry.data1, entry.data2) = (data1, data2);
            let runs = entry.continuous() || entry.count > 0;
            entry.expires = runs.then(|| clock.now() + period(data1, tick, clock));
            self.soonest = self.soonest.min(entry.expires.unwrap_or(u64::MAX));
        }
    }

    fn index(&self, offset: u8) -> usize {
        usize::from(offset) % self.entries.len().max(1)
    }

    /// Counts a completion while the link is used to `utilisation` percent; true when the entry fires. The timer runs from
    /// the first completion on.
    pub fn credit(&mut self, index: usize, at_once: bool, utilisation: u8, clock: &Clock) -> bool {
        let Some(entry) = self.entries.get_mut(index) else { return false };
        entry.count = entry.count.saturating_add(1);
        let then = clock.now() + period(entry.data1, self.tick, clock);
        let fires = at_once || entry.count >= entry.limit(utilisation);
        if fires {
            entry.fired(then, false);
        } else {
            entry.expires.get_or_insert(then);
        }
        self.soonest = self.soonest.min(entry.expires.unwrap_or(u64::MAX));
        fires
    }

    /// When the first timer expires: of the entries that have counted something, or of all.
    pub fn next(&self, counted: bool) -> Option<u64> {
        self.entries.iter().filter(|entry| !counted || entry.count > 0).filter_map(|entry| entry.expires).min()
    }

    /// An entry whose timer has expired by now, started afresh; and whether that interrupts.
    pub fn expire(&mut self, clock: &Clock) -> Option<(usize, bool)> {
        if self.soonest > clock.now() {
            return None;
        }
        let due = |entry: &Entry| entry.expires.is_some_and(|then| then <= clock.now());
        let expired = self.entries.iter().position(due).and_then(|index| {
            let entry = self.entries.get_mut(index)?;
            let fires = entry.count > 0 || entry.continuous();
            entry.fired(clock.now() + period(entry.data1, self.tick, clock), true);
            Some((index, fires))
        });
        if expired.is_none() {
            self.soonest = self.next(false).unwrap_or(u64::MAX);
        }
        expired
    }

    /// Entries that interrupt at every expiry, traffic or not.
    pub fn continuous(&self) -> impl Iterator<Item = usize> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.continuous()).map(|(index, _)| index)
    }
}

/// Nanoseconds that a timer takes: a continuous one of no length must not take up all time.
fn period(data1: u64, tick: u64, clock: &Clock) -> u64 {
    clock.nanoseconds(u64::from(RtiData1::from(data1).timer_val()).max(1) * tick)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Config;
    use xframe::constants::Asic;

    const UFC_3: u64 = 0x0003_0003_0003_0003;
    /// 266 ticks of 8 clocks at 266 MHz: 8 microseconds.
    const TIMER: RtiData1 = RtiData1::new().with_timer_val(266);
    const PERIOD: u64 = 8_000;

    fn table() -> (Moderation, Clock) {
        (Moderation::new(8, 8), Clock::new(&Config::new(Asic::Herc, [0; 6])))
    }

    #[test]
    fn an_entry_fires_at_its_count() {
        let (mut table, clock) = table();
        table.write(2, 0, UFC_3, &clock);
        assert_eq!([(); 4].map(|()| table.credit(2, false, 0, &clock)), [false, false, true, false]);
    }

    #[test]
    fn the_count_is_that_of_the_range_which_the_link_s_use_falls_in() {
        let ranges = RtiData1::new().with_urng_a(10).with_urng_b(16).with_urng_c(48);
        let counts = RtiData2::new().with_a(1).with_b(2).with_c(4).with_d(32);
        for (utilisation, count) in [(0, 1), (10, 1), (11, 2), (16, 2), (17, 4), (48, 4), (49, 32), (100, 32)] {
            let (mut table, clock) = table();
            table.write(0, ranges.into(), counts.into(), &clock);
            let fired = (1..).find(|_| table.credit(0, false, utilisation, &clock));
            assert_eq!(fired, Some(count), "{utilisation} percent");
        }
    }

    #[test]
    fn an_entry_never_set_up_fires_at_once() {
        let (mut table, clock) = table();
        assert!(table.credit(0, false, 100, &clock));
    }

    #[test]
    fn the_timer_runs_from_the_first_completion_and_fires_what_the_count_did_not() {
        let (mut table, mut clock) = table();
        table.write(5, TIMER.into(), UFC_3, &clock);
        assert_eq!(table.next(false), None);
        clock.elapse(Duration::from_nanos(100));
        table.credit(5, false, 0, &clock);
        clock.elapse(Duration::from_nanos(100));
        table.credit(5, false, 0, &clock);
        assert_eq!(table.next(true), Some(100 + PERIOD));
        assert_eq!(table.expire(&clock), None);
        clock.elapse(Duration::from_nanos(PERIOD));
        assert_eq!(table.expire(&clock), Some((5, true)));
        assert_eq!(table.expire(&clock), None);
        assert_eq!(table.next(false), None);
    }

    #[test]
    fn an_interrupt_cancels_the_timer_only_if_the_entry_says_so() {
        for cancels in [true, false] {
            let (mut table, clock) = table();
            table.write(0, TIMER.with_timer_ac_en(cancels).into(), UFC_3, &clock);
            let fired = [(); 3].map(|()| table.credit(0, false, 0, &clock));
            assert_eq!(fired, [false, false, true]);
            assert_eq!(table.next(false).is_none(), cancels);
        }
    }

    #[test]
    fn an_expiry_without_completions_interrupts_only_if_the_entry_is_continuous() {
        for continuous in [true, false] {
            let (mut table, mut clock) = table();
            table.write(0, TIMER.with_timer_ci_en(continuous).into(), UFC_3, &clock);
            assert_eq!(table.next(false), continuous.then_some(PERIOD));
            let fired = [(); 3].map(|()| table.credit(0, false, 0, &clock));
            assert_eq!(fired, [false, false, true]);
            clock.elapse(Duration::from_nanos(2 * PERIOD));
            assert_eq!(table.expire(&clock), Some((0, continuous)));
            assert_eq!(table.next(false).is_some(), continuous, "it goes on");
        }
    }

    #[test]
    fn a_list_can_ask_to_fire_at_once() {
        let (mut table, clock) = table();
        table.write(0, 0, UFC_3, &clock);
        assert!(table.credit(0, true, 0, &clock));
    }
}
