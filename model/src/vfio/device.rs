//! Owns the card behind the protocol: accesses to its regions, its work, and the way of its interrupts.

use std::time::{Duration, Instant};

use rustix::io::Errno;
use xframe::constants::Asic;

use super::access::Region;
use super::guest::GuestMemory;
use super::irqs::Irqs;
use super::trace::Trace;
use crate::card::{Bar, Card, Step};
use crate::config::Config;
use crate::fault::{Plan, Schedule};
use crate::wire::Wire;

/// Byte offset of the pending bits in window 4.
const PENDING: u64 = 0x400;

pub(crate) struct Device<W> {
    pub asic: Asic,
    pub card: Card<GuestMemory, W>,
    pub irqs: Irqs,
    pub trace: Option<Trace>,
    plan: Plan,
    schedule: Schedule,
    /// When frames could first move for this client.
    begin: Option<Instant>,
}

impl<W: Wire> Device<W> {
    pub fn new(config: Config, wire: W, trace: Option<Trace>) -> Self {
        let asic = config.asic;
        let (card, schedule) = (Card::new(config, GuestMemory::default(), wire), Schedule::default());
        Self { asic, card, irqs: Irqs::new(), trace, plan: Plan::default(), schedule, begin: None }
    }

    /// The same with a plan of what goes wrong.
    pub fn with_plan(self, plan: Plan) -> Self {
        Self { schedule: Schedule::new(&plan), plan, ..self }
    }

    /// Reads `count` bytes and appends them to `output`.
    pub fn read(&mut self, region: u32, offset: u64, count: usize, output: &mut Vec<u8>) -> Result<(), Errno> {
        let region = self.region(region, offset, count)?;
        for (at, width) in region.accesses(offset, count) {
            let mut value = match region {
                Region::Window(bar) => self.card.read(bar, at, width),
                Region::Configuration => self.card.config_read(at as u16, width),
            };
            // The client keeps the table, so which vectors wait is known here.
            if region == Region::Window(Bar::Vectors) && at & !7 == PENDING {
                value = self.irqs.pending() >> (8 * (at & 7)) & width.ones();
            }
            if let Some(trace) = &mut self.trace {
                trace.access("read", region, at, width, value);
            }
            output.extend(value.to_le_bytes().into_iter().take(width.bytes()));
        }
        self.deliver();
        Ok(())
    }

    /// Writes all of `data`.
    pub fn write(&mut self, region: u32, offset: u64, mut data: &[u8]) -> Result<(), Errno> {
        let region = self.region(region, offset, data.len())?;
        for (at, width) in region.accesses(offset, data.len()) {
            let Some((bytes, rest)) = data.split_at_checked(width.bytes()) else { break };
            data = rest;
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            if let Some(trace) = &mut self.trace {
                trace.access("write", region, at, width, value);
            }
            match region {
                Region::Window(bar) => self.card.write(bar, at, width, value),
                Region::Configuration => self.card.config_write(at as u16, width, value),
            }
        }
        self.deliver();
        Ok(())
    }

    fn region(&self, region: u32, offset: u64, count: usize) -> Result<Region, Errno> {
        let region = Region::new(region, self.asic).ok_or(Errno::INVAL)?;
        if region.holds(offset, count as u64) { Ok(region) } else { Err(Errno::INVAL) }
    }

    /// The machine is reset, and the card with it.
    pub fn reset(&mut self) {
        self.card.reset();
        self.irqs.reset();
        if let Some(trace) = &mut self.trace {
            trace.event("reset");
        }
    }

    /// The machine is gone: its memory and interrupts with it.
    pub fn unplug(&mut self) {
        self.card.memory_mut().clear();
        self.irqs = Irqs::new();
        self.card.repair();
        (self.schedule, self.begin) = (Schedule::new(&self.plan), None);
        self.reset();
    }

    /// Does at most `most` units of the card's work; true if it has come to rest.
    pub fn work(&mut self, most: usize) -> bool {
        for _ in 0..most {
            let step = self.card.step();
            self.deliver();
            if step == Step::Idle {
                return true;
            }
        }
        false
    }

    /// Has go wrong what is planned for now.
    pub fn follow_plan(&mut self, now: Instant) {
        if self.begin.is_none() && self.card.receiving() {
            self.begin = Some(now);
        }
        let Some(begin) = self.begin else { return };
        while let Some(fault) = self.schedule.due(now.duration_since(begin)) {
            log::info!("fault: {fault:?}");
            if let Some(trace) = &mut self.trace {
                trace.event(&format!("fault {fault:?}"));
            }
            self.card.inject(fault);
            self.deliver();
        }
    }

    /// How long it is until the device does something by itself; `None` if it never will.
    pub fn patience(&self, now: Instant) -> Option<Duration> {
        let planned =
            self.begin.zip(self.schedule.next()).map(|(begin, next)| (begin + next).saturating_duration_since(now));
        let wire = if self.card.receiving() { self.card.wire().patience() } else { None };
        planned.into_iter().chain(wire).chain(self.card.patience()).min()
    }

    /// Time passes.
    pub fn elapse(&mut self, time: Duration) {
        self.card.elapse(time);
        self.deliver();
    }

    /// Brings interrupts to the client.
    pub fn deliver(&mut self) {
        while let Some(message) = self.card.take_message() {
            if let Some(trace) = &mut self.trace {
                trace.event(&format!("message {}", message.vector));
            }
            self.irqs.message(message.vector);
        }
        self.irqs.level(self.card.line());
    }
}
