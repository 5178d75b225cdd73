//! A host of a few pages and the steps a driver takes, for tests of the card.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::collections::VecDeque;

use model::{Bar, Card, Config, Step, Width, Wire};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers::{self as r, Register};
use xframe::swapper::{FEEDBACK, Interrupts, SEARCH_READ, SEARCH_WRITE, SwapperCtrl};
use xframe::{block, rxd, txd};

use ram::Ram;

mod bring_up;
pub mod frames;
pub mod ram;

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

pub struct Host<W = Script> {
    pub card: Card<Ram, W>,
    pub asic: Asic,
    /// RxDs posted and taken so far, over all blocks of the ring.
    posted: usize,
    taken: usize,
    blocks: usize,
}

impl Host {
    /// A card on a scripted wire, as after power-on with its windows on.
    pub fn new(config: Config) -> Self {
        Self::on(config, Script::default())
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

    pub fn sent(&self) -> &[Vec<u8>] {
        &self.card.wire().sent
    }
}

impl<W: Wire> Host<W> {
    /// A card on `wire`, as after power-on with its windows on.
    pub fn on(config: Config, wire: W) -> Self {
        let asic = config.asic;
        let mut card = Card::new(config, Ram::new(), wire);
        card.config_write(0x04, Width::Word, 0x0006);
        Self { card, asic, posted: 0, taken: 0, blocks: 0 }
    }

    pub fn read(&mut self, register: Register) -> u64 {
        self.card.read(Bar::Registers, register.offset().into(), Width::Qword)
    }

    pub fn write(&mut self, register: Register, value: u64) {
        self.card.write(Bar::Registers, register.offset().into(), Width::Qword, value);
    }

    pub fn get<T: OfRegister>(&mut self) -> T {
        T::from(self.read(T::REGISTER))
    }

    pub fn put<T: OfRegister>(&mut self, word: T) {
        self.write(T::REGISTER, word.into());
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
        let buffer = self.buffer(self.taken);
        let completion = self.discard()?;
        Some((completion, self.card.memory().bytes(buffer, completion.size.into()).to_vec()))
    }

    /// Takes the next completed RxD and leaves its bytes alone.
    pub fn discard(&mut self) -> Option<rxd::Completion> {
        let rxd = self.rxd(self.taken);
        let memory = self.card.memory();
        let control_1 = memory.word(rxd + rxd::CONTROL_1 as u64).into();
        let control_2 = memory.word(rxd + rxd::CONTROL_2 as u64).into();
        let completion = rxd::Completion::decode(control_1, control_2).filter(|_| self.taken < self.posted)?;
        self.taken += 1;
        Some(completion)
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
}
