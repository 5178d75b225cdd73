//! Owns the interrupt tree: which cause registers feed which summary, and what of it reaches the line.
//!
//! Nothing here is stored: every summary is computed from the latched causes and the masks when it is asked for.

use xframe::bits::GeneralInt;
use xframe::registers::{self as r, Register};

use crate::store::Store;

/// A latch of causes and its mask, shown as one bit (counted from the most significant) of a block's status.
struct Source(u32, Register, Register);

/// A block's status register, its mask, and the sources behind it.
struct Block {
    status: Register,
    mask: Register,
    sources: &'static [Source],
}

const PIC: Block = Block {
    status: r::PIC_INT_STATUS,
    mask: r::PIC_INT_MASK,
    sources: &[
        Source(0, r::TXPIC_INT_REG, r::TXPIC_INT_MASK),
        Source(1, r::FLSH_INT_REG, r::FLSH_INT_MASK),
        Source(2, r::MDIO_INT_REG, r::MDIO_INT_MASK),
        Source(3, r::IIC_INT_REG, r::IIC_INT_MASK),
        Source(4, r::GPIO_INT_REG, r::GPIO_INT_MASK),
        Source(32, r::RXPIC_INT_REG, r::RXPIC_INT_MASK),
    ],
};

const TXDMA: Block = Block {
    status: r::TXDMA_INT_STATUS,
    mask: r::TXDMA_INT_MASK,
    sources: &[
        Source(0, r::PFC_ERR_REG, r::PFC_ERR_MASK),
        Source(1, r::TDA_ERR_REG, r::TDA_ERR_MASK),
        Source(2, r::PCC_ERR_REG, r::PCC_ERR_MASK),
        Source(3, r::TTI_ERR_REG, r::TTI_ERR_MASK),
        Source(4, r::LSO_ERR_REG, r::LSO_ERR_MASK),
        Source(5, r::TPA_ERR_REG, r::TPA_ERR_MASK),
        Source(6, r::SM_ERR_REG, r::SM_ERR_MASK),
    ],
};

const RXDMA: Block = Block {
    status: r::RXDMA_INT_STATUS,
    mask: r::RXDMA_INT_MASK,
    sources: &[
        Source(0, r::RC_ERR_REG, r::RC_ERR_MASK),
        Source(0, r::PRC_PCIX_ERR_REG, r::PRC_PCIX_ERR_MASK),
        Source(1, r::RPA_ERR_REG, r::RPA_ERR_MASK),
        Source(2, r::RDA_ERR_REG, r::RDA_ERR_MASK),
        Source(3, r::RTI_ERR_REG, r::RTI_ERR_MASK),
    ],
};

const MAC: Block = Block {
    status: r::MAC_INT_STATUS,
    mask: r::MAC_INT_MASK,
    sources: &[
        Source(0, r::MAC_TMAC_ERR_REG, r::MAC_TMAC_ERR_MASK),
        Source(1, r::MAC_RMAC_ERR_REG, r::MAC_RMAC_ERR_MASK),
    ],
};

const MC: Block =
    Block { status: r::MC_INT_STATUS, mask: r::MC_INT_MASK, sources: &[Source(0, r::MC_ERR_REG, r::MC_ERR_MASK)] };

const XGXS: Block = Block {
    status: r::XGXS_INT_STATUS,
    mask: r::XGXS_INT_MASK,
    sources: &[
        Source(0, r::XGXS_TXGXS_ERR_REG, r::XGXS_TXGXS_ERR_MASK),
        Source(1, r::XGXS_RXGXS_ERR_REG, r::XGXS_RXGXS_ERR_MASK),
    ],
};

const BLOCKS: [&Block; 6] = [&PIC, &TXDMA, &RXDMA, &MAC, &MC, &XGXS];

const UPPER: u64 = 0xFFFF_FFFF_0000_0000;

const fn bit(n: u32) -> u64 {
    1 << 63 >> n
}

impl Block {
    fn status(&self, store: &Store) -> u64 {
        let shown = |source: &&Source| store.get(source.1) & !store.get(source.2) != 0;
        self.sources.iter().filter(shown).fold(0, |status, source| status | bit(source.0))
    }

    fn unmasked(&self, store: &Store) -> u64 {
        self.status(store) & !store.get(self.mask)
    }
}

/// What a summary register reads; `None` if `at` is none.
pub(crate) fn summary(store: &Store, at: Register) -> Option<u64> {
    if at == r::GENERAL_INT_STATUS {
        return Some(general(store).into());
    }
    BLOCKS.iter().find(|block| block.status == at).map(|block| block.status(store))
}

/// The top-level causes, whatever `GENERAL_INT_MASK` says.
pub(crate) fn general(store: &Store) -> GeneralInt {
    let pic = PIC.unmasked(store);
    let mac = MAC.unmasked(store);
    let xgxs = XGXS.unmasked(store);
    let traffic = |latch, mask| store.get(latch) & !store.get(mask) != 0;
    GeneralInt::new()
        .with_txpic(pic & UPPER != 0)
        .with_rxpic(pic & !UPPER != 0)
        .with_txdma(TXDMA.unmasked(store) != 0)
        .with_rxdma(RXDMA.unmasked(store) != 0)
        .with_txmac(mac & bit(0) != 0)
        .with_rxmac(mac & bit(1) != 0)
        .with_txxgxs(xgxs & bit(0) != 0)
        .with_rxxgxs(xgxs & bit(1) != 0)
        .with_mc(MC.unmasked(store) != 0)
        .with_txtraffic(traffic(r::TX_TRAFFIC_INT, r::TX_TRAFFIC_MASK))
        .with_rxtraffic(traffic(r::RX_TRAFFIC_INT, r::RX_TRAFFIC_MASK))
}

/// Whether an unmasked cause is pending: what the INTA# line and MSI-X vector 0 show.
pub(crate) fn pending(store: &Store) -> bool {
    u64::from(general(store)) & !store.get(r::GENERAL_INT_MASK) != 0
}

/// Every mask register of the tree; all read all ones after a reset.
pub(crate) fn masks() -> impl Iterator<Item = Register> {
    let blocks = BLOCKS.iter().flat_map(|block| {
        let sources = block.sources.iter().map(|source| source.2);
        core::iter::once(block.mask).chain(sources)
    });
    [r::GENERAL_INT_MASK, r::TX_TRAFFIC_MASK, r::RX_TRAFFIC_MASK, r::XFP_GPIO_INT_MASK, r::SPI_ERR_MASK]
        .into_iter()
        .chain(blocks)
}
