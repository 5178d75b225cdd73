//! Owns the backing store of the registers: one 64-bit word each, and what a core reset puts there.

use xframe::bits::{OfRegister, PciMode};
use xframe::constants::{Asic, CSR_SIZE, reset};
use xframe::registers::{self, Register};

use crate::config::Config;
use crate::interrupts;

pub(crate) struct Store {
    words: Box<[u64]>,
}

impl Store {
    pub fn new(config: &Config) -> Self {
        let mut store = Self { words: vec![0; CSR_SIZE / 8].into_boxed_slice() };
        store.reset(config);
        store
    }

    pub fn get(&self, at: Register) -> u64 {
        self.words.get(usize::from(at.offset() / 8)).copied().unwrap_or(0)
    }

    pub fn set(&mut self, at: Register, value: u64) {
        if let Some(word) = self.words.get_mut(usize::from(at.offset() / 8)) {
            *word = value;
        }
    }

    pub fn latch(&mut self, at: Register, causes: u64) {
        self.set(at, self.get(at) | causes);
    }

    pub fn word<T: OfRegister>(&self) -> T {
        T::from(self.get(T::REGISTER))
    }

    pub fn put<T: OfRegister>(&mut self, word: T) {
        self.set(T::REGISTER, word.into());
    }

    pub fn reset(&mut self, config: &Config) {
        self.words.fill(0);
        for mask in interrupts::masks() {
            self.set(mask, reset::MASK);
        }
        for ring in registers::RTS_FRM_LEN.iter() {
            self.set(ring, reset::RTS_FRM_LEN);
        }
        let constants = [
            (registers::MAC_CFG, reset::MAC_CFG),
            (registers::RMAC_PAUSE_CFG, reset::RMAC_PAUSE_CFG),
            (registers::RMAC_MAX_PYLD_LEN, reset::RMAC_MAX_PYLD_LEN),
            (registers::XGXS_EFIFO_CFG, reset::XGXS_EFIFO_CFG),
            (registers::RX_PA_CFG, reset::RX_PA_CFG),
            (registers::PCC_ENABLE, reset::PCC_ENABLE),
            (registers::RTS_QOS_STEERING, reset::RTS_QOS_STEERING),
            (registers::PIC_CONTROL2, reset::PIC_CONTROL2),
            (registers::RX_QUEUE_CFG, reset::rx_queue_cfg(config.asic)),
            (registers::STAT_BYTE_CNT, reset::STAT_BYTE_CNT),
        ];
        for (register, value) in constants {
            self.set(register, value);
        }
        if config.asic == Asic::Herc {
            self.put(PciMode::new().with_info(config.bus));
        }
    }
}
