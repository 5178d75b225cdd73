//! Owns `lab boot linux`: Debian's kernel with its own driver for the card, on the software card, under QEMU.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::initramfs::Archive;
use super::machine::{Card, Machine, bare, card_device};
use super::network::{Network, TAP};
use super::packages::Packages;
use super::programs::{Kernel, Prefix, Qemu};
use super::report::Report;
use crate::cli::{BootArgs, Interrupts};

/// The card's address.
pub const MAC: &str = "00:0c:fc:0a:0b:0c";

/// Packages of what runs in the guest, and of what unpacks its kernel.
const GUEST: [&str; 5] = ["busybox-static", "iperf3", "ethtool", "xz-utils", "zstd"];

/// The guest's memory.
const MEMORY: &str = "512M";

/// Seconds that each measurement of a rate takes.
const TRAFFIC: u32 = 5;

/// A test: its name, what it is about, and whether it is in the short list.
struct Test(&'static str, &'static str, bool);

const TESTS: [Test; 17] = [
    Test("probe", "load and remove the driver three times", true),
    Test("link", "the link comes up, goes down, comes up", true),
    Test("ping", "120 pings without loss", true),
    Test("tcp-send", "iperf3 from the guest", true),
    Test("tcp-receive", "iperf3 to the guest", true),
    Test("self-test", "all five tests of ethtool -t", true),
    Test("counters", "ethtool -S counts what went over the wire", true),
    Test("tcp-send-8", "iperf3 from the guest, 8 connections", false),
    Test("tcp-receive-8", "iperf3 to the guest, 8 connections", false),
    Test("udp", "iperf3 over UDP", false),
    Test("jumbo", "MTU 9000", false),
    Test("tools", "ethtool -i, -d, -e, -a, -p", false),
    Test("offloads", "checksum and segmentation offload off and on", false),
    Test("lro", "the driver's own LRO off and on", false),
    Test("rings", "eight rings, eight FIFOs", false),
    Test("flap", "down and up ten times", false),
    Test("soak", "five minutes of traffic", false),
];

const INIT: &str = include_str!("guest/init.sh");
const SCRIPT: &str = include_str!("guest/tests.sh");

/// Boots the machine, runs the tests in it, and prints the table.
///
/// # Errors
///
/// What keeps the machine from starting, or the tests that did not pass.
pub fn boot(arguments: &BootArgs) -> Result<()> {
    if arguments.list {
        for Test(name, about, short) in TESTS {
            println!("{name:14} {about}{}", if short { "" } else { " (not in the short list)" });
        }
        return Ok(());
    }
    let names = selected(arguments)?;
    let packages = Packages::new()?;
    let qemu = Qemu::find(&packages)?;
    let tools = Prefix(packages.closure("guest", "trixie", &GUEST)?);
    let kernel = Kernel::find(&packages, &tools, arguments.kernel.suite())?;
    println!("{}", qemu.version);
    let folder = tempfile::Builder::new().prefix("s2iod-boot-").disable_cleanup(arguments.keep).tempdir()?;
    let stop = model::serve::stopper()?;
    let mut network = Network::new()?;
    network.serve(&tools)?;
    let image = folder.path().join("initramfs");
    fs::write(&image, initramfs(arguments, &names, &tools, &kernel)?)?;
    let card = card(arguments, &network, folder.path())?;
    let machine = hardware(arguments, &qemu, &kernel.image, &image, &card.socket);
    let machine = Machine::start(Some(card), machine, folder.path(), stop)?;
    let report = watch(machine, &names);
    if arguments.keep {
        println!("logs are in {}", folder.path().display());
    }
    let failed = report?;
    if !failed.is_empty() {
        bail!("{} of {} tests did not pass: {}", failed.len(), names.len(), failed.join(", "));
    }
    Ok(())
}

/// The card, in the network's namespace.
fn card(arguments: &BootArgs, network: &Network, folder: &Path) -> Result<Card> {
    let socket = folder.join("card.sock");
    let mut command = network.command(&std::env::current_exe()?.to_string_lossy());
    command.arg("serve").arg("--socket").arg(&socket).args(["--wire", &format!("tap:{TAP}"), "--mac", MAC]);
    command.args(["--asic", arguments.asic.name()]);
    if arguments.trace {
        command.arg("--trace").arg(folder.join("trace.txt"));
    }
    Ok(Card { command, socket })
}

/// The machine with the card, ready to boot.
fn hardware(arguments: &BootArgs, qemu: &Qemu, kernel: &Path, initramfs: &Path, card: &Path) -> Command {
    let mut command = bare(qemu, arguments.accel, arguments.machine, MEMORY);
    command
        .args(["-append", "console=ttyS0 quiet loglevel=1 panic=-1"])
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(initramfs)
        .args(["-device", &card_device(card)]);
    command
}

/// The tests asked for, in the order of the list: by name, or the short list, or all.
fn selected(arguments: &BootArgs) -> Result<Vec<&'static str>> {
    if let Some(unknown) = arguments.tests.iter().find(|name| !TESTS.iter().any(|test| test.0 == **name)) {
        bail!("there is no test {unknown:?}; `lab boot linux --list` names them");
    }
    let wanted = |test: &&Test| match arguments.tests.as_slice() {
        [] => test.2 || arguments.all,
        named => named.iter().any(|name| name == test.0),
    };
    Ok(TESTS.iter().filter(wanted).map(|test| test.0).collect())
}

/// The guest's file system: its programs with their libraries, the modules, and the tests.
fn initramfs(arguments: &BootArgs, tests: &[&str], tools: &Prefix, kernel: &Kernel) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    for folder in ["bin", "dev", "lib64", "libraries", "modules", "proc", "sys", "tmp"] {
        archive.directory(folder);
    }
    archive.file("bin/busybox", &fs::read(tools.0.join("usr/bin/busybox"))?);
    // The C library opens this one by itself when a thread ends.
    let mut libraries = vec![tools.0.join("usr/lib/x86_64-linux-gnu/libgcc_s.so.1")];
    for (name, program) in [("iperf3", "usr/bin/iperf3"), ("ethtool", "usr/sbin/ethtool")] {
        archive.file(&format!("libraries/{name}"), &fs::read(tools.0.join(program))?);
        let run = format!("#!/bin/sh\nexec /lib64/loader --library-path /libraries /libraries/{name} \"$@\"\n");
        archive.file(&format!("bin/{name}"), run.as_bytes());
        libraries.extend(tools.libraries(program)?);
    }
    libraries.sort();
    libraries.dedup();
    for library in &libraries {
        let name = library.file_name().and_then(|name| name.to_str()).context("a library has no name")?;
        archive.file(&format!("libraries/{name}"), &fs::read(library)?);
    }
    archive.link("lib64/loader", "/libraries/ld-linux-x86-64.so.2");
    for (name, module) in &kernel.modules {
        archive.file(&format!("modules/{name}"), module);
    }
    archive.file("settings", settings(arguments, tests).as_bytes());
    archive.file("tests", SCRIPT.as_bytes());
    archive.file("init", INIT.as_bytes());
    Ok(archive.finish())
}

/// What the guest's scripts are told.
fn settings(arguments: &BootArgs, tests: &[&str]) -> String {
    let (option, name) = match arguments.interrupts {
        Interrupts::Msix => (2, "MSI-X"),
        Interrupts::Intx => (0, "INTA"),
    };
    let tests = tests.join(" ");
    format!(
        "TESTS='{tests}'\nDRIVER_OPTIONS='intr_type={option}'\nINTERRUPTS='{name}'\nMAC='{MAC}'\nFOR_A_WHILE='-t {TRAFFIC}'\n"
    )
}

/// Shows what the guest prints until it turns itself off, then the table. Returns what did not pass.
fn watch(mut machine: Machine, names: &[&'static str]) -> Result<Vec<String>> {
    let mut report = Report::new(names);
    let mut cost = None;
    let ended = loop {
        match machine.line() {
            Ok(Some(line)) => {
                cost = machine.card_cost().or(cost);
                if let Some(line) = report.line(&line) {
                    println!("{:14} {line}", report.running());
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    println!("{}", report.table());
    if let Some((seconds, memory)) = cost {
        println!("the card took {seconds:.1} s of processor time and at most {memory} KiB of memory");
    }
    ended?;
    Ok(report.failed().into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_has_its_function_in_the_guest() {
        for Test(name, ..) in TESTS {
            let function = format!("test_{}() {{", name.replace('-', "_"));
            assert!(SCRIPT.lines().any(|line| line == function), "{name}");
        }
    }

    #[test]
    fn every_function_in_the_guest_is_in_the_list() {
        let functions = SCRIPT.lines().filter(|line| line.starts_with("test_"));
        assert_eq!(functions.count(), TESTS.len());
    }
}
