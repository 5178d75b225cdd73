//! A host of a few pages and the steps a driver takes, for tests of the card.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::collections::VecDeque;

use model::{Bar, Card, Config, MasterAbort, Memory, Step, Width, Wire};
use xframe::bits::*;
use xframe::constants::{Asic, calendar, pause_thresholds, qos_steering};
use xframe::registers::{self as r, Register};
use xframe::swapper::{FEEDBACK, Interrupts, SEARCH_READ, SEARCH_WRITE, SwapperCtrl};
use xframe::{block, rxd, txd};

pub mod frames;

pub const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x01, 0x02, 0x03];
pub const PEER: [u8; 6] = [0x02, 0, 0, 0, 0, 1];

/// Where the host's memory starts on the bus, and the tests' use of it.
pub const BASE: u64 = 0x1_2340_0000;
pub const BLOCKS: u64 = BASE;
pub const BUFFERS: u64 = BASE + 0x10_0000;
pub const LISTS: u64 = BASE + 0x80_0000;
pub const FRAMES: u64 = BASE + 0x90_0000;
pub const STATISTICS: u64 = BASE + 0xA0_0000;
pub const BUFFER: u64 = 0x4000;

/// Memory that remembers which writes were made.
pub struct Ram {
    bytes: Vec<u8>,
    pub writes: Vec<(u64, usize)>,
}

impl Ram {
    fn new() -> Self {
        Self { bytes: vec![0; 0xB0_0000], writes: Vec::new() }
    }

    fn range(&self, bus: u64, length: usize) -> Result<std::ops::Range<usize>, MasterAbort> {
        let start = bus.checked_sub(BASE).and_then(|start| usize::try_from(start).ok()).ok_or(MasterAbort { bus })?;
        let end = start.checked_add(length).filter(|end| *end <= self.bytes.len()).ok_or(MasterAbort { bus })?;
        Ok(start..end)
    }

    pub fn bytes(&self, bus: u64, length: usize) -> &[u8] {
        &self.bytes[self.range(bus, length).unwrap()]
    }

    pub fn word(&self, bus: u64) -> u64 {
        u64::from_le_bytes(self.bytes(bus, 8).try_into().unwrap())
    }

    pub fn put(&mut self, bus: u64, bytes: &[u8]) {
        let range = self.range(bus, bytes.len()).unwrap();
        self.bytes[range].copy_from_slice(bytes);
    }

    pub fn put_word(&mut self, bus: u64, word: u64) {
        self.put(bus, &word.to_le_bytes());
    }
}

impl Memory for Ram {
    fn read(&mut self, bus: u64, into: &mut [u8]) -> Result<(), MasterAbort> {
        let range = self.range(bus, into.len())?;
        into.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, bus: u64, from: &[u8]) -> Result<(), MasterAbort> {
        let range = self.range(bus, from.len())?;
        self.writes.push((bus, from.len()));
        self.bytes[range].copy_from_slice(from);
        Ok(())
    }
}

/// A wire on which the test puts frames, and finds those sent.
#[derive(Default)]
pub struct Script {
    pub frames: VecDeque<Vec<u8>>,
    pub sent: Vec<Vec<u8>>,
}

impl Wire for Script {
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        self.frames.pop_front().map(|next| *frame = next).is_some()
    }

    fn send(&mut self, frame: &[u8]) {
        self.sent.push(frame.to_vec());
    }
}

pub struct Host {
    pub card: Card<Ram, Script>,
    pub asic: Asic,
    /// RxDs posted and taken so far, over all blocks of the ring.
    posted: usize,
    taken: usize,
    blocks: usize,
}

impl Host {
    /// A card as after power-on with its windows on.
    pub fn new(config: Config) -> Self {
        let asic = config.asic;
        let mut card = Card::new(config, Ram::new(), Script::default());
        card.config_write(0x04, Width::Word, 0x0006);
        Self { card, asic, posted: 0, taken: 0, blocks: 0 }
    }

    pub fn herc() -> Self {
        Self::new(Config::new(Asic::Herc, MAC))
    }

    /// A Herc that is up, with one ring of `blocks` blocks and nothing posted.
    pub fn running(blocks: usize) -> Self {
        let mut host = Self::herc();
        host.bring_up(blocks);
        host
    }

    pub fn read(&mut self, register: Register) -> u64 {
        self.card.read(Bar::Registers, register.offset().into(), Width::Qword)
    }

    pub fn write(&mut self, register: Register, value: u64) {
        self.card.write(Bar::Registers, register.offset().into(), Width::Qword, value);
    }

    pub fn get<W: OfRegister>(&mut self) -> W {
        W::from(self.read(W::REGISTER))
    }

    pub fn put<W: OfRegister>(&mut self, word: W) {
        self.write(W::REGISTER, word.into());
    }

    /// Writes the upper half first.
    pub fn write_halves(&mut self, register: Register, value: u64) {
        let offset = u64::from(register.offset());
        self.card.write(Bar::Registers, offset + 4, Width::Dword, value >> 32);
        self.card.write(Bar::Registers, offset, Width::Dword, value & 0xFFFF_FFFF);
    }

    /// The search a driver makes for the right byte order.
    pub fn set_swapper(&mut self, interrupts: Interrupts) {
        let mut found = None;
        if self.read(r::PIF_RD_SWAPPER_FB) == FEEDBACK {
            found = Some(self.read(r::SWAPPER_CTRL));
        }
        for setting in SEARCH_READ {
            if found.is_none() {
                self.write(r::SWAPPER_CTRL, setting);
                found = (self.read(r::PIF_RD_SWAPPER_FB) == FEEDBACK).then_some(setting);
            }
        }
        let reads = found.unwrap();
        self.write(r::XMSI_ADDRESS, FEEDBACK);
        let mut writes = self.read(r::XMSI_ADDRESS) == FEEDBACK;
        for setting in SEARCH_WRITE {
            if !writes {
                self.write(r::SWAPPER_CTRL, reads | setting);
                self.write(r::XMSI_ADDRESS, FEEDBACK);
                writes = self.read(r::XMSI_ADDRESS) == FEEDBACK;
            }
        }
        assert!(writes);
        let kept = self.read(r::SWAPPER_CTRL);
        self.write(r::SWAPPER_CTRL, SwapperCtrl::little_endian(kept, interrupts).into());
        assert_eq!(self.read(r::PIF_RD_SWAPPER_FB), FEEDBACK);
    }

    pub fn release_resets(&mut self) {
        if self.asic == Asic::Herc {
            self.put(SwReset::XGXS_HELD);
        }
        self.put(SwReset::new());
        let running = (0..10).find(|_| !self.get::<AdapterStatus>().ric_running());
        assert!(running.is_some(), "initialisation does not end");
    }

    /// A command to an indirect table, whose strobe must clear at once.
    pub fn command(&mut self, register: Register, command: Command) {
        self.write(register, command.into());
        assert!(!Command::from(self.read(register)).strobe());
    }

    pub fn cam_read(&mut self, offset: u8) -> (u64, u64) {
        self.command(r::RMAC_ADDR_CMD_MEM, Command::read(offset));
        (self.get::<RmacAddrData0>().addr(), self.get::<RmacAddrData1>().mask())
    }

    pub fn cam_write(&mut self, offset: u8, address: u64, mask: u64) {
        self.put(RmacAddrData0::new().with_addr(address));
        self.put(RmacAddrData1::new().with_mask(mask));
        self.command(r::RMAC_ADDR_CMD_MEM, Command::write(offset));
    }

    fn update<W: OfRegister>(&mut self, change: impl FnOnce(W) -> W) {
        let word = self.get::<W>();
        self.put(change(word));
    }

    /// Keyed on both chips; only Xena insists.
    pub fn set_mac_cfg(&mut self, change: impl FnOnce(MacCfg) -> MacCfg) {
        let word = self.get::<MacCfg>();
        self.put(RmacCfgKey::UNLOCK);
        self.put(change(word));
    }

    /// Every write of a driver's bring-up, in its order, up to a running adapter.
    pub fn bring_up(&mut self, blocks: usize) {
        self.set_swapper(Interrupts::Line);
        self.release_resets();
        self.set_mac_cfg(|mac| mac.with_bcast_enable(true));
        for mask in [r::MAC_INT_MASK, r::MC_INT_MASK, r::XGXS_INT_MASK] {
            self.read(mask);
        }
        self.put(RmacMaxPyldLen::new().with_rmac_max_pyld_len(9600));
        for &value in self.asic.xaui() {
            self.write_halves(r::DTX_CONTROL, value);
        }
        self.set_up_transmit();
        self.set_up_receive();
        self.write(r::STAT_ADDR, STATISTICS);
        if self.asic == Asic::Herc {
            self.put(StatByteCnt::new().with_stat_bc(0x320));
        }
        self.put(MacLinkUtil::new().with_tx_link_util_val(5).with_rx_link_util_val(5));
        self.set_mac_cfg(|mac| mac.with_rmac_strip_pad(false));
        self.set_mac_cfg(|mac| mac.with_rmac_strip_fcs(true));
        self.update(|pause: RmacPauseCfg| pause.with_hg_ptime(0x100));
        self.write(r::MC_PAUSE_THRESH_Q0Q3, pause_thresholds(0xBB));
        self.write(r::MC_PAUSE_THRESH_Q4Q7, pause_thresholds(0xBB));
        self.update(|pic: PicControl| pic.with_shared_splits(0));
        self.start_ring(0, BLOCKS, blocks);
        let mrs = self.get::<McRldramMrs>().with_queue_size_enable(true).with_mrs_enable(true);
        self.write_halves(r::MC_RLDRAM_MRS, mrs.into());
        self.update(|control: AdapterControl| control.with_ecc_en(false));
        assert!(self.get::<AdapterStatus>().quiescent(true));
        self.update(|control: AdapterControl| control.with_eoi_tx_on(true));
        self.update(|control: AdapterControl| control.with_cntl_en(true));
    }

    fn set_up_transmit(&mut self) {
        for word in r::TX_FIFO_PARTITION.iter() {
            self.write(word, 0);
        }
        let pair = TxFifoPartition::new().with_even_len(63).with_odd_len(63).with_odd_pri(1);
        self.write(r::TX_FIFO_PARTITION.first(), pair.into());
        self.put(
            TxPaCfg::new()
                .with_ignore_frm_err(true)
                .with_ignore_snap_oui(true)
                .with_ignore_llc_ctrl(true)
                .with_ignore_l2_err(true),
        );
        for (word, slots) in r::TX_W_ROUND_ROBIN.iter().zip(calendar(2)) {
            self.write(word, slots);
        }
        self.write(r::TX_FIFO_PARTITION.first(), pair.with_en(true).into());
    }

    fn set_up_receive(&mut self) {
        self.write(r::RX_QUEUE_PRIORITY, 0);
        self.put(RxQueueCfg::new().with_q0_sz(self.asic.rldram_mib()));
        for (word, slots) in r::RX_W_ROUND_ROBIN.iter().zip(calendar(1)) {
            self.write(word, slots);
        }
        self.write(r::RTS_QOS_STEERING, qos_steering(1));
        for word in r::RTS_FRM_LEN.iter().skip(1) {
            self.write(word, 0);
        }
        self.write(r::RTS_FRM_LEN.first(), RtsFrmLen::new().with_len_set(9622).into());
        for entry in 0..64 {
            self.put(RtsDsMemData::new());
            self.command(r::RTS_DS_MEM_CTRL, Command::write(entry));
        }
    }

    /// Links `blocks` blocks in a circle, all RxDs the host's, and turns the ring on.
    pub fn start_ring(&mut self, ring: usize, at: u64, blocks: usize) {
        self.blocks = blocks;
        let memory = self.card.memory_mut();
        for index in 0..blocks {
            let this = at + (index * block::SIZE) as u64;
            let next = at + ((index + 1) % blocks * block::SIZE) as u64;
            memory.put(this, &[0; block::SIZE]);
            memory.put_word(this + block::LINK as u64, next);
        }
        self.write(r::PRC_RXD0.at(ring).unwrap(), at);
        let ctrl = PrcCtrl::new().with_rc_enabled(true).with_group_reads(true).with_rxd_backoff_interval(0x1000);
        self.write(r::PRC_CTRL.at(ring).unwrap(), ctrl.into());
    }

    /// Bus address of the ring's RxD number `index`, counted over all rounds.
    pub fn rxd(&self, index: usize) -> u64 {
        let (block, slot) = (index / block::RXDS % self.blocks, index % block::RXDS);
        BLOCKS + (block * block::SIZE + block::rxd_offset(slot).unwrap()) as u64
    }

    /// Bus address of the buffer of RxD number `index`.
    pub fn buffer(&self, index: usize) -> u64 {
        BUFFERS + index as u64 % 256 * BUFFER
    }

    /// Posts the next RxD with a buffer of `size` bytes.
    pub fn post(&mut self, size: u16) {
        let (rxd, buffer) = (self.rxd(self.posted), self.buffer(self.posted));
        let memory = self.card.memory_mut();
        memory.put_word(rxd + rxd::HOST_CONTROL as u64, 0xC0FF_EE00);
        memory.put_word(rxd + rxd::BUFFER0_PTR as u64, buffer);
        memory.put_word(rxd + rxd::CONTROL_2 as u64, rxd::Control2::posted(size).into());
        memory.put_word(rxd + rxd::CONTROL_1 as u64, rxd::Control1::POSTED.into());
        self.posted += 1;
    }

    pub fn post_many(&mut self, count: usize) {
        for _ in 0..count {
            self.post(9622);
        }
    }

    /// Takes the next completed RxD: what it says, and the bytes it says are there.
    pub fn take(&mut self) -> Option<(rxd::Completion, Vec<u8>)> {
        let (rxd, buffer) = (self.rxd(self.taken), self.buffer(self.taken));
        let memory = self.card.memory();
        let control_1 = memory.word(rxd + rxd::CONTROL_1 as u64).into();
        let control_2 = memory.word(rxd + rxd::CONTROL_2 as u64).into();
        let completion = rxd::Completion::decode(control_1, control_2).filter(|_| self.taken < self.posted)?;
        self.taken += 1;
        Some((completion, memory.bytes(buffer, completion.size.into()).to_vec()))
    }

    /// Puts a frame on the wire and lets the card work.
    pub fn arrive(&mut self, frame: &[u8]) {
        self.card.wire_mut().frames.push_back(frame.to_vec());
        self.settle();
    }

    /// Posts one RxD, lets `frame` arrive, and takes it.
    pub fn receive(&mut self, frame: &[u8]) -> (rxd::Completion, Vec<u8>) {
        self.post(9622);
        self.arrive(frame);
        self.take().expect("nothing was received")
    }

    /// Steps until the card is idle; returns what it did.
    pub fn settle(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            match self.card.step() {
                Step::Idle => return steps,
                step => steps.push(step),
            }
            assert!(steps.len() < 100_000, "the card does not come to rest");
        }
    }

    /// Writes a list of fragments at `LISTS` and rings FIFO `fifo`'s doorbell. `control_1` and `control_2` are OR'ed into the
    /// first TxD.
    pub fn send_with(&mut self, fifo: usize, fragments: &[&[u8]], control_1: txd::Control1, control_2: txd::Control2) {
        let list = LISTS + fifo as u64 * 0x2000;
        let mut buffer = FRAMES;
        let last = fragments.len() - 1;
        for (index, fragment) in fragments.iter().enumerate() {
            let word = txd::Control1::new()
                .with_own(index == 0)
                .with_gather_first(index == 0)
                .with_gather_last(index == last)
                .with_buffer0_size(fragment.len() as u16);
            let (extra_1, extra_2) = if index == 0 { (control_1.into(), control_2.into()) } else { (0_u64, 0_u64) };
            let at = list + (index * txd::SIZE) as u64;
            let memory = self.card.memory_mut();
            memory.put(buffer, fragment);
            memory.put_word(at + txd::CONTROL_1 as u64, u64::from(word) | extra_1);
            memory.put_word(at + txd::CONTROL_2 as u64, extra_2);
            memory.put_word(at + txd::BUFFER_POINTER as u64, buffer);
            memory.put_word(at + txd::HOST_CONTROL as u64, 0xBEEF);
            buffer += fragment.len() as u64;
        }
        self.ring_doorbell(fifo, list, txd::ListControl::single(last as u8));
    }

    pub fn send(&mut self, fragments: &[&[u8]]) {
        self.send_with(0, fragments, txd::Control1::new(), txd::Control2::new());
        self.settle();
    }

    pub fn ring_doorbell(&mut self, fifo: usize, list: u64, control: txd::ListControl) {
        let (pointer, word) = (txd::doorbell::pointer(fifo).unwrap(), txd::doorbell::control(fifo).unwrap());
        self.card.write(Bar::Doorbells, pointer, Width::Qword, list);
        self.card.write(Bar::Doorbells, word, Width::Qword, control.into());
    }

    /// The first word of the list that FIFO `fifo` sent last.
    pub fn list_word(&self, fifo: usize) -> txd::Control1 {
        self.card.memory().word(LISTS + fifo as u64 * 0x2000).into()
    }

    pub fn sent(&self) -> &[Vec<u8>] {
        &self.card.wire().sent
    }
}
