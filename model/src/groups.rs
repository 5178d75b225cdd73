//! Owns delivery in groups: so many frames, then one interrupt, then nothing until the host has stopped receive interrupts
//! and let them come again. What a host finds in one look at its rings is then one group, however fast either side is.

use xframe::constants::RINGS;
use xframe::registers::{RX_MAT, RX_TRAFFIC_MASK};

use crate::chip::Chip;

/// How far the group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// So many of its frames were delivered.
    Filling(u16),
    /// The host was told of it.
    Told,
    /// The host has stopped interrupts and looks at it.
    Looking,
}

impl Chip {
    /// Whether no more frames are delivered for now.
    pub fn group_is_full(&self) -> bool {
        self.config.group.is_some() && !matches!(self.rings.group, Group::Filling(_))
    }

    /// A frame of a group was delivered to `ring`: interrupts with the last. False if frames do not come in groups.
    pub fn count_in_group(&mut self, ring: usize) -> bool {
        let (Some(size), Group::Filling(count)) = (self.config.group, self.rings.group) else {
            return self.config.group.is_some();
        };
        self.rings.group = Group::Filling(count + 1);
        self.rings.group_ring = ring;
        if count + 1 >= size {
            self.end_group();
        }
        true
    }

    /// The wire is silent: what there is of a group is one.
    pub fn end_group(&mut self) {
        if matches!(self.rings.group, Group::Filling(1..)) {
            self.rings.group = Group::Told;
            self.fire_rti(self.rings.group_ring);
        }
    }

    /// A mask was written, perhaps: the group ends when receive interrupts are stopped and let come again.
    pub fn follow_masks(&mut self) {
        if self.config.group.is_none() {
            return;
        }
        self.rings.group = match (self.rings.group, self.receive_masked()) {
            (Group::Told, true) => Group::Looking,
            (Group::Looking, false) => Group::Filling(0),
            (group, _) => group,
        };
    }

    /// Whether the ring that filled last cannot interrupt.
    fn receive_masked(&self) -> bool {
        let ring = self.rings.group_ring.min(RINGS - 1);
        let vector = self.store.get(RX_MAT).to_be_bytes().get(ring).copied().unwrap_or(0);
        if self.pci.messages() && vector != 0 {
            return self.vector_blocked(vector);
        }
        self.store.get(RX_TRAFFIC_MASK) & 1 << 63 >> ring != 0
    }
}
