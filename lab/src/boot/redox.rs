//! Owns `lab boot redox`: a Redox image on the software card, under QEMU, asked from the other end of the cable.

mod cable;
mod console;
mod lease;
mod peer;
mod trials;

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use self::console::Console;
use self::peer::Peer;
use self::trials::{Bench, TRIALS, Trial};
use super::machine::{Card, Machine, bare, card_device};
use super::packages::Packages;
use super::programs::Qemu;
use super::report::{Report, Verdict};
use crate::cli::{Clock, Nic, RedoxArgs};

/// The card's address.
const MAC: &str = "00:0c:fc:0a:0b:0d";
/// The guest's memory.
const MEMORY: &str = "1G";

/// Told to whoever has no image.
pub const HOW_TO_GET_AN_IMAGE: &str = "\
How to get an image, from a Redox source tree (redox/) and this repository beside it (s2iod/):

    mkdir -p redox/recipes/net/s2iod redox/recipes/net/s2io-bench
    cp s2iod/cookbook/recipe.toml redox/recipes/net/s2iod/
    cp s2iod/cookbook/s2io-bench/recipe.toml redox/recipes/net/s2io-bench/
    cp s2iod/cookbook/s2io.toml s2iod/cookbook/s2io-test.toml redox/config/x86_64/
    cd redox
    make all CONFIG_NAME=s2io-test

then

    lab boot redox --image redox/build/x86_64/s2io-test/harddrive.img

Any image does that has the driver with its match table, asks for its address (DHCP), and runs `s2io-bench serve`.";

/// Boots the image, runs the tests, and prints the table.
///
/// # Errors
///
/// What keeps the machine from starting, or the tests that did not pass.
pub fn boot(arguments: &RedoxArgs) -> Result<()> {
    if arguments.list {
        for trial in &TRIALS {
            println!("{:14} {}{}", trial.name, trial.about, if trial.short { "" } else { " (not in the short list)" });
        }
        return Ok(());
    }
    let Some(image) = &arguments.image else { bail!("--image is missing.\n\n{HOW_TO_GET_AN_IMAGE}") };
    ensure!(image.is_file(), "{}: there is no such image", image.display());
    let trials = selected(arguments)?;
    let qemu = Qemu::find(&Packages::new()?)?;
    println!("{}", qemu.version);
    let folder = tempfile::Builder::new().prefix("s2iod-boot-").disable_cleanup(arguments.keep).tempdir()?;
    let mut report = Report::new(&trials.iter().map(|trial| trial.name).collect::<Vec<_>>());
    let ran = plug(arguments, &qemu, image, folder.path()).and_then(|mut bench| run(&mut bench, &trials, &mut report));
    println!("{}", report.table());
    if arguments.keep {
        println!("logs are in {}", folder.path().display());
    }
    ran?;
    let failed = report.failed();
    ensure!(failed.is_empty(), "{} of {} tests did not pass: {}", failed.len(), trials.len(), failed.join(", "));
    Ok(())
}

/// The tests asked for, in the order of the list: by name, or the short list, or all; those that the card allows.
fn selected(arguments: &RedoxArgs) -> Result<Vec<&'static Trial>> {
    let allowed = |trial: &Trial| !trial.ours || arguments.card == Nic::Xframe;
    for name in &arguments.tests {
        match TRIALS.iter().find(|trial| trial.name == name) {
            None => bail!("there is no test {name:?}; `lab boot redox --list` names them"),
            Some(trial) if !allowed(trial) => bail!("{name} takes the Xframe"),
            Some(_) => {}
        }
    }
    let wanted = |trial: &&Trial| match arguments.tests.as_slice() {
        [] => allowed(trial) && (trial.short || arguments.all),
        named => named.iter().any(|name| name == trial.name),
    };
    Ok(TRIALS.iter().filter(wanted).collect())
}

/// Plugs card, cable and machine together and turns them on.
fn plug<'a>(arguments: &'a RedoxArgs, qemu: &Qemu, image: &Path, folder: &Path) -> Result<Bench<'a>> {
    let plug = folder.join("cable.sock");
    let listener = UnixListener::bind(&plug)?;
    let stop = model::serve::stopper()?;
    let socket = folder.join("card.sock");
    let (card, device) = match arguments.card {
        Nic::Xframe => {
            (Some(card(arguments, &plug, &socket, folder)?), vec!["-device".into(), card_device(&socket, None)])
        }
        Nic::E1000 => (None, e1000(&plug)),
    };
    let mut command = bare(qemu, arguments.accel, arguments.machine, MEMORY);
    let drive = format!("file={},format=raw,if=ide,snapshot=on", image.display().to_string().replace(',', ",,"));
    command.args(["-drive", &drive]).args(device);
    if arguments.clock == Clock::Instructions {
        command.args(["-icount", "shift=1,sleep=on"]);
    }
    let machine = Machine::start(card, command, folder, stop.try_clone()?)?;
    let peer = Peer::new(accept(&listener)?, arguments.card.ahead(), stop)?;
    Ok(Bench { arguments, console: Console::new(machine), peer })
}

/// A server of the card, with its cable to this process.
fn card(arguments: &RedoxArgs, plug: &Path, socket: &Path, folder: &Path) -> Result<Card> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("serve").arg("--socket").arg(socket).args(["--wire", &format!("stream:{}", plug.display())]);
    command.args(["--mac", MAC, "--asic", arguments.asic.name()]);
    if arguments.trace {
        command.arg("--trace").arg(folder.join("trace.txt"));
    }
    Ok(Card { command, socket: socket.to_owned() })
}

/// QEMU's own card, with its cable to this process.
fn e1000(plug: &Path) -> Vec<String> {
    let path = plug.display().to_string().replace(',', ",,");
    let network = format!("stream,id=cable,server=off,addr.type=unix,addr.path={path}");
    ["-netdev".to_owned(), network, "-device".to_owned(), format!("e1000,netdev=cable,mac={MAC}")].into()
}

/// The card's end of the cable.
fn accept(listener: &UnixListener) -> Result<UnixStream> {
    /// How long the card may take to plug it in.
    const LIMIT: Duration = Duration::from_secs(10);
    listener.set_nonblocking(true)?;
    let begin = Instant::now();
    while begin.elapsed() < LIMIT {
        match listener.accept() {
            Ok((cable, _)) => return Ok(cable),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(error) => return Err(error).context("no cable"),
        }
    }
    bail!("the card does not plug the cable in")
}

/// Runs the tests one after the other; the machine going off ends them.
fn run(bench: &mut Bench<'_>, trials: &[&Trial], report: &mut Report) -> Result<()> {
    for trial in trials {
        report.begin(trial.name);
        println!("== {}", trial.name);
        match (trial.run)(bench) {
            Ok(note) => {
                report.note(&note);
                report.end(Verdict::Passed);
            }
            Err(error) => {
                report.note(&format!("{error:#}"));
                report.end(Verdict::Failed);
                println!("== {} failed: {error:#}", trial.name);
            }
        }
        // What the console said meanwhile.
        bench.console.listen(&mut bench.peer, Duration::from_millis(100))?;
    }
    Ok(())
}
