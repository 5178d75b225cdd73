//! What became of received bytes.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::error::Error;
use crate::pattern::{Wrong, check};

/// Received bytes, checked, and the time that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bytes that came.
    pub bytes: u64,
    /// Those that are not what they should be, and the first of them.
    pub wrong: Option<Wrong>,
    /// Reads that brought them.
    pub reads: u64,
    /// From the request to the last byte, by the receiver's clock.
    pub time: Duration,
}

impl Tally {
    /// Takes the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        if let Some(wrong) = check(self.bytes, bytes) {
            let before = self.wrong.unwrap_or(Wrong { count: 0, first: wrong.first });
            self.wrong = Some(Wrong { count: before.count + wrong.count, ..before });
        }
        self.bytes += bytes.len() as u64;
        self.reads += 1;
    }

    /// Millions of bytes in a second; 0 if no time passed.
    pub fn rate(&self) -> f64 {
        let seconds = self.time.as_secs_f64();
        if seconds > 0.0 { self.bytes as f64 / seconds / 1e6 } else { 0.0 }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.wrong.unwrap_or(Wrong { count: 0, first: 0 });
        writeln!(out, "bytes {}", self.bytes)?;
        writeln!(out, "wrong {} {}", wrong.count, wrong.first)?;
        writeln!(out, "reads {}", self.reads)?;
        writeln!(out, "nanoseconds {}", self.time.as_nanos())
    }
}

impl FromStr for Tally {
    type Err = Error;

    /// Understands what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, Error> {
        let nonsense = || Error::Answer(text.to_owned());
        let mut lines = text.lines();
        let mut number = |name: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.map(str::to_owned).ok_or_else(nonsense)
        };
        let parse = |text: &str| text.parse::<u64>().map_err(|_| nonsense());
        let bytes = parse(&number("bytes")?)?;
        let wrong = number("wrong")?;
        let (count, first) = wrong.split_once(' ').ok_or_else(nonsense)?;
        let wrong = Wrong { count: parse(count)?, first: parse(first)? };
        let reads = parse(&number("reads")?)?;
        let time = Duration::from_nanos(parse(&number("nanoseconds")?)?);
        Ok(Self { bytes, wrong: Some(wrong).filter(|wrong| wrong.count > 0), reads, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::fill;

    #[test]
    fn a_tally_reads_back_from_its_text() {
        let clean = Tally { bytes: 7, wrong: None, reads: 2, time: Duration::from_nanos(12_345) };
        let dirty = Tally { wrong: Some(Wrong { count: 3, first: 4 }), ..clean };
        for tally in [clean, dirty, Tally::default()] {
            assert_eq!(tally.to_string().parse::<Tally>().unwrap(), tally);
        }
    }

    #[test]
    fn a_tally_that_is_cut_or_disordered_is_refused() {
        let text = Tally::default().to_string();
        for broken in
            ["", "bytes 1\n", &text.replace("reads", "writes"), &text.replace('0', "x"), &text[..text.len() - 2]]
        {
            assert!(matches!(broken.parse::<Tally>(), Err(Error::Answer(_))), "{broken:?}");
        }
    }

    #[test]
    fn wrong_bytes_add_up_and_the_first_stays() {
        let mut tally = Tally::default();
        for (position, broken) in [(0, vec![]), (100, vec![7, 9]), (200, vec![0])] {
            let mut bytes = vec![0; 100];
            fill(position, &mut bytes);
            broken.iter().for_each(|at| bytes[*at] ^= 0x80_u8);
            tally.add(&bytes);
        }
        assert_eq!((tally.bytes, tally.reads), (300, 3));
        assert_eq!(tally.wrong, Some(Wrong { count: 3, first: 107 }));
    }

    #[test]
    fn a_rate_is_in_millions_of_bytes_per_second() {
        let tally = Tally { bytes: 20_000_000, time: Duration::from_millis(500), ..Tally::default() };
        assert!((tally.rate() - 40.0).abs() < 1e-9);
        assert!(Tally::default().rate().abs() < 1e-9);
    }
}
