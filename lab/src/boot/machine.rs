//! Owns a running machine: the card's server, QEMU, and the lines that come over the serial port.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::programs::Qemu;
use crate::cli::{Accel, MachineKind};

/// How long a machine may be silent before it counts as hung.
const SILENCE: Duration = Duration::from_secs(180);
/// How often a wait is broken off for a look at whether to go on.
const GLANCE: Duration = Duration::from_millis(200);
/// How long the card's server may take to listen.
const START: Duration = Duration::from_secs(10);

/// A server of the card that is yet to be started.
pub struct Card {
    /// What runs it.
    pub command: Command,
    /// Where it will listen.
    pub socket: PathBuf,
}

/// What a line of the console, or its absence, says.
pub enum Heard {
    /// A line.
    Line(String),
    /// Nothing in the time given.
    Nothing,
    /// The machine is off.
    Off,
}

/// A machine, and the card that it is plugged into if that is a program of its own.
pub struct Machine {
    card: Option<Child>,
    qemu: Child,
    lines: Receiver<String>,
    log: File,
    /// When the console last said something.
    heard: Instant,
    /// Becomes readable when this process is told to end.
    stop: UnixStream,
}

impl Machine {
    /// Starts the card, then the machine, which end when `stop` can be read. Both leave their logs in `folder`.
    pub fn start(card: Option<Card>, machine: Command, folder: &Path, stop: UnixStream) -> Result<Self> {
        stop.set_nonblocking(true)?;
        let log = File::create(folder.join("console.log"))?;
        let mut card = card.map(|card| start_card(card, folder)).transpose()?;
        match switch_on(machine, folder) {
            Ok((qemu, lines)) => Ok(Self { card, qemu, lines, log, heard: Instant::now(), stop }),
            Err(error) => {
                card.iter_mut().for_each(end);
                Err(error)
            }
        }
    }

    /// Kills the machine, as if its power failed, and starts another with the same card.
    pub fn replace(&mut self, machine: Command, folder: &Path) -> Result<()> {
        self.qemu.kill()?;
        self.qemu.wait()?;
        (self.qemu, self.lines) = switch_on(machine, folder)?;
        Ok(())
    }

    /// What the console says next, within `patience`. An error when it was silent for too long, or this process is told to
    /// end.
    pub fn hear(&mut self, patience: Duration) -> Result<Heard> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => {
                self.heard = Instant::now();
                writeln!(self.log, "{line}")?;
                Ok(Heard::Line(line))
            }
            Err(RecvTimeoutError::Disconnected) => Ok(Heard::Off),
            Err(RecvTimeoutError::Timeout) if self.stop.read(&mut [0]).is_ok() => bail!("told to end"),
            Err(RecvTimeoutError::Timeout) => Ok(Heard::Nothing),
        }
    }

    /// The next line that the machine prints; `None` when it is off.
    pub fn line(&mut self) -> Result<Option<String>> {
        self.heard = Instant::now();
        while self.heard.elapsed() < SILENCE {
            match self.hear(GLANCE)? {
                Heard::Line(line) => return Ok(Some(line)),
                Heard::Off => return Ok(None),
                Heard::Nothing => {}
            }
        }
        bail!("the machine was silent for {} seconds", SILENCE.as_secs())
    }

    /// Pulls the card out: its server is killed, as if it had crashed.
    pub fn pull_card(&mut self) -> Result<()> {
        let mut card = self.card.take().context("there is no card to pull")?;
        card.kill()?;
        card.wait()?;
        Ok(())
    }

    /// What the card's process took so far: seconds of processor time, and its most memory in KiB.
    pub fn card_cost(&self) -> Option<(f64, u64)> {
        /// Of the kernel's clock in `/proc`, on every architecture in use.
        const TICKS: f64 = 100.0;
        let proc = PathBuf::from(format!("/proc/{}", self.card.as_ref()?.id()));
        let stat = std::fs::read_to_string(proc.join("stat")).ok()?;
        let mut times = stat.rsplit(')').next()?.split_whitespace().skip(11).map(str::parse::<f64>);
        let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
        let status = std::fs::read_to_string(proc.join("status")).ok()?;
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(((user + system) / TICKS, most.split_whitespace().next()?.parse().ok()?))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        end(&mut self.qemu);
        self.card.iter_mut().for_each(end);
    }
}

/// Starts a machine; the lines that it prints.
fn switch_on(mut machine: Command, folder: &Path) -> Result<(Child, Receiver<String>)> {
    let error = File::create(folder.join("qemu.log"))?;
    machine.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(error);
    let mut qemu = machine.spawn().context("QEMU cannot be started")?;
    let output = qemu.stdout.take().context("QEMU has no output")?;
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if sender.send(text).is_err() {
                break;
            }
        }
    });
    Ok((qemu, lines))
}

/// Tells a process to end, and waits for it.
fn end(child: &mut Child) {
    if let Some(pid) = Pid::from_raw(child.id() as i32)
        && child.try_wait().is_ok_and(|ended| ended.is_none())
    {
        let _gone = kill_process(pid, Signal::TERM);
    }
    let _ended = child.wait();
}

/// Starts a card and waits until it listens.
fn start_card(mut card: Card, folder: &Path) -> Result<Child> {
    let error = File::create(folder.join("card.log"))?;
    let mut child = card.command.stdin(Stdio::null()).stderr(error).spawn().context("the card cannot be started")?;
    match wait_for(&card.socket, &mut child) {
        Ok(()) => Ok(child),
        Err(error) => {
            end(&mut child);
            Err(error)
        }
    }
}

/// Waits until the card listens.
fn wait_for(socket: &Path, card: &mut Child) -> Result<()> {
    let begin = Instant::now();
    while !socket.exists() {
        if let Some(status) = card.try_wait()? {
            bail!("the card ended before it listened: {status} (see card.log)");
        }
        if begin.elapsed() > START {
            bail!("the card does not listen");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A machine with nothing but memory, a processor and a serial port.
pub fn bare(qemu: &Qemu, accel: Accel, kind: MachineKind, memory: &str) -> Command {
    let mut command = qemu.command();
    command
        .args(["-accel", accel.name(), "-cpu", "max", "-m", memory])
        .args(["-M", &format!("{},memory-backend=memory", kind.name())])
        .args(["-object", &format!("memory-backend-memfd,id=memory,size={memory},share=on")])
        .args(["-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio", "-net", "none"]);
    command
}

/// QEMU's name for the card that a server at `socket` is, on the machine's own bus or behind a bridge.
pub fn card_device(socket: &Path, bridge: Option<&str>) -> String {
    let mut device = serde_json::json!({
        "driver": "vfio-user-pci",
        "socket": { "type": "unix", "path": socket.to_string_lossy() },
    });
    if let (Some(bridge), Some(device)) = (bridge, device.as_object_mut()) {
        device.insert("bus".into(), bridge.into());
        device.insert("addr".into(), "1".into());
    }
    device.to_string()
}
