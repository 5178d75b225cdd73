//! Owns the truth of `ADAPTER_STATUS`.

use xframe::bits::{AdapterStatus, BusMode, McRldramMrs};
use xframe::constants::Asic;

use crate::chip::Chip;

impl Chip {
    fn initialises(&self) -> bool {
        self.faults.stuck_reset || self.link.initialising > 0 || !self.link.started
    }

    /// Readiness of every block. The transmit side works in whole lists, so between steps it is always at rest.
    pub fn adapter_status(&self) -> AdapterStatus {
        let mrs: McRldramMrs = self.store.word();
        let dram = mrs.mrs_enable() && mrs.queue_size_enable();
        let slow_slot = self.config.asic == Asic::Herc && self.config.bus == BusMode::Pci33;
        AdapterStatus::new()
            .with_tdma_ready(true)
            .with_rdma_ready(true)
            .with_pfc_ready(true)
            .with_tmac_buf_empty(true)
            .with_pic_quiescent(true)
            .with_rmac_local_fault(!self.link_up())
            .with_rmac_pcc_idle(if self.ever_enabled { 0xFF } else { 0 })
            .with_rc_prc_quiescent(if self.faults.stuck_reset { 0 } else { !self.rings.waiting() })
            .with_mc_dram_ready(dram)
            .with_mc_queues_ready(dram)
            .with_ric_running(self.config.asic == Asic::Herc && self.initialises())
            .with_m_pll_lock(true)
            .with_p_pll_lock(!slow_slot)
    }
}
