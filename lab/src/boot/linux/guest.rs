//! Owns what is in the guest: its file system, its programs with their libraries, and what its scripts are told.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{MAC, Test};
use crate::boot::initramfs::Archive;
use crate::boot::programs::{Kernel, Prefix};
use crate::cli::{BootArgs, Interrupts};

/// Packages of what runs in the guest, and of what unpacks its kernel.
pub const PACKAGES: [&str; 7] = ["busybox-static", "iperf3", "ethtool", "iproute2", "tcpdump", "xz-utils", "zstd"];

/// Programs by name, and where their packages put them.
const PROGRAMS: [(&str, &str); 4] = [
    ("iperf3", "usr/bin/iperf3"),
    ("ethtool", "usr/sbin/ethtool"),
    ("ip", "usr/bin/ip"),
    ("tcpdump", "usr/bin/tcpdump"),
];

/// Seconds that each measurement of a rate takes.
const TRAFFIC: u32 = 5;

pub const INIT: &str = include_str!("../guest/init.sh");
pub const SCRIPT: &str =
    concat!(include_str!("../guest/helpers.sh"), include_str!("../guest/basic.sh"), include_str!("../guest/more.sh"));

/// Name of a test that is a script of the user's own.
pub const OWN: &str = "script";

/// The guest's file system: its programs with their libraries, the modules, the tests, and the user's own script.
pub fn file_system(
    arguments: &BootArgs,
    own: Option<&Path>,
    tests: &[Test],
    tools: &Prefix,
    kernel: &Kernel,
) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    for folder in ["bin", "programs", "dev", "lib64", "libraries", "modules", "proc", "sys", "tmp"] {
        archive.directory(folder);
    }
    archive.file("bin/busybox", &fs::read(tools.0.join("usr/bin/busybox"))?);
    // The C library opens this one by itself when a thread ends.
    let mut libraries = vec![tools.0.join("usr/lib/x86_64-linux-gnu/libgcc_s.so.1")];
    for (name, program) in PROGRAMS {
        archive.file(&format!("libraries/{name}"), &fs::read(tools.0.join(program))?);
        let run = format!("#!/bin/sh\nexec /lib64/loader --library-path /libraries /libraries/{name} \"$@\"\n");
        archive.file(&format!("programs/{name}"), run.as_bytes());
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
    let script = own.map(own_test).transpose()?.unwrap_or_default();
    archive.file("settings", settings(arguments, own.is_some(), tests).as_bytes());
    archive.file("tests", format!("{SCRIPT}{script}").as_bytes());
    archive.file("init", INIT.as_bytes());
    Ok(archive.finish())
}

/// The user's script as a test.
fn own_test(path: &Path) -> Result<String> {
    let script = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    Ok(format!("\ntest_{OWN}() {{\n{script}\n}}\n"))
}

/// What the guest's scripts are told.
fn settings(arguments: &BootArgs, own: bool, tests: &[Test]) -> String {
    let (option, name) = match arguments.interrupts {
        Interrupts::Msix => (2, "MSI-X"),
        Interrupts::Intx => (0, "INTA"),
    };
    let names = tests.iter().map(|test| test.name).chain(own.then_some(OWN));
    let tests = names.collect::<Vec<_>>().join(" ");
    let asic = arguments.asic.name();
    format!(
        "TESTS='{tests}'\nDRIVER_OPTIONS='intr_type={option}'\nINTERRUPTS='{name}'\nMAC='{MAC}'\nASIC='{asic}'\n\
         FOR_A_WHILE='-t {TRAFFIC}'\n"
    )
}
