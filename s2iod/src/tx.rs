//! The transmit FIFO: one TxD and one slot for each frame, reclaimed in order.

use std::sync::atomic::{AtomicU64, Ordering};

use xframe::txd::{self, Control1, Control2, ListControl, TCode, doorbell};

use crate::dma::Slab;
use crate::error::Error;
use crate::platform::{Bar, Platform};
use crate::slots::Slots;

/// The FIFO that this driver uses.
const FIFO: u64 = 0;

/// FIFO 0 and the TxDs of its frames.
pub struct TxFifo<B> {
    doorbell: B,
    txds: Slab,
    slots: Slots,
    /// The slot of each TxD that the card has, by TxD number.
    posted: Box<[u32]>,
    /// Free-running: the next TxD to post, and the next that the card completes.
    send: usize,
    reclaim: usize,
    /// Frames that the card could not send, by T_CODE other than 0.
    errors: u64,
    frames: u64,
    lost: u64,
}

/// What became of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Handed to the card.
    pub frames: u64,
    /// Of these, those that it could not send.
    pub errors: u64,
    /// Of these, those that a reset has taken from it.
    pub lost: u64,
}

impl<B: Bar> TxFifo<B> {
    /// A FIFO of `count` frames of up to `longest` bytes.
    ///
    /// # Errors
    ///
    /// The system has no memory for it.
    pub fn new(platform: &mut impl Platform, doorbell: B, count: u32, longest: usize) -> Result<Self, Error> {
        let bytes = count as usize * txd::SIZE;
        Ok(Self {
            doorbell,
            txds: platform.slab(bytes).map_err(Error::platform("allocate TxDs"))?,
            slots: Slots::new(platform, count, longest)?,
            posted: vec![u32::MAX; count as usize].into_boxed_slice(),
            send: 0,
            reclaim: 0,
            errors: 0,
            frames: 0,
            lost: 0,
        })
    }

    /// Makes room for frames of up to `longest` bytes. Slots that the card has stay as they are.
    ///
    /// # Errors
    ///
    /// The system has no memory for it.
    pub fn lengthen(&mut self, platform: &mut impl Platform, longest: usize) -> Result<(), Error> {
        self.slots.lengthen(platform, longest)
    }

    /// What became of frames since the driver came.
    pub fn counts(&self) -> Counts {
        Counts { frames: self.frames, errors: self.errors, lost: self.lost }
    }

    /// Frames that the card has not completed.
    pub fn in_card(&self) -> usize {
        self.send.wrapping_sub(self.reclaim)
    }

    /// Frames that the card has completed, wrapping.
    pub fn completed(&self) -> usize {
        self.reclaim
    }

    /// Takes the FIFO back from a card that has been reset: what it has not sent is lost.
    pub fn take_back(&mut self) {
        self.reclaim();
        self.lost += self.in_card() as u64;
        while self.reclaim != self.send {
            if let Some(&slot) = self.posted.get(self.reclaim % self.posted.len()) {
                lro::Pool::release(&mut self.slots, slot);
            }
            self.reclaim = self.reclaim.wrapping_add(1);
        }
        for txd in (0..self.posted.len()).filter_map(|index| descriptor(&self.txds, index)) {
            txd[txd::CONTROL_1 / 8].store(0, Ordering::Relaxed);
        }
    }

    /// Whether a frame can be sent now.
    pub fn has_room(&self) -> bool {
        self.slots.free() > 0
    }

    /// Sends a frame; `false` if the FIFO is full. The frame must fit a slot.
    pub fn send(&mut self, frame: &[u8]) -> bool {
        let index = self.send % self.posted.len();
        let (Some(place), Some(txd)) = (self.posted.get_mut(index), descriptor(&self.txds, index)) else {
            return false;
        };
        let Some((slot, bus)) = self.slots.take() else { return false };
        *place = slot;
        self.slots.copy_in(slot, frame);
        let control_1 = Control1::new()
            .with_own(true)
            .with_gather_first(true)
            .with_gather_last(true)
            .with_buffer0_size(frame.len() as u16);
        txd[txd::CONTROL_2 / 8].store(Control2::new().with_int_type_utilz(true).into(), Ordering::Relaxed);
        txd[txd::BUFFER_POINTER / 8].store(bus, Ordering::Relaxed);
        txd[txd::CONTROL_1 / 8].store(control_1.into(), Ordering::Release);
        // Pointer first, control second, always in pairs: the control word starts the list.
        let window = FIFO * doorbell::STRIDE;
        self.doorbell.write(window, self.txds.bus(index * txd::SIZE));
        self.doorbell.write(window + 8, ListControl::single(0).into());
        self.send = self.send.wrapping_add(1);
        self.frames += 1;
        true
    }

    /// Takes back the slots of every frame that the card is done with; returns how many.
    pub fn reclaim(&mut self) -> usize {
        let before = self.slots.free();
        while self.reclaim != self.send {
            let index = self.reclaim % self.posted.len();
            let (Some(&slot), Some(txd)) = (self.posted.get(index), descriptor(&self.txds, index)) else { break };
            let control_1 = Control1::from(txd[txd::CONTROL_1 / 8].load(Ordering::Acquire));
            if control_1.own() {
                break;
            }
            self.errors += u64::from(control_1.t_code() != TCode::Ok);
            lro::Pool::release(&mut self.slots, slot);
            self.reclaim = self.reclaim.wrapping_add(1);
        }
        self.slots.free() - before
    }
}

/// The words of a TxD.
fn descriptor(txds: &Slab, index: usize) -> Option<&[AtomicU64; txd::SIZE / 8]> {
    txds.words().get(index * txd::SIZE / 8..)?.first_chunk()
}
