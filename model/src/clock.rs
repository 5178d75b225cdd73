//! Owns the card's time: what moves it on, and how busy each direction of the link was.
//!
//! A frame takes as long as it does on the wire. What passes beside that is up to [`Time`].

use std::time::Duration;

use xframe::bits::MacLinkUtil;
use xframe::constants::Asic;

use crate::config::Config;
use crate::store::Store;
use crate::traffic::WIRE_OVERHEAD;

/// What the time is that passes while the card moves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// As much as it takes: once nothing moves, the next timer that has something to tell expires in the next step.
    Steps,
    /// None but what [`Card::elapse`](crate::Card::elapse) says has passed.
    Host,
}

/// Nanoseconds of ten bytes at 10 Gbit/s.
const TEN_BYTES: u64 = 8;
/// Clock of Xena's timers, in MHz.
const XENA_MHZ: u64 = 133;
/// Clocks of the shortest sampling period; each step of its setting doubles it. The unit is not public: with this one the
/// drivers' setting of 5 measures a dozen full frames at a time.
const SAMPLE: u64 = 128;
/// The setting that turns sampling off.
const OFF: u8 = 0xF;
const FULL: u64 = 100;

/// How much of its link a direction used in the last sampling period.
#[derive(Clone, Copy, Default)]
struct Meter {
    since: u64,
    busy: u64,
    percent: u8,
}

impl Meter {
    /// Ends the period if it is over at `now`.
    fn roll(&mut self, now: u64, period: u64) {
        let passed = now.saturating_sub(self.since);
        if passed >= period.max(1) {
            self.percent = (FULL * self.busy / passed.max(1)).min(FULL) as u8;
            (self.since, self.busy) = (now, 0);
        }
    }
}

/// Nanoseconds since power-on, and the meters of both directions.
pub(crate) struct Clock {
    now: u64,
    mhz: u64,
    sent: Meter,
    received: Meter,
}

impl Clock {
    pub fn new(config: &Config) -> Self {
        let mhz = match config.asic {
            Asic::Xena => XENA_MHZ,
            Asic::Herc => config.bus.core_mhz().map_or(XENA_MHZ, u64::from),
        };
        Self { now: 0, mhz: mhz.max(1), sent: Meter::default(), received: Meter::default() }
    }

    /// Nanoseconds since power-on.
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Nanoseconds that `clocks` of the card's core take.
    pub const fn nanoseconds(&self, clocks: u64) -> u64 {
        clocks.saturating_mul(1000) / self.mhz
    }

    pub fn elapse(&mut self, time: Duration) {
        self.now = self.now.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Time jumps to `then`, if that is not past.
    pub fn jump(&mut self, then: u64) {
        self.now = self.now.max(then);
    }

    /// Nothing moves any more, for as long as it takes: the link counts as unused.
    pub fn rest(&mut self) {
        for meter in [&mut self.sent, &mut self.received] {
            *meter = Meter { since: self.now, ..Meter::default() };
        }
    }

    /// A frame of `length` bytes, FCS not counted, went out. Returns percent of the link that were used to send.
    pub fn sent(&mut self, length: usize, settings: MacLinkUtil) {
        self.now += wire_time(length);
        let period = self.period(settings.tx_link_util_val());
        self.sent.busy += wire_time(length);
        self.sent.roll(self.now, period);
    }

    /// The same for a frame that came in.
    pub fn received(&mut self, length: usize, settings: MacLinkUtil) {
        self.now += wire_time(length);
        let period = self.period(settings.rx_link_util_val());
        self.received.busy += wire_time(length);
        self.received.roll(self.now, period);
    }

    fn period(&self, setting: u8) -> u64 {
        self.nanoseconds(SAMPLE << setting)
    }

    /// Percent of the link in use to send and to receive: what was measured in the last whole period.
    pub fn utilisation(&mut self, settings: MacLinkUtil) -> (u8, u8) {
        let measured = |meter: &mut Meter, now, setting, period| {
            meter.roll(now, period);
            if setting == OFF { 0 } else { meter.percent }
        };
        let (tx, rx) = (settings.tx_link_util_val(), settings.rx_link_util_val());
        let periods = (self.period(tx), self.period(rx));
        (measured(&mut self.sent, self.now, tx, periods.0), measured(&mut self.received, self.now, rx, periods.1))
    }

    /// What `MAC_LINK_UTIL` reads: its settings and the measured use.
    pub fn link_use(&mut self, store: &Store) -> MacLinkUtil {
        let settings: MacLinkUtil = store.word();
        let (tx, rx) = self.utilisation(settings);
        settings.with_tx_link_util(tx).with_rx_link_util(rx)
    }
}

const fn wire_time(length: usize) -> u64 {
    (length + WIRE_OVERHEAD) as u64 * TEN_BYTES / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: usize = 1514;

    fn herc() -> (Clock, MacLinkUtil) {
        let settings = MacLinkUtil::new().with_tx_link_util_val(5).with_rx_link_util_val(5);
        (Clock::new(&Config::new(Asic::Herc, [0; 6])), settings)
    }

    #[test]
    fn a_frame_takes_as_long_as_on_the_wire() {
        let (mut clock, settings) = herc();
        clock.sent(FRAME, settings);
        assert_eq!(clock.now(), 1230, "1514 bytes, FCS, preamble and gap at 10 Gbit/s");
    }

    #[test]
    fn clocks_are_those_of_the_slot() {
        assert_eq!(herc().0.nanoseconds(266_000), 1_000_000);
        assert_eq!(Clock::new(&Config::new(Asic::Xena, [0; 6])).nanoseconds(133_000), 1_000_000);
    }

    #[test]
    fn frames_back_to_back_fill_the_link_and_gaps_leave_it_unused() {
        for (gap, expected) in [(0, 100), (1230, 50), (1230 * 3, 25), (1230 * 99, 1)] {
            let (mut clock, settings) = herc();
            for _ in 0..100 {
                clock.received(FRAME, settings);
                clock.elapse(Duration::from_nanos(gap));
            }
            let (tx, rx) = clock.utilisation(settings);
            assert_eq!(tx, 0);
            assert!(rx.abs_diff(expected) <= 2, "{rx} for a gap of {gap} ns");
        }
    }

    #[test]
    fn a_link_that_rests_is_unused() {
        let (mut clock, settings) = herc();
        (0..100).for_each(|_| clock.sent(FRAME, settings));
        assert_eq!(clock.utilisation(settings).0, 100);
        clock.rest();
        assert_eq!(clock.utilisation(settings).0, 0);
    }

    #[test]
    fn sampling_can_be_off() {
        let (mut clock, settings) = herc();
        let off = settings.with_rx_link_util_val(OFF);
        (0..100).for_each(|_| clock.received(FRAME, off));
        assert_eq!(clock.utilisation(off).1, 0);
    }
}
