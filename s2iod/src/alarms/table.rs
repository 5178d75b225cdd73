//! The latches of alarms and their causes, by the names of the hardware.

use xframe::bits::{
    FlshInt, GpioInt, IicInt, LsoErr, McErr, MdioInt, PccErr, PfcErr, PrcPcixErr, RcErr, RdaErr, RmacErr, RpaErr,
    RtiErr, RxgxsErr, SerrSource, SmErr, TdaErr, TmacErr, TpaErr, TtiErr, TxgxsErr, TxpicInt,
};
use xframe::registers::{self as reg, Register};

use super::Severity::{self, Counted, Fatal, FatalOnXena};

/// A register of latched causes.
pub(super) struct Latch {
    pub register: Register,
    pub causes: &'static [Cause],
}

/// One cause: its name, its bits (one, or one per FIFO, ring or PCC), and what it means for the card.
pub(super) struct Cause {
    pub name: &'static str,
    pub bits: u64,
    pub severity: Severity,
}

const fn cause(name: &'static str, bits: u64, severity: Severity) -> Cause {
    Cause { name, bits, severity }
}

/// Every latch, in the order in which they are looked at.
pub(super) static LATCHES: [Latch; 23] = [
    Latch {
        register: reg::TXPIC_INT_REG,
        causes: &[
            cause("txpic_ecc_sg_err", TxpicInt::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("txpic_ecc_db_err", TxpicInt::new().with_ecc_db_err(true).into_bits(), Counted),
            cause("txpic_flashr_r_fsm_err", TxpicInt::new().with_flashr_r_fsm_err(true).into_bits(), Counted),
            cause("txpic_flashr_w_fsm_err", TxpicInt::new().with_flashr_w_fsm_err(true).into_bits(), Counted),
            cause("txpic_ini_tx_fsm_serr", TxpicInt::new().with_ini_tx_fsm_serr(true).into_bits(), Counted),
            cause("txpic_ini_txo_fsm_err", TxpicInt::new().with_ini_txo_fsm_err(true).into_bits(), Counted),
            cause("txpic_trt_fsm_serr", TxpicInt::new().with_trt_fsm_serr(true).into_bits(), Counted),
            cause("txpic_srt_fsm_serr", TxpicInt::new().with_srt_fsm_serr(true).into_bits(), Counted),
            cause("txpic_pifr_fsm_serr", TxpicInt::new().with_pifr_fsm_serr(true).into_bits(), Counted),
            cause("txpic_wrc_tx_send_fsm_serr", TxpicInt::new().with_wrc_tx_send_fsm_serr(true).into_bits(), Counted),
            cause("txpic_rrc_tx_req_fsm_serr", TxpicInt::new().with_rrc_tx_req_fsm_serr(true).into_bits(), Counted),
            cause("txpic_ini_rx_fsm_serr", TxpicInt::new().with_ini_rx_fsm_serr(true).into_bits(), Counted),
            cause("txpic_ra_rx_fsm_serr", TxpicInt::new().with_ra_rx_fsm_serr(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::FLSH_INT_REG,
        causes: &[
            cause("flsh_cycle_fsm_err", FlshInt::new().with_cycle_fsm_err(true).into_bits(), Counted),
            cause("flsh_err", FlshInt::new().with_err(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::MDIO_INT_REG,
        causes: &[
            cause("mdio_bus_err", MdioInt::new().with_mdio_bus_err(true).into_bits(), Counted),
            cause("mdio_dtx_bus_err", MdioInt::new().with_dtx_bus_err(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::IIC_INT_REG,
        causes: &[
            cause("iic_bus_fsm_err", IicInt::new().with_bus_fsm_err(true).into_bits(), Counted),
            cause("iic_bit_fsm_err", IicInt::new().with_bit_fsm_err(true).into_bits(), Counted),
            cause("iic_cycle_fsm_err", IicInt::new().with_cycle_fsm_err(true).into_bits(), Counted),
            cause("iic_req_fsm_err", IicInt::new().with_req_fsm_err(true).into_bits(), Counted),
            cause("iic_ack_err", IicInt::new().with_ack_err(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::GPIO_INT_REG,
        causes: &[cause("gpio_dp_err_int", GpioInt::new().with_dp_err_int(true).into_bits(), Fatal)],
    },
    Latch {
        register: reg::SERR_SOURCE,
        causes: &[
            cause("serr_pic", SerrSource::new().with_pic(true).into_bits(), Fatal),
            cause("serr_txdma", SerrSource::new().with_txdma(true).into_bits(), Fatal),
            cause("serr_rxdma", SerrSource::new().with_rxdma(true).into_bits(), Fatal),
            cause("serr_mac", SerrSource::new().with_mac(true).into_bits(), Fatal),
            cause("serr_mc", SerrSource::new().with_mc(true).into_bits(), Fatal),
            cause("serr_xgxs", SerrSource::new().with_xgxs(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::PFC_ERR_REG,
        causes: &[
            cause("pfc_ecc_sg_err", PfcErr::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("pfc_ecc_db_err", PfcErr::new().with_ecc_db_err(true).into_bits(), Fatal),
            cause("pfc_sm_err_alarm", PfcErr::new().with_sm_err_alarm(true).into_bits(), Fatal),
            cause("pfc_misc_0_err", PfcErr::new().with_misc_0_err(true).into_bits(), Fatal),
            cause("pfc_misc_1_err", PfcErr::new().with_misc_1_err(true).into_bits(), Fatal),
            cause("pfc_pcix_err", PfcErr::new().with_pcix_err(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::TDA_ERR_REG,
        causes: &[
            cause("tda_fn_ecc_sg_err", TdaErr::new().with_fn_ecc_sg_err(0xFF).into_bits(), Counted),
            cause("tda_fn_ecc_db_err", TdaErr::new().with_fn_ecc_db_err(0xFF).into_bits(), Fatal),
            cause("tda_sm0_err_alarm", TdaErr::new().with_sm0_err_alarm(true).into_bits(), Fatal),
            cause("tda_sm1_err_alarm", TdaErr::new().with_sm1_err_alarm(true).into_bits(), Fatal),
            cause("tda_pcix_err", TdaErr::new().with_pcix_err(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::PCC_ERR_REG,
        causes: &[
            cause("pcc_fb_ecc_sg_err", PccErr::new().with_fb_ecc_sg_err(0xFF).into_bits(), Counted),
            cause("pcc_txb_ecc_sg_err", PccErr::new().with_txb_ecc_sg_err(0xFF).into_bits(), Counted),
            cause("pcc_fb_ecc_db_err", PccErr::new().with_fb_ecc_db_err(0xFF).into_bits(), Fatal),
            cause("pcc_txb_ecc_db_err", PccErr::new().with_txb_ecc_db_err(0xFF).into_bits(), Fatal),
            cause("pcc_sm_err_alarm", PccErr::new().with_sm_err_alarm(0xFF).into_bits(), Fatal),
            cause("pcc_wr_err_alarm", PccErr::new().with_wr_err_alarm(0xFF).into_bits(), Fatal),
            cause("pcc_n_serr", PccErr::new().with_n_serr(0xFF).into_bits(), Fatal),
            cause("pcc6_cof_ov_err", PccErr::new().with_pcc6_cof_ov_err(true).into_bits(), Fatal),
            cause("pcc7_cof_ov_err", PccErr::new().with_pcc7_cof_ov_err(true).into_bits(), Fatal),
            cause("pcc6_lso_ov_err", PccErr::new().with_pcc6_lso_ov_err(true).into_bits(), Fatal),
            cause("pcc7_lso_ov_err", PccErr::new().with_pcc7_lso_ov_err(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::TTI_ERR_REG,
        causes: &[
            cause("tti_ecc_sg_err", TtiErr::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("tti_ecc_db_err", TtiErr::new().with_ecc_db_err(true).into_bits(), Counted),
            cause("tti_sm_err_alarm", TtiErr::new().with_sm_err_alarm(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::LSO_ERR_REG,
        causes: &[
            cause("lso6_send_oflow", LsoErr::new().with_lso6_send_oflow(true).into_bits(), Counted),
            cause("lso7_send_oflow", LsoErr::new().with_lso7_send_oflow(true).into_bits(), Counted),
            cause("lso6_abort", LsoErr::new().with_lso6_abort(true).into_bits(), Fatal),
            cause("lso7_abort", LsoErr::new().with_lso7_abort(true).into_bits(), Fatal),
            cause("lso6_sm_err_alarm", LsoErr::new().with_lso6_sm_err_alarm(true).into_bits(), Fatal),
            cause("lso7_sm_err_alarm", LsoErr::new().with_lso7_sm_err_alarm(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::TPA_ERR_REG,
        causes: &[
            cause("tpa_tx_frm_drop", TpaErr::new().with_tx_frm_drop(true).into_bits(), Counted),
            cause("tpa_sm_err_alarm", TpaErr::new().with_sm_err_alarm(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::SM_ERR_REG,
        causes: &[cause("sm_sm_err_alarm", SmErr::new().with_sm_sm_err_alarm(true).into_bits(), Fatal)],
    },
    Latch {
        register: reg::RDA_ERR_REG,
        causes: &[
            cause("rda_rxdn_ecc_sg_err", RdaErr::new().with_rxdn_ecc_sg_err(0xFF).into_bits(), Counted),
            cause("rda_rxdn_ecc_db_err", RdaErr::new().with_rxdn_ecc_db_err(0xFF).into_bits(), Fatal),
            cause("rda_frm_ecc_sg_err", RdaErr::new().with_frm_ecc_sg_err(true).into_bits(), Counted),
            cause("rda_frm_ecc_db_n_aerr", RdaErr::new().with_frm_ecc_db_n_aerr(true).into_bits(), Fatal),
            cause("rda_sm1_err_alarm", RdaErr::new().with_sm1_err_alarm(true).into_bits(), Fatal),
            cause("rda_sm0_err_alarm", RdaErr::new().with_sm0_err_alarm(true).into_bits(), Fatal),
            cause("rda_misc_err", RdaErr::new().with_misc_err(true).into_bits(), Counted),
            cause("rda_pcix_err", RdaErr::new().with_pcix_err(true).into_bits(), Counted),
            cause("rda_rxd_ecc_db_serr", RdaErr::new().with_rxd_ecc_db_serr(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::RC_ERR_REG,
        causes: &[
            cause("rc_prcn_ecc_sg_err", RcErr::new().with_prcn_ecc_sg_err(0xFF).into_bits(), Counted),
            cause("rc_prcn_ecc_db_err", RcErr::new().with_prcn_ecc_db_err(0xFF).into_bits(), Fatal),
            cause("rc_ftc_ecc_sg_err", RcErr::new().with_ftc_ecc_sg_err(true).into_bits(), Counted),
            cause("rc_ftc_ecc_db_err", RcErr::new().with_ftc_ecc_db_err(true).into_bits(), Fatal),
            cause("rc_prcn_sm_err_alarm", RcErr::new().with_prcn_sm_err_alarm(0xFF).into_bits(), Fatal),
            cause("rc_ftc_sm_err_alarm", RcErr::new().with_ftc_sm_err_alarm(true).into_bits(), Fatal),
            cause("rc_rda_fail_wr_rn", RcErr::new().with_rda_fail_wr_rn(0xFF).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::PRC_PCIX_ERR_REG,
        causes: &[
            cause("prc_pcix_ab_rd_rn", PrcPcixErr::new().with_ab_rd_rn(0xFF).into_bits(), Fatal),
            cause("prc_pcix_dp_rd_rn", PrcPcixErr::new().with_dp_rd_rn(0xFF).into_bits(), Counted),
            cause("prc_pcix_ab_wr_rn", PrcPcixErr::new().with_ab_wr_rn(0xFF).into_bits(), Fatal),
            cause("prc_pcix_dp_wr_rn", PrcPcixErr::new().with_dp_wr_rn(0xFF).into_bits(), Counted),
            cause("prc_pcix_ab_f_wr_rn", PrcPcixErr::new().with_ab_f_wr_rn(0xFF).into_bits(), Fatal),
            cause("prc_pcix_dp_f_wr_rn", PrcPcixErr::new().with_dp_f_wr_rn(0xFF).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::RPA_ERR_REG,
        causes: &[
            cause("rpa_ecc_sg_err", RpaErr::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("rpa_ecc_db_err", RpaErr::new().with_ecc_db_err(true).into_bits(), Counted),
            cause("rpa_sm_err_alarm", RpaErr::new().with_sm_err_alarm(true).into_bits(), Fatal),
            cause("rpa_credit_err", RpaErr::new().with_credit_err(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::RTI_ERR_REG,
        causes: &[
            cause("rti_ecc_sg_err", RtiErr::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("rti_ecc_db_err", RtiErr::new().with_ecc_db_err(true).into_bits(), Counted),
            cause("rti_sm_err_alarm", RtiErr::new().with_sm_err_alarm(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::MAC_TMAC_ERR_REG,
        causes: &[
            cause("tmac_ecc_sg_err", TmacErr::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("tmac_ecc_db_err", TmacErr::new().with_ecc_db_err(true).into_bits(), Counted),
            cause("tmac_tx_buf_ovrn", TmacErr::new().with_tx_buf_ovrn(true).into_bits(), Fatal),
            cause("tmac_tx_cri_err", TmacErr::new().with_tx_cri_err(true).into_bits(), Counted),
            cause("tmac_tx_sm_err", TmacErr::new().with_tx_sm_err(true).into_bits(), Fatal),
            cause("tmac_desc_ecc_sg_err", TmacErr::new().with_desc_ecc_sg_err(true).into_bits(), Counted),
            cause("tmac_desc_ecc_db_err", TmacErr::new().with_desc_ecc_db_err(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::MAC_RMAC_ERR_REG,
        causes: &[
            cause("rmac_rx_buff_ovrn", RmacErr::new().with_rx_buff_ovrn(true).into_bits(), Fatal),
            cause("rmac_unused_int", RmacErr::new().with_unused_int(true).into_bits(), Counted),
            cause("rmac_rts_pnum_ecc_sg_err", RmacErr::new().with_rts_pnum_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_rts_ds_ecc_sg_err", RmacErr::new().with_rts_ds_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_rd_buf_ecc_sg_err", RmacErr::new().with_rd_buf_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_rth_map_ecc_sg_err", RmacErr::new().with_rth_map_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_rth_spdm_ecc_sg_err", RmacErr::new().with_rth_spdm_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_rts_vid_ecc_sg_err", RmacErr::new().with_rts_vid_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_da_shadow_ecc_sg_err", RmacErr::new().with_da_shadow_ecc_sg_err(true).into_bits(), Counted),
            cause("rmac_rts_pnum_ecc_db_err", RmacErr::new().with_rts_pnum_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_rts_ds_ecc_db_err", RmacErr::new().with_rts_ds_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_rd_buf_ecc_db_err", RmacErr::new().with_rd_buf_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_rth_map_ecc_db_err", RmacErr::new().with_rth_map_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_rth_spdm_ecc_db_err", RmacErr::new().with_rth_spdm_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_rts_vid_ecc_db_err", RmacErr::new().with_rts_vid_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_da_shadow_ecc_db_err", RmacErr::new().with_da_shadow_ecc_db_err(true).into_bits(), Counted),
            cause("rmac_rx_sm_err", RmacErr::new().with_rx_sm_err(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::MC_ERR_REG,
        causes: &[
            cause("mc_itq_ecc_sg_err_l", McErr::new().with_itq_ecc_sg_err_l(true).into_bits(), Counted),
            cause("mc_itq_ecc_sg_err_u", McErr::new().with_itq_ecc_sg_err_u(true).into_bits(), Counted),
            cause("mc_rld_ecc_sg_err_l", McErr::new().with_rld_ecc_sg_err_l(true).into_bits(), Counted),
            cause("mc_rld_ecc_sg_err_u", McErr::new().with_rld_ecc_sg_err_u(true).into_bits(), Counted),
            cause("mc_etq_ecc_sg_err_l", McErr::new().with_etq_ecc_sg_err_l(true).into_bits(), Counted),
            cause("mc_etq_ecc_sg_err_u", McErr::new().with_etq_ecc_sg_err_u(true).into_bits(), Counted),
            cause("mc_itq_ecc_db_err_l", McErr::new().with_itq_ecc_db_err_l(true).into_bits(), Counted),
            cause("mc_itq_ecc_db_err_u", McErr::new().with_itq_ecc_db_err_u(true).into_bits(), Counted),
            cause("mc_rld_ecc_db_err_l", McErr::new().with_rld_ecc_db_err_l(true).into_bits(), Counted),
            cause("mc_rld_ecc_db_err_u", McErr::new().with_rld_ecc_db_err_u(true).into_bits(), Counted),
            cause("mc_etq_ecc_db_err_l", McErr::new().with_etq_ecc_db_err_l(true).into_bits(), Counted),
            cause("mc_etq_ecc_db_err_u", McErr::new().with_etq_ecc_db_err_u(true).into_bits(), Counted),
            cause("mc_miri_ecc_sg_err_0", McErr::new().with_miri_ecc_sg_err_0(true).into_bits(), Counted),
            cause("mc_miri_ecc_sg_err_1", McErr::new().with_miri_ecc_sg_err_1(true).into_bits(), Counted),
            cause("mc_miri_ecc_db_err_0", McErr::new().with_miri_ecc_db_err_0(true).into_bits(), FatalOnXena),
            cause("mc_miri_ecc_db_err_1", McErr::new().with_miri_ecc_db_err_1(true).into_bits(), FatalOnXena),
            cause("mc_miri_cri_err_0", McErr::new().with_miri_cri_err_0(true).into_bits(), Counted),
            cause("mc_miri_cri_err_1", McErr::new().with_miri_cri_err_1(true).into_bits(), Counted),
            cause("mc_sm_err", McErr::new().with_sm_err(true).into_bits(), Fatal),
            cause("mc_pl_lock_n", McErr::new().with_pl_lock_n(true).into_bits(), Counted),
        ],
    },
    Latch {
        register: reg::XGXS_TXGXS_ERR_REG,
        causes: &[
            cause("txgxs_ecc_sg_err", TxgxsErr::new().with_ecc_sg_err(true).into_bits(), Counted),
            cause("txgxs_ecc_db_err", TxgxsErr::new().with_ecc_db_err(true).into_bits(), Counted),
            cause("txgxs_estore_uflow", TxgxsErr::new().with_estore_uflow(true).into_bits(), Fatal),
            cause("txgxs_tx_sm_err", TxgxsErr::new().with_tx_sm_err(true).into_bits(), Fatal),
        ],
    },
    Latch {
        register: reg::XGXS_RXGXS_ERR_REG,
        causes: &[
            cause("rxgxs_estore_oflow", RxgxsErr::new().with_estore_oflow(true).into_bits(), Fatal),
            cause("rxgxs_rx_sm_err", RxgxsErr::new().with_rx_sm_err(true).into_bits(), Fatal),
        ],
    },
];
