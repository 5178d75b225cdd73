//! Owns the EEPROM and its two entrances: I2C on both chips, SPI on Herc. It outlives every reset.

use xframe::bits::{I2cControl, SpiControl};
use xframe::constants::Asic;
use xframe::registers::{I2C_CONTROL, SPI_CONTROL, SPI_DATA};

use crate::chip::Chip;

const SIZE: usize = 2048;
/// Below this address Xena's EEPROM is protected.
const FIRST_WRITABLE: usize = 0x4F0;

pub(crate) struct Eeprom {
    bytes: Vec<u8>,
    first_writable: usize,
}

impl Eeprom {
    pub fn new(asic: Asic) -> Self {
        let first_writable = if asic == Asic::Xena { FIRST_WRITABLE } else { 0 };
        Self { bytes: vec![0xFF; SIZE], first_writable }
    }

    /// `count` bytes from `at`, the first most significant and last in the word; `None` beyond the end.
    fn read(&self, at: usize, count: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at.checked_add(count)?)?;
        Some(bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
    }

    /// Writes the `count` most significant bytes of `word`; `None` if the EEPROM refuses.
    fn write(&mut self, at: usize, count: usize, word: u64) -> Option<()> {
        let bytes = self.bytes.get_mut(at..at.checked_add(count)?).filter(|_| at >= self.first_writable)?;
        for (to, from) in bytes.iter_mut().zip(word.to_be_bytes()) {
            *to = from;
        }
        Some(())
    }
}

impl Chip {
    /// Carries out an I2C access once its start code is written.
    pub fn i2c(&mut self, control: I2cControl) {
        if control.cntl_start() != I2cControl::START {
            return;
        }
        let (at, count) = (usize::from(control.addr()), usize::from(control.byte_cnt()) + 1);
        let here = control.dev_id() == I2cControl::EEPROM;
        let data = if control.read() {
            self.eeprom.read(at, count).map(|word| (word << (32 - 8 * count)) as u32)
        } else {
            let word = u64::from(control.set_data()) << 32;
            self.eeprom.write(at, count, word).map(|()| control.set_data())
        };
        let data = data.filter(|_| here);
        let done = control
            .with_cntl_start(I2cControl::DONE)
            .with_nack(data.is_none())
            .with_set_data(data.unwrap_or(control.set_data()));
        self.store.set(I2C_CONTROL, done.into());
    }

    /// Carries out an SPI access once its request bit is written; a write without it clears the last result.
    pub fn spi(&mut self, control: SpiControl) {
        let control = control.with_done(false).with_nack(false);
        self.store.set(SPI_CONTROL, control.into());
        if !control.req() || control.key() != SpiControl::KEY || !control.sel1() {
            return;
        }
        let count = if control.bytecnt() == 0 { 8 } else { usize::from(control.bytecnt()) };
        let at = control.addr() as usize;
        let done = match control.cmd() {
            SpiControl::READ => self.eeprom.read(at, count).map(|word| self.store.set(SPI_DATA, word)),
            SpiControl::WRITE => self.eeprom.write(at, count, self.store.get(SPI_DATA)),
            _ => None,
        };
        let control = control.with_req(false).with_done(done.is_some()).with_nack(done.is_none());
        self.store.set(SPI_CONTROL, control.into());
    }
}
