//! The address CAM: which multicast addresses are taken, beside the card's own and the broadcast address.

use xframe::bits::{Command, RmacAddrData0, RmacAddrData1};
use xframe::registers as reg;

use crate::csr::Csr;
use crate::error::Error;
use crate::platform::Platform;

/// Sets a CAM entry to an address and the bits of it that do not matter.
pub(crate) fn set_entry<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    entry: u8,
    (address, mask): ([u8; 6], [u8; 6]),
) -> Result<(), Error> {
    csr.write(reg::RMAC_ADDR_DATA0_MEM, RmacAddrData0::new().with_addr(number(address)));
    csr.write(reg::RMAC_ADDR_DATA1_MEM, RmacAddrData1::new().with_mask(number(mask)));
    csr.command(platform, reg::RMAC_ADDR_CMD_MEM, Command::write(entry))
}

fn number([a, b, c, d, e, f]: [u8; 6]) -> u64 {
    u64::from_be_bytes([0, 0, a, b, c, d, e, f])
}
