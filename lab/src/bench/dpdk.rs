//! Owns DPDK's librte_gro as a contestant: a program in C, built when it is needed, that plays the same frames.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::Case;
use super::contestant::{Contestant, Pass};
use super::frames::Frames;

/// What the tables call it.
pub const NAME: &str = "DPDK librte_gro";

const SOURCE: &str = include_str!("../../bench/dpdk_gro.c");

/// No huge pages, no devices, no files shared with other programs.
const EAL: [&str; 6] = ["--no-huge", "-m", "256", "--no-pci", "--no-shconf", "--no-telemetry"];

/// The program, built.
pub struct Harness {
    folder: TempDir,
    cpu: usize,
}

impl Harness {
    /// Builds the program and sees whether it starts on processor `cpu`.
    ///
    /// # Errors
    ///
    /// What is not installed, or does not work here.
    pub fn new(cpu: usize) -> Result<Self> {
        let flags = output(Command::new("pkg-config").args(["--cflags", "--libs", "libdpdk"]))?;
        if !flags.status.success() {
            bail!("libdpdk is not installed (Debian: libdpdk-dev)");
        }
        let flags = String::from_utf8(flags.stdout).context("pkg-config: not UTF-8")?;
        let folder = tempfile::Builder::new().prefix("s2iod-bench-").tempdir()?;
        let harness = Self { folder, cpu };
        let source = harness.folder.path().join("dpdk_gro.c");
        fs::write(&source, SOURCE)?;
        let cc = output(
            Command::new("cc").arg("-O2").arg("-o").args([&harness.program(), &source]).args(flags.split_whitespace()),
        )?;
        if !cc.status.success() {
            bail!("it cannot be built: {}", String::from_utf8_lossy(&cc.stderr).trim());
        }
        harness.start(&Frames::new(1, 1)?, Case { flows: 1, drain: 1 })?;
        Ok(harness)
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("dpdk_gro")
    }

    /// Starts the program on a case.
    ///
    /// # Errors
    ///
    /// Why it does not start.
    pub fn start(&self, frames: &Frames, case: Case) -> Result<Dpdk> {
        let path = self.folder.path().join("frames");
        write_frames(&path, frames).with_context(|| format!("{}", path.display()))?;
        let complaints = self.folder.path().join("complaints");
        let mut child = Command::new(self.program())
            .args(EAL)
            .args(["-l", &self.cpu.to_string(), "--"])
            .arg(path)
            .args([case.flows, case.drain].map(|number| number.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&complaints)?)
            .spawn()?;
        let input = child.stdin.take().context("no pipe")?;
        let answers = BufReader::new(child.stdout.take().context("no pipe")?).lines();
        let mut started = Dpdk { child, input, answers, complaints };
        match started.answer()?.as_str() {
            "ready" => Ok(started),
            other => bail!("{NAME} said {other:?}"),
        }
    }
}

/// A command's output.
fn output(command: &mut Command) -> Result<Output> {
    command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("{} is not installed", command.get_program().display()),
        _ => anyhow::anyhow!("{}: {error}", command.get_program().display()),
    })
}

/// Writes the frames, each behind its length.
fn write_frames(path: &Path, frames: &Frames) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for frame in frames.iter() {
        file.write_all(&(frame.len() as u16).to_le_bytes())?;
        file.write_all(frame)?;
    }
    file.flush()
}

/// The program at work.
pub struct Dpdk {
    child: Child,
    input: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    complaints: PathBuf,
}

impl Dpdk {
    fn answer(&mut self) -> Result<String> {
        match self.answers.next() {
            Some(line) => Ok(line?),
            None => {
                let complaints = fs::read_to_string(&self.complaints).unwrap_or_default();
                bail!("{NAME} ended: {}", complaints.trim().lines().last().unwrap_or("it did not say why"));
            }
        }
    }
}

impl Contestant for Dpdk {
    fn turn(&mut self, passes: u32) -> Result<Vec<Pass>> {
        // A program that ended does not answer either, and then tells why.
        let _ = writeln!(self.input, "{passes}");
        (0..passes).map(|_| parse(&self.answer()?)).collect()
    }
}

impl Drop for Dpdk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A pass as the program reports it: nanoseconds, units.
fn parse(line: &str) -> Result<Pass> {
    let (nanoseconds, units) = line.split_once(' ').with_context(|| format!("{NAME} said {line:?}"))?;
    Ok(Pass { nanoseconds: nanoseconds.parse()?, units: Some(units.parse()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_nanoseconds_and_units() {
        assert_eq!(parse("1234 56").unwrap(), Pass { nanoseconds: 1234, units: Some(56) });
        assert!(parse("1234").is_err());
        assert!(parse("1234 five").is_err());
    }

    #[test]
    fn frames_are_written_behind_their_lengths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frames = Frames::new(1, 2).unwrap();
        write_frames(&path, &frames).unwrap();
        let expected: Vec<u8> = frames.iter().flat_map(|frame| [&1514_u16.to_le_bytes(), frame].concat()).collect();
        assert_eq!(fs::read(&path).unwrap(), expected);
    }
}
