//! Owns `lab boot linux`: Debian's kernel with its own driver for the card, on the software card, under QEMU.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::thread::JoinHandle;

use anyhow::{Result, bail, ensure};
use model::serve::Chip;

use self::list::{Scene, Test};
use super::machine::{Card, Machine, bare, card_device};
use super::network::{Network, TAP};
use super::packages::Packages;
use super::programs::{Kernel, Prefix, Qemu};
use super::report::Report;
use crate::cli::{BootArgs, MachineKind};

mod ancestor;
mod guest;
mod list;
mod switch;

pub use switch::TAGGED;

/// The card's address.
pub const MAC: &str = "00:0c:fc:0a:0b:0c";

/// The bridge from PCI Express that an Xframe-E sits behind.
const BRIDGE: &str = "bridge";

/// The guest's memory.
const MEMORY: &str = "512M";

/// What the guest prints when it wants its machine killed.
const KILL: &str = "@kill";
/// What is on the command line of the machine that is booted after that.
const AGAIN: &str = "again";

/// Boots the machine, runs the tests in it, and prints the table.
///
/// # Errors
///
/// What keeps the machine from starting, or the tests that did not pass.
pub fn boot(arguments: &BootArgs) -> Result<()> {
    if arguments.list {
        list::print();
        return Ok(());
    }
    let express = arguments.asic == Chip::Express;
    ensure!(!express || arguments.machine == MachineKind::Q35, "an Xframe-E takes a machine with PCI Express: q35");
    let own = arguments.script.is_some();
    let tests =
        if own && arguments.tests.is_empty() { Vec::new() } else { list::selected(&arguments.tests, arguments.all)? };
    let packages = Packages::new()?;
    let qemu = Qemu::find(&packages)?;
    let tools = Prefix(packages.closure("guest-tools", "trixie", &guest::PACKAGES)?);
    let kernel = Kernel::find(&packages, &tools, arguments.kernel.suite())?;
    println!("{}", qemu.version);
    if arguments.fetch {
        return Ok(());
    }
    let folder = tempfile::Builder::new().prefix("s2iod-boot-").disable_cleanup(arguments.keep).tempdir()?;
    let stop = model::serve::stopper()?;
    let mut network = Network::new(MAC)?;
    network.serve(&tools, folder.path())?;
    let names: Vec<_> = tests.iter().map(|test| test.name).chain(own.then_some(guest::OWN)).collect();
    let mut report = Report::new(&names);
    let lab = Lab { arguments, qemu: &qemu, tools: &tools, kernel: &kernel, folder: folder.path() };
    let mut ended = Ok(());
    for (number, (scene, tests)) in scenes(tests, own).into_iter().enumerate() {
        ended = lab.play(scene, &tests, number, &mut network, stop.try_clone()?, &mut report);
        if ended.is_err() {
            break;
        }
    }
    println!("{}", report.table());
    if arguments.keep {
        println!("logs are in {}", folder.path().display());
    }
    ended?;
    let failed = report.failed();
    if !failed.is_empty() {
        bail!("{} of {} tests did not pass: {}", failed.len(), names.len(), failed.join(", "));
    }
    Ok(())
}

/// The tests by what they need of the card, in their order. The user's own script goes with the usual.
fn scenes(tests: Vec<Test>, own: bool) -> Vec<(Scene, Vec<Test>)> {
    let mut scenes: Vec<(Scene, Vec<Test>)> = Vec::new();
    for test in tests {
        match scenes.iter_mut().find(|(scene, _)| *scene == test.scene) {
            Some((_, tests)) => tests.push(test),
            None => scenes.push((test.scene, vec![test])),
        }
    }
    if own && !scenes.iter().any(|(scene, _)| *scene == Scene::Usual) {
        scenes.push((Scene::Usual, Vec::new()));
    }
    scenes
}

/// What every scene takes.
struct Lab<'a> {
    arguments: &'a BootArgs,
    qemu: &'a Qemu,
    tools: &'a Prefix,
    kernel: &'a Kernel,
    folder: &'a Path,
}

impl Lab<'_> {
    /// Boots a machine for the tests of a scene and has it run them.
    fn play(
        &self,
        scene: Scene,
        tests: &[Test],
        number: usize,
        network: &mut Network,
        stop: UnixStream,
        report: &mut Report,
    ) -> Result<()> {
        let folder = self.folder.join(number.to_string());
        fs::create_dir(&folder)?;
        let image = folder.join("initramfs");
        let own = if scene == Scene::Usual { self.arguments.script.as_deref() } else { None };
        fs::write(&image, guest::file_system(self.arguments, own, tests, self.tools, self.kernel)?)?;
        let (card, switch) = self.card(scene, network, &folder)?;
        let socket = card.socket.clone();
        let mut hardware = self.hardware(&image, &socket, "");
        if scene == Scene::Ancestor {
            hardware.args(["-serial", &format!("file:{}", folder.join(ancestor::UNITS).display())]);
        }
        let mut machine = Machine::start(Some(card), hardware, &folder, stop)?;
        let mut cost = None;
        while let Some(line) = machine.line()? {
            cost = machine.card_cost().or(cost);
            if line == KILL && scene == Scene::Killed {
                machine.replace(self.hardware(&image, &socket, AGAIN), &folder)?;
                continue;
            }
            if let Some(line) = report.line(&line) {
                println!("{:14} {line}", report.running());
            }
        }
        drop(machine);
        if let Some(switch) = switch {
            // It has said itself what went wrong, if anything did; the next card needs its interfaces.
            let _ended = switch.join();
        }
        if scene == Scene::Ancestor {
            let verdict = ancestor::compare(&folder);
            report.conclude("ancestor", verdict.as_ref().map(String::as_str).map_err(ToString::to_string));
        }
        if let Some((seconds, memory)) = cost {
            println!("the card took {seconds:.1} s of processor time and at most {memory} KiB of memory");
        }
        Ok(())
    }

    /// The card, in the network's namespace, and the switch that it is plugged into if there is one.
    fn card(&self, scene: Scene, network: &mut Network, folder: &Path) -> Result<(Card, Option<JoinHandle<()>>)> {
        let socket = folder.join("card.sock");
        let mut wire = format!("tap:{TAP}");
        let mut switch = None;
        if scene == Scene::Switch {
            let port = folder.join("port.sock");
            network.add_tagged(self.tools)?;
            switch = Some(switch::start(network.name(), TAP, &port)?);
            wire = format!("stream:{}", port.display());
        }
        if scene == Scene::Ancestor {
            ancestor::write_capture(folder)?;
            let (played, answers) = (folder.join(ancestor::PLAYED), folder.join("answers.pcap"));
            wire = format!("pcap:{},{}", played.display(), answers.display());
        }
        let mut command = network.command(&std::env::current_exe()?.to_string_lossy());
        command.arg("serve").arg("--socket").arg(&socket).args(["--wire", &wire, "--mac", MAC]);
        command.args(["--asic", self.arguments.asic.name()]);
        match scene {
            Scene::With(options) => drop(command.args(options)),
            Scene::Ancestor => drop(command.args(["--group", ancestor::GROUP, "--impair", ancestor::CABLE])),
            _ => {
                command.args(self.arguments.impair.iter().flat_map(|text| ["--impair", text]));
                command.args(self.arguments.fault.iter().flat_map(|text| ["--fault", text]));
            }
        }
        if self.arguments.trace {
            command.arg("--trace").arg(folder.join("trace.txt"));
        }
        Ok((Card { command, socket }, switch))
    }

    /// The machine with the card, ready to boot.
    fn hardware(&self, initramfs: &Path, card: &Path, more: &str) -> Command {
        let mut command = bare(self.qemu, self.arguments.accel, self.arguments.machine, MEMORY);
        command
            .args(["-append", &format!("console=ttyS0 quiet loglevel=1 panic=-1 {more}")])
            .arg("-kernel")
            .arg(&self.kernel.image)
            .arg("-initrd")
            .arg(initramfs);
        if self.arguments.asic == Chip::Express {
            command.args(["-device", &format!("pcie-pci-bridge,id={BRIDGE}")]);
        }
        let bus = (self.arguments.asic == Chip::Express).then_some(BRIDGE);
        command.args(["-device", &card_device(card, bus)]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::guest::SCRIPT;
    use super::list::TESTS;

    #[test]
    fn every_test_has_its_function_in_the_guest() {
        for test in TESTS {
            let function = format!("test_{}() {{", test.name.replace('-', "_"));
            assert!(SCRIPT.lines().any(|line| line == function), "{}", test.name);
        }
    }

    #[test]
    fn every_function_in_the_guest_is_in_the_list() {
        let functions = SCRIPT.lines().filter(|line| line.starts_with("test_"));
        assert_eq!(functions.count(), TESTS.len());
    }
}
