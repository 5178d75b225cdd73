//! `xframe-vfio`: the software Xframe as a PCI device that QEMU plugs into a machine.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use model::vfio::{Server, Trace};
use model::wire::{Loopback, Pcap, Socket, Tap};
use model::{Config, Wire};
use xframe::constants::Asic;

/// A software Neterion Xframe card, served to a virtual machine monitor over vfio-user
#[derive(Parser)]
#[command(name = "xframe-vfio", version)]
struct Arguments {
    /// Where to listen for the machine: a Unix socket that must not be there yet
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// The cable's other end: tap:NAME, stream:PATH, pcap:IN,OUT or loopback
    #[arg(long, value_name = "WIRE")]
    wire: WireArgument,
    /// Which chip
    #[arg(long, value_enum, default_value_t = AsicArgument::Herc)]
    asic: AsicArgument,
    /// Factory address
    #[arg(long, value_name = "ADDRESS", default_value = "00:0c:fc:00:00:01")]
    mac: Mac,
    /// Write every access of the machine to FILE
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum AsicArgument {
    /// Xframe II
    Herc,
    /// Xframe I
    Xena,
}

#[derive(Clone)]
enum WireArgument {
    Tap(String),
    Stream(PathBuf),
    Pcap(PathBuf, PathBuf),
    Loopback,
}

impl FromStr for WireArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "loopback" => Ok(Self::Loopback),
            Some(("tap", name)) => Ok(Self::Tap(name.into())),
            Some(("stream", path)) => Ok(Self::Stream(path.into())),
            Some(("pcap", files)) => match files.split_once(',') {
                Some((input, output)) => Ok(Self::Pcap(input.into(), output.into())),
                None => Err("pcap takes two files: pcap:IN,OUT"),
            },
            _ => Err("the wires are tap:NAME, stream:PATH, pcap:IN,OUT and loopback"),
        }
    }
}

impl WireArgument {
    fn open(self) -> anyhow::Result<Box<dyn Wire>> {
        /// Frames that the loop holds.
        const LOOP: usize = 1024;
        Ok(match self {
            Self::Tap(name) => Box::new(Tap::open(&name)?),
            Self::Stream(path) => Box::new(Socket::connect(&path).with_context(|| path.display().to_string())?),
            Self::Pcap(input, output) => Box::new(Pcap::play(input)?.record(output)?),
            Self::Loopback => Box::new(Loopback::new(LOOP)),
        })
    }
}

#[derive(Clone, Copy)]
struct Mac([u8; 6]);

impl FromStr for Mac {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Option<Vec<u8>> =
            text.split(':').map(|part| u8::from_str_radix(part, 16).ok().filter(|_| part.len() == 2)).collect();
        match parts.and_then(|bytes| <[u8; 6]>::try_from(bytes).ok()) {
            Some([first, ..]) if first & 1 != 0 => Err("that is a group address"),
            Some(mac) => Ok(Self(mac)),
            None => Err("an address is six bytes: 00:0c:fc:00:00:01"),
        }
    }
}

/// Messages of the server, one line each.
struct Stderr;

impl log::Log for Stderr {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        eprintln!("xframe-vfio: {}", record.args());
    }

    fn flush(&self) {}
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    log::set_logger(&Stderr).map_err(|error| anyhow::anyhow!("{error}"))?;
    log::set_max_level(log::LevelFilter::Info);
    let asic = match arguments.asic {
        AsicArgument::Herc => Asic::Herc,
        AsicArgument::Xena => Asic::Xena,
    };
    let trace = arguments.trace.as_deref().map(Trace::create).transpose()?;
    let wire = arguments.wire.open()?;
    let (stop, stopper) = UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::low_level::pipe::register(signal, stopper.try_clone()?)?;
    }
    let mut server = Server::bind(&arguments.socket, Config::new(asic, arguments.mac.0), wire, trace)?;
    log::info!("listening on {}", arguments.socket.display());
    server.run(stop)?;
    Ok(())
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xframe-vfio: {error:#}");
            ExitCode::FAILURE
        }
    }
}
