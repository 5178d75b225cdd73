//! A platform that writes down what the driver does, and that can pretend to be another board.
#![allow(dead_code)]

use std::cell::RefCell;
use std::fmt::Write;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use model::{Config, Wire};
use s2iod::dma::Slab;
use s2iod::host::{Host, SoftwareCard, Window};
use s2iod::platform::{Bar, Platform};
use xframe::registers::lookup;

const MEMORY: usize = 8 << 20;

/// A wire with nobody at its end.
pub struct Silence;

impl Wire for Silence {
    fn receive(&mut self, _: &mut Vec<u8>) -> bool {
        false
    }

    fn send(&mut self, _: &[u8]) {}
}

/// What the driver did, a line each.
pub type Trace = Rc<RefCell<String>>;

pub struct Traced {
    host: Host<Silence>,
    trace: Trace,
    /// Words of configuration space that read otherwise: offset, mask, value.
    pretends: Vec<(u8, u32, u32)>,
}

impl Traced {
    pub fn new(config: Config) -> Self {
        let host = Host::new(config, Silence, MEMORY).unwrap();
        Self { host, trace: Trace::default(), pretends: Vec::new() }
    }

    pub fn pretend(mut self, offset: u8, mask: u32, value: u32) -> Self {
        self.pretends.push((offset, mask, value));
        self
    }

    pub fn trace(&self) -> Trace {
        Rc::clone(&self.trace)
    }

    pub fn card(&self) -> Rc<RefCell<SoftwareCard<Silence>>> {
        self.host.card()
    }
}

impl Platform for Traced {
    type Bar = TracedBar;

    fn bar(&mut self, index: u8) -> io::Result<TracedBar> {
        Ok(TracedBar { window: self.host.bar(index)?, index, trace: self.trace() })
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        self.host.slab(bytes)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        let read = self.host.config_read(offset)?;
        let pretended = self.pretends.iter().filter(|(at, ..)| *at == offset);
        Ok(pretended.fold(read, |read, (_, mask, value)| read & !mask | value & mask))
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        writeln!(self.trace.borrow_mut(), "config {offset:#04x} <- {value:#010x}").unwrap();
        self.host.config_write(offset, value)
    }

    fn sleep(&mut self, time: Duration) {
        writeln!(self.trace.borrow_mut(), "sleep {time:?}").unwrap();
        self.host.sleep(time);
    }
}

pub struct TracedBar {
    window: Window<Silence>,
    index: u8,
    trace: Trace,
}

impl TracedBar {
    fn name(&self, offset: u64) -> String {
        let entry = u16::try_from(offset & !7).ok().filter(|_| self.index == 0).and_then(lookup);
        match entry {
            Some((entry, 0)) if entry.count == 1 => entry.name.to_lowercase(),
            Some((entry, index)) => format!("{}[{index}]", entry.name.to_lowercase()),
            None => format!("bar {} {offset:#x}", self.index),
        }
    }
}

impl Bar for TracedBar {
    fn read(&self, offset: u64) -> u64 {
        let value = self.window.read(offset);
        writeln!(self.trace.borrow_mut(), "{} -> {value:016x}", self.name(offset)).unwrap();
        value
    }

    fn write(&self, offset: u64, value: u64) {
        writeln!(self.trace.borrow_mut(), "{} <- {value:016x}", self.name(offset)).unwrap();
        self.window.write(offset, value);
    }

    fn write32(&self, offset: u64, value: u32) {
        let half = if offset & 4 == 0 { "lower" } else { "upper" };
        writeln!(self.trace.borrow_mut(), "{} {half} half <- {value:08x}", self.name(offset)).unwrap();
        self.window.write32(offset, value);
    }
}
