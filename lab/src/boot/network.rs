//! Owns the guest's network: a namespace with the host's end of the cable, made for one run and removed after it.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::packages::run;
use super::programs::Prefix;

/// The host's address and the guest's, in a namespace of their own.
pub const HOST: &str = "10.9.0.1";
pub const TAP: &str = "tap0";
/// As long as frames can be.
const MTU: &str = "9600";

/// A network namespace with a TAP interface.
pub struct Network {
    name: String,
    servers: Vec<Child>,
}

impl Network {
    /// A namespace of this process.
    pub fn new() -> Result<Self> {
        let network = Self { name: format!("s2iod-{}", std::process::id()), servers: Vec::new() };
        run(Command::new("ip").args(["netns", "add", &network.name]))
            .context("no network namespace (that takes root, and `ip` of iproute2)")?;
        let address = format!("{HOST}/24");
        run(network.command("ip").args(["tuntap", "add", "dev", TAP, "mode", "tap", "vnet_hdr"]))
            .context("no TAP interface (that takes /dev/net/tun)")?;
        // Nothing but what the tests send may be on the wire: counters are compared.
        run(network.command("sysctl").args(["-qw", "net.ipv6.conf.all.disable_ipv6=1"]))?;
        run(network.command("ip").args(["address", "add", &address, "dev", TAP]))?;
        run(network.command("ip").args(["link", "set", TAP, "mtu", MTU, "up"]))?;
        run(network.command("ip").args(["link", "set", "lo", "up"]))?;
        Ok(network)
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

    /// Starts the servers that the guest's tests talk to.
    pub fn serve(&mut self, tools: &Prefix) -> Result<()> {
        let mut iperf = tools.command("usr/bin/iperf3");
        iperf.args(["--server", "--bind", HOST]);
        let server = self.within(&iperf).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.servers.push(server);
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
