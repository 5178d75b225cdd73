//! Owns what a contestant is: something that plays the ring, frame by frame, as often as it is told.

use anyhow::Result;

use super::clock::now;

/// One pass over the whole ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Processor time.
    pub nanoseconds: u64,
    /// Units that came out; none where nothing is coalesced.
    pub units: Option<u32>,
}

/// Something whose passes are timed, here or in a process of its own.
pub trait Contestant {
    /// Plays the ring `passes` times.
    ///
    /// # Errors
    ///
    /// A frame that is refused, or a process that ended.
    fn turn(&mut self, passes: u32) -> Result<Vec<Pass>>;
}

/// A contestant in this process.
pub trait Player {
    /// Makes the ring again what it was, if a pass changes it. Not timed.
    fn restore(&mut self) {}

    /// Plays the ring once. Timed.
    ///
    /// # Errors
    ///
    /// A frame that is refused.
    fn play(&mut self) -> Result<()>;

    /// Units that the last pass made. Not timed.
    fn units(&self) -> Option<u32> {
        None
    }
}

/// Times a player.
pub struct InProcess<P>(pub P);

impl<P: Player> Contestant for InProcess<P> {
    fn turn(&mut self, passes: u32) -> Result<Vec<Pass>> {
        let Self(player) = self;
        let pass = |_| {
            player.restore();
            let start = now();
            player.play()?;
            let nanoseconds = now() - start;
            Ok(Pass { nanoseconds, units: player.units() })
        };
        (0..passes).map(pass).collect()
    }
}
