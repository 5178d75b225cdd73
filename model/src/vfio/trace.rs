//! Owns the trace: one line of text per access, with the register's name.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use xframe::registers::lookup;

use super::access::Region;
use super::error::Error;
use crate::card::{Bar, Width};

/// A file that every access of the host is written to, as `read 8 0x0108 ADAPTER_STATUS 0x40ffffc300000000`: the access,
/// its bytes, the offset, the name and the value, little-endian as the host sees it. An access to a part of a register
/// names it with the byte the access begins at: `XMSI_MASK_REG+7`.
pub struct Trace {
    path: PathBuf,
    file: BufWriter<File>,
    failed: Option<std::io::Error>,
}

impl Trace {
    /// A trace in a new file at `path`.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|source| Error::Trace { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), failed: None })
    }

    pub(super) fn access(&mut self, verb: &str, region: Region, offset: u64, width: Width, value: u64) {
        let (bytes, name) = (width.bytes(), name(region, offset));
        let digits = 2 * bytes + 2;
        self.write(format_args!("{verb} {bytes} {offset:#06x} {name} {value:#0digits$x}\n"));
    }

    pub(super) fn event(&mut self, event: &str) {
        self.write(format_args!("{event}\n"));
    }

    fn write(&mut self, line: std::fmt::Arguments<'_>) {
        if self.failed.is_none() {
            self.failed = self.file.write_fmt(line).err();
        }
    }

    /// Brings everything so far into the file, and tells of the first line that did not get there.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        match self.failed.take().or_else(|| self.file.flush().err()) {
            Some(source) => Err(Error::Trace { path: self.path.clone(), source }),
            None => Ok(()),
        }
    }
}

fn name(region: Region, offset: u64) -> String {
    match region {
        Region::Configuration => "configuration".into(),
        Region::Window(Bar::Doorbells) => {
            let word = if offset & 8 == 0 { "pointer" } else { "control" };
            format!("FIFO[{}].{word}", offset >> 17)
        }
        Region::Window(Bar::Vectors) => "vectors".into(),
        Region::Window(Bar::Registers) => register(offset),
    }
}

fn register(offset: u64) -> String {
    let Some((entry, index)) = u16::try_from(offset).ok().and_then(lookup) else { return "-".into() };
    let element = if entry.count > 1 { format!("[{index}]") } else { String::new() };
    let byte = if offset & 7 == 0 { String::new() } else { format!("+{}", offset & 7) };
    format!("{}{element}{byte}", entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_hardware_names() {
        let registers = Region::Window(Bar::Registers);
        assert_eq!(name(registers, 0x108), "ADAPTER_STATUS");
        assert_eq!(name(registers, 0x9C7), "XMSI_MASK_REG+7");
        assert_eq!(name(registers, 0x19A8), "PRC_CTRL[7]");
        assert_eq!(name(registers, 0x10), "-");
        assert_eq!(name(Region::Window(Bar::Doorbells), 0x2_0008), "FIFO[1].control");
    }
}
