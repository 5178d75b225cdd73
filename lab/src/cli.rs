//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lro::Rules;
use model::serve::{Chip, Options};

/// A Redox driver for Neterion Xframe cards, on a software card, and its receive-coalescing engine.
#[derive(Parser)]
#[command(name = "lab", version)]
pub struct Cli {
    /// What to do; the demo if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What `lab` can do.
#[derive(Subcommand)]
pub enum Command {
    /// Show the whole receive path at work, with and without coalescing
    Demo(DemoArgs),
    /// Coalesce a capture with the engine alone
    Coalesce(CaptureArgs),
    /// Coalesce a capture with the whole receive path: software card, driver, engine, scheme
    Run(CaptureArgs),
    /// Serve the software card to a virtual machine over vfio-user
    Serve(Options),
    /// Boot an operating system on the software card and test its driver for it
    Boot {
        /// Which one
        #[command(subcommand)]
        system: System,
    },
    /// Measure what the work costs on this machine
    Bench {
        /// What
        #[command(subcommand)]
        what: Bench,
    },
}

/// What can be measured.
#[derive(Subcommand)]
pub enum Bench {
    /// The engine beside DPDK's librte_gro, tun-rs, a bare memcpy and a bare checksum
    Engine(EngineArgs),
    /// What the driver adds to the card and the copy, stage by stage
    Driver(DriverArgs),
}

/// How the driver is measured.
#[derive(Args)]
pub struct DriverArgs {
    /// A short run, and rougher numbers
    #[arg(long)]
    pub quick: bool,
    /// Receive slots that the card fills before the reader takes everything
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(64..=16_384))]
    pub ring: u32,
}

/// How the engine is measured.
#[derive(Args)]
pub struct EngineArgs {
    /// A short run: seconds, and rougher numbers
    #[arg(long)]
    pub quick: bool,
    /// Frames of the ring; a small one stays in a core's own cache
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(64..=32_768))]
    pub ring: u32,
    /// Write a plot too
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// What can be booted.
#[derive(Subcommand)]
pub enum System {
    /// Debian's kernel with its own s2io.ko, under QEMU; everything it takes comes from Debian's packages, into a cache
    Linux(BootArgs),
    /// A Redox image with the driver in it, under QEMU
    #[command(after_help = crate::boot::HOW_TO_GET_AN_IMAGE)]
    Redox(RedoxArgs),
}

/// A machine and what is tested in it.
#[derive(Args)]
pub struct BootArgs {
    /// How QEMU runs the guest's processor
    #[arg(long, value_enum, default_value_t = Accel::Tcg)]
    pub accel: Accel,
    /// The machine
    #[arg(long, value_enum, default_value_t = MachineKind::Q35)]
    pub machine: MachineKind,
    /// What interrupts the driver is told to use
    #[arg(long, value_enum, default_value_t = Interrupts::Msix)]
    pub interrupts: Interrupts,
    /// The card's chip
    #[arg(long, value_enum, default_value_t = Chip::Herc)]
    pub asic: Chip,
    /// The kernel's version
    #[arg(long, value_enum, default_value_t = KernelVersion::V6_1)]
    pub kernel: KernelVersion,
    /// Keep the logs of guest, QEMU and card
    #[arg(long)]
    pub keep: bool,
    /// Write every access to the card to trace.txt among the logs
    #[arg(long, requires = "keep")]
    pub trace: bool,
    /// List the tests and do nothing else
    #[arg(long)]
    pub list: bool,
    /// Fetch what it takes into the cache and do nothing else
    #[arg(long)]
    pub fetch: bool,
    /// Run all tests, the long ones too
    #[arg(long, conflicts_with = "tests")]
    pub all: bool,
    /// How bad the cable is, as for `lab serve`
    #[arg(long, value_name = "SHARES")]
    pub impair: Option<String>,
    /// What goes wrong with the card, as for `lab serve`
    #[arg(long, value_name = "PLAN")]
    pub fault: Option<String>,
    /// A shell script to run in the guest, with the tests' own functions at hand, after the tests if any are named
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The tests to run [default: the short list]
    #[arg(value_name = "TEST")]
    pub tests: Vec<String>,
}

/// A Redox machine and what is tested in it.
#[derive(Args)]
pub struct RedoxArgs {
    /// The image: a hard disk that boots by itself; it is not written to [without it: says how to get one]
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// How QEMU runs the guest's processor
    #[arg(long, value_enum, default_value_t = Accel::Tcg)]
    pub accel: Accel,
    /// The machine
    #[arg(long, value_enum, default_value_t = MachineKind::Q35)]
    pub machine: MachineKind,
    /// The network card; of e1000 there are only the tests that need none of this driver
    #[arg(long, value_enum, default_value_t = Nic::Xframe)]
    pub card: Nic,
    /// The Xframe's chip
    #[arg(long, value_enum, default_value_t = Chip::Herc)]
    pub asic: Chip,
    /// Whose time it is in the guest
    #[arg(long, value_enum, default_value_t = Clock::Host)]
    pub clock: Clock,
    /// Millions of bytes that each transfer moves
    #[arg(long, value_name = "MB", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub megabytes: u64,
    /// Keep the logs of guest, QEMU and card
    #[arg(long)]
    pub keep: bool,
    /// Write every access to the card to trace.txt among the logs
    #[arg(long, requires = "keep")]
    pub trace: bool,
    /// List the tests and do nothing else
    #[arg(long)]
    pub list: bool,
    /// Run all tests
    #[arg(long, conflicts_with = "tests")]
    pub all: bool,
    /// The tests to run [default: the short list]
    #[arg(value_name = "TEST")]
    pub tests: Vec<String>,
}

/// A network card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Nic {
    /// The software card
    Xframe,
    /// QEMU's, with Redox's driver for it, to compare
    E1000,
}

/// What a guest's clock follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// The host's
    Host,
    /// The guest's own instructions, 500 million in a second: rates are the same on every host
    Instructions,
}

/// How QEMU runs the guest's processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Accel {
    /// By translation: works everywhere
    Tcg,
    /// By the host's processor: takes a /dev/kvm that is not itself emulated
    Kvm,
}

/// A machine by QEMU's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MachineKind {
    /// PCI Express of 2009
    Q35,
    /// PCI of 1996
    Pc,
}

/// Interrupts by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Interrupts {
    /// A message for each ring
    Msix,
    /// One line
    Intx,
}

/// A kernel of Debian's that has the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelVersion {
    /// Debian 11's, the last whose driver receives into three buffers
    #[value(name = "5.10")]
    V5_10,
    /// Debian 12's
    #[value(name = "6.1")]
    V6_1,
    /// Debian 13's
    #[value(name = "6.12")]
    V6_12,
}

impl Accel {
    /// QEMU's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcg => "tcg",
            Self::Kvm => "kvm",
        }
    }
}

impl Nic {
    /// Bytes that may be under way to the card without being lost. Redox's driver gives an e1000 a ring of 16, and frames
    /// beyond would measure how fast TCP repairs.
    pub const fn ahead(self) -> usize {
        match self {
            Self::Xframe => 256 << 10,
            Self::E1000 => 14 * 1446,
        }
    }
}

impl MachineKind {
    /// QEMU's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Q35 => "q35",
            Self::Pc => "pc",
        }
    }
}

impl KernelVersion {
    /// The Debian release that has it.
    pub const fn suite(self) -> &'static str {
        match self {
            Self::V5_10 => "bullseye",
            Self::V6_1 => "bookworm",
            Self::V6_12 => "trixie",
        }
    }
}

/// What the demo shows.
#[derive(Args)]
pub struct DemoArgs {
    /// Frames of the generated transfer
    #[arg(long, value_name = "N", default_value_t = DEMO_FRAMES, value_parser = clap::value_parser!(u64).range(1..))]
    pub frames: u64,
    /// Captures to play first, pcap or pcapng, Ethernet [default: a capture of kernel TCP that is built in]
    #[arg(value_name = "CAPTURE")]
    pub captures: Vec<PathBuf>,
}

/// Frames of the demo's generated transfer: long enough that start and end do not count.
const DEMO_FRAMES: u64 = 100_000;

impl Default for DemoArgs {
    fn default() -> Self {
        Self { frames: DEMO_FRAMES, captures: Vec::new() }
    }
}

/// A capture in, a capture of the units out.
#[derive(Args)]
pub struct CaptureArgs {
    /// Which segments may share a unit
    #[arg(long, value_enum, default_value_t = RuleSet::Endpoint)]
    pub rules: RuleSet,
    /// Length of the reader's buffer
    #[arg(long, value_name = "BYTES", default_value_t = lro::MAX_UNIT, value_parser = buffer_length)]
    pub buffer: usize,
    /// Frames that arrive before the reader takes everything
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: u32,
    /// Flows that can have a growing unit at once [default: 32 for seed, as many as frames for endpoint]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub sessions: Option<u32>,
    /// Segments in the longest unit [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_segments: Option<u32>,
    /// Take every checksum for good: for a capture made before checksum offload filled them in
    #[arg(long)]
    pub trust_checksums: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// The capture to read, pcap or pcapng, Ethernet
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The capture to write, pcap
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

/// A rule set by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleSet {
    /// Neterion's Linux patch of 2005
    Seed,
    /// A host that ends the connection
    Endpoint,
    /// A forwarder: units can be cut into the frames that came
    Forward,
    /// Nothing merges
    Off,
}

impl From<RuleSet> for Rules {
    fn from(rules: RuleSet) -> Self {
        match rules {
            RuleSet::Seed => Self::Seed,
            RuleSet::Endpoint => Self::Endpoint,
            RuleSet::Forward => Self::Forward,
            RuleSet::Off => Self::Off,
        }
    }
}

/// A read buffer's length: one byte to 16 MiB, far beyond the longest frame.
fn buffer_length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(length @ 1..=0x100_0000) => Ok(length),
        _ => Err("a buffer has 1 to 16777216 bytes".to_owned()),
    }
}
