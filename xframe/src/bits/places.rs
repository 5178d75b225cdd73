//! Owns which register each word belongs to, so that a bus can offer reads and writes by type.

use super::*;
use crate::registers::{self, Register};

/// A word that has exactly one register; a cause word belongs to the cause register, not to its mask.
pub trait OfRegister: Copy + From<u64> + Into<u64> {
    /// Where the word is read and written.
    const REGISTER: Register;
}

macro_rules! places {
    ($($word:ident $register:ident;)*) => {$(
        impl OfRegister for $word {
            const REGISTER: Register = registers::$register;
        }
    )*};
}

places! {
    GeneralInt GENERAL_INT_STATUS;
    SwReset SW_RESET;
    AdapterStatus ADAPTER_STATUS;
    AdapterControl ADAPTER_CONTROL;
    SerrSource SERR_SOURCE;
    PciMode PCI_MODE;
    PicInt PIC_INT_STATUS;
    TxpicInt TXPIC_INT_REG;
    RxpicInt RXPIC_INT_REG;
    FlshInt FLSH_INT_REG;
    MdioInt MDIO_INT_REG;
    IicInt IIC_INT_REG;
    GpioInt GPIO_INT_REG;
    PicControl PIC_CONTROL;
    ScheduledIntCtrl SCHEDULED_INT_CTRL;
    TxReqTimeout TXREQTIMEOUT;
    StatByteCnt STAT_BYTE_CNT;
    StatCfg STAT_CFG;
    MiscControl MISC_CONTROL;
    PicControl2 PIC_CONTROL2;
    XmsiAccess XMSI_ACCESS;
    MdioControl MDIO_CONTROL;
    I2cControl I2C_CONTROL;
    SpiControl SPI_CONTROL;
    GpioControl GPIO_CONTROL;
    TxdmaInt TXDMA_INT_STATUS;
    PfcErr PFC_ERR_REG;
    TdaErr TDA_ERR_REG;
    PccErr PCC_ERR_REG;
    TtiErr TTI_ERR_REG;
    LsoErr LSO_ERR_REG;
    TpaErr TPA_ERR_REG;
    SmErr SM_ERR_REG;
    TtiData1 TTI_DATA1_MEM;
    TtiData2 TTI_DATA2_MEM;
    TxPaCfg TX_PA_CFG;
    RxdmaInt RXDMA_INT_STATUS;
    RdaErr RDA_ERR_REG;
    RcErr RC_ERR_REG;
    PrcPcixErr PRC_PCIX_ERR_REG;
    RpaErr RPA_ERR_REG;
    RtiErr RTI_ERR_REG;
    RxQueuePriority RX_QUEUE_PRIORITY;
    RtiData1 RTI_DATA1_MEM;
    RtiData2 RTI_DATA2_MEM;
    RxPaCfg RX_PA_CFG;
    MacInt MAC_INT_STATUS;
    TmacErr MAC_TMAC_ERR_REG;
    RmacErr MAC_RMAC_ERR_REG;
    MacCfg MAC_CFG;
    RmacMaxPyldLen RMAC_MAX_PYLD_LEN;
    RmacErrCfg RMAC_ERR_CFG;
    RmacCfgKey RMAC_CFG_KEY;
    RmacAddrData0 RMAC_ADDR_DATA0_MEM;
    RmacAddrData1 RMAC_ADDR_DATA1_MEM;
    RmacPauseCfg RMAC_PAUSE_CFG;
    MacLinkUtil MAC_LINK_UTIL;
    RtsDefaultQ RTS_DEFAULT_Q;
    RtsCtrl RTS_CTRL;
    RtsPnCamData RTS_PN_CAM_DATA;
    RtsDsMemData RTS_DS_MEM_DATA;
    RtsMacCfg RTS_MAC_CFG;
    RtsRthCfg RTS_RTH_CFG;
    RtsRthMapMemData RTS_RTH_MAP_MEM_DATA;
    McInt MC_INT_STATUS;
    McErr MC_ERR_REG;
    RxQueueCfg RX_QUEUE_CFG;
    McRldramMrs MC_RLDRAM_MRS;
    McRldramTestCtrl MC_RLDRAM_TEST_CTRL;
    XgxsInt XGXS_INT_STATUS;
    TxgxsErr XGXS_TXGXS_ERR_REG;
    RxgxsErr XGXS_RXGXS_ERR_REG;
}
