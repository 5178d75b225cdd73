//! Interrupts by message, and the way back to the line and to polling when they do not come.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use common::frames::{plain, segments};
use common::{Cable, MAC};
use model::{Bar as Window, Config, Step, Width};
use s2iod::dma::Slab;
use s2iod::host::{self, Host, SoftwareCard};
use s2iod::platform::{Interrupts, Platform};
use s2iod::{Adapter, Options};
use xframe::bits::SmErr;
use xframe::constants::Asic;
use xframe::registers as reg;

/// A host on which some interrupts are lost.
struct Lossy {
    host: Host<Cable>,
    messages_lost: bool,
    line_lost: bool,
    connected: Rc<RefCell<Vec<Interrupts>>>,
}

impl Platform for Lossy {
    type Bar = host::Window<Cable>;

    fn bar(&mut self, index: u8) -> io::Result<Self::Bar> {
        self.host.bar(index)
    }

    fn slab(&mut self, bytes: usize) -> io::Result<Slab> {
        self.host.slab(bytes)
    }

    fn config_read(&mut self, offset: u8) -> io::Result<u32> {
        self.host.config_read(offset)
    }

    fn config_write(&mut self, offset: u8, value: u32) -> io::Result<()> {
        self.host.config_write(offset, value)
    }

    fn sleep(&mut self, time: Duration) {
        self.host.sleep(time);
    }

    fn connect(&mut self, interrupts: Interrupts) -> io::Result<()> {
        self.connected.borrow_mut().push(interrupts);
        self.host.connect(interrupts)
    }

    fn wait_for_interrupt(&mut self, time: Duration) -> io::Result<bool> {
        let messages = self.connected.borrow().last() == Some(&Interrupts::MsiX);
        let lost = if messages { self.messages_lost } else { self.line_lost };
        Ok(self.host.wait_for_interrupt(time)? && !lost)
    }
}

struct Bench {
    card: Rc<RefCell<SoftwareCard<Cable>>>,
    adapter: Adapter<Lossy>,
    connected: Rc<RefCell<Vec<Interrupts>>>,
}

fn options() -> Options {
    Options { rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() }
}

impl Bench {
    fn new() -> Self {
        Self::with(Asic::Herc, options(), false, false)
    }

    fn with(asic: Asic, options: Options, messages_lost: bool, line_lost: bool) -> Self {
        let host = Host::new(Config::new(asic, MAC), Cable::default(), 4 << 20).unwrap().with_messages();
        let (card, connected) = (host.card(), Rc::default());
        let platform = Lossy { host, messages_lost, line_lost, connected: Rc::clone(&connected) };
        let adapter = Adapter::bring_up(platform, options).unwrap();
        let mut bench = Self { card, adapter, connected };
        bench.settle();
        bench
    }

    /// Vectors of the messages that were sent.
    fn messages(&self) -> Vec<u8> {
        let mut card = self.card.borrow_mut();
        std::iter::from_fn(|| card.take_message()).map(|message| message.vector).collect()
    }

    fn step(&self) {
        while self.card.borrow_mut().step() != Step::Idle {}
    }

    fn serve(&mut self) -> bool {
        let message = self.card.borrow_mut().take_message();
        if let Some(message) = message {
            self.adapter.service_vector(message.vector).unwrap();
        }
        message.is_some()
    }

    /// The card works and the driver serves, until neither has anything left to do.
    fn settle(&mut self) {
        loop {
            self.step();
            if !self.serve() {
                return;
            }
        }
    }

    fn arrive(&self, frames: impl IntoIterator<Item = Vec<u8>>) {
        self.card.borrow_mut().wire_mut().to_card.extend(frames);
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        let mut buffer = vec![0; lro::MAX_UNIT];
        let unit = self.adapter.receive(&mut buffer).unwrap()?;
        buffer.truncate(unit.length);
        Some(buffer)
    }

    fn read_all(&mut self) -> Vec<Vec<u8>> {
        let mut units = Vec::new();
        loop {
            match self.read() {
                Some(unit) => units.push(unit),
                None if !self.adapter.rearm().unwrap() => return units,
                None => {}
            }
        }
    }
}

// Which way.

#[test]
fn messages_are_used_where_they_come() {
    let bench = Bench::new();
    assert_eq!(bench.adapter.interrupts(), Interrupts::MsiX);
    assert_eq!(*bench.connected.borrow(), [Interrupts::MsiX]);
    assert!(bench.adapter.link_up());
}

#[test]
fn the_next_best_way_is_taken_when_one_does_not_work() {
    use Interrupts::{Line, MsiX, Polling};
    for (asic, wanted, messages_lost, line_lost, found) in [
        (Asic::Herc, MsiX, true, false, Line),
        (Asic::Herc, MsiX, true, true, Polling),
        (Asic::Herc, Line, false, false, Line),
        (Asic::Herc, Line, false, true, Polling),
        (Asic::Herc, Polling, false, false, Polling),
        (Asic::Xena, MsiX, false, false, Line),
    ] {
        let options = Options { interrupts: wanted, ..options() };
        let mut bench = Bench::with(asic, options, messages_lost, line_lost);
        assert_eq!(bench.adapter.interrupts(), found, "{asic:?} {wanted:?} {messages_lost} {line_lost}");
        // Whichever it is, looking finds everything.
        for _ in 0..10 {
            bench.step();
            bench.adapter.service().unwrap();
        }
        bench.arrive([plain(1, 60)]);
        bench.step();
        assert_eq!(bench.card.borrow().line(), found != MsiX);
        assert!(bench.adapter.service().unwrap().received);
        assert_eq!(bench.read_all(), [plain(1, 60)]);
        assert!(!bench.card.borrow().line());
    }
}

#[test]
fn messages_are_connected_again_after_a_reset() {
    let mut bench = Bench::new();
    bench.card.borrow_mut().latch(reg::SM_ERR_REG, SmErr::new().with_sm_sm_err_alarm(true).into());
    bench.adapter.watch(Duration::from_secs(1));
    assert_eq!(*bench.connected.borrow(), [Interrupts::MsiX, Interrupts::MsiX]);
    bench.settle();
    bench.arrive([plain(1, 60)]);
    bench.step();
    assert_eq!(bench.messages(), [1]);
    bench.adapter.service_vector(1).unwrap();
    assert_eq!(bench.read_all(), [plain(1, 60)]);
}

#[test]
fn without_msi_s_own_enable_bit_the_hardware_sends_nothing_so_it_is_set() {
    let bench = Bench::new();
    assert_eq!(bench.card.borrow_mut().config_read(0x42, Width::Word) & 1, 1);
}

// Receive.

#[test]
fn frames_send_the_ring_s_message_and_nothing_else() {
    let mut bench = Bench::new();
    bench.arrive([plain(1, 60)]);
    bench.step();
    assert!(!bench.card.borrow().line());
    assert_eq!(bench.messages(), [1]);
    assert!(bench.adapter.service_vector(1).unwrap().received);
    assert_eq!(bench.read_all(), [plain(1, 60)]);
}

#[test]
fn frames_are_silent_while_the_reader_works_and_told_when_it_has_read_all() {
    let mut bench = Bench::new();
    bench.arrive([plain(1, 60)]);
    bench.step();
    assert!(bench.serve());
    bench.arrive([plain(2, 60), plain(3, 60)]);
    bench.step();
    assert!(bench.messages().is_empty());
    for number in 1..=3 {
        assert_eq!(bench.read(), Some(plain(number, 60)));
    }
    assert_eq!(bench.read(), None);
    assert!(!bench.adapter.rearm().unwrap());
    bench.messages();
    bench.arrive([plain(4, 60)]);
    bench.step();
    assert_eq!(bench.messages(), [1]);
}

#[test]
fn no_frame_is_forgotten_whenever_the_card_steps() {
    /// What the host does in turn: serves a message, reads, or lets the card do a step.
    const LENGTH: u32 = 9;
    let mut bench = Bench::new();
    for schedule in 0..3_u32.pow(LENGTH) {
        bench.arrive((0..3).map(|number| plain(number, 60)));
        let mut read = Vec::new();
        // The reader comes only if it has been told, and stays until it finds nothing.
        let mut told = false;
        for place in 0..LENGTH {
            match schedule / 3_u32.pow(place) % 3 {
                0 => told |= bench.serve(),
                1 if told => match bench.read() {
                    Some(frame) => read.push(frame),
                    None => told = bench.adapter.rearm().unwrap(),
                },
                1 => {}
                _ => {
                    bench.card.borrow_mut().step();
                }
            }
        }
        for _ in 0..6 {
            bench.step();
            told |= bench.serve();
            if told {
                read.extend(bench.read_all());
                told = false;
            }
        }
        assert_eq!(read.len(), 3, "{schedule}");
    }
}

// Transmit and link.

#[test]
fn frames_that_were_sent_and_the_link_send_message_0() {
    let mut bench = Bench::new();
    for number in 0..8 {
        bench.adapter.send(&plain(number, 60)).unwrap();
    }
    bench.step();
    assert_eq!(bench.messages(), [0]);
    assert!(bench.adapter.service_vector(0).unwrap().sent);
    assert!(bench.messages().is_empty());
    bench.card.borrow_mut().set_link(false);
    bench.step();
    assert_eq!(bench.messages(), [0]);
    assert!(bench.adapter.service_vector(0).unwrap().link);
    assert!(!bench.adapter.link_up());
}

#[test]
fn what_happens_while_message_0_is_served_is_told_by_another() {
    let mut bench = Bench::new();
    for round in 0..200 {
        for number in 0..8 {
            bench.adapter.send(&plain(number, 60)).unwrap();
        }
        // More is sent, before or after the driver has looked.
        for _ in 0..round % 20 {
            bench.card.borrow_mut().step();
        }
        bench.serve();
        bench.settle();
        assert!(bench.adapter.has_room());
        bench.card.borrow_mut().wire_mut().from_card.clear();
    }
    let seen = bench.card.borrow_mut().read(Window::Registers, reg::GENERAL_INT_STATUS.offset().into(), Width::Qword);
    assert_eq!(seen & 0x0080_0000_0000_0000, 0, "transmit is not acknowledged");
}

#[test]
fn traffic_in_both_directions_loses_nothing() {
    let mut bench = Bench::new();
    let mut read = 0;
    for (number, segment) in segments(1_000, 500).into_iter().enumerate() {
        bench.arrive([segment]);
        if number % 3 == 0 {
            bench.adapter.send(&plain(number as u32, 100)).unwrap();
        }
        if number % 5 == 4 {
            bench.settle();
            read += bench.read_all().iter().map(|unit| unit.len() - 54).sum::<usize>();
        }
    }
    assert_eq!(read, 500_000);
    assert_eq!(bench.card.borrow().wire().from_card.len(), 334);
}
