//! Owns the options of a served card, on a command line or elsewhere, and what follows from them.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use xframe::constants::Asic;

use crate::capture;
use crate::config::Config;
use crate::fault::Plan;
use crate::vfio::{self, Server, Trace};
use crate::wire::{Impaired, Impairments, Loopback, Pcap, Socket, Tap, TapError, Wire};

/// A card to serve.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Where to listen for the machine: a Unix socket, which is made
    #[arg(long, value_name = "PATH")]
    pub socket: PathBuf,
    /// The cable's other end: tap:NAME, stream:PATH, pcap:IN,OUT or loopback
    #[arg(long, value_name = "WIRE")]
    pub wire: Cable,
    /// Which chip
    #[arg(long, value_enum, default_value_t = Chip::Herc)]
    pub asic: Chip,
    /// Factory address
    #[arg(long, value_name = "ADDRESS", default_value = "00:0c:fc:00:00:01")]
    pub mac: Mac,
    /// Write every access of the machine to FILE
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// How bad the cable is, as loss=1%,duplicate=1%,reorder=1%,corrupt=1%,delay=5ms,seed=7
    #[arg(long, value_name = "SHARES")]
    pub impair: Option<Impairments>,
    /// Deliver frames in groups of N, each with one interrupt, the next when the driver has looked at the last
    #[arg(long, value_name = "N")]
    pub group: Option<u16>,
    /// What goes wrong with the card and when, as 5s:link=200ms (once) or 10s..:lose-message (every 10 seconds), from when
    /// frames first can move
    #[arg(long, value_name = "PLAN", long_help = plan_help())]
    pub fault: Option<Plan>,
}

fn plan_help() -> String {
    format!(
        "What goes wrong with the card and when, separated by commas: 5s:link=200ms once, 10s..:lose-message every ten \
         seconds, counted from when frames first can move. The faults: {}. A bit of a register counts from the most \
         significant",
        Plan::HELP
    )
}

/// Subsystem ID of an Xframe-E with short-range optics.
const EXPRESS: u16 = 0x6022;

/// A chip by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Chip {
    /// Xframe II
    Herc,
    /// Xframe I
    Xena,
    /// Xframe-E: an Xframe II behind a bridge from PCI Express, which is the machine's to have
    Express,
}

impl Chip {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Herc => "herc",
            Self::Xena => "xena",
            Self::Express => "express",
        }
    }
}

impl From<Chip> for Asic {
    fn from(chip: Chip) -> Self {
        match chip {
            Chip::Herc | Chip::Express => Self::Herc,
            Chip::Xena => Self::Xena,
        }
    }
}

/// What the cable is plugged into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cable {
    /// A TAP interface of this host, by name.
    Tap(String),
    /// A program that listens on a Unix stream socket, in QEMU's framing.
    Stream(PathBuf),
    /// A capture to play, and one to record.
    Pcap(PathBuf, PathBuf),
    /// The card itself.
    Loopback,
}

impl FromStr for Cable {
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

/// A card's factory address: six bytes, not a group's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

impl FromStr for Mac {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let byte = |part: &str| u8::from_str_radix(part, 16).ok().filter(|_| part.len() == 2);
        let bytes: Option<Vec<u8>> = text.split(':').map(byte).collect();
        match bytes.and_then(|bytes| <[u8; 6]>::try_from(bytes).ok()) {
            Some([first, ..]) if first & 1 != 0 => Err("that is a group's address"),
            Some(mac) => Ok(Self(mac)),
            None => Err("an address is six bytes: 00:0c:fc:00:00:01"),
        }
    }
}

/// Why a card is not served, or not any more.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The TAP interface cannot be used.
    #[error(transparent)]
    Tap(#[from] TapError),
    /// Nobody listens where the cable leads.
    #[error("{}: cannot connect: {source}", path.display())]
    Stream {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A capture cannot be played or recorded.
    #[error(transparent)]
    Capture(#[from] capture::Error),
    /// The server cannot start or go on.
    #[error(transparent)]
    Server(#[from] vfio::Error),
    /// Signals cannot be caught.
    #[error("cannot catch signals: {0}")]
    Signals(#[source] io::Error),
}

impl Options {
    /// Serves the card until the process is told to end by SIGINT or SIGTERM.
    ///
    /// # Errors
    ///
    /// What keeps the server from starting.
    pub fn serve(self) -> Result<(), Error> {
        /// Frames that the card's own loop holds.
        const LOOP: usize = 1024;
        match &self.wire {
            Cable::Tap(name) => drop(self.serve_on(Tap::open(name)?)?),
            Cable::Stream(path) => {
                let failed = |source| Error::Stream { path: path.clone(), source };
                self.serve_on(Socket::connect(path).map_err(failed)?)?;
            }
            Cable::Pcap(input, output) => self.serve_on(Pcap::play(input)?.record(output)?)?.finish()?,
            Cable::Loopback => drop(self.serve_on(Loopback::new(LOOP))?),
        }
        Ok(())
    }

    /// Serves the card on a wire, as good or bad as it is to be, and gives the wire back.
    fn serve_on<W: Wire>(&self, wire: W) -> Result<W, Error> {
        match self.impair {
            Some(impairments) => Ok(self.serve_as_it_is(Impaired::new(wire, impairments))?.into_inner()),
            None => self.serve_as_it_is(wire),
        }
    }

    fn serve_as_it_is<W: Wire>(&self, wire: W) -> Result<W, Error> {
        let trace = self.trace.as_deref().map(Trace::create).transpose()?;
        let stop = stopper().map_err(Error::Signals)?;
        let mut config = Config::new(self.asic.into(), self.mac.0);
        if self.asic == Chip::Express {
            (config.subsystem, config.product) = (EXPRESS, "Xframe-E 10GbE Server Adapter".into());
        }
        config.group = self.group;
        let plan = self.fault.clone().unwrap_or_default();
        let mut server = Server::bind(&self.socket, config, wire, trace)?.with_plan(plan);
        log::info!("listening on {}", self.socket.display());
        server.run(stop)?;
        Ok(server.into_wire())
    }
}

/// A descriptor that becomes readable when the process is told to end, by SIGINT or SIGTERM, which then do nothing else.
///
/// # Errors
///
/// Signals cannot be caught.
pub fn stopper() -> io::Result<UnixStream> {
    let (stop, sender) = UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
    }
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_are_named() {
        assert_eq!("tap:tap0".parse(), Ok(Cable::Tap("tap0".into())));
        assert_eq!("stream:/a:b".parse(), Ok(Cable::Stream("/a:b".into())));
        assert_eq!("pcap:in,out".parse(), Ok(Cable::Pcap("in".into(), "out".into())));
        assert_eq!("loopback".parse(), Ok(Cable::Loopback));
        for wrong in ["", "tap", "loopback:", "pcap:in", "serial:x"] {
            assert!(wrong.parse::<Cable>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_is_six_bytes_and_no_groups() {
        assert_eq!("00:0c:FC:00:00:01".parse(), Ok(Mac([0, 0x0C, 0xFC, 0, 0, 1])));
        for wrong in
            ["", "00:0c:fc:00:00", "00:0c:fc:00:00:01:02", "0:c:fc:0:0:1", "01:0c:fc:00:00:01", "00:0c:fc:00:00:0g"]
        {
            assert!(wrong.parse::<Mac>().is_err(), "{wrong}");
        }
    }
}
