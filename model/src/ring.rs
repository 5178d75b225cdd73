//! Owns one ring: where its next RxD lies, and the writing of a frame into it.

use xframe::bits::{PrcCtrl, PrcPcixErr, RingMode};
use xframe::block;
use xframe::registers::{PRC_CTRL, PRC_PCIX_ERR_REG};
use xframe::rxd::{self, Completion, Control1, Control2, TCode};
use xframe::statistics::{RXD_RD_CNT, RXD_WR_CNT, RXF_WR_CNT};
use xframe::swapper::transform;

use crate::chip::Chip;
use crate::memory::{MasterAbort, Memory, read_word, write_data, write_word};

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
    buffer: u64,
    size: u16,
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
        let completion = self.write_frame(memory, ring, &rxd, frame, completion);
        let (control_1, control_2) = completion.encode();
        if self.write_back(memory, &rxd, control_1, control_2).is_err() {
            self.bus_error(ring, PrcPcixErr::new().with_ab_wr_rn(0x80 >> ring));
            return Delivery::Lost;
        }
        self.advance(ring);
        self.credit(ring);
        Delivery::Done
    }

    /// Reads the next RxD; `None` if it is the host's.
    fn fetch_rxd<M: Memory>(&mut self, memory: &mut M, ring: usize) -> Result<Option<Rxd>, MasterAbort> {
        let se = self.swapper().rxd_r_se();
        let Some(state) = self.rings.rings.get_mut(ring) else { return Ok(None) };
        let Some((mut block, mut index)) = state.next else { return Ok(None) };
        if index >= block::RXDS {
            block = read_word(memory, page(block).wrapping_add(block::LINK as u64), se)?;
            index = 0;
            state.next = Some((block, index));
        }
        let at = page(block).wrapping_add((index * rxd::SIZE) as u64);
        let mut bytes = [0; rxd::SIZE];
        memory.read(at, &mut bytes)?;
        self.counters.count(RXD_RD_CNT);
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| transform(u64::from_le_bytes(*word), se));
        let (_host, control_1, control_2, buffer) = (words.next(), words.next(), words.next(), words.next());
        let owned = Control1::from(control_1.unwrap_or(0)).own();
        let size = Control2::from(control_2.unwrap_or(0)).buffer_0_size();
        Ok((owned && self.one_buffer(ring)).then(|| Rxd { at, buffer: buffer.unwrap_or(0), size }))
    }

    /// Only descriptors of one buffer are served; a ring set to others gets nothing.
    fn one_buffer(&self, ring: usize) -> bool {
        let ctrl = PRC_CTRL.at(ring).map_or(0, |at| self.store.get(at));
        PrcCtrl::from(ctrl).ring_mode() == RingMode::OneBuffer
    }

    /// Writes as much of the frame as the buffer holds, and says how it went.
    fn write_frame<M: Memory>(
        &mut self,
        memory: &mut M,
        ring: usize,
        rxd: &Rxd,
        frame: &[u8],
        mut completion: Completion,
    ) -> Completion {
        let fitting = frame.get(..usize::from(rxd.size)).unwrap_or(frame);
        if fitting.len() < frame.len() {
            completion.t_code = TCode::BufferSize;
        }
        completion.size = fitting.len() as u16;
        self.counters.count(RXF_WR_CNT);
        if write_data(memory, rxd.buffer, fitting, self.swapper().rxf_w_se()).is_err() {
            self.store.latch(PRC_PCIX_ERR_REG, PrcPcixErr::new().with_ab_f_wr_rn(0x80 >> ring).into());
            completion.t_code = TCode::Abort;
            completion.size = 0;
        }
        completion
    }

    fn write_back<M: Memory>(
        &mut self,
        memory: &mut M,
        rxd: &Rxd,
        control_1: Control1,
        control_2: Control2,
    ) -> Result<(), MasterAbort> {
        let se = self.swapper().rxd_w_se();
        self.counters.count(RXD_WR_CNT);
        write_word(memory, rxd.at.wrapping_add(rxd::CONTROL_2 as u64), control_2.into(), se)?;
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
