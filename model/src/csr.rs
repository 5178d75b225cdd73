//! Owns host accesses to registers: widths, halves, byte order, and what a write sets off.

use xframe::bits::{AdapterControl, MacCfg, PrcCtrl, RmacCfgKey, SwReset, XmsiAccess};
use xframe::constants::Asic;
use xframe::registers::{self as r, Access, Register, lookup};
use xframe::swapper::{FEEDBACK, SwapperCtrl, transform};

use crate::card::Width;
use crate::chip::Chip;
use crate::interrupts;
use crate::memory::Memory;

/// The half of a word in which most command registers have their strobe.
const UPPER: u64 = 0xFFFF_FFFF_0000_0000;

/// Which bytes of a little-endian quadword an access touches. Bytes past the quadword are cut off.
#[derive(Clone, Copy)]
pub(crate) struct Lanes {
    shift: u64,
    mask: u64,
}

impl Lanes {
    pub fn new(offset: u64, width: Width) -> Self {
        let shift = 8 * (offset & 7);
        Self { shift, mask: width.ones() << shift }
    }

    /// What a read of a register holding `word` returns.
    pub fn read(self, word: u64, se: bool) -> u64 {
        (transform(word, se) & self.mask) >> self.shift
    }

    /// A register's word after a write of `value`, and the bits that the write touched.
    pub fn write(self, word: u64, value: u64, se: bool) -> (u64, u64) {
        let kept = transform(word, se) & !self.mask;
        let put = value << self.shift & self.mask;
        (transform(kept | put, se), transform(self.mask, se))
    }
}

impl Chip {
    pub fn swapper(&self) -> SwapperCtrl {
        SwapperCtrl::from(self.store.get(r::SWAPPER_CTRL))
    }

    pub fn csr_read(&mut self, offset: u64, width: Width) -> u64 {
        let Ok(at) = u16::try_from(offset) else { return 0 };
        let word = self.value(Register::containing(at));
        Lanes::new(offset, width).read(word, self.swapper().pif_r_se())
    }

    fn value(&mut self, at: Register) -> u64 {
        match at {
            r::PIF_RD_SWAPPER_FB => FEEDBACK,
            r::ADAPTER_STATUS => {
                self.link.initialise();
                self.adapter_status().into()
            }
            r::MAC_LINK_UTIL => self.clock.link_use(&self.store).into(),
            r::RING_BUMP_COUNTER1 => self.rings.bumps(0),
            r::RING_BUMP_COUNTER2 => self.rings.bumps(4),
            at => interrupts::summary(&self.store, at).unwrap_or_else(|| self.store.get(at)),
        }
    }

    pub fn csr_write<M: Memory>(&mut self, memory: &mut M, offset: u64, width: Width, value: u64) {
        let Ok(offset16) = u16::try_from(offset) else { return };
        let Some((entry, _)) = lookup(offset16) else { return };
        let at = Register::containing(offset16);
        let before = self.store.get(at);
        // The path's setting before this write counts, even for a write to the swapper itself.
        let (after, touched) = Lanes::new(offset, width).write(before, value, self.swapper().pif_w_se());
        match entry.access {
            Access::SUM | Access::RO => return,
            Access::WO => {}
            Access::W1C => self.store.set(at, before & !(after & touched)),
            Access::KEY if !self.unlocked() => return,
            Access::KEY | Access::RW | Access::SC => self.store.set(at, after),
        }
        if touched & UPPER != 0 {
            self.upper_half_written(memory, at, before, after);
        }
        match at {
            r::GPIO_INT_REG => self.ask_for_report(),
            // Its start code is in the lower half.
            r::MDIO_CONTROL if touched & !UPPER != 0 => self.mdio(after.into()),
            _ => {}
        }
        self.release_messages();
        self.follow_masks();
    }

    /// On Xena, one write of the key opens `MAC_CFG` for one write.
    fn unlocked(&mut self) -> bool {
        std::mem::take(&mut self.key_open) || self.config.asic == Asic::Herc
    }

    /// What the strobes and switches in a register's upper half set off.
    fn upper_half_written<M: Memory>(&mut self, memory: &mut M, at: Register, before: u64, after: u64) {
        match at {
            r::SW_RESET => self.sw_reset(SwReset::from(before), SwReset::from(after)),
            r::ADAPTER_CONTROL => self.ever_enabled |= AdapterControl::from(after).cntl_en(),
            r::RMAC_CFG_KEY => self.key_open = RmacCfgKey::from(after & UPPER) == RmacCfgKey::UNLOCK,
            r::SCHEDULED_INT_CTRL => self.start_scheduled(after.into()),
            r::STAT_CFG => self.start_statistics(memory, after.into()),
            r::I2C_CONTROL => self.i2c(after.into()),
            r::SPI_CONTROL => self.spi(after.into()),
            r::MC_RLDRAM_TEST_CTRL => self.test_rldram(after.into()),
            r::XMSI_ACCESS if XmsiAccess::from(after).strobe() => self.xmsi_command(after.into()),
            at => {
                if let Some(ring) = r::PRC_CTRL.index_of(at) {
                    self.prc_ctrl(ring, PrcCtrl::from(before), PrcCtrl::from(after));
                } else {
                    self.run_command_at(at);
                }
            }
        }
    }

    fn run_command_at(&mut self, at: Register) {
        let commands = [
            r::TTI_COMMAND_MEM,
            r::RTI_COMMAND_MEM,
            r::RMAC_ADDR_CMD_MEM,
            r::RTS_PN_CAM_CTRL,
            r::RTS_DS_MEM_CTRL,
            r::RTS_RTH_MAP_MEM_CTRL,
            r::RTS_RTH_SPDM_MEM_CTRL,
        ];
        if commands.contains(&at) {
            self.run_command(at);
        }
    }

    /// The MAC's switches.
    pub fn mac_cfg(&self) -> MacCfg {
        self.store.word()
    }
}
