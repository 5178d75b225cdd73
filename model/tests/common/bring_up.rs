//! A driver's bring-up, write by write.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use model::Wire;
use xframe::bits::*;
use xframe::constants::{Asic, calendar, pause_thresholds, qos_steering};
use xframe::registers as r;
use xframe::swapper::Interrupts;

use super::{BLOCKS, Host, STATISTICS};

impl<W: Wire> Host<W> {
    pub fn update<T: OfRegister>(&mut self, change: impl FnOnce(T) -> T) {
        let word = self.get::<T>();
        self.put(change(word));
    }

    /// Keyed on both chips; only Xena insists.
    pub fn set_mac_cfg(&mut self, change: impl FnOnce(MacCfg) -> MacCfg) {
        let word = self.get::<MacCfg>();
        self.put(RmacCfgKey::UNLOCK);
        self.put(change(word));
    }

    /// Every write of a driver's bring-up, in its order, up to a running adapter.
    pub fn bring_up(&mut self, blocks: usize) {
        self.set_swapper(Interrupts::Line);
        self.release_resets();
        self.set_mac_cfg(|mac| mac.with_bcast_enable(true));
        for mask in [r::MAC_INT_MASK, r::MC_INT_MASK, r::XGXS_INT_MASK] {
            self.read(mask);
        }
        self.put(RmacMaxPyldLen::new().with_rmac_max_pyld_len(9600));
        for &value in self.asic.xaui() {
            self.write_halves(r::DTX_CONTROL, value);
        }
        self.set_up_transmit();
        self.set_up_receive();
        self.write(r::STAT_ADDR, STATISTICS);
        if self.asic == Asic::Herc {
            self.put(StatByteCnt::new().with_stat_bc(0x320));
        }
        self.put(MacLinkUtil::new().with_tx_link_util_val(5).with_rx_link_util_val(5));
        self.set_mac_cfg(|mac| mac.with_rmac_strip_pad(false));
        self.set_mac_cfg(|mac| mac.with_rmac_strip_fcs(true));
        self.update(|pause: RmacPauseCfg| pause.with_hg_ptime(0x100));
        self.write(r::MC_PAUSE_THRESH_Q0Q3, pause_thresholds(0xBB));
        self.write(r::MC_PAUSE_THRESH_Q4Q7, pause_thresholds(0xBB));
        self.update(|pic: PicControl| pic.with_shared_splits(0));
        self.start_ring(0, BLOCKS, blocks);
        let mrs = self.get::<McRldramMrs>().with_queue_size_enable(true).with_mrs_enable(true);
        self.write_halves(r::MC_RLDRAM_MRS, mrs.into());
        self.update(|control: AdapterControl| control.with_ecc_en(false));
        assert!(self.get::<AdapterStatus>().quiescent(true));
        self.update(|control: AdapterControl| control.with_eoi_tx_on(true));
        self.update(|control: AdapterControl| control.with_cntl_en(true));
    }

    fn set_up_transmit(&mut self) {
        for word in r::TX_FIFO_PARTITION.iter() {
            self.write(word, 0);
        }
        let pair = TxFifoPartition::new().with_even_len(63).with_odd_len(63).with_odd_pri(1);
        self.write(r::TX_FIFO_PARTITION.first(), pair.into());
        self.put(
            TxPaCfg::new()
                .with_ignore_frm_err(true)
                .with_ignore_snap_oui(true)
                .with_ignore_llc_ctrl(true)
                .with_ignore_l2_err(true),
        );
        for (word, slots) in r::TX_W_ROUND_ROBIN.iter().zip(calendar(2)) {
            self.write(word, slots);
        }
        self.write(r::TX_FIFO_PARTITION.first(), pair.with_en(true).into());
    }

    fn set_up_receive(&mut self) {
        self.write(r::RX_QUEUE_PRIORITY, 0);
        self.put(RxQueueCfg::new().with_q0_sz(self.asic.rldram_mib()));
        for (word, slots) in r::RX_W_ROUND_ROBIN.iter().zip(calendar(1)) {
            self.write(word, slots);
        }
        self.write(r::RTS_QOS_STEERING, qos_steering(1));
        for word in r::RTS_FRM_LEN.iter().skip(1) {
            self.write(word, 0);
        }
        self.write(r::RTS_FRM_LEN.first(), RtsFrmLen::new().with_len_set(9622).into());
        for entry in 0..64 {
            self.put(RtsDsMemData::new());
            self.command(r::RTS_DS_MEM_CTRL, Command::write(entry));
        }
    }
}
