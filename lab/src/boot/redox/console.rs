//! Owns the guest's serial console: what it says while the network goes on.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::peer::Peer;
use crate::boot::machine::{Heard, Machine};

/// How long the network may wait for the console.
const GLANCE: Duration = Duration::from_millis(20);

/// A machine's console. Every line is shown.
pub struct Console {
    machine: Machine,
}

impl Console {
    /// The console of a machine.
    pub const fn new(machine: Machine) -> Self {
        Self { machine }
    }

    /// The machine.
    pub const fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Goes on until a line contains `words`, and returns it.
    pub fn wait_for(&mut self, peer: &mut Peer, words: &str, limit: Duration) -> Result<String> {
        let begin = Instant::now();
        while begin.elapsed() < limit {
            if let Some(line) = self.next(peer)?
                && line.contains(words)
            {
                return Ok(line);
            }
        }
        bail!("the console did not say {words:?} within {} s", limit.as_secs())
    }

    /// Goes on for some time.
    pub fn listen(&mut self, peer: &mut Peer, time: Duration) -> Result<()> {
        let begin = Instant::now();
        while begin.elapsed() < time {
            self.next(peer)?;
        }
        Ok(())
    }

    /// The next line, if there is one now.
    fn next(&mut self, peer: &mut Peer) -> Result<Option<String>> {
        if peer.connected() {
            peer.run(GLANCE)?;
        }
        let patience = if peer.connected() { Duration::ZERO } else { GLANCE };
        match self.machine.hear(patience)? {
            Heard::Line(line) => {
                let line = plain(&line);
                println!("| {line}");
                Ok(Some(line))
            }
            Heard::Nothing => Ok(None),
            Heard::Off => bail!("the machine is off"),
        }
    }
}

/// A line without what colours it on a terminal, and with only its last state where it was written over.
fn plain(line: &str) -> String {
    let last = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    let mut pieces = last.split("\x1b[");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // Parameters, then one letter.
        let rest = piece.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        text.push_str(rest.get(1..).unwrap_or_default());
    }
    text.retain(|letter| !letter.is_control());
    text
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn colours_are_left_out() {
        assert_eq!(plain("\x1b[3m\x1b[38;5;15mlink\x1b[m \x1b[39mup\r"), "link up");
        assert_eq!(plain("plain"), "plain");
        assert_eq!(plain("cut off \x1b["), "cut off ");
    }

    #[test]
    fn of_a_line_that_was_written_over_the_last_state_counts() {
        assert_eq!(plain("live: 0/64 MiB\rlive: 64/64 MiB\r"), "live: 64/64 MiB");
    }
}
