//! Owns the tests: what is asked of the guest, and what it must answer.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use s2io_bench::{PORT, Request, Tally};

use super::cable::MTU;
use super::console::Console;
use super::peer::{Connection, GUEST, Peer};
use crate::cli::{Nic, RedoxArgs};

/// A test: its name, what it is about, whether it takes the Xframe, whether it is in the short list, and itself.
pub struct Trial {
    /// What it is called.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Whether it needs this driver.
    pub ours: bool,
    /// Whether it is in the short list.
    pub short: bool,
    /// Does it; returns what is worth a note.
    pub run: fn(&mut Bench<'_>) -> Result<String>,
}

/// All tests, in an order in which each has what it needs.
pub const TRIALS: [Trial; 9] = [
    Trial {
        name: "driver",
        about: "the driver is spawned and brings the card up",
        ours: true,
        short: true,
        run: driver,
    },
    Trial {
        name: "address",
        about: "the guest asks for an address and takes it",
        ours: false,
        short: true,
        run: address,
    },
    Trial { name: "ping", about: "100 pings from the wire side, none lost", ours: false, short: true, run: ping },
    Trial {
        name: "scheme",
        about: "the scheme is there and has the card's address",
        ours: true,
        short: true,
        run: scheme,
    },
    Trial {
        name: "tcp-receive",
        about: "the guest receives, every byte checked",
        ours: false,
        short: true,
        run: tcp_receive,
    },
    Trial { name: "tcp-send", about: "the guest sends, every byte checked", ours: false, short: true, run: tcp_send },
    Trial {
        name: "lro",
        about: "counters tell of every frame, and that small segments merge",
        ours: true,
        short: true,
        run: lro,
    },
    Trial { name: "idle", about: "ten quiet seconds, no interrupt", ours: true, short: false, run: idle },
    Trial {
        name: "pull",
        about: "the card goes away under traffic: the driver says so",
        ours: true,
        short: false,
        run: pull,
    },
];

/// Ports and patience: how long the guest may take for its first steps.
const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(30);

/// What tests work with.
pub struct Bench<'a> {
    /// What was asked for.
    pub arguments: &'a RedoxArgs,
    /// The machine and what it says.
    pub console: Console,
    /// The host at the cable's other end.
    pub peer: Peer,
}

impl Bench<'_> {
    fn bytes(&self) -> u64 {
        self.arguments.megabytes * 1_000_000
    }

    /// A connection to the program in the guest.
    fn connect(&mut self) -> Result<Connection<'_>> {
        let reached = self.peer.connect(PORT, ANSWER);
        reached.context("s2io-bench in the guest cannot be reached: is it in the image, as `s2io-bench serve`?")
    }

    /// What a file of the scheme says.
    fn file(&mut self, name: &'static str) -> Result<(String, String)> {
        Ok(s2io_bench::read(&mut self.connect()?, name)?)
    }

    /// The driver's counters.
    fn counters(&mut self) -> Result<Counters> {
        Ok(Counters(self.file("stats")?.1))
    }
}

/// Counters as text: a name and a number on each line.
struct Counters(String);

impl Counters {
    fn get(&self, name: &str) -> Result<u64> {
        let value = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.with_context(|| format!("the counters have no {name}"))?;
        value.parse().with_context(|| format!("{name} is {value:?}"))
    }

    /// How far a counter went since.
    fn since(&self, before: &Self, name: &str) -> Result<u64> {
        let change = self.get(name)?.checked_sub(before.get(name)?);
        change.with_context(|| format!("{name} went back"))
    }
}

fn driver(bench: &mut Bench<'_>) -> Result<String> {
    /// What the driver logs when the card is up.
    const UP: &str = "interrupts by";
    let line = bench.console.wait_for(&mut bench.peer, UP, BOOT)?;
    let at = line.find("Xframe").unwrap_or(0);
    Ok(line.get(at..).unwrap_or_default().to_owned())
}

fn address(bench: &mut Bench<'_>) -> Result<String> {
    let mut left = BOOT;
    let step = Duration::from_millis(200);
    while !bench.peer.leased() {
        bench.console.listen(&mut bench.peer, step)?;
        left = left.checked_sub(step).context("the guest asks for no address (DHCP)")?;
    }
    Ok(GUEST.to_string())
}

fn ping(bench: &mut Bench<'_>) -> Result<String> {
    const COUNT: u16 = 100;
    /// Echo requests that a guest may leave unanswered while it starts.
    const TRIES: u16 = 5;
    let (times, how) = match bench.peer.ping(TRIES)?.contains(&None) {
        false => (bench.peer.ping(COUNT)?, ""),
        // Redox's stack answers them only if it was built with smoltcp's `auto-icmp-echo-reply`.
        true => (refusals(&mut bench.peer, COUNT)?, ", by TCP: the guest answers no echo requests"),
    };
    let lost = times.iter().filter(|time| time.is_none()).count();
    ensure!(lost == 0, "{lost} of {COUNT} lost");
    let total: Duration = times.into_iter().flatten().sum();
    Ok(format!("{:.2} ms each{how}", total.as_secs_f64() * 1e3 / f64::from(COUNT)))
}

/// Asks for connections to a port where nobody listens, one after the other: a stack without ping answers that at least.
fn refusals(peer: &mut Peer, count: u16) -> Result<Vec<Option<Duration>>> {
    /// The discard service's, which Redox does not have.
    const CLOSED: u16 = 9;
    /// How long an answer may take.
    const PATIENCE: Duration = Duration::from_secs(2);
    (0..count).map(|_| peer.knock(CLOSED, PATIENCE)).collect()
}

fn scheme(bench: &mut Bench<'_>) -> Result<String> {
    let begin = Instant::now();
    let (name, mac) = loop {
        match bench.file("mac") {
            Err(error) if begin.elapsed() > BOOT => return Err(error),
            Err(_) => bench.console.listen(&mut bench.peer, Duration::from_secs(1))?,
            Ok(found) => break found,
        }
    };
    ensure!(mac.trim_end() == super::MAC, "{name}: mac says {}", mac.trim_end());
    Ok(name)
}

fn tcp_receive(bench: &mut Bench<'_>) -> Result<String> {
    let bytes = bench.bytes();
    let before = (bench.arguments.card == Nic::Xframe).then(|| bench.counters()).transpose()?;
    let tally = s2io_bench::send(&mut bench.connect()?, bytes)?;
    right(&tally, bytes)?;
    let rate = format!("{:.1} MB/s by the guest's clock", tally.rate());
    let Some(before) = before else { return Ok(rate) };
    let after = bench.counters()?;
    let (frames, units) = (after.since(&before, "lro_frames")?, after.since(&before, "lro_units")?);
    let interrupts = after.since(&before, "interrupts")?;
    Ok(format!("{rate}; {frames} frames, {units} units, {interrupts} interrupts"))
}

fn tcp_send(bench: &mut Bench<'_>) -> Result<String> {
    let bytes = bench.bytes();
    let tally = s2io_bench::receive(&mut bench.connect()?, bytes)?;
    right(&tally, bytes)?;
    Ok(format!("{:.1} MB/s by this machine's clock", tally.rate()))
}

fn right(tally: &Tally, bytes: u64) -> Result<()> {
    ensure!(tally.bytes == bytes, "{} of {bytes} bytes", tally.bytes);
    if let Some(wrong) = tally.wrong {
        bail!("{} bytes are wrong, the first at {}", wrong.count, wrong.first);
    }
    Ok(())
}

/// Segments so small that two of them fit any reader's buffer, that of an unchanged smolnetd too.
fn lro(bench: &mut Bench<'_>) -> Result<String> {
    /// IP in the longest frame, its 40 bytes of headers included.
    const SMALL: usize = 552;
    /// Bytes to move: enough for the guest to lag behind.
    const BYTES: u64 = 2_000_000;
    let before = bench.counters()?;
    bench.peer.set_mtu(SMALL);
    let sent = bench.connect().and_then(|mut guest| Ok(s2io_bench::send(&mut guest, BYTES)?));
    bench.peer.set_mtu(MTU);
    right(&sent?, BYTES)?;
    let after = bench.counters()?;
    let frames = after.since(&before, "lro_frames")?;
    let (units, merged) = (after.since(&before, "lro_units")?, after.since(&before, "lro_merged_segments")?);
    let least = BYTES.div_ceil(SMALL as u64 - 40);
    ensure!(frames >= least, "{frames} frames counted of at least {least}");
    ensure!(merged > 0 && units < frames, "{frames} frames, {units} units: nothing merged");
    Ok(format!("{frames} frames in {units} units, {merged} segments merged"))
}

fn idle(bench: &mut Bench<'_>) -> Result<String> {
    const QUIET: Duration = Duration::from_secs(10);
    let before = bench.counters()?;
    bench.console.listen(&mut bench.peer, QUIET)?;
    let after = bench.counters()?;
    let interrupts = after.since(&before, "interrupts")?;
    // What the two questions take by themselves: a connection each.
    const ASKING: u64 = 40;
    ensure!(interrupts < ASKING, "{interrupts} interrupts");
    Ok(format!("{interrupts} interrupts, those of asking included"))
}

/// The card's server dies in the middle of a transfer.
fn pull(bench: &mut Bench<'_>) -> Result<String> {
    /// Bytes that are under way when it does.
    const BEFORE: u64 = 2_000_000;
    /// What the driver logs when a card is gone.
    const GONE: &str = "does not answer any more";
    let mut guest = bench.peer.connect(PORT, ANSWER)?;
    write!(guest, "{}", Request::Receive(u64::MAX))?;
    s2io_bench::write(&mut guest, BEFORE)?;
    bench.console.machine().pull_card()?;
    drop(guest);
    let line = bench.console.wait_for(&mut bench.peer, GONE, ANSWER)?;
    bench.console.listen(&mut bench.peer, Duration::from_secs(5))?;
    Ok(line.rsplit("] ").next().unwrap_or_default().to_owned())
}
