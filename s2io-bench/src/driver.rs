//! The driver's scheme, as a folder of files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Where Redox lists its schemes.
const SCHEMES: &str = "/scheme";
/// Files of the scheme that can be asked for, beside frames.
pub const FILES: [&str; 5] = ["link", "lro", "mac", "mtu", "stats"];

/// The scheme of one card.
#[derive(Clone, Debug)]
pub struct Driver(PathBuf);

impl Driver {
    /// The first card's scheme.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find() -> Result<Self, Error> {
        Self::find_in(Path::new(SCHEMES))
    }

    /// The first card's scheme below `folder`, by name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find_in(folder: &Path) -> Result<Self, Error> {
        let file = |source| Error::File { path: folder.to_owned(), source };
        let entries = fs::read_dir(folder).map_err(file)?.flatten();
        let ours = |name: &str| name.starts_with("network.") && name.ends_with("_s2io");
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| ours(name));
        names.min().map(|name| Self(folder.join(name))).ok_or_else(|| Error::NoDriver(folder.to_owned()))
    }

    /// The scheme's name.
    pub fn name(&self) -> String {
        self.0.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What a file of the scheme says: text, with an end of line; the address, which is six bytes, in the usual form.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn read(&self, file: &str) -> Result<String, Error> {
        let path = self.0.join(file);
        let bytes = fs::read(&path).map_err(|source| Error::File { path, source })?;
        if file == "mac" {
            let octets: Vec<String> = bytes.iter().map(|octet| format!("{octet:02x}")).collect();
            return Ok(octets.join(":") + "\n");
        }
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned() + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemes(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        folder
    }

    #[test]
    fn the_first_card_is_found_among_other_schemes() {
        let folder = schemes(&[
            "tcp",
            "network.pci-0000-00-05.0_s2io",
            "network.pci-0000-00-03.0_s2io",
            "network.pci-0000-00-02.0_e1000",
        ]);
        assert_eq!(Driver::find_in(folder.path()).unwrap().name(), "network.pci-0000-00-03.0_s2io");
    }

    #[test]
    fn without_a_card_the_folder_is_named() {
        let folder = schemes(&["tcp", "network.pci-0000-00-02.0_e1000"]);
        let error = Driver::find_in(folder.path()).unwrap_err();
        assert!(error.to_string().contains(&*folder.path().to_string_lossy()), "{error}");
    }

    #[test]
    fn the_address_is_shown_in_the_usual_form_and_text_ends_in_one_line_end() {
        let folder = schemes(&["network.a_s2io"]);
        let scheme = folder.path().join("network.a_s2io");
        fs::write(scheme.join("mac"), [0, 0x0c, 0xfc, 1, 2, 0xff]).unwrap();
        fs::write(scheme.join("link"), "up\n\n").unwrap();
        let driver = Driver::find_in(folder.path()).unwrap();
        assert_eq!(driver.read("mac").unwrap(), "00:0c:fc:01:02:ff\n");
        assert_eq!(driver.read("link").unwrap(), "up\n");
        assert!(matches!(driver.read("stats"), Err(Error::File { .. })));
    }
}
