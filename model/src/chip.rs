//! Owns the state of the card, all of it, and the order in which its work is done. The engines are in files of their own.

use xframe::bits::AdapterControl;
use xframe::constants::{RTIS, TTIS};

use crate::card::Step;
use crate::clock::{Clock, Time};
use crate::config::Config;
use crate::counters::Counters;
use crate::doorbell::Fifos;
use crate::eeprom::Eeprom;
use crate::fault::Faults;
use crate::filter::Cam;
use crate::link::Link;
use crate::memory::Memory;
use crate::messages::Vectors;
use crate::moderation::Moderation;
use crate::optics::Optics;
use crate::pci::Pci;
use crate::receive::Rings;
use crate::rldram::Pattern;
use crate::steer::Steering;
use crate::store::Store;
use crate::timers::{self, Timers};
use crate::transmit::Outgoing;
use crate::wire::Wire;

pub(crate) struct Chip {
    pub config: Config,
    pub pci: Pci,
    pub store: Store,
    pub cam: Cam,
    /// Port table and indirection table, as written.
    pub ports: [u64; 256],
    pub hash_map: [u64; 256],
    pub steering: Steering,
    pub clock: Clock,
    pub tti: Moderation,
    pub rti: Moderation,
    pub vectors: Vectors,
    pub link: Link,
    pub fifos: Fifos,
    pub outgoing: Outgoing,
    pub rings: Rings,
    pub counters: Counters,
    pub eeprom: Eeprom,
    pub optics: Optics,
    /// What the self-test of packet memory wrote.
    pub test_pattern: Option<Pattern>,
    /// The next write of `MAC_CFG` counts (Xena).
    pub key_open: bool,
    /// `ADAPTER_CNTL_EN` was set since the last reset.
    pub ever_enabled: bool,
    pub timers: Timers,
    pub faults: Faults,
    /// Whether transmit goes first in the next step; the two directions take turns.
    transmit_first: bool,
}

impl Chip {
    pub fn new(config: Config) -> Self {
        Self {
            pci: Pci::new(&config),
            store: Store::new(&config),
            cam: Cam::new(config.asic, config.mac),
            ports: [0; 256],
            hash_map: [0; 256],
            steering: Steering::new(),
            clock: Clock::new(&config),
            tti: Moderation::new(TTIS, timers::TTI_TICK),
            rti: Moderation::new(RTIS, timers::RTI_TICK),
            vectors: Vectors::new(),
            link: Link::new(&config),
            fifos: Fifos::new(),
            outgoing: Outgoing::default(),
            rings: Rings::new(),
            counters: Counters::new(config.asic),
            eeprom: Eeprom::new(config.asic),
            optics: Optics::new(),
            test_pattern: None,
            key_open: false,
            ever_enabled: false,
            timers: Timers::default(),
            faults: Faults::default(),
            transmit_first: true,
            config,
        }
    }

    /// Does at most one unit of work.
    pub fn step<M: Memory, W: Wire>(&mut self, memory: &mut M, wire: &mut W) -> Step {
        self.link.initialise();
        if self.link.take_report() {
            self.report_link();
            return Step::Link;
        }
        if self.config.time == Time::Steps && self.expire_scheduled() {
            return Step::Timer;
        }
        self.transmit_first = !self.transmit_first;
        let moved = if self.transmit_first {
            self.transmit(memory, wire).or_else(|| self.receive(memory, wire))
        } else {
            self.receive(memory, wire).or_else(|| self.transmit(memory, wire))
        };
        self.expire_moderation();
        moved.or_else(|| self.come_to_rest()).unwrap_or(Step::Idle)
    }

    /// Frames move: the adapter is enabled, its laser on, its link up.
    pub fn running(&self) -> bool {
        let control: AdapterControl = self.store.word();
        control.cntl_en() && control.eoi_tx_on() && self.link_up()
    }
}
