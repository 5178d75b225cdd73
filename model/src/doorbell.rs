//! Owns the doorbell window and the FIFOs behind it: which lists wait, and whose turn it is.

use std::collections::VecDeque;

use xframe::bits::{PfcErr, TxFifoPartition};
use xframe::registers::{PFC_ERR_REG, TX_FIFO_PARTITION, TX_W_ROUND_ROBIN};
use xframe::statistics::TXP_WR_CNT;
use xframe::txd::{ListControl, doorbell};

use crate::card::Width;
use crate::chip::Chip;
use crate::csr::Lanes;
use crate::store::Store;

/// Slots of the calendar.
const SLOTS: usize = 36;

/// A list as a doorbell named it.
#[derive(Clone, Copy)]
pub(crate) struct List {
    pub pointer: u64,
    pub control: ListControl,
}

#[derive(Default)]
struct Fifo {
    pointer: u64,
    control: u64,
    /// The pointer was written since the last list was started.
    armed: bool,
    lists: VecDeque<List>,
}

pub(crate) struct Fifos {
    fifos: [Fifo; doorbell::FIFOS],
    slot: usize,
}

impl Fifos {
    pub fn new() -> Self {
        Self { fifos: Default::default(), slot: 0 }
    }

    pub fn idle(&self) -> bool {
        self.fifos.iter().all(|fifo| fifo.lists.is_empty())
    }

    fn window(&mut self, offset: u64) -> Option<(usize, &mut Fifo)> {
        let index = usize::try_from(offset / doorbell::STRIDE).ok()?;
        self.fifos.get_mut(index).map(|fifo| (index, fifo))
    }

    /// Takes the next list, slot by slot of the calendar. A FIFO without a slot is never served.
    pub fn take(&mut self, store: &Store) -> Option<(usize, List)> {
        for _ in 0..SLOTS {
            let slot = self.slot;
            self.slot = (slot + 1) % SLOTS;
            let word = TX_W_ROUND_ROBIN.at(slot / 8).map_or(0, |at| store.get(at));
            let index = usize::from(word.to_be_bytes().get(slot % 8).copied().unwrap_or(0));
            if let Some(list) = self.fifos.get_mut(index).and_then(|fifo| fifo.lists.pop_front()) {
                return Some((index, list));
            }
        }
        None
    }
}

impl Chip {
    pub fn doorbell_read(&mut self, offset: u64, width: Width) -> u64 {
        let se = self.swapper().txp_se();
        let Some((_, fifo)) = self.fifos.window(offset) else { return 0 };
        let word = if offset & 8 == 0 { fifo.pointer } else { fifo.control };
        Lanes::new(offset, width).read(word, se)
    }

    /// The window decodes one address bit: pointer or control word. Writing the control word's upper half starts the list.
    pub fn doorbell_write(&mut self, offset: u64, width: Width, value: u64) {
        let se = self.swapper().txp_se();
        let lanes = Lanes::new(offset, width);
        let Some((index, fifo)) = self.fifos.window(offset) else { return };
        if offset & 8 == 0 {
            (fifo.pointer, _) = lanes.write(fifo.pointer, value, se);
            fifo.armed = true;
            return;
        }
        let touched;
        (fifo.control, touched) = lanes.write(fifo.control, value, se);
        if touched >> 32 != 0 {
            self.counters.count(TXP_WR_CNT);
            self.queue(index);
        }
    }

    /// Queues the list that the window holds. A control word without its pointer, or one too many, is lost and latched as
    /// an error of the pointer FIFO.
    fn queue(&mut self, index: usize) {
        let room = self.fifo_length(index);
        let Some(fifo) = self.fifos.fifos.get_mut(index) else { return };
        let list = List { pointer: fifo.pointer, control: fifo.control.into() };
        let armed = std::mem::take(&mut fifo.armed);
        if armed && fifo.lists.len() < room {
            fifo.lists.push_back(list);
            return;
        }
        let error = PfcErr::new().with_misc_0_err(!armed).with_misc_1_err(armed);
        self.store.latch(PFC_ERR_REG, error.into());
    }

    /// Lists that a FIFO can hold: none while the partitions are off.
    fn fifo_length(&self, index: usize) -> usize {
        let word = |n| TX_FIFO_PARTITION.at(n).map_or(0, |at| self.store.get(at));
        if !TxFifoPartition::from(word(0)).en() {
            return 0;
        }
        let pair = TxFifoPartition::from(word(index / 2));
        usize::from(if index.is_multiple_of(2) { pair.even_len() } else { pair.odd_len() }) + 1
    }
}
