//! Owns the programs that come from packages: QEMU for the host, and what runs in the guest.

use std::ffi::OsStr;
use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::packages::{Packages, output};

const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
const LOADER: &str = "usr/lib64/ld-linux-x86-64.so.2";
const QEMU: &str = "qemu-system-x86_64";
/// The device that connects to a vfio-user server.
const DEVICE: &str = "vfio-user-pci";

/// What a file of zstd begins with.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// A folder in which a closure of packages was unpacked.
#[derive(Clone)]
pub struct Prefix(pub PathBuf);

impl Prefix {
    /// A command that runs a program of the folder with the folder's own libraries.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.0.join(LOADER));
        command.arg("--library-path").arg(self.0.join(LIBRARIES)).arg(self.0.join(program));
        command
    }

    /// The files, all of this folder, that a program needs to run elsewhere.
    pub fn libraries(&self, program: &str) -> Result<Vec<PathBuf>> {
        let mut list = Command::new(self.0.join(LOADER));
        list.arg("--library-path").arg(self.0.join(LIBRARIES)).arg("--list").arg(self.0.join(program));
        let listed = output(&mut list)?;
        let paths = listed.split_whitespace().map(Path::new).filter(|word| word.starts_with(&self.0));
        Ok(paths.map(Path::to_owned).collect())
    }
}

/// A QEMU that knows vfio-user.
pub struct Qemu {
    prefix: Option<Prefix>,
    /// What it says it is.
    pub version: String,
}

impl Qemu {
    /// The machine's own, if it is new enough (10.1), or Debian's.
    pub fn find(packages: &Packages) -> Result<Self> {
        let system = Self { prefix: None, version: String::new() };
        if let Ok(system) = system.checked() {
            return Ok(system);
        }
        let needs = ["qemu-system-x86", "seabios", "ipxe-qemu"];
        let prefix = packages.closure("qemu", "trixie-backports", &needs)?;
        Self { prefix: Some(Prefix(prefix)), version: String::new() }.checked()
    }

    /// This QEMU, if it runs and has the device.
    fn checked(self) -> Result<Self> {
        let devices = output(self.command().args(["-device", "help"]))?;
        ensure!(devices.contains(DEVICE), "this QEMU has no {DEVICE}: it is older than 10.1");
        let version = output(self.command().arg("--version"))?;
        let version = version.lines().next().unwrap_or_default().to_owned();
        Ok(Self { version, ..self })
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        let Some(prefix) = &self.prefix else { return Command::new(QEMU) };
        let mut command = prefix.command(&format!("usr/bin/{QEMU}"));
        command.env("QEMU_MODULE_DIR", prefix.0.join(LIBRARIES).join("qemu"));
        for folder in ["share/qemu", "share/seabios", "lib/ipxe/qemu"] {
            command.arg("-L").arg(prefix.0.join("usr").join(folder));
        }
        command
    }
}

/// Debian's kernel: the image that QEMU starts, and modules.
pub struct Kernel {
    /// The kernel as ELF, which starts faster than the compressed image.
    pub image: PathBuf,
    /// Modules by file name, uncompressed.
    pub modules: Vec<(String, Vec<u8>)>,
}

impl Kernel {
    /// The kernel of a Debian release, with the driver for the card and what tags take.
    pub fn find(packages: &Packages, tools: &Prefix, suite: &str) -> Result<Self> {
        let patterns =
            ["./boot/vmlinuz-*", "*/s2io.ko*", "*/8021q.ko*", "*/garp.ko*", "*/mrp.ko*", "*/stp.ko*", "*/llc.ko*"];
        let folder = packages.part(&format!("kernel-{suite}"), suite, "linux-image-amd64", &patterns)?;
        let mut files = Vec::new();
        list(&folder, &mut files)?;
        let compressed =
            files.iter().find(|file| name(file).starts_with("vmlinuz-")).context("no kernel in the package")?;
        let image = folder.join("vmlinux");
        if !image.exists() {
            fs::write(&image, elf(tools, &fs::read(compressed)?)?)?;
        }
        let mut modules = Vec::new();
        for file in files.iter().filter(|file| name(file).contains(".ko")) {
            let bytes = fs::read(file)?;
            let name = name(file);
            match name.strip_suffix(".xz") {
                Some(plain) => modules.push((plain.to_owned(), uncompress(tools, &bytes)?)),
                None => modules.push((name, bytes)),
            }
        }
        ensure!(modules.iter().any(|(name, _)| name == "s2io.ko"), "this kernel has no s2io.ko");
        Ok(Self { image, modules })
    }
}

fn name(file: &Path) -> String {
    file.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned()
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// Takes the kernel proper out of a bzImage. The setup header says where it is; it is followed by its length.
fn elf(tools: &Prefix, image: &[u8]) -> Result<Vec<u8>> {
    let word = |at: usize| image.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
    let (Some(sectors), Some(offset), Some(length)) = (image.get(0x1F1), word(0x248), word(0x24C)) else {
        anyhow::bail!("the kernel is no bzImage");
    };
    let start = (usize::from(*sectors) + 1) * 512 + offset as usize;
    let payload = image.get(start..start + (length as usize).saturating_sub(4)).context("the kernel is cut short")?;
    uncompress(tools, payload)
}

/// Uncompresses, by what it begins with, with the packages' own programs: they know the filters that kernels take.
fn uncompress(tools: &Prefix, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut input = tempfile::tempfile()?;
    input.write_all(bytes)?;
    input.rewind()?;
    let program = if bytes.starts_with(&ZSTD) { "usr/bin/zstd" } else { "usr/bin/xz" };
    let output = tools.command(program).args(["--decompress", "--stdout"]).stdin(input).output()?;
    ensure!(output.status.success(), "cannot uncompress: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(output.stdout)
}
