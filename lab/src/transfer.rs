//! One transfer: a wire, the driver in a daemon's thread, and a reader in its own thread that talks request and reply, as
//! smolnetd does: it reads until there is nothing, then waits for an event.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use indicatif::ProgressBar;
use lro::Stats;
use model::{Step, Wire};
use s2iod::Options;
use s2iod::front::Errno;

use crate::rig::Rig;

/// What a read takes on the card's clock, which measures how busy the link is: a call to another process and back.
const READ: Duration = Duration::from_micros(20);

/// How fast frames come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Before each read every free receive slot is filled.
    Saturated,
    /// So many frames come for each read.
    PerRead(f64),
}

/// What a transfer was like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Frames that came over the wire.
    pub frames: u64,
    /// Reads of the client, those that found nothing included.
    pub reads: u64,
    /// Reads whose buffer was shorter than the frame.
    pub truncated: u64,
    /// From the first read to the last.
    pub elapsed: Duration,
    /// The engine's counters.
    pub lro: Stats,
}

impl Outcome {
    /// Frames that found no room on the card.
    pub fn lost(&self) -> u64 {
        self.frames.saturating_sub(self.lro.frames)
    }

    /// Frames for each read that had one.
    pub fn frames_per_read(&self) -> f64 {
        self.lro.frames as f64 / self.lro.units.max(1) as f64
    }

    /// Bytes that the reader got, for each second.
    pub fn bytes_per_second(&self) -> f64 {
        self.lro.bytes as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// What the daemon tells the reader.
enum Reply {
    /// The answer to a read, and the buffer back.
    Read(Result<usize, Errno>, Vec<u8>),
    /// There is something to read.
    Event,
    /// The wire has fallen silent and everything has been read.
    End,
}

/// Runs a transfer over the wire that `wire` makes, with a reader whose buffer has `buffer` bytes. `progress` counts
/// frames.
///
/// # Errors
///
/// The driver does not come up, or the scheme answers a read with an error.
pub fn transfer<W: Wire>(
    wire: impl FnOnce() -> W + Send,
    options: Options,
    buffer: usize,
    load: Load,
    progress: &ProgressBar,
) -> anyhow::Result<Outcome> {
    let (requests, calls) = sync_channel(1);
    let (answers, replies) = sync_channel(1);
    thread::scope(|scope| {
        let daemon = scope.spawn(move || {
            let rig = Rig::new(wire(), options)?;
            Daemon { rig, load, due: 0.0, frames: 0, held: 0, progress }.serve(&calls, &answers)
        });
        let read = reader(buffer, &requests, &replies);
        // The daemon ends when nobody can call it any more.
        drop(requests);
        let served = daemon.join().map_err(|_| anyhow!("the daemon's thread panicked"))?;
        let (outcome, (reads, elapsed)) = (served?, read?);
        Ok(Outcome { reads, elapsed, ..outcome })
    })
}

/// The client: how often it read, and for how long.
fn reader(buffer: usize, requests: &SyncSender<Vec<u8>>, replies: &Receiver<Reply>) -> anyhow::Result<(u64, Duration)> {
    let mut buffer = vec![0; buffer];
    let mut reads = 0;
    let started = Instant::now();
    loop {
        reads += 1;
        if requests.send(buffer).is_err() {
            return Ok((reads, started.elapsed()));
        }
        match replies.recv() {
            Ok(Reply::Read(Ok(_), back)) => buffer = back,
            Ok(Reply::Read(Err(Errno::EAGAIN), back)) => {
                buffer = back;
                match replies.recv() {
                    Ok(Reply::Event) => {}
                    Ok(Reply::End | Reply::Read(..)) | Err(_) => return Ok((reads, started.elapsed())),
                }
            }
            Ok(Reply::Read(Err(errno), _)) => bail!("read from the scheme: {errno}"),
            Ok(Reply::Event | Reply::End) => bail!("the daemon spoke out of turn"),
            // The daemon's own error says why.
            Err(_) => return Ok((reads, started.elapsed())),
        }
    }
}

/// The driver's process.
struct Daemon<'a, W: Wire> {
    rig: Rig<W>,
    load: Load,
    /// Frames that should have come by now, and have not.
    due: f64,
    /// Frames that have come.
    frames: u64,
    /// Those of them that wait on the card for a receive slot.
    held: u64,
    progress: &'a ProgressBar,
}

impl<W: Wire> Daemon<'_, W> {
    /// Serves the reader until the wire is silent.
    fn serve(mut self, calls: &Receiver<Vec<u8>>, answers: &SyncSender<Reply>) -> anyhow::Result<Outcome> {
        while let Ok(buffer) = calls.recv() {
            self.arrive();
            let Some(read) = self.rig.read(buffer) else { bail!("the scheme does not answer a read") };
            let nothing = read.result == Err(Errno::EAGAIN);
            // The reader is gone only if it has failed, and then its error counts.
            let _ = answers.send(Reply::Read(read.result, read.buffer));
            if nothing {
                let goes_on = self.wait();
                let _ = answers.send(if goes_on { Reply::Event } else { Reply::End });
                if !goes_on {
                    break;
                }
            }
        }
        let truncated = self.rig.reads_truncated();
        Ok(Outcome { frames: self.frames, truncated, lro: self.rig.lro_stats(), ..Outcome::default() })
    }

    /// The reader waits: lets time pass until there is something for it. `false`: there never will be.
    fn wait(&mut self) -> bool {
        loop {
            let came = self.arrive();
            let served = self.rig.serve_interrupt();
            if self.rig.event().is_some_and(|events| events.read) {
                return true;
            }
            if !came && !served {
                return false;
            }
        }
    }

    /// Lets the frames arrive that come within the time of one read. `false`: the wire is silent.
    fn arrive(&mut self) -> bool {
        self.rig.elapse(READ);
        let frames = match self.load {
            Load::Saturated => self.rig.free_slots(),
            Load::PerRead(rate) => {
                self.due += rate;
                let frames = self.due as u32;
                self.due -= f64::from(frames);
                frames
            }
        };
        let came = (0..frames).take_while(|_| self.next_frame()).count();
        self.frames += came as u64;
        self.progress.inc(came as u64);
        came as u32 == frames
    }

    /// Steps the card until a frame has come over the wire; `false` if none does.
    fn next_frame(&mut self) -> bool {
        loop {
            match self.rig.step() {
                Step::Received { .. } if self.held > 0 => self.held -= 1,
                Step::Held { .. } => {
                    self.held += 1;
                    return true;
                }
                Step::Received { .. } | Step::Discarded => return true,
                Step::Idle => return false,
                Step::Link | Step::Timer | Step::Sent { .. } => {}
            }
        }
    }
}
