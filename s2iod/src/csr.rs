//! The card's registers by name: 64-bit accesses, halves in a given order, bounded waits.

use std::time::Duration;

use xframe::bits::{Command, MacCfg, RmacCfgKey};
use xframe::registers::{MAC_CFG, RMAC_CFG_KEY, Register, lookup};

use crate::error::Error;
use crate::platform::{Bar, Platform};

/// What every read gives when the card is gone.
pub const GONE: u64 = u64::MAX;

/// The register window, BAR 0.
pub struct Csr<B> {
    bar: B,
}

impl<B: Bar> Csr<B> {
    pub fn new(bar: B) -> Self {
        Self { bar }
    }

    pub fn read(&self, register: Register) -> u64 {
        self.bar.read(register.offset().into())
    }

    pub fn write(&self, register: Register, value: impl Into<u64>) {
        self.bar.write(register.offset().into(), value.into());
    }

    /// Reads a register as its bit type, lets `change` alter it, and writes it back.
    pub fn update<T: From<u64> + Into<u64>>(&self, register: Register, change: impl FnOnce(T) -> T) {
        self.write(register, change(T::from(self.read(register))));
    }

    /// Changes `MAC_CFG`, of which Xena takes a write only behind its key. Herc does not mind the key.
    pub fn update_mac_cfg(&self, change: impl FnOnce(MacCfg) -> MacCfg) {
        let value = u64::from(change(self.read(MAC_CFG).into()));
        for (half, bits) in [(0, value), (4, value >> 32)] {
            self.write(RMAC_CFG_KEY, RmacCfgKey::UNLOCK);
            self.bar.write32(u64::from(MAC_CFG.offset()) + half, bits as u32);
        }
        self.read(MAC_CFG);
    }

    /// Writes the upper half first: what starts the command is in the lower one. Each half is flushed by a read.
    pub fn write_upper_first(&self, register: Register, value: impl Into<u64>) {
        let value = value.into();
        for (half, bits) in [(4, value >> 32), (0, value)] {
            self.bar.write32(u64::from(register.offset()) + half, bits as u32);
            self.read(register);
        }
    }

    /// Waits until a register satisfies `done`, at most `attempts` pauses of `pause`.
    ///
    /// # Errors
    ///
    /// [`Error::Wait`], with the register's name.
    pub fn wait<P: Platform>(
        &self,
        platform: &mut P,
        register: Register,
        what: &'static str,
        (attempts, pause): (u32, Duration),
        done: impl Fn(u64) -> bool,
    ) -> Result<u64, Error> {
        for _ in 0..attempts {
            let value = self.read(register);
            if done(value) {
                return Ok(value);
            }
            platform.sleep(pause);
        }
        let found = self.read(register);
        if done(found) {
            return Ok(found);
        }
        Err(Error::Wait { register: name(register), what, waited: pause * attempts, found })
    }

    /// Gives an indirect memory a command and waits until it is done.
    ///
    /// # Errors
    ///
    /// [`Error::Wait`] when the strobe stays set.
    pub fn command<P: Platform>(&self, platform: &mut P, register: Register, command: Command) -> Result<(), Error> {
        self.write(register, command);
        let budget = (20, Duration::from_millis(1));
        self.wait(platform, register, "its strobe cleared", budget, |value| !Command::from(value).strobe())?;
        Ok(())
    }
}

/// A register's name, for messages.
pub fn name(register: Register) -> &'static str {
    lookup(register.offset()).map_or("a register", |(entry, _)| entry.name)
}
