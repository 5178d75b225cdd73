//! Owns a bad cable: what it loses, doubles, turns around, damages and delays, both ways.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::str::FromStr;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::Wire;
use crate::duration;

/// How bad a cable is. Each share is of the frames, each frame by itself.
///
/// As text: `loss=1%,duplicate=0.5%,reorder=2%,corrupt=0.1%,delay=5ms,seed=7`, all of which may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Share that never arrives.
    pub loss: f64,
    /// Share that arrives twice.
    pub duplicate: f64,
    /// Share that lets one to three later frames pass, if any come soon.
    pub reorder: f64,
    /// Share that arrives with a bit turned behind the Ethernet header, and an FCS that is right: what is left for
    /// checksums to find.
    pub corrupt: f64,
    /// How long every frame is on its way.
    pub delay: Duration,
    /// The same seed and the same frames have the same fate.
    pub seed: u64,
}

impl FromStr for Impairments {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut impairments = Self::default();
        for setting in text.split(',') {
            let wrong =
                || format!("{setting:?} is none of loss, duplicate, reorder, corrupt (=1%), delay (=5ms), seed (=7)");
            let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
            let share = || value.strip_suffix('%').and_then(|percent| percent.parse::<f64>().ok()).map(|of| of / 100.0);
            let share = || share().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(wrong);
            match name {
                "loss" => impairments.loss = share()?,
                "duplicate" => impairments.duplicate = share()?,
                "reorder" => impairments.reorder = share()?,
                "corrupt" => impairments.corrupt = share()?,
                "delay" => impairments.delay = duration::parse(value).ok_or_else(wrong)?,
                "seed" => impairments.seed = value.parse().map_err(|_| wrong())?,
                _ => return Err(wrong()),
            }
        }
        Ok(impairments)
    }
}

/// Frames on their way in one direction, at most: more are lost.
const LIMIT: usize = 4096;
/// The most frames that pass one which is held back, and how long it waits for them.
const PASSES: u32 = 3;
const PATIENCE: Duration = Duration::from_millis(5);
const ETHERNET_HEADER: usize = 14;

/// A frame on its way.
struct Travelling {
    frame: Vec<u8>,
    /// When it arrives.
    due: Duration,
    /// Frames that pass it before.
    passes: u32,
}

/// One direction.
struct Lane {
    impairments: Impairments,
    random: Rng,
    frames: VecDeque<Travelling>,
}

impl Lane {
    fn new(impairments: Impairments, direction: u64) -> Self {
        let random = Rng::with_seed(impairments.seed.wrapping_mul(2).wrapping_add(direction));
        Self { impairments, random, frames: VecDeque::new() }
    }

    fn chance(&mut self, share: f64) -> bool {
        share > 0.0 && self.random.f64() < share
    }

    /// A frame sets out.
    fn set_out(&mut self, frame: &[u8], now: Duration) {
        let Impairments { loss, duplicate, reorder, corrupt, delay, .. } = self.impairments;
        if self.chance(loss) {
            return;
        }
        let copies = if self.chance(duplicate) { 2 } else { 1 };
        for _ in 0..copies {
            let passes = if self.chance(reorder) { self.random.u32(1..=PASSES) } else { 0 };
            let mut frame = frame.to_vec();
            if frame.len() > ETHERNET_HEADER && self.chance(corrupt) {
                let bit = self.random.usize(ETHERNET_HEADER * 8..frame.len() * 8);
                if let Some(byte) = frame.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            if self.frames.len() < LIMIT {
                self.frames.push_back(Travelling { frame, due: now + delay, passes });
            }
        }
    }

    /// The next frame that has arrived.
    fn arrive(&mut self, now: Duration) -> Option<Vec<u8>> {
        let there = |frame: &Travelling| frame.due <= now && (frame.passes == 0 || frame.due + PATIENCE <= now);
        let at = self.frames.iter().position(there)?;
        for passed in self.frames.iter_mut().take(at) {
            passed.passes = passed.passes.saturating_sub(1);
        }
        self.frames.remove(at).map(|frame| frame.frame)
    }

    /// When a frame arrives at the latest.
    fn next(&self) -> Option<Duration> {
        let patience = |frame: &Travelling| if frame.passes == 0 { frame.due } else { frame.due + PATIENCE };
        self.frames.iter().map(patience).min()
    }
}

/// A wire that is worse than the one it is made of.
pub struct Impaired<W> {
    wire: W,
    to_card: Lane,
    from_card: Lane,
    /// What time it is.
    clock: Box<dyn Fn() -> Duration>,
    arriving: Vec<u8>,
}

impl<W: Wire> Impaired<W> {
    /// `wire` with `impairments`, by this machine's clock.
    pub fn new(wire: W, impairments: Impairments) -> Self {
        let start = Instant::now();
        Self::with_clock(wire, impairments, move || start.elapsed())
    }

    /// The same by a clock of one's own.
    pub fn with_clock(wire: W, impairments: Impairments, clock: impl Fn() -> Duration + 'static) -> Self {
        let lane = |direction| Lane::new(impairments, direction);
        Self { wire, to_card: lane(0), from_card: lane(1), clock: Box::new(clock), arriving: Vec::new() }
    }

    /// The wire it was made of.
    pub fn into_inner(self) -> W {
        self.wire
    }

    fn forward(&mut self) {
        while let Some(frame) = self.from_card.arrive((self.clock)()) {
            self.wire.send(&frame);
        }
    }
}

impl<W: Wire> Wire for Impaired<W> {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        self.forward();
        while self.to_card.frames.len() < LIMIT / 2 && self.wire.receive(&mut self.arriving) {
            self.to_card.set_out(&self.arriving, (self.clock)());
        }
        self.to_card.arrive((self.clock)()).map(|next| *frame = next).is_some()
    }

    fn send(&mut self, frame: &[u8]) {
        self.from_card.set_out(frame, (self.clock)());
        self.forward();
    }

    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.wire.readiness()
    }

    fn patience(&self) -> Option<Duration> {
        let next = self.to_card.next().into_iter().chain(self.from_card.next()).min();
        next.map(|next| next.saturating_sub((self.clock)())).into_iter().chain(self.wire.patience()).min()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// A wire on which numbered frames wait, and which keeps what is sent.
    #[derive(Default)]
    struct Ends {
        waiting: VecDeque<Vec<u8>>,
        sent: Vec<Vec<u8>>,
    }

    impl Wire for Ends {
        fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
            self.waiting.pop_front().map(|next| *frame = next).is_some()
        }

        fn send(&mut self, frame: &[u8]) {
            self.sent.push(frame.to_vec());
        }
    }

    const FRAMES: u32 = 10_000;

    fn number(frame: &[u8]) -> u32 {
        u32::from_be_bytes(*frame.first_chunk().unwrap())
    }

    fn frames() -> impl Iterator<Item = Vec<u8>> {
        (0..FRAMES).map(|number| [&number.to_be_bytes()[..], &[0; 96]].concat())
    }

    fn impairments(text: &str) -> Impairments {
        text.parse().unwrap()
    }

    /// Every frame that arrives in the end of those that set out together.
    fn received(text: &str) -> Vec<Vec<u8>> {
        let time = Rc::new(Cell::new(Duration::ZERO));
        let clock = {
            let time = time.clone();
            move || time.get()
        };
        let ends = Ends { waiting: frames().collect(), ..Ends::default() };
        let mut wire = Impaired::with_clock(ends, impairments(text), clock);
        let mut arrived = Vec::new();
        let mut frame = Vec::new();
        loop {
            while wire.receive(&mut frame) {
                arrived.push(frame.clone());
            }
            let Some(patience) = wire.patience() else { return arrived };
            time.set(time.get() + patience);
        }
    }

    fn share(count: usize) -> f64 {
        count as f64 / f64::from(FRAMES) * 100.0
    }

    #[test]
    fn a_good_cable_changes_nothing() {
        assert!(received("seed=1").into_iter().eq(frames()));
    }

    #[test]
    fn as_many_frames_are_lost_as_the_share_says() {
        let lost = FRAMES as usize - received("loss=5%").len();
        assert!((4.0..6.0).contains(&share(lost)), "{lost}");
        assert!(received("loss=100%").is_empty());
    }

    #[test]
    fn a_frame_that_comes_twice_comes_twice_the_same() {
        let arrived = received("duplicate=5%");
        let twice = arrived.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert_eq!(arrived.len(), FRAMES as usize + twice);
        assert!((4.0..6.0).contains(&share(twice)), "{twice}");
    }

    #[test]
    fn a_frame_out_of_order_is_passed_by_few_and_none_is_lost() {
        let mut numbers: Vec<_> = received("reorder=5%").iter().map(|frame| number(frame)).collect();
        let late: Vec<_> = numbers
            .iter()
            .enumerate()
            .filter(|(at, number)| (**number as usize) < *at)
            .map(|(at, n)| at as u32 - n)
            .collect();
        assert!((3.0..6.0).contains(&share(late.len())), "{}", late.len());
        assert!(late.iter().all(|late| *late <= PASSES + 2), "{:?}", late.iter().max());
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..FRAMES));
    }

    #[test]
    fn a_damaged_frame_has_one_bit_turned_behind_its_ethernet_header() {
        let arrived = received("corrupt=5%");
        let mut damaged = 0;
        for (frame, sent) in arrived.iter().zip(frames()) {
            let bits: u32 = frame.iter().zip(&sent).map(|(a, b)| (a ^ b).count_ones()).sum();
            assert!(bits <= 1 && frame[..ETHERNET_HEADER] == sent[..ETHERNET_HEADER]);
            damaged += bits as usize;
        }
        assert!((4.0..6.0).contains(&share(damaged)), "{damaged}");
    }

    #[test]
    fn a_frame_arrives_after_its_delay_in_both_directions() {
        let time = Rc::new(Cell::new(Duration::ZERO));
        let clock = {
            let time = time.clone();
            move || time.get()
        };
        let ends = Ends { waiting: [vec![1; 60]].into(), ..Ends::default() };
        let mut wire = Impaired::with_clock(ends, impairments("delay=5ms"), clock);
        wire.send(&[2; 60]);
        let mut frame = Vec::new();
        assert!(!wire.receive(&mut frame) && wire.wire.sent.is_empty());
        assert_eq!(wire.patience(), Some(Duration::from_millis(5)));
        time.set(Duration::from_millis(5));
        assert!(wire.receive(&mut frame) && frame == [1; 60]);
        assert_eq!(wire.wire.sent, [[2; 60]]);
        assert_eq!(wire.patience(), None);
    }

    #[test]
    fn the_same_seed_is_the_same_fate() {
        let all = "loss=5%,duplicate=5%,reorder=5%,corrupt=5%";
        assert_eq!(received(&format!("{all},seed=7")), received(&format!("{all},seed=7")));
        assert_ne!(received(&format!("{all},seed=7")), received(&format!("{all},seed=8")));
    }

    #[test]
    fn what_is_no_impairment_is_refused() {
        for wrong in ["", "loss", "loss=1", "loss=101%", "loss=-1%", "delay=5", "seed=x", "luck=1%", "loss=1%,"] {
            assert!(wrong.parse::<Impairments>().is_err(), "{wrong}");
        }
    }
}
