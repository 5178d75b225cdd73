//! Frame memory that catches every misuse: a slot read or released while it is not the engine's.

use lro::Pool;

/// Bytes behind each frame that no reader may take for a part of it.
const BEHIND: usize = 32;

#[derive(Default)]
struct Slot {
    bytes: Vec<u8>,
    in_use: bool,
}

/// Slots that grow with their frames.
#[derive(Default)]
pub struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    releases: usize,
}

impl Slots {
    /// Copies a frame into a free slot.
    pub fn fill(&mut self, frame: &[u8]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let place = &mut self.slots[slot as usize];
        place.bytes.clear();
        place.bytes.extend_from_slice(frame);
        place.bytes.extend([0xA5; BEHIND]);
        place.in_use = true;
        slot
    }

    /// The frame in a slot that is in use, to be damaged behind the engine's back.
    pub fn frame_mut(&mut self, slot: u32) -> &mut [u8] {
        let place = &mut self.slots[slot as usize];
        assert!(place.in_use);
        let end = place.bytes.len() - BEHIND;
        &mut place.bytes[..end]
    }

    /// Slots that hold a frame.
    pub fn in_use(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// How often a slot was released.
    pub fn releases(&self) -> usize {
        self.releases
    }
}

impl Pool for Slots {
    fn bytes(&self, slot: u32) -> &[u8] {
        let place = &self.slots[slot as usize];
        assert!(place.in_use, "slot {slot} was read after its release");
        &place.bytes
    }

    fn release(&mut self, slot: u32) {
        let place = &mut self.slots[slot as usize];
        assert!(place.in_use, "slot {slot} was released twice");
        place.in_use = false;
        place.bytes.fill(0xDD);
        self.free.push(slot);
        self.releases += 1;
    }
}
