//! Owns the indirect tables' handshake: a command is done before the write that gave it ends.

use xframe::bits::{Command, RmacAddrData0, RmacAddrData1, RtsDsMemData};
use xframe::registers::{self as r, Register};

use crate::chip::Chip;
use crate::filter::Entry;

impl Chip {
    /// Carries out the command in register `at`, if its strobe is set, and clears the strobe.
    pub fn run_command(&mut self, at: Register) {
        let command = Command::from(self.store.get(at));
        if !command.strobe() {
            return;
        }
        let (write, offset) = (command.we(), command.offset());
        match at {
            r::TTI_COMMAND_MEM => self.tti_command(write, offset),
            r::RTI_COMMAND_MEM => self.rti_command(write, offset),
            r::RMAC_ADDR_CMD_MEM => self.cam_command(write, offset),
            r::RTS_DS_MEM_CTRL => self.ds_command(write, offset),
            r::RTS_PN_CAM_CTRL => {
                let port = self.ports.get_mut(usize::from(offset));
                port.into_iter().for_each(|slot| exchange(&mut self.store, r::RTS_PN_CAM_DATA, slot, write));
            }
            r::RTS_RTH_MAP_MEM_CTRL => {
                let bucket = self.hash_map.get_mut(usize::from(offset));
                bucket.into_iter().for_each(|slot| exchange(&mut self.store, r::RTS_RTH_MAP_MEM_DATA, slot, write));
            }
            _ => {}
        }
        self.store.set(at, command.with_strobe(false).into());
    }

    fn tti_command(&mut self, write: bool, offset: u8) {
        if write {
            self.tti.write(offset, self.store.get(r::TTI_DATA1_MEM), self.store.get(r::TTI_DATA2_MEM), &self.clock);
        } else {
            let (data1, data2) = self.tti.read(offset);
            self.store.set(r::TTI_DATA1_MEM, data1);
            self.store.set(r::TTI_DATA2_MEM, data2);
        }
    }

    fn rti_command(&mut self, write: bool, offset: u8) {
        if write {
            self.rti.write(offset, self.store.get(r::RTI_DATA1_MEM), self.store.get(r::RTI_DATA2_MEM), &self.clock);
        } else {
            let (data1, data2) = self.rti.read(offset);
            self.store.set(r::RTI_DATA1_MEM, data1);
            self.store.set(r::RTI_DATA2_MEM, data2);
        }
    }

    fn cam_command(&mut self, write: bool, offset: u8) {
        if write {
            let (address, mask): (RmacAddrData0, RmacAddrData1) = (self.store.word(), self.store.word());
            self.cam.write(offset, Entry { address: address.addr(), mask: mask.mask() });
        } else {
            let entry = self.cam.read(offset);
            self.store.put(RmacAddrData0::new().with_addr(entry.address));
            self.store.put(RmacAddrData1::new().with_mask(entry.mask));
        }
    }

    fn ds_command(&mut self, write: bool, offset: u8) {
        let Some(slot) = self.steering.ds.get_mut(usize::from(offset & 0x3F)) else { return };
        if write {
            *slot = self.store.word::<RtsDsMemData>().rts_ds_mem_data();
        } else {
            let data = RtsDsMemData::new().with_rts_ds_mem_data(*slot);
            self.store.put(data);
        }
    }
}

/// Moves a table entry of one word to or from its data register.
fn exchange(store: &mut crate::store::Store, data: Register, slot: &mut u64, write: bool) {
    if write {
        *slot = store.get(data);
    } else {
        store.set(data, *slot);
    }
}
