//! Owns the way of a frame from the wire to a ring: admission, packet memory, and who gets the next RxD.

use xframe::bits::{PrcCtrl, RmacErrCfg, RmacMaxPyldLen, RmacPauseCfg, RxPaCfg, RxQueueCfg};
use xframe::constants::RINGS;
use xframe::registers::PRC_RXD0;
use xframe::rxd::{CHECKSUM_GOOD, Completion, MAX_BUFFER};
use xframe::statistics as s;

use crate::assist;
use crate::card::Step;
use crate::chip::Chip;
use crate::fcs;
use crate::groups::Group;
use crate::memory::Memory;
use crate::packet_memory::PacketMemory;
use crate::parse::{self, Headers, MAC_CONTROL, TAG, be16};
use crate::ring::{Delivery, Ring};
use crate::traffic::{FCS, cast};
use crate::wire::{Loopback, Wire};

/// The shortest legal frame, without FCS.
const SHORTEST: usize = 60;
const ETHERNET_HEADER: usize = 14;
/// Frames that the MAC's own loop holds.
const LOOP_FRAMES: usize = 1024;

pub(crate) struct Rings {
    pub rings: [Ring; RINGS],
    pub memory: PacketMemory,
    /// Frames the MAC sends to itself.
    pub looped: Loopback,
    turn: usize,
    arriving: Vec<u8>,
    pub group: Group,
    /// The ring that a frame of the group went to last.
    pub group_ring: usize,
}

impl Rings {
    pub fn new() -> Self {
        Self {
            rings: Default::default(),
            memory: PacketMemory::default(),
            looped: Loopback::new(LOOP_FRAMES),
            turn: 0,
            arriving: Vec::new(),
            group: Group::Filling(0),
            group_ring: 0,
        }
    }

    pub fn reset(&mut self) {
        self.rings = Default::default();
        self.memory.clear();
        self.looped = Loopback::new(LOOP_FRAMES);
        self.group = Group::Filling(0);
    }

    /// A bit per ring, ring 0 most significant: the ring is on and frames wait for its RxDs.
    pub fn waiting(&self) -> u8 {
        let waits = |(ring, state): (usize, &Ring)| state.enabled() && self.memory.waits(ring);
        self.rings.iter().enumerate().map(waits).fold(0, |bits, waits| bits << 1 | u8::from(waits))
    }

    /// The bump counters of four rings from `first`, 16 bits each.
    pub fn bumps(&self, first: usize) -> u64 {
        self.rings.iter().skip(first).take(4).fold(0, |word, ring| word << 16 | u64::from(ring.bumps))
    }
}

impl Chip {
    /// Starts a ring when its enable bit goes from 0 to 1; stops it when the bit goes back. Writing 1 over 1 changes nothing.
    pub fn prc_ctrl(&mut self, ring: usize, before: PrcCtrl, after: PrcCtrl) {
        let first = PRC_RXD0.at(ring).map_or(0, |at| self.store.get(at));
        let Some(ring) = self.rings.rings.get_mut(ring) else { return };
        match (before.rc_enabled(), after.rc_enabled()) {
            (false, true) => ring.start(first),
            (true, false) => ring.stop(),
            _ => {}
        }
    }

    /// Moves one frame on: one that waits for an RxD first, else the next from the wire.
    pub fn receive<M: Memory, W: Wire>(&mut self, memory: &mut M, wire: &mut W) -> Option<Step> {
        if !self.pci.master() || self.group_is_full() {
            return None;
        }
        if !self.rings.memory.is_empty()
            && let Some(step) = self.drain(memory)
        {
            return Some(step);
        }
        if !self.receiving() {
            return None;
        }
        let mac_cfg = self.mac_cfg();
        let mut frame = std::mem::take(&mut self.rings.arriving);
        let looped = &mut self.rings.looped;
        let came = if mac_cfg.tmac_loopback() { looped.receive(&mut frame) } else { wire.receive(&mut frame) };
        let step = came.then(|| self.arrive(memory, &mut frame));
        self.rings.arriving = frame;
        if step.is_none() {
            self.end_group();
        }
        step
    }

    /// Frames are taken from the wire.
    pub fn receiving(&self) -> bool {
        self.pci.master() && self.running() && self.mac_cfg().rmac_enable()
    }

    /// Gives a frame that waits to its ring, if that ring has an RxD again.
    fn drain<M: Memory>(&mut self, memory: &mut M) -> Option<Step> {
        for step in 0..RINGS {
            let ring = (self.rings.turn + step) % RINGS;
            let Some(held) = self.rings.memory.take(ring) else { continue };
            if self.deliver(memory, ring, held.bytes(), held.completion) == Delivery::NoRxd {
                self.rings.memory.put_back(ring, held);
                continue;
            }
            self.rings.memory.recycle(held);
            self.rings.turn = (ring + 1) % RINGS;
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
        let (ring, hash) = self.steer(frame, &headers, frame.len() + FCS);
        let Some(ring) = ring else {
            self.counters.count(s::RMAC_RTS_DISCARD);
            self.counters.count(s::RMAC_DROP_FRMS);
            self.counters.count(s::RMAC_DROP_EVENTS);
            return Step::Discarded;
        };
        let cast = cast(frame);
        let (start, completion) = self.assist(frame, &headers);
        let completion = Completion { hash, ..completion };
        if !self.rings.memory.waits(ring) {
            let bytes = frame.get(start..).unwrap_or(&[]);
            if self.deliver(memory, ring, bytes, completion) != Delivery::NoRxd {
                self.count_accepted(cast, &headers, ring);
                return Step::Received { ring };
            }
            if let Some(ring) = self.rings.rings.get_mut(ring) {
                ring.bumps = ring.bumps.wrapping_add(1);
            }
        }
        let room = self.share(ring);
        if !self.rings.memory.push(ring, room, frame, start, completion) {
            self.count_overflow(ring);
            return Step::Discarded;
        }
        self.count_accepted(cast, &headers, ring);
        Step::Held { ring }
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
            if !accept.too_long() || frame.len() > usize::from(MAX_BUFFER) {
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
        if completion.tcp && !completion.fragment && completion.l4 != CHECKSUM_GOOD {
            self.counters.count(s::RMAC_ERR_TCP);
        }
        if completion.ipv4 && completion.l3 != CHECKSUM_GOOD {
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

    /// The bytes of packet memory that a ring's queue may fill.
    fn share(&self, ring: usize) -> usize {
        let shares: RxQueueCfg = self.store.word();
        let mib = u64::from(shares).to_be_bytes().get(ring).copied().unwrap_or(0);
        (usize::from(mib) << 20).min(self.config.packet_memory)
    }
}
