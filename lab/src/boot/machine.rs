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

use super::network::{Network, TAP};
use super::programs::Qemu;
use crate::cli::BootArgs;

/// How long a machine may be silent before it counts as hung.
const SILENCE: Duration = Duration::from_secs(180);
/// How often a wait is broken off for a look at whether to go on.
const GLANCE: Duration = Duration::from_millis(200);
/// How long the card's server may take to listen.
const START: Duration = Duration::from_secs(10);
const MEMORY: &str = "512M";

/// A card and a machine that it is plugged into.
pub struct Machine {
    card: Child,
    qemu: Child,
    lines: Receiver<String>,
    log: File,
    /// Becomes readable when this process is told to end.
    stop: UnixStream,
}

impl Machine {
    /// Starts the card, then the machine, which end when `stop` can be read. Both leave their logs in `folder`.
    pub fn start(
        arguments: &BootArgs,
        qemu: &Qemu,
        kernel: &Path,
        initramfs: &Path,
        network: &Network,
        folder: &Path,
        stop: UnixStream,
    ) -> Result<Self> {
        stop.set_nonblocking(true)?;
        let socket = folder.join("card.sock");
        let mut card = start_card(arguments, network, &socket, folder)?;
        let started = wait_for(&socket, &mut card).and_then(|()| {
            let error = File::create(folder.join("qemu.log"))?;
            let mut command = machine(arguments, qemu, kernel, initramfs, &socket);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(error);
            command.spawn().context("QEMU cannot be started")
        });
        let mut qemu = match started {
            Ok(qemu) => qemu,
            Err(error) => {
                end(&mut card);
                return Err(error);
            }
        };
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
        Ok(Self { card, qemu, lines, log: File::create(folder.join("console.log"))?, stop })
    }

    /// The next line that the machine prints; `None` when it is off.
    pub fn line(&mut self) -> Result<Option<String>> {
        let begin = Instant::now();
        while begin.elapsed() < SILENCE {
            match self.lines.recv_timeout(GLANCE) {
                Ok(line) => {
                    writeln!(self.log, "{line}")?;
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if self.stop.read(&mut [0]).is_ok() => bail!("told to end"),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        bail!("the machine was silent for {} seconds", SILENCE.as_secs())
    }

    /// What the card's process took so far: seconds of processor time, and its most memory in KiB.
    pub fn card_cost(&self) -> Option<(f64, u64)> {
        /// Of the kernel's clock in `/proc`, on every architecture in use.
        const TICKS: f64 = 100.0;
        let proc = PathBuf::from(format!("/proc/{}", self.card.id()));
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
        end(&mut self.card);
    }
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

fn start_card(arguments: &BootArgs, network: &Network, socket: &Path, folder: &Path) -> Result<Child> {
    let lab = std::env::current_exe()?;
    let mut command = network.command(&lab.to_string_lossy());
    command.arg("serve").arg("--socket").arg(socket).args(["--wire", &format!("tap:{TAP}"), "--mac", super::MAC]);
    command.args(["--asic", arguments.asic.name()]);
    if arguments.trace {
        command.arg("--trace").arg(folder.join("trace.txt"));
    }
    let error = File::create(folder.join("card.log"))?;
    command.stdin(Stdio::null()).stderr(error).spawn().context("the card cannot be started")
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

fn machine(arguments: &BootArgs, qemu: &Qemu, kernel: &Path, initramfs: &Path, socket: &Path) -> Command {
    let mut command = qemu.command();
    let device = serde_json::json!({
        "driver": "vfio-user-pci",
        "socket": { "type": "unix", "path": socket.to_string_lossy() },
    });
    command
        .args(["-accel", arguments.accel.name(), "-cpu", "max", "-m", MEMORY])
        .args(["-M", &format!("{},memory-backend=memory", arguments.machine.name())])
        .args(["-object", &format!("memory-backend-memfd,id=memory,size={MEMORY},share=on")])
        .args(["-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio", "-net", "none"])
        .args(["-append", "console=ttyS0 quiet loglevel=1 panic=-1"])
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(initramfs)
        .args(["-device", &device.to_string()]);
    command
}
