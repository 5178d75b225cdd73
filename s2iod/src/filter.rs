//! The address CAM: which multicast groups are taken, beside the card's own address and the broadcast address.

use thiserror::Error;
use xframe::bits::{Command, RmacAddrData0, RmacAddrData1};
use xframe::constants::{Asic, CAM_ALL_MULTICAST, CAM_FREE};
use xframe::registers as reg;

use crate::csr::Csr;
use crate::error::Error;
use crate::platform::Platform;

/// Groups that are remembered, although the card can tell fewer apart.
const LONGEST: usize = 1024;

/// No more groups can be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the list of multicast groups is full")]
pub struct ListFull;

/// The groups, and what of them the card knows.
pub(crate) struct Multicast {
    groups: Vec<[u8; 6]>,
    /// The first entry that is for groups.
    first: usize,
    /// What each of these entries holds. The last one is for all groups at once.
    entries: Vec<Entry>,
}

/// An address, and the bits of it that do not matter.
type Entry = ([u8; 6], [u8; 6]);
const FREE: Entry = (CAM_FREE, [0; 6]);

impl Multicast {
    pub fn new(asic: Asic) -> Self {
        let first = asic.cam_multicast();
        Self { groups: Vec::new(), first, entries: vec![FREE; asic.cam_entries() - first] }
    }

    pub fn groups(&self) -> &[[u8; 6]] {
        &self.groups
    }

    /// Adds a group; one that is there already stays.
    pub fn add(&mut self, group: [u8; 6]) -> Result<(), ListFull> {
        if self.groups.contains(&group) {
            return Ok(());
        }
        if self.groups.len() >= LONGEST {
            return Err(ListFull);
        }
        self.groups.push(group);
        Ok(())
    }

    /// Removes a group; whether it was there.
    pub fn remove(&mut self, group: [u8; 6]) -> bool {
        let place = self.groups.iter().position(|other| *other == group);
        place.map(|place| self.groups.swap_remove(place)).is_some()
    }

    /// The card has been reset: it knows none.
    pub fn forget(&mut self) {
        self.entries.fill(FREE);
    }

    /// Sets the entries that differ from what they should be.
    ///
    /// # Errors
    ///
    /// The card does not take one.
    pub fn apply<P: Platform>(&mut self, platform: &mut P, csr: &Csr<P::Bar>) -> Result<(), Error> {
        let last = self.entries.len() - 1;
        let all = self.groups.len() > last;
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let wanted = match self.groups.get(index) {
                _ if index == last => {
                    if all {
                        CAM_ALL_MULTICAST
                    } else {
                        FREE
                    }
                }
                Some(group) if !all => (*group, [0; 6]),
                _ => FREE,
            };
            if *entry != wanted {
                set_entry(platform, csr, (self.first + index) as u8, wanted)?;
                *entry = wanted;
            }
        }
        Ok(())
    }
}

/// Sets a CAM entry to an address and the bits of it that do not matter.
pub(crate) fn set_entry<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    entry: u8,
    (address, mask): Entry,
) -> Result<(), Error> {
    csr.write(reg::RMAC_ADDR_DATA0_MEM, RmacAddrData0::new().with_addr(number(address)));
    csr.write(reg::RMAC_ADDR_DATA1_MEM, RmacAddrData1::new().with_mask(number(mask)));
    csr.command(platform, reg::RMAC_ADDR_CMD_MEM, Command::write(entry))
}

fn number([a, b, c, d, e, f]: [u8; 6]) -> u64 {
    u64::from_be_bytes([0, 0, a, b, c, d, e, f])
}
