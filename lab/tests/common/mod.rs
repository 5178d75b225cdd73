//! The `lab` binary, run on captures in a folder of its own.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

pub mod frames;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use model::capture::{self, Packet, Resolution, Writer};
use serde_json::Value;
use tempfile::TempDir;

/// Kernel TCP over IPv4 and IPv6, one of the repository's own files.
pub const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/kernel-tcp.pcap");

/// A folder for captures, and `lab` to run on them.
pub struct Lab {
    folder: TempDir,
}

/// What `lab` made of a capture.
pub struct Converted {
    pub units: Vec<Packet>,
    pub summary: Value,
}

impl Lab {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A name in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file in the folder.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A capture in the folder.
    pub fn capture<'a>(&self, name: &str, packets: impl IntoIterator<Item = &'a Packet>) -> PathBuf {
        let path = self.path(name);
        let mut writer = Writer::create(&path, Resolution::Micro).unwrap();
        for packet in packets {
            writer.write(packet.time, packet.original_length, &packet.data).unwrap();
        }
        writer.finish().unwrap();
        path
    }

    /// Every file in the folder with its bytes.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    /// Runs `lab` with `options`, separated by blanks, and the two files.
    pub fn run(&self, options: &str, input: &Path, output: &Path) -> Output {
        command(options).arg(input).arg(output).output().unwrap()
    }

    /// Runs `lab`, which must succeed, and reads what it wrote.
    pub fn convert(&self, options: &str, input: impl AsRef<Path>) -> Converted {
        let output = self.path("units.pcap");
        let done = self.run(&format!("{options} --json"), input.as_ref(), &output);
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && errors.is_empty(), "lab {options}: {errors}");
        Converted { units: capture::read(&output).unwrap(), summary: serde_json::from_slice(&done.stdout).unwrap() }
    }

    /// Runs `lab`, which must succeed, and returns what it says to people.
    pub fn text(&self, options: &str, input: &Path) -> String {
        let done = self.run(options, input, &self.path("units.pcap"));
        assert!(done.status.success(), "lab {options}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// Runs `lab`, which must refuse: exit status 2, one line that says why, and the folder as it was. Returns the line.
    pub fn refuses(&self, options: &str, input: &Path, output: &Path) -> String {
        let before = self.contents();
        let done = self.run(options, input, output);
        let line = refusal(&done);
        assert_eq!(self.contents(), before, "lab {options} left something behind");
        line
    }
}

/// The line with which `lab` refused.
pub fn refusal(done: &Output) -> String {
    let text = String::from_utf8(done.stderr.clone()).unwrap();
    assert_eq!(done.status.code(), Some(2), "{text}");
    assert!(done.stdout.is_empty(), "a refusal belongs on stderr");
    let line = text.strip_suffix('\n').unwrap_or_default();
    assert!(!line.is_empty() && !line.contains('\n'), "one line expected: {text:?}");
    line.to_owned()
}

/// `lab` with options that are separated by blanks, and nothing to read on its standard input.
pub fn command(options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(options.split_whitespace()).stdin(Stdio::null());
    command
}

/// `/dev/full`, where nothing can be written.
pub fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// Frames, one millisecond apart.
pub fn packets(frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<Packet> {
    let packet = |(number, data): (u64, Vec<u8>)| Packet {
        time: Duration::from_millis(1_000_000 + number),
        original_length: data.len() as u32,
        data,
    };
    (1..).zip(frames).map(packet).collect()
}

/// The frames of a capture.
pub fn bytes(packets: &[Packet]) -> Vec<&[u8]> {
    packets.iter().map(|packet| packet.data.as_slice()).collect()
}

impl Converted {
    /// A count of the summary.
    pub fn count(&self, name: &str) -> u64 {
        self.summary[name].as_u64().unwrap_or_else(|| panic!("no count {name} in {}", self.summary))
    }

    /// How many units ended for a reason.
    pub fn ended(&self, reason: &str) -> u64 {
        self.summary["ended"][reason].as_u64().unwrap_or(0)
    }

    /// The frames that did not reach the driver.
    pub fn dropped(&self) -> Vec<u64> {
        let numbers = self.summary["dropped"].as_array().unwrap();
        numbers.iter().map(|number| number.as_u64().unwrap()).collect()
    }

    /// The summary's counts agree with each other and with the file.
    pub fn adds_up(&self) {
        let ended: u64 = self.summary["ended"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        let alone = self.count("units") - self.count("merged_units");
        let dropped = self.dropped().len() as u64;
        assert_eq!(self.count("units"), self.units.len() as u64);
        assert_eq!(self.count("units"), ended);
        assert_eq!(self.count("frames"), alone + self.count("merged_segments") + dropped);
        assert_eq!(self.count("joins"), self.count("merged_segments") - self.count("merged_units"));
    }
}
