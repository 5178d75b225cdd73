//! The channel on Redox: a descriptor that pcid-spawner leaves to the driver, or a path of pcid's scheme.

use std::io::{self, Read, Write};
use std::path::Path;

use libredox::Fd;
use libredox::flag::{O_CLOEXEC, O_RDWR};

use crate::{Error, PciFunctionHandle, Result};

/// Where pcid-spawner leaves the descriptor's number.
const VARIABLE: &str = "PCID_CLIENT_CHANNEL";

/// pcid's channel of one function.
pub struct Channel(pub(crate) Fd);

impl Read for Channel {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(self.0.read(buffer)?)
    }
}

impl Write for Channel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.0.write(bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl PciFunctionHandle<Channel> {
    /// Connects to the function that pcid-spawner has started this process for. To be called once: the descriptor is owned
    /// from then on.
    ///
    /// # Errors
    ///
    /// [`Error::NoChannel`], and those of the exchange.
    pub fn connect_default() -> Result<Self> {
        let value = std::env::var(VARIABLE);
        let number = value.as_ref().ok().and_then(|value| value.parse().ok());
        let number = number.ok_or_else(|| Error::NoChannel { found: format!("{value:?}") })?;
        Self::connect(Channel(Fd::new(number)))
    }

    /// Connects to the function of a folder in pcid's scheme, `/scheme/pci/0000--00--03.0` for instance. That turns
    /// interrupts by message off.
    ///
    /// # Errors
    ///
    /// [`Error::Open`], with `ENOLCK` when the function has a driver; and those of the exchange.
    pub fn connect_by_path(device_path: &Path) -> Result<Self> {
        let path = device_path.join("channel").to_string_lossy().into_owned();
        let opened = Fd::open(&path, O_RDWR | O_CLOEXEC, 0);
        let channel = opened.map_err(|error| Error::Open { path, error: error.into() })?;
        Self::connect(Channel(channel))
    }
}
