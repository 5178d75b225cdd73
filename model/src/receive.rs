//! Owns the way of a frame from the wire to a ring: admission, packet memory, and who gets the next RxD.

use std::collections::VecDeque;

use xframe::bits::{PrcCtrl, RmacErrCfg, RmacMaxPyldLen, RmacPauseCfg, RxPaCfg, RxQueueCfg};
use xframe::constants::RINGS;
use xframe::rxd::Completion;
use xframe::statistics as s;

use crate::assist;
use crate::card::Step;
use crate::chip::Chip;
use crate::fcs;
use crate::memory::Memory;
use crate::parse::{self, Headers, MAC_CONTROL, TAG, be16};
use crate::ring::{Delivery, Ring};
use crate::traffic::FCS;
use crate::wire::Wire;

/// The shortest legal frame, without FCS.
const SHORTEST: usize = 60;
const ETHERNET_HEADER: usize = 14;
/// Room in a fresh buffer: any frame of the usual MTU.
const ROOMY: usize = 2048;
/// Frames that the MAC's own loop holds.
const LOOP_FRAMES: usize = 1024;

/// A frame in packet memory.
struct Held {
    frame: Vec<u8>,
    start: usize,
    completion: Completion,
}

#[derive(Default)]
struct Queue {
    frames: VecDeque<Held>,
    bytes: usize,
}

pub(crate) struct Rings {
    pub rings: [Ring; RINGS],
    queues: [Queue; RINGS],
    /// Frames held in all queues.
    held: usize,
    turn: usize,
    /// Frames the MAC sent to itself.
    looped: VecDeque<Vec<u8>>,
    /// Empty buffers, so that holding frames allocates nothing once under way.
    spare: Vec<Vec<u8>>,
    arriving: Vec<u8>,
}

impl Rings {
    pub fn new() -> Self {
        Self {
            rings: Default::default(),
            queues: Default::default(),
            held: 0,
            turn: 0,
            looped: VecDeque::new(),
            spare: Vec::new(),
            arriving: Vec::with_capacity(ROOMY),
        }
    }

    pub fn reset(&mut self) {
        self.rings = Default::default();
        self.queues = Default::default();
        self.held = 0;
        self.looped.clear();
    }

    /// A bit per ring, ring 0 most significant: the ring is on and frames wait for its RxDs.
    pub fn waiting(&self) -> u8 {
        let waits = |(ring, queue): (&Ring, &Queue)| ring.enabled() && !queue.frames.is_empty();
        self.rings.iter().zip(&self.queues).map(waits).fold(0, |bits, waits| bits << 1 | u8::from(waits))
    }

    /// The bump counters of four rings from `first`, 16 bits each.
    pub fn bumps(&self, first: usize) -> u64 {
        self.rings.iter().skip(first).take(4).fold(0, |word, ring| word << 16 | u64::from(ring.bumps))
    }

    pub fn loop_back(&mut self, frame: &[u8]) {
        if self.looped.len() < LOOP_FRAMES {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(frame);
            self.looped.push_back(copy);
        }
    }

    fn take_looped(&mut self, frame: &mut Vec<u8>) -> bool {
        let Some(mut next) = self.looped.pop_front() else { return false };
        std::mem::swap(frame, &mut next);
        self.spare.push(next);
        true
    }

    fn queue_is_empty(&self, ring: usize) -> bool {
        self.queues.get(ring).is_none_or(|queue| queue.frames.is_empty())
    }
}

impl Chip {
    /// Starts a ring when its enable bit goes from 0 to 1; stops it when the bit goes back. Writing 1 over 1 changes nothing.
    pub fn prc_ctrl(&mut self, ring: usize, before: PrcCtrl, after: PrcCtrl) {
        let first = xframe::registers::PRC_RXD0.at(ring).map_or(0, |at| self.store.get(at));
        let Some(ring) = self.rings.rings.get_mut(ring) else { return };
        match (before.rc_enabled(), after.rc_enabled()) {
            (false, true) => ring.start(first),
            (true, false) => ring.stop(),
            _ => {}
        }
    }

    /// Moves one frame on: one that waits for an RxD first, else the next from the wire.
    pub fn receive<M: Memory, W: Wire>(&mut self, memory: &mut M, wire: &mut W) -> Option<Step> {
        if !self.pci.master() {
            return None;
        }
        if self.rings.held > 0
            && let Some(step) = self.drain(memory)
        {
            return Some(step);
        }
        let mac_cfg = self.mac_cfg();
        if !self.running() || !mac_cfg.rmac_enable() {
            return None;
        }
        let mut frame = std::mem::take(&mut self.rings.arriving);
        let came = if mac_cfg.tmac_loopback() { self.rings.take_looped(&mut frame) } else { wire.receive(&mut frame) };
        let step = came.then(|| self.arrive(memory, &mut frame));
        self.rings.arriving = frame;
        step
    }

    /// Gives a frame that waits to its ring, if that ring has an RxD again.
    fn drain<M: Memory>(&mut self, memory: &mut M) -> Option<Step> {
        for step in 0..RINGS {
            let ring = (self.rings.turn + step) % RINGS;
            let Some(held) = self.rings.queues.get_mut(ring).and_then(|queue| queue.frames.pop_front()) else {
                continue;
            };
            let frame = held.frame.get(held.start..).unwrap_or(&[]);
            let length = held.frame.len();
            if self.deliver(memory, ring, frame, held.completion) == Delivery::NoRxd {
                if let Some(queue) = self.rings.queues.get_mut(ring) {
                    queue.frames.push_front(held);
                }
                continue;
            }
            self.rings.turn = (ring + 1) % RINGS;
            self.rings.held -= 1;
            self.rings.spare.push(held.frame);
            if let Some(queue) = self.rings.queues.get_mut(ring) {
                queue.bytes -= length;
            }
            return Some(Step::Received { ring });
        }
        None
    }

    /// Takes a frame from the wire to its ring, to packet memory, or to its end.
    fn arrive<M: Memory>(&mut self, memory: &mut M, frame: &mut Vec<u8>) -> Step {
        self.count_arrival(frame);
        if !self.admit(frame) {
            self.counters.count(s::RMAC_DISCARDED_FRMS);
            return Step::Discarded;
        }
        let headers = parse::headers(frame);
        let Some(ring) = self.steer(&headers, frame.len() + FCS) else {
            self.counters.count(s::RMAC_RTS_DISCARD);
            self.counters.count(s::RMAC_DROP_FRMS);
            self.counters.count(s::RMAC_DROP_EVENTS);
            return Step::Discarded;
        };
        self.count_accepted(frame, &headers, ring);
        let (start, completion) = self.assist(frame, &headers);
        if self.rings.queue_is_empty(ring) {
            let bytes = frame.get(start..).unwrap_or(&[]);
            if self.deliver(memory, ring, bytes, completion) != Delivery::NoRxd {
                return Step::Received { ring };
            }
            if let Some(ring) = self.rings.rings.get_mut(ring) {
                ring.bumps = ring.bumps.wrapping_add(1);
            }
        }
        self.hold(ring, frame, start, completion)
    }

    /// A ring that is on and that steering allows.
    fn steer(&mut self, headers: &Headers, length: usize) -> Option<usize> {
        let ring = self.steering.ring(&self.store, headers, length)?;
        self.rings.rings.get(ring).filter(|state| state.enabled()).map(|_| ring)
    }

    /// Checks lengths, swallows pause frames and filters addresses.
    fn admit(&mut self, frame: &[u8]) -> bool {
        let accept: RmacErrCfg = self.store.word();
        let tagged = be16(frame, 12) == Some(TAG);
        let longest =
            usize::from(self.store.word::<RmacMaxPyldLen>().rmac_max_pyld_len()) + if tagged { 22 } else { 18 };
        if frame.len() < ETHERNET_HEADER || self.config.runt_check && frame.len() < SHORTEST && !accept.runt() {
            self.counters.count(s::RMAC_USIZED_FRMS);
            self.counters.count(s::RMAC_LEN_DISCARD);
            return false;
        }
        if frame.len() + FCS > longest {
            self.counters.count(s::RMAC_LONG_FRMS);
            if !accept.too_long() || frame.len() > usize::from(xframe::rxd::MAX_BUFFER) {
                self.counters.count(s::RMAC_LEN_DISCARD);
                return false;
            }
        }
        self.count_valid(frame);
        if be16(frame, 12) == Some(MAC_CONTROL) && !self.control_frame(frame) {
            return false;
        }
        let Some((destination, _)) = frame.split_first_chunk() else { return false };
        let ours = self.cam.accepts(*destination, self.mac_cfg());
        if !ours {
            self.counters.count(s::RMAC_DA_DISCARD);
        }
        ours
    }

    /// Counts a MAC control frame; false if it ends here. There is no clock to stop the transmitter by: a pause that must be
    /// obeyed is counted and takes no time.
    fn control_frame(&mut self, frame: &[u8]) -> bool {
        if be16(frame, 14) != Some(1) {
            self.counters.count(s::RMAC_UNSUP_CTRL_FRMS);
            return true;
        }
        self.counters.count(s::RMAC_PAUSE_CTRL_FRMS);
        if self.store.word::<RmacPauseCfg>().rx_enable() {
            self.counters.add(s::RMAC_PAUSE_CNT, be16(frame, 16).unwrap_or(0).into());
        }
        let swallow = self.mac_cfg().discard_pfrm();
        if swallow {
            self.counters.count(s::RMAC_PF_DISCARD);
        }
        !swallow
    }

    /// Describes the frame, moves its tag and leaves or removes its FCS. Returns where it now starts.
    fn assist(&mut self, frame: &mut Vec<u8>, headers: &Headers) -> (usize, Completion) {
        let mut completion = assist::describe(frame, headers);
        if completion.tcp && !completion.fragment && completion.l4 != xframe::rxd::CHECKSUM_GOOD {
            self.counters.count(s::RMAC_ERR_TCP);
        }
        if completion.ipv4 && completion.l3 != xframe::rxd::CHECKSUM_GOOD {
            self.counters.count(s::RMAC_HDR_ERR_IP);
        }
        if !self.mac_cfg().rmac_strip_fcs() {
            let fcs = fcs::of(frame);
            frame.extend_from_slice(&fcs);
            completion.size += FCS as u16;
        }
        let rx_pa_cfg: RxPaCfg = self.store.word();
        (assist::strip_tag(frame, &mut completion, headers, rx_pa_cfg), completion)
    }

    /// Puts a frame into packet memory, if its ring's share has room.
    fn hold(&mut self, ring: usize, frame: &mut Vec<u8>, start: usize, completion: Completion) -> Step {
        let shares: RxQueueCfg = self.store.word();
        let mib = u64::from(shares).to_be_bytes().get(ring).copied().unwrap_or(0);
        let room = (usize::from(mib) << 20).min(self.config.packet_memory);
        let queue = self.rings.queues.get_mut(ring).filter(|queue| queue.bytes + frame.len() <= room);
        let Some(queue) = queue else {
            self.count_overflow(ring);
            return Step::Discarded;
        };
        queue.bytes += frame.len();
        let spare = self.rings.spare.pop().unwrap_or_else(|| Vec::with_capacity(ROOMY));
        let frame = std::mem::replace(frame, spare);
        queue.frames.push_back(Held { frame, start, completion });
        self.rings.held += 1;
        Step::Held { ring }
    }
}
