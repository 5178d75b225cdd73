//! What can be changed while the card runs: the MTU and the address filter. All of it outlives a reset.

use std::fmt;

use lro::Rules;

use crate::adapter::Adapter;
use crate::error::Error;
use crate::filter::ListFull;
use crate::front::{Change, DeviceError, Path};
use crate::health::{Fault, State};
use crate::options::Options;
use crate::platform::Platform;

impl<P: Platform> Adapter<P> {
    /// Takes every frame whatever its address, or no longer.
    pub fn set_promiscuous(&mut self, on: bool) {
        self.options.promiscuous = on;
        if self.state() == State::Running {
            self.csr.update_mac_cfg(|mac| mac.with_rmac_prom_enable(on));
        }
    }

    /// Takes frames to a group. More groups than the card can tell apart make it take those of all.
    ///
    /// # Errors
    ///
    /// The list is full.
    pub fn add_multicast(&mut self, group: [u8; 6]) -> Result<(), ListFull> {
        self.multicast.add(group)?;
        self.apply_multicast();
        Ok(())
    }

    /// Takes no more frames to a group; `false` if it is not in the list.
    pub fn remove_multicast(&mut self, group: [u8; 6]) -> bool {
        let removed = self.multicast.remove(group);
        self.apply_multicast();
        removed
    }

    /// The groups whose frames are taken.
    pub fn multicast(&self) -> &[[u8; 6]] {
        self.multicast.groups()
    }

    fn apply_multicast(&mut self) {
        if self.state() == State::Running && self.multicast.apply(&mut self.platform, &self.csr).is_err() {
            // A reset will do it.
            self.health.note(Fault::Address);
        }
    }

    /// Changes the MTU. The card is brought up again for it, which takes one to two seconds; frames that have come stay
    /// readable, frames that the card has not sent are lost.
    ///
    /// # Errors
    ///
    /// The hardware has no such MTU, or the system no memory for it; everything is as before then.
    pub fn set_mtu(&mut self, mtu: u16) -> Result<(), Error> {
        let options = Options { mtu, ..self.options };
        options.check()?;
        if options == self.options {
            return Ok(());
        }
        let longest = options.longest_frame().into();
        self.tx.lengthen(&mut self.platform, longest)?;
        self.rings.lengthen(&mut self.platform, longest)?;
        self.options = options;
        if self.state() == State::Running {
            log::info!("MTU {mtu}: the card is brought up again");
            self.halt();
            self.restart();
        }
        Ok(())
    }

    pub(crate) fn write_setting(&self, path: Path, out: &mut dyn fmt::Write) -> fmt::Result {
        match path {
            Path::Link => writeln!(out, "{}", if self.link_up { "up" } else { "down" }),
            Path::Lro => writeln!(out, "{}", name(self.options.rules)),
            Path::Mtu => writeln!(out, "{}", self.options.mtu),
            Path::Promiscuous => writeln!(out, "{}", if self.options.promiscuous { "on" } else { "off" }),
            Path::Multicast => self
                .multicast()
                .iter()
                .try_for_each(|[a, b, c, d, e, f]| writeln!(out, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}")),
            Path::Frames | Path::Mac | Path::Stats => Ok(()),
        }
    }

    pub(crate) fn change(&mut self, change: Change) -> Result<(), DeviceError> {
        if self.is_gone() {
            return Err(DeviceError::Gone);
        }
        match change {
            Change::Promiscuous(on) => self.set_promiscuous(on),
            Change::AddMulticast(group) => self.add_multicast(group).map_err(|ListFull| DeviceError::ListFull)?,
            Change::RemoveMulticast(group) if self.remove_multicast(group) => {}
            Change::RemoveMulticast(_) => return Err(DeviceError::Absent),
            Change::Mtu(mtu) => self.set_mtu(mtu).map_err(|error| match error {
                Error::Platform { .. } => DeviceError::NoMemory,
                _ => DeviceError::OutOfRange,
            })?,
        }
        Ok(())
    }
}

fn name(rules: Rules) -> &'static str {
    match rules {
        Rules::Off => "off",
        Rules::Seed => "seed",
        Rules::Endpoint => "endpoint",
        Rules::Forward => "forward",
    }
}
