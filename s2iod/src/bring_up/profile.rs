//! What a card is: chip, board, and the configuration space that a reset takes from it.

use std::time::Duration;

use xframe::constants::{Asic, VENDOR, config};

use crate::error::Error;
use crate::platform::Platform;

/// Offset of the status and command words.
pub(super) const COMMAND: u8 = 0x04;
const REVISION: u8 = 0x08;
const SUBSYSTEM: u8 = 0x2C;
/// Bytes of vital product data.
const VPD_SIZE: usize = 256;
/// A tag of vital product data: the product's name follows.
const IDENTIFIER_STRING: u8 = 0x82;
/// How often and how long four bytes of vital product data are waited for.
const VPD_BUDGET: (u32, Duration) = (5, Duration::from_millis(2));

/// What bring-up finds out before it resets a card for the first time.
pub(crate) struct Profile {
    pub asic: Asic,
    pub revision: u8,
    /// Subsystem device.
    pub subsystem: u16,
    /// Product name, as far as the card tells it.
    pub product: String,
    /// Serial number, as far as the card tells it.
    pub serial: String,
    /// Vendor and device.
    pub id: u32,
    /// Offsets and words.
    saved: Vec<(u8, u32)>,
}

impl Profile {
    /// Reads it from configuration space; the registers are left alone.
    ///
    /// # Errors
    ///
    /// Not an Xframe, or the system refuses.
    pub fn read(platform: &mut impl Platform) -> Result<Self, Error> {
        let id = read_id(platform)?;
        let (vendor, device) = (id as u16, (id >> 16) as u16);
        let asic = Asic::from_device_id(device).filter(|_| vendor == VENDOR);
        let asic = asic.ok_or(Error::UnknownDevice { vendor, device })?;
        let offsets = (0..asic.saved_config_words()).map(|word| (word * 4) as u8);
        let saved: Vec<(u8, u32)> = offsets
            .map(|offset| Ok((offset, platform.config_read(offset)?)))
            .collect::<Result<_, _>>()
            .map_err(Error::platform("save configuration space"))?;
        let word = |at| saved.iter().find(|(offset, _)| *offset == at).map_or(0, |(_, word)| *word);
        let (revision, subsystem) = (word(REVISION) as u8, (word(SUBSYSTEM) >> 16) as u16);
        let data = read_vpd(platform, asic).map_err(Error::platform("read vital product data"))?;
        let (product, serial) = (product(&data).unwrap_or_default(), serial(&data).unwrap_or_default());
        Ok(Self { asic, revision, subsystem, product, serial, id, saved })
    }

    /// Writes configuration space back, in ascending order.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn restore(&self, platform: &mut impl Platform) -> Result<(), Error> {
        let mut words = self.saved.iter();
        let written = words.try_for_each(|&(offset, word)| platform.config_write(offset, word));
        written.map_err(Error::platform("restore configuration space"))
    }

    /// Boards with copper transceivers take longer to reset, and want a longer gap between frames.
    pub fn is_cx4(&self) -> bool {
        self.product.contains("CX4")
    }
}

/// Vendor and device, the first word of configuration space. All ones: nobody answers.
pub(crate) fn read_id(platform: &mut impl Platform) -> Result<u32, Error> {
    platform.config_read(0).map_err(Error::platform("read the device ID"))
}

/// The vital product data, as far as they come.
fn read_vpd(platform: &mut impl Platform, asic: Asic) -> std::io::Result<Vec<u8>> {
    let capability = match asic {
        Asic::Xena => config::VPD_XENA,
        Asic::Herc => config::VPD_HERC,
    };
    let mut data = Vec::with_capacity(VPD_SIZE);
    for address in (0..VPD_SIZE as u32).step_by(4) {
        // The address is the upper half; its top bit, clear, asks, and set, tells that the data have come.
        platform.config_write(capability, address << 16)?;
        let (attempts, pause) = VPD_BUDGET;
        let mut left = attempts;
        while platform.config_read(capability)? >> 31 == 0 {
            if left == 0 {
                return Ok(data);
            }
            left -= 1;
            platform.sleep(pause);
        }
        data.extend(platform.config_read(capability + 4)?.to_le_bytes());
    }
    Ok(data)
}

fn product(data: &[u8]) -> Option<String> {
    let (&[tag, low, high], rest) = data.split_first_chunk()?;
    let length = usize::from(u16::from_le_bytes([low, high]));
    (tag == IDENTIFIER_STRING).then(|| text(rest.get(..length)?)).flatten()
}

fn serial(data: &[u8]) -> Option<String> {
    let at = data.windows(2).position(|letters| letters == b"SN")?;
    let (&length, rest) = data.get(at + 2..)?.split_first()?;
    text(rest.get(..usize::from(length))?)
}

/// Printable text, for logs.
fn text(bytes: &[u8]) -> Option<String> {
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let text = text.trim().to_owned();
    (!text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{product, serial};

    #[test]
    fn product_and_serial_number_are_found() {
        let data = b"\x82\x05\x00Xtest\x90\x0B\x00SN\x04A123\x00";
        assert_eq!(product(data).as_deref(), Some("Xtest"));
        assert_eq!(serial(data).as_deref(), Some("A123"));
    }

    #[test]
    fn lengths_beyond_the_end_and_odd_bytes_give_nothing() {
        for data in [b"\x82\xFF\xFFab".as_slice(), b"\x82", b"", b"\x82\x02\x00a\x1B", b"SN", b"SN\x05abc"] {
            assert_eq!((product(data), serial(data)), (None, None));
        }
    }
}
