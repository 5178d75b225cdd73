//! Owns the optical module behind the management port: the few registers that hosts look at.

use xframe::bits::MdioControl;

use crate::chip::Chip;

/// The physical medium device, at port 0.
const PMA_PMD: u8 = 1;
const CONTROL: u16 = 0x0000;
const NVRAM_COMMAND: u16 = 0x8000;
const TEMPERATURE_HIGH: u16 = 0x8067;

/// Control of a 10-gigabit device.
const TEN_GIGABIT: u16 = 0x2040;
/// The command status bits, and their value when a command has succeeded.
const STATUS: u16 = 0x000C;
const SUCCEEDED: u16 = 0x0004;
/// 30 degrees Celsius.
const DEGREES: u16 = 30;

pub(crate) struct Optics {
    address: u16,
    control: u16,
    command: u16,
}

impl Optics {
    pub const fn new() -> Self {
        Self { address: 0, control: TEN_GIGABIT, command: 0 }
    }

    const fn read(&self) -> u16 {
        match self.address {
            CONTROL => self.control,
            NVRAM_COMMAND => self.command & !STATUS | SUCCEEDED,
            TEMPERATURE_HIGH => DEGREES,
            _ => 0,
        }
    }

    const fn write(&mut self, value: u16) {
        match self.address {
            CONTROL => self.control = value,
            NVRAM_COMMAND => self.command = value,
            _ => {}
        }
    }
}

impl Chip {
    /// Carries out a management cycle once its start code is written. Nobody answers at other ports and devices.
    pub fn mdio(&mut self, control: MdioControl) {
        if control.ctrl_start_trans() != MdioControl::START {
            return;
        }
        let here = control.mms_prt_addr() == 0 && control.mmd_dev_addr() == PMA_PMD;
        let mut data = control.mdio_data();
        match control.op() {
            0 if here => self.optics.address = control.mmd_indx_addr(),
            1 if here => self.optics.write(data),
            2 | 3 => data = if here { self.optics.read() } else { 0xFFFF },
            _ => {}
        }
        if here && control.op() == 2 {
            self.optics.address = self.optics.address.wrapping_add(1);
        }
        self.store.put(control.with_ctrl_start_trans(MdioControl::DONE).with_mdio_data(data));
    }
}
