//! Two network namespaces and the pair of virtual interfaces between them, made for a test and removed behind it.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::common::other::other;
use super::packet::{Delivered, Packets};

/// How long the receiver's interface sleeps between two looks at what came, after it has had work. Within this time a whole
/// burst must be sent.
const SLEEP: Duration = Duration::from_millis(20);
/// How long nothing may come.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bursts that may be late because the machine has other things to do.
const ATTEMPTS: usize = 20;
/// An EtherType for experiments: nobody else's, and no frame of it is ever held back.
const MARKER: u16 = 0x88B5;

/// A running number for names.
static LINKS: AtomicU32 = AtomicU32::new(0);

/// A link on which one end sends, and the other's interface coalesces.
pub struct Link {
    sender: Packets,
    receiver: Packets,
    _namespaces: [Namespace; 2],
}

/// Named by its test; removed when dropped.
struct Namespace(String);

impl Link {
    pub fn new() -> Result<Self, String> {
        let number = LINKS.fetch_add(1, Ordering::Relaxed);
        let name = |end: &str| format!("lro-{}-{number}-{end}", std::process::id());
        let namespaces = [Namespace::new(name("out"))?, Namespace::new(name("in"))?];
        let [out, into] = [&namespaces[0].0, &namespaces[1].0];
        let queues = ["numtxqueues", "1", "numrxqueues", "1"];
        let pair = [&["link", "add", "out", "mtu", "65535", "netns", out], &queues[..], &["type", "veth", "peer"]];
        let peer = [&["name", "in", "mtu", "65535", "netns", into][..], &queues];
        run("ip", &[pair.concat(), peer.concat()].concat())?;
        let settings = [("gro_flush_timeout", SLEEP.as_nanos()), ("napi_defer_hard_irqs", 1)];
        for (name, value) in settings {
            namespaces[1].run(&["sh", "-c", &format!("echo {value} > /sys/class/net/in/{name}")])?;
        }
        // A sender that could send long segments would have its frames pass the receiver's coalescing by.
        namespaces[0].run(&["ethtool", "-K", "out", "tso", "off", "gso", "off"])?;
        namespaces[1].run(&["ethtool", "-K", "in", "gro", "on"])?;
        for (namespace, interface) in namespaces.iter().zip(["out", "in"]) {
            namespace.run(&["ip", "link", "set", interface, "addrgenmode", "none", "up"])?;
        }
        let sender = namespaces[0].packets("out")?;
        let receiver = namespaces[1].packets("in")?;
        Ok(Self { sender, receiver, _namespaces: namespaces })
    }

    /// What the kernel delivers when these frames come all at once.
    pub fn coalesce(&self, frames: &[Vec<u8>]) -> Result<Vec<Delivered>, String> {
        for _ in 0..ATTEMPTS {
            let is_late = self.send(frames)?;
            let delivered = self.collect(frames)?;
            if !is_late {
                return Ok(delivered);
            }
        }
        Err(format!("a burst could not be sent within {SLEEP:?}, {ATTEMPTS} times"))
    }

    /// Sends a burst right after the receiver's interface has gone to sleep; tells whether that took too long.
    fn send(&self, frames: &[Vec<u8>]) -> Result<bool, String> {
        let marker = other(MARKER, &[0; 46]);
        self.sender.send(&marker).map_err(failed("send"))?;
        while self.next()?.frame != marker {}
        let asleep = Instant::now();
        for frame in frames {
            self.sender.send(frame).map_err(failed("send"))?;
        }
        Ok(asleep.elapsed() > SLEEP / 2)
    }

    /// Takes in all that these frames have become.
    fn collect(&self, frames: &[Vec<u8>]) -> Result<Vec<Delivered>, String> {
        let (mut units, mut segments) = (Vec::new(), 0);
        while segments < frames.len() {
            let unit = self.next().map_err(|fault| format!("{segments} of {} frames, then {fault}", frames.len()))?;
            segments += unit.segments();
            units.push(unit);
        }
        Ok(units)
    }

    fn next(&self) -> Result<Delivered, String> {
        let delivered = self.receiver.receive(Instant::now() + PATIENCE).map_err(failed("receive"))?;
        delivered.ok_or_else(|| format!("nothing came for {PATIENCE:?}"))
    }
}

impl Namespace {
    fn new(name: String) -> Result<Self, String> {
        run("ip", &["netns", "add", &name])?;
        Ok(Self(name))
    }

    /// Runs a command inside.
    fn run(&self, command: &[&str]) -> Result<(), String> {
        run("ip", &[&["netns", "exec", &self.0], command].concat())
    }

    /// A socket inside. A thread of its own goes there, because none can come back without rights.
    fn packets(&self, interface: &'static str) -> Result<Packets, String> {
        let namespace = File::open(format!("/run/netns/{}", self.0)).map_err(failed("open the namespace"))?;
        let open = move || {
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
            Packets::open(interface)
        };
        std::thread::spawn(open).join().unwrap().map_err(failed("open a packet socket"))
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = run("ip", &["netns", "delete", &self.0]);
    }
}

/// Runs a command; what it complains of is the error.
fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).output().map_err(failed(program))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}

fn failed(what: &str) -> impl Fn(std::io::Error) -> String {
    move |fault| format!("{what}: {fault}")
}
