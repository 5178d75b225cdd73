//! Owns the way of one list from memory to the wire and the word that tells the host it is done.

use xframe::bits::AdapterControl;
use xframe::constants::MAX_MTU;
use xframe::statistics::{TMAC_ANY_ERR_FRMS, TXD_RD_CNT, TXD_WR_CNT, TXF_RD_CNT};
use xframe::swapper::transform;
use xframe::txd::{self, Control1, Control2, LsoCof, TCode};

use crate::assist;
use crate::card::Step;
use crate::chip::Chip;
use crate::doorbell::List;
use crate::memory::{Memory, read_data, write_word};
use crate::parse;
use crate::segment::Segments;
use crate::wire::Wire;

/// The longest frame: the largest MTU, an Ethernet header and a tag.
const MAX_FRAME: usize = MAX_MTU as usize + 18;
/// The longest list to be segmented: what an IP length can say, and the Ethernet header.
const MAX_LIST: usize = 0xFFFF + 18;
/// What the MAC pads short frames to.
const MIN_FRAME: usize = 60;
const ETHERNET_HEADER: usize = 14;

/// Buffers that live as long as the card, so that sending allocates nothing.
#[derive(Default)]
pub(crate) struct Outgoing {
    descriptors: Vec<u8>,
    list: Vec<u8>,
    frame: Vec<u8>,
}

/// What the first descriptor of a list says, and how the list ended.
struct Outcome {
    control_1: Control1,
    control_2: Control2,
    t_code: TCode,
}

impl Chip {
    /// Completes one list, if there is one and the adapter takes any. An enabled adapter takes lists even while the link is
    /// down; they then end with an error code.
    pub fn transmit<M: Memory, W: Wire>(&mut self, memory: &mut M, wire: &mut W) -> Option<Step> {
        let control: AdapterControl = self.store.word();
        if self.fifos.idle() || !self.pci.master() || !control.cntl_en() || !self.mac_cfg().tmac_enable() {
            return None;
        }
        let (fifo, list) = self.fifos.take(&self.store)?;
        let mut buffers = std::mem::take(&mut self.outgoing);
        let mut outcome = self.fetch(memory, list, &mut buffers);
        if outcome.t_code == TCode::Ok && !self.running() {
            outcome.t_code = TCode::LinkLoss;
        }
        if outcome.t_code == TCode::Ok {
            outcome.t_code = self.send_list(wire, &outcome, &mut buffers);
        }
        if outcome.t_code != TCode::Ok {
            self.counters.count(TMAC_ANY_ERR_FRMS);
        }
        self.outgoing = buffers;
        outcome.t_code = self.faults.send_code().unwrap_or(outcome.t_code);
        if !self.faults.keeps_txd() {
            self.complete(memory, list, &outcome);
        }
        Some(Step::Sent { fifo })
    }

    /// Reads the list's descriptors in one go, then its fragments.
    fn fetch<M: Memory>(&mut self, memory: &mut M, list: List, buffers: &mut Outgoing) -> Outcome {
        let mut outcome =
            Outcome { control_1: Control1::new(), control_2: Control2::new(), t_code: TCode::DescriptorAbort };
        buffers.list.clear();
        buffers.descriptors.resize((usize::from(list.control.last_txd_num()) + 1) * txd::SIZE, 0);
        self.counters.count(TXD_RD_CNT);
        if memory.read(list.pointer, &mut buffers.descriptors).is_ok() {
            let se = self.swapper().txd_r_se();
            let txds = buffers.descriptors.as_chunks().0.iter().map(|txd| words(txd, se));
            outcome.t_code = match self.gather(memory, txds, &mut buffers.list, &mut outcome) {
                Ok(()) => TCode::Ok,
                Err(t_code) => t_code,
            };
        }
        outcome
    }

    /// Follows the descriptors to the one marked last, for a host may have counted more than it filled.
    fn gather<M: Memory>(
        &mut self,
        memory: &mut M,
        txds: impl Iterator<Item = [u64; 4]>,
        frame: &mut Vec<u8>,
        outcome: &mut Outcome,
    ) -> Result<(), TCode> {
        let se = self.swapper().txf_r_se();
        let mut longest = None;
        for [control_1, control_2, pointer, _] in txds {
            let control_1 = Control1::from(control_1);
            let limit = match longest {
                Some(limit) => limit,
                None => {
                    (outcome.control_1, outcome.control_2) = (control_1, control_2.into());
                    *longest.insert(first_descriptor(control_1)?)
                }
            };
            let start = frame.len();
            let end = start + usize::from(control_1.buffer0_size());
            if end > limit {
                return Err(TCode::ListError);
            }
            frame.resize(end, 0);
            if let Some(fragment) = frame.get_mut(start..).filter(|fragment| !fragment.is_empty()) {
                self.counters.count(TXF_RD_CNT);
                read_data(memory, pointer, fragment, se).map_err(|_| TCode::BufferAbort)?;
            }
            if control_1.gather_last() {
                return if end < ETHERNET_HEADER { Err(TCode::ListError) } else { Ok(()) };
            }
        }
        Err(TCode::ListError)
    }

    /// Sends the list as one frame, or as the segments it asks for. No frame may become longer than the MAC can send.
    fn send_list<W: Wire>(&mut self, wire: &mut W, outcome: &Outcome, buffers: &mut Outgoing) -> TCode {
        let headers = parse::headers(&buffers.list);
        let mss = usize::from(outcome.control_1.lso_mss());
        let segments = match outcome.control_1.lso_cof_ctrl() {
            LsoCof::TcpLso => Segments::new(&buffers.list, &headers, mss),
            _ => None,
        };
        if segments.as_ref().map_or(buffers.list.len(), Segments::longest) > MAX_FRAME {
            return TCode::ListError;
        }
        if let Some(mut segments) = segments {
            let sums = outcome.control_2.with_tx_cko_ipv4_en(true).with_tx_cko_tcp_en(true);
            while segments.next_into(&mut buffers.frame) {
                self.send_frame(wire, &mut buffers.frame, sums);
            }
        } else {
            self.send_frame(wire, &mut buffers.list, outcome.control_2);
        }
        TCode::Ok
    }

    /// Checksums, then the tag, then the padding.
    fn send_frame<W: Wire>(&mut self, wire: &mut W, frame: &mut Vec<u8>, control_2: Control2) {
        let headers = parse::headers(frame);
        assist::insert(frame, &headers, control_2);
        self.count_sent_protocols(frame, &headers);
        // Some hosts ask for a tag on every frame and mean none by 0.
        if control_2.vlan_enable() && control_2.vlan_tag() != 0 {
            insert_tag(frame, control_2.vlan_tag());
        }
        if frame.len() < MIN_FRAME && self.mac_cfg().tmac_append_pad() {
            frame.resize(MIN_FRAME, 0);
        }
        self.count_sent(frame);
        if self.mac_cfg().tmac_loopback() {
            self.rings.looped.send(frame);
        } else {
            wire.send(frame);
        }
    }

    /// Writes the first descriptor's first word back, nothing else, and credits the list to its interrupt entry.
    fn complete<M: Memory>(&mut self, memory: &mut M, list: List, outcome: &Outcome) {
        let word = outcome.control_1.with_own(false).with_t_code(outcome.t_code);
        let at = list.pointer.wrapping_add(txd::CONTROL_1 as u64);
        self.counters.count(TXD_WR_CNT);
        // A list that cannot be read cannot be completed either; the host hears of it by the interrupt.
        let _unreachable = write_word(memory, at, word.into(), self.swapper().txd_w_se());
        self.credit_tti(outcome.control_2.int_number().into(), outcome.control_2.int_type_per_list());
    }
}

/// Checks what only the first descriptor of a list says; returns how long the list may be.
fn first_descriptor(control_1: Control1) -> Result<usize, TCode> {
    if !control_1.own() || !control_1.gather_first() {
        return Err(TCode::ListError);
    }
    match control_1.lso_cof_ctrl() {
        LsoCof::None => Ok(MAX_FRAME),
        // Without a segment size there is nothing to cut.
        LsoCof::TcpLso => Ok(if control_1.lso_mss() == 0 { MAX_FRAME } else { MAX_LIST }),
        LsoCof::Cof | LsoCof::Ufo => Err(TCode::ListError),
    }
}

fn words(txd: &[u8; txd::SIZE], se: bool) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(txd.as_chunks::<8>().0) {
        *word = transform(u64::from_le_bytes(*bytes), se);
    }
    words
}

fn insert_tag(frame: &mut Vec<u8>, tag: u16) {
    let end = frame.len();
    frame.resize(end + 4, 0);
    frame.copy_within(12..end, 16);
    if let Some(field) = frame.get_mut(12..).and_then(|rest| rest.first_chunk_mut()) {
        let [high, low] = tag.to_be_bytes();
        *field = [0x81, 0x00, high, low];
    }
}
