//! The driver on the software card, brought up, with the network scheme's front on top: all of it in one thread.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use model::{Config, Step, Wire};
use s2iod::front::{Call, Completion, Events, Front, Handle, Op};
use s2iod::host::{Host, SoftwareCard};
use s2iod::{Adapter, Options};
use xframe::constants::Asic;

/// The software card's address: Neterion's prefix, then a number of our own.
pub const MAC: [u8; 6] = [0x00, 0x0C, 0xFC, 0x00, 0x00, 0x01];

/// Memory for everything but frames: descriptors, statistics, transmit slots.
const OTHER_MEMORY: usize = 32 << 20;
/// Steps and interrupts within which the link must come up.
const BRING_UP_TURNS: usize = 1000;

/// A card, its driver, and one client of the scheme.
pub struct Rig<W: Wire> {
    card: Rc<RefCell<SoftwareCard<W>>>,
    adapter: Adapter<Host<W>>,
    front: Front<(), Vec<u8>>,
    frames: Handle,
    started: Instant,
}

impl<W: Wire> Rig<W> {
    /// Brings the driver up on a card at the end of `wire` and opens the scheme's frames.
    ///
    /// # Errors
    ///
    /// What the driver says, or that the link does not come up.
    pub fn new(wire: W, options: Options) -> anyhow::Result<Self> {
        let slot = (usize::from(options.mtu) + 64).next_power_of_two();
        let slots = (options.rx_slots + options.rx_spare + options.tx_slots) as usize;
        let host = Host::new(Config::new(Asic::Herc, MAC), wire, slots * slot + OTHER_MEMORY)
            .context("cannot allocate the host's memory")?;
        let card = host.card();
        let adapter = Adapter::bring_up(host, options).context("cannot bring up the software card")?;
        let mut front = Front::new();
        let frames = front.open("", 0, true).context("cannot open the scheme")?;
        let mut rig = Self { card, adapter, front, frames, started: Instant::now() };
        for _ in 0..BRING_UP_TURNS {
            if rig.adapter.link_up() {
                return Ok(rig);
            }
            rig.card.borrow_mut().step();
            rig.serve_interrupt();
        }
        ensure!(rig.adapter.link_up(), "the link of the software card does not come up");
        Ok(rig)
    }

    /// Lets the card do one unit of work.
    pub fn step(&mut self) -> Step {
        self.card.borrow_mut().step()
    }

    /// Lets time pass on the card.
    pub fn elapse(&mut self, time: Duration) {
        self.card.borrow_mut().elapse(time);
    }

    /// Receive slots that the card can still fill.
    pub fn free_slots(&self) -> u32 {
        self.adapter.rx_slots_in_card()
    }

    /// Works with the wire.
    pub fn wire<T>(&mut self, work: impl FnOnce(&mut W) -> T) -> T {
        work(self.card.borrow_mut().wire_mut())
    }

    /// Has the driver serve the card's interrupt; `false` if the line is down.
    pub fn serve_interrupt(&mut self) -> bool {
        let line = self.card.borrow().line();
        if line {
            // The error says that the card is gone, which a software card never is.
            let _ = self.adapter.service();
            self.serve_calls();
        }
        line
    }

    fn serve_calls(&mut self) {
        let now = self.started.elapsed();
        self.front.service(&mut self.adapter, now);
    }

    /// Has the driver look at its ring, as a read does; whether the card can fill slots after that.
    pub fn look(&mut self) -> bool {
        self.adapter.has_frames();
        self.free_slots() > 0
    }

    /// The client reads without waiting.
    pub fn read(&mut self, buffer: Vec<u8>) -> Option<Completion<(), Vec<u8>>> {
        let op = Op::Read { offset: 0 };
        self.front.submit(Call { tag: (), handle: self.frames, op, buffer, nonblock: true });
        self.serve_calls();
        self.front.next_completion()
    }

    /// The next event for the client.
    pub fn event(&mut self) -> Option<Events> {
        self.front.next_event().map(|(_, events)| events)
    }

    /// The engine's counters.
    pub fn lro_stats(&self) -> lro::Stats {
        self.adapter.lro_stats()
    }

    /// Reads that were too short for the frame.
    pub fn reads_truncated(&self) -> u64 {
        self.front.counters().reads_truncated
    }
}
