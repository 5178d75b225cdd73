//! Owns one ring: where its next RxD lies, and the writing of a frame into it.

use xframe::bits::{PrcCtrl, PrcPcixErr, RxPaCfg};
use xframe::block;
use xframe::registers::{PRC_CTRL, PRC_PCIX_ERR_REG};
use xframe::rxd::{self, Completion, Control1, HashType, TCode};
use xframe::statistics::{RXD_RD_CNT, RXD_WR_CNT, RXF_WR_CNT};
use xframe::swapper::transform;

use crate::chip::Chip;
use crate::memory::{MasterAbort, Memory, read_word, write_data, write_word};
use crate::scatter::{BUFFERS, Shape};

/// TTI that stands in for a ring's RTI in bimodal mode.
const BIMODAL: usize = 56;

#[derive(Default)]
pub(crate) struct Ring {
    /// Block and index of the next RxD; `None` while the ring is off, or stopped by a bus error.
    next: Option<(u64, usize)>,
    /// Times a frame found no RxD.
    pub bumps: u16,
}

impl Ring {
    pub fn start(&mut self, first_block: u64) {
        self.next = Some((first_block, 0));
    }

    pub fn stop(&mut self) {
        self.next = None;
    }

    pub fn enabled(&self) -> bool {
        self.next.is_some()
    }
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// An RxD was completed.
    Done,
    /// The next RxD is the host's.
    NoRxd,
    /// The bus failed; the frame is lost.
    Lost,
}

/// An RxD that the card owns.
struct Rxd {
    at: u64,
    shape: Shape,
    /// Bus address and size of each buffer; those that the shape does not have take nothing.
    buffers: [(u64, u16); BUFFERS],
}

impl Chip {
    /// Writes a frame to the next RxD of `ring`: data, then Control_2, then Control_1, so that a host that sees the last
    /// sees all.
    pub fn deliver<M: Memory>(
        &mut self,
        memory: &mut M,
        ring: usize,
        frame: &[u8],
        completion: Completion,
    ) -> Delivery {
        let rxd = match self.fetch_rxd(memory, ring) {
            Ok(Some(rxd)) => rxd,
            Ok(None) => return Delivery::NoRxd,
            Err(MasterAbort { .. }) => {
                self.bus_error(ring, PrcPcixErr::new().with_ab_rd_rn(0x80 >> ring));
                return Delivery::Lost;
            }
        };
        let (mut completion, mut sizes) = self.write_frame(memory, ring, &rxd, frame, completion);
        if self.faults.keeps_rxd() {
            self.advance(ring);
            return Delivery::Lost;
        }
        completion.t_code = self.faults.receive_code().unwrap_or(completion.t_code);
        if let Some(size) = self.faults.size() {
            (completion.size, sizes) = (size, [0, 0, size]);
        }
        if self.write_back(memory, &rxd, completion, sizes).is_err() {
            self.bus_error(ring, PrcPcixErr::new().with_ab_wr_rn(0x80 >> ring));
            return Delivery::Lost;
        }
        self.advance(ring);
        self.credit(ring);
        Delivery::Done
    }

    /// Reads the next RxD; `None` if it is the host's, or of a shape that the card does not serve.
    fn fetch_rxd<M: Memory>(&mut self, memory: &mut M, ring: usize) -> Result<Option<Rxd>, MasterAbort> {
        let se = self.swapper().rxd_r_se();
        let ctrl = PRC_CTRL.at(ring).map_or(0, |at| self.store.get(at));
        let Some(shape) = Shape::of(PrcCtrl::from(ctrl).ring_mode()) else { return Ok(None) };
        let Some(state) = self.rings.rings.get_mut(ring) else { return Ok(None) };
        let Some((mut block, mut index)) = state.next else { return Ok(None) };
        if index >= shape.rxds() {
            block = read_word(memory, page(block).wrapping_add(block::LINK as u64), se)?;
            index = 0;
            state.next = Some((block, index));
        }
        let at = page(block).wrapping_add((index * shape.size()) as u64);
        let mut bytes = [0; rxd::three::SIZE];
        memory.read(at, bytes.get_mut(..shape.size()).unwrap_or_default())?;
        self.counters.count(RXD_RD_CNT);
        let mut words = [0; rxd::three::SIZE / 8];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = transform(u64::from_le_bytes(*bytes), se);
        }
        let [_host, control_1, control_2, pointers @ ..] = words;
        let mut buffers = [(0, 0); BUFFERS];
        for (buffer, (pointer, size)) in buffers.iter_mut().zip(pointers.into_iter().zip(shape.sizes(control_2))) {
            *buffer = (pointer, size);
        }
        Ok(Control1::from(control_1).own().then_some(Rxd { at, shape, buffers }))
    }

    /// Writes as much of the frame as its buffers hold; how that went, and how much is in each.
    fn write_frame<M: Memory>(
        &mut self,
        memory: &mut M,
        ring: usize,
        rxd: &Rxd,
        frame: &[u8],
        mut completion: Completion,
    ) -> (Completion, [u16; BUFFERS]) {
        let parts = rxd.shape.parts(frame, self.store.word::<RxPaCfg>().scatter_mode());
        let mut sizes = [0; BUFFERS];
        self.counters.count(RXF_WR_CNT);
        for ((part, (pointer, room)), size) in parts.into_iter().zip(rxd.buffers).zip(&mut sizes) {
            let fitting = part.get(..usize::from(room)).unwrap_or(part);
            if fitting.len() < part.len() {
                completion.t_code = TCode::BufferSize;
            }
            *size = fitting.len() as u16;
            if !fitting.is_empty() && write_data(memory, pointer, fitting, self.swapper().rxf_w_se()).is_err() {
                self.store.latch(PRC_PCIX_ERR_REG, PrcPcixErr::new().with_ab_f_wr_rn(0x80 >> ring).into());
                completion.t_code = TCode::Abort;
                sizes = [0; BUFFERS];
                break;
            }
        }
        completion.size = sizes.iter().sum();
        (completion, sizes)
    }

    fn write_back<M: Memory>(
        &mut self,
        memory: &mut M,
        rxd: &Rxd,
        completion: Completion,
        sizes: [u16; BUFFERS],
    ) -> Result<(), MasterAbort> {
        let se = self.swapper().rxd_w_se();
        self.counters.count(RXD_WR_CNT);
        let (control_1, control_2) = completion.encode();
        let mut control_2 = u64::from(control_2);
        if rxd.shape == Shape::Three {
            control_2 = rxd::three::Control2::completed(sizes, completion).into();
            if completion.hash.kind != HashType::Nothing {
                let at = rxd.at.wrapping_add(rxd::BUFFER0_PTR as u64);
                write_word(memory, at, completion.hash.value.into(), se)?;
            }
        }
        write_word(memory, rxd.at.wrapping_add(rxd::CONTROL_2 as u64), control_2, se)?;
        write_word(memory, rxd.at.wrapping_add(rxd::CONTROL_1 as u64), control_1.into(), se)
    }

    fn advance(&mut self, ring: usize) {
        if let Some((_, index)) = self.rings.rings.get_mut(ring).and_then(|ring| ring.next.as_mut()) {
            *index += 1;
        }
    }

    /// Credits a completion to the ring's receive entry, or in bimodal mode to a transmit entry.
    fn credit(&mut self, ring: usize) {
        let ctrl = PRC_CTRL.at(ring).map_or(0, |at| self.store.get(at));
        if PrcCtrl::from(ctrl).bimodal_interrupt() {
            self.credit_tti(BIMODAL + ring, false);
        } else {
            self.credit_rti(ring);
        }
    }

    /// A descriptor cannot be reached: the ring stops until it is started anew.
    fn bus_error(&mut self, ring: usize, error: PrcPcixErr) {
        self.store.latch(PRC_PCIX_ERR_REG, error.into());
        if let Some(ring) = self.rings.rings.get_mut(ring) {
            ring.stop();
        }
    }
}

/// Blocks are pages: the address bits within one do not count.
const fn page(block: u64) -> u64 {
    block & !(block::SIZE as u64 - 1)
}
