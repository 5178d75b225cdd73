//! Owns the guest's network: a namespace with the host's end of the cable, made for one run and removed after it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::linux::TAGGED;
use super::packages::run;
use super::programs::Prefix;

/// The host's address and the guest's, in a namespace of their own.
pub const HOST: &str = "10.9.0.1";
const GUEST: &str = "10.9.0.2";
pub const TAP: &str = "tap0";
/// The TAP interface's own address, which the guest knows.
const MAC: &str = "02:09:00:00:00:01";
/// The host's address in the network of tagged frames.
const TAGGED_HOST: &str = "10.9.5.1";
/// Where the guest asks for traffic.
const ORDERS: &str = include_str!("guest/orders.sh");
/// As long as frames can be.
const MTU: &str = "9600";

/// A network namespace with a TAP interface.
pub struct Network {
    name: String,
    servers: Vec<Child>,
}

impl Network {
    /// A namespace of this process, for a guest whose card has the address `mac`.
    pub fn new(mac: &str) -> Result<Self> {
        let network = Self { name: format!("s2iod-{}", std::process::id()), servers: Vec::new() };
        run(Command::new("ip").args(["netns", "add", &network.name]))
            .context("no network namespace (that takes root, and `ip` of iproute2)")?;
        run(network.command("ip").args(["tuntap", "add", "dev", TAP, "mode", "tap", "vnet_hdr"]))
            .context("no TAP interface (that takes /dev/net/tun)")?;
        run(network.command("ip").args(["link", "set", TAP, "address", MAC]))?;
        // Nothing but what the tests send may be on the wire: counters are compared.
        run(network.command("sysctl").args(["-qw", "net.ipv6.conf.all.disable_ipv6=1"]))?;
        network.set_up(TAP, HOST)?;
        run(network.command("ip").args(["link", "set", "lo", "up"]))?;
        run(network.command("ip").args(["route", "add", "239.0.0.0/8", "dev", TAP]))?;
        run(network.command("ip").args([
            "neighbour",
            "replace",
            GUEST,
            "lladdr",
            mac,
            "nud",
            "permanent",
            "dev",
            TAP,
        ]))?;
        Ok(network)
    }

    fn set_up(&self, interface: &str, address: &str) -> Result<()> {
        run(self.command("ip").args(["address", "add", &format!("{address}/24"), "dev", interface]))?;
        run(self.command("ip").args(["link", "set", interface, "mtu", MTU, "up"]))
    }

    /// The namespace's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the network of tagged frames.
    pub fn add_tagged(&mut self, tools: &Prefix) -> Result<()> {
        run(self.command("ip").args(["tuntap", "add", "dev", TAGGED, "mode", "tap", "vnet_hdr"]))?;
        self.set_up(TAGGED, TAGGED_HOST)?;
        self.iperf(tools, TAGGED_HOST)
    }

    /// A command that runs a program in the namespace.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, program]);
        command
    }

    /// The same for any command.
    pub fn within(&self, inner: &Command) -> Command {
        let mut command = self.command(&inner.get_program().to_string_lossy());
        command.args(inner.get_args());
        command
    }

    /// Starts the servers that the guest's tests talk to, with what they take in `folder`.
    pub fn serve(&mut self, tools: &Prefix, folder: &Path) -> Result<()> {
        self.iperf(tools, HOST)?;
        let busybox = tools.0.join("usr/bin/busybox");
        let orders = folder.join("orders");
        let shell = busybox.display();
        fs::write(&orders, format!("#!{shell} sh\nping() {{ {shell} ping \"$@\"; }}\n{ORDERS}"))?;
        fs::set_permissions(&orders, fs::Permissions::from_mode(0o755))?;
        let mut clerk = Command::new(busybox);
        clerk.args(["nc", "-ll", "-p", "7000", "-e"]).arg(orders);
        self.start(&clerk)
    }

    fn iperf(&mut self, tools: &Prefix, address: &str) -> Result<()> {
        let mut iperf = tools.command("usr/bin/iperf3");
        iperf.args(["--server", "--bind", address]);
        self.start(&iperf)
    }

    fn start(&mut self, server: &Command) -> Result<()> {
        let mut server = self.within(server);
        self.servers.push(server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
        Ok(())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for server in &mut self.servers {
            // One that is gone already needs no end.
            let _ended = server.kill().and_then(|()| server.wait());
        }
        let _removed = run(Command::new("ip").args(["netns", "delete", &self.name]));
    }
}
