//! Card, driver, front and one client, and what can happen to them.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use model::{Bar, Step, Width};
use s2iod::front::{Call, Errno, Front, Handle, Op};
use s2iod::platform::Interrupts;
use s2iod::{Adapter, Options, State};
use xframe::bits::{AdapterControl, MacCfg, PccErr, SmErr};
use xframe::constants::Asic;
use xframe::registers::{self as reg, Register};

use crate::ledger::{Ledger, plain, segment};
use crate::platform::{Card, Tracked, step};

mod event;
pub use event::{Event, Fault};

pub struct World {
    card: Rc<RefCell<Card>>,
    ledger: Rc<RefCell<Ledger>>,
    failures: Rc<Cell<u8>>,
    adapter: Adapter<Tracked>,
    front: Front<u32, Vec<u8>>,
    frames: Handle,
    now: Duration,
    number: u32,
    sequences: [u32; 3],
    /// Frames of writes that were not answered.
    writing: VecDeque<(u32, Vec<u8>)>,
    /// Reads that were not answered.
    reading: VecDeque<u32>,
    /// The client knows that there are frames.
    told: bool,
    statistics: HashMap<String, u64>,
    /// How the card interrupted at first.
    interrupts: Interrupts,
}

impl World {
    pub fn new(asic: Asic, messages: bool, options: Options) -> Self {
        let platform = Tracked::new(asic, messages);
        let (card, ledger, failures) = (platform.card(), platform.ledger(), platform.failures());
        let adapter = Adapter::bring_up(platform, options).unwrap();
        let interrupts = adapter.interrupts();
        let mut front = Front::new();
        let frames = front.open("", 0, true).unwrap();
        Self {
            card,
            ledger,
            failures,
            adapter,
            front,
            frames,
            now: Duration::from_secs(1_000),
            number: 0,
            sequences: [1; 3],
            writing: VecDeque::new(),
            reading: VecDeque::new(),
            told: false,
            statistics: HashMap::new(),
            interrupts,
        }
    }

    pub fn happen(&mut self, event: Event) {
        self.number += 1;
        match event {
            Event::Frame(length) => self.arrive(plain(self.number, length)),
            Event::Segment(flow, length) => {
                let sequence = &mut self.sequences[usize::from(flow)];
                let frame = segment(flow, *sequence, length);
                *sequence += length as u32;
                self.arrive(frame);
            }
            Event::Steps(count) => {
                for _ in 0..count {
                    step(&self.card, &self.ledger);
                }
            }
            Event::Interrupt => drop(self.serve_interrupt()),
            // A line that is not served stays up; a message that is lost is lost.
            Event::InterruptLost => drop(self.card.borrow_mut().take_message()),
            Event::InterruptDoubled => {
                for vector in [0, 1, 2, 3, 0] {
                    self.adapter.service_vector(vector).unwrap();
                }
                self.serve();
            }
            Event::Watch(milliseconds) => self.watch(Duration::from_millis(milliseconds.into())),
            Event::Read(length, waits) => self.read(length, waits),
            Event::Write(length, waits) => self.write(plain(self.number, length), waits),
            Event::Reopen => self.reopen(),
            Event::Plug(up) => self.card.borrow_mut().set_link(up),
            Event::Statistics => self.statistics_have_grown(),
            Event::Mtu(mtu) => {
                self.adapter.set_mtu(mtu).unwrap();
                self.serve();
            }
            Event::Fault(fault) => self.fail(fault),
        }
        self.collect();
    }

    fn arrive(&self, frame: Vec<u8>) {
        self.card.borrow_mut().wire_mut().to_card.push_back(frame);
    }

    fn fail(&mut self, fault: Fault) {
        let fatal = SmErr::new().with_sm_sm_err_alarm(true).into();
        match fault {
            Fault::Fatal => self.card.borrow_mut().latch(reg::SM_ERR_REG, fatal),
            Fault::Counted => {
                let counted = PccErr::new().with_fb_ecc_sg_err(1).into();
                self.card.borrow_mut().latch(reg::PCC_ERR_REG, counted);
            }
            Fault::PowerCut => {
                self.card.borrow_mut().reset();
                self.ledger.borrow_mut().reset();
            }
            Fault::RingStops => self.poke(reg::PRC_CTRL.first(), |_| 0),
            Fault::EnableDrops => {
                self.poke(reg::ADAPTER_CONTROL, |control| AdapterControl::from(control).with_cntl_en(false).into());
            }
            Fault::ResetsFail(count) => {
                self.failures.set(count);
                self.card.borrow_mut().latch(reg::SM_ERR_REG, fatal);
            }
        }
    }

    fn poke(&self, register: Register, change: impl Fn(u64) -> u64) {
        let mut card = self.card.borrow_mut();
        let value = card.read(Bar::Registers, register.offset().into(), Width::Qword);
        card.write(Bar::Registers, register.offset().into(), Width::Qword, change(value));
    }

    /// What the daemon does when it is woken.
    fn serve_interrupt(&mut self) -> bool {
        let message = self.card.borrow_mut().take_message();
        let line = self.card.borrow().line();
        match message {
            Some(message) => drop(self.adapter.service_vector(message.vector).unwrap()),
            None if line => drop(self.adapter.service().unwrap()),
            None => return false,
        }
        self.serve();
        true
    }

    fn serve(&mut self) {
        self.front.service(&mut self.adapter, self.now);
        self.collect();
    }

    fn watch(&mut self, time: Duration) {
        self.now += time;
        assert_ne!(self.adapter.watch(self.now), State::Gone);
        self.serve();
    }

    fn call(&mut self, op: Op, buffer: Vec<u8>, waits: bool) {
        self.front.submit(Call { tag: self.number, handle: self.frames, op, buffer, nonblock: !waits });
        self.serve();
    }

    fn read(&mut self, length: usize, waits: bool) {
        self.reading.push_back(self.number);
        self.call(Op::Read { offset: 0 }, vec![0; length], waits);
    }

    fn write(&mut self, frame: Vec<u8>, waits: bool) {
        self.writing.push_back((self.number, frame.clone()));
        self.call(Op::Write { offset: 0 }, frame, waits);
    }

    fn reopen(&mut self) {
        self.front.close(self.frames).unwrap();
        self.frames = self.front.open("", 0, true).unwrap();
        self.serve();
        assert!(self.reading.is_empty() && self.writing.is_empty(), "calls on a closed handle are not answered");
        self.told = false;
    }

    /// Answers and events.
    fn collect(&mut self) {
        while let Some(done) = self.front.next_completion() {
            if self.reading.front() == Some(&done.tag) {
                self.reading.pop_front();
                match done.result {
                    Ok(length) => {
                        self.ledger.borrow_mut().read(&done.buffer[..length]);
                        // Who has got a frame comes for the next.
                        self.told = true;
                    }
                    Err(Errno::EAGAIN) => self.told = false,
                    Err(errno) => assert_eq!(errno, Errno::EBADF),
                }
            } else if let Some(place) = self.reading.iter().position(|tag| *tag == done.tag) {
                // Only those that do not wait overtake; the others get what comes.
                assert!(done.result.is_err());
                self.told &= done.result != Err(Errno::EAGAIN);
                self.reading.remove(place);
            } else {
                let place = self.writing.iter().position(|(tag, _)| *tag == done.tag).expect("an answer to no call");
                self.writing.remove(place);
                assert!(done.result.is_err() || place == 0, "writes overtake each other");
                if done.result.is_ok() {
                    self.ledger.borrow_mut().wrote(done.buffer);
                }
            }
        }
        while let Some((handle, events)) = self.front.next_event() {
            self.told |= events.read && handle == self.frames;
        }
    }

    fn statistics_have_grown(&mut self) {
        let mut text = String::new();
        self.adapter.write_stats(&mut text).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        for (name, value) in lines.filter(|(name, _)| !["mtu", "rx_slots_in_card"].contains(name)) {
            // Some lines are words.
            let Ok(value) = value.parse() else { continue };
            let before = self.statistics.insert(name.to_owned(), value);
            assert!(before <= Some(value), "{name} went back from {before:?} to {value}");
        }
    }

    /// The cable is in and the daemon does its work. A client that comes only when it is told reads everything, and writers
    /// that wait are answered.
    pub fn end(&mut self) {
        self.card.borrow_mut().set_link(true);
        for round in 0..800 {
            self.settle();
            if self.is_over() {
                break;
            }
            assert!(round < 799, "not over: {:?}", self.adapter.state());
            self.watch(Duration::from_millis(500));
        }
        assert_eq!(self.adapter.interrupts(), self.interrupts, "interrupts come in another way");
        let count = |name| self.statistics[name];
        assert_eq!(count("rx_errors_t_code") + count("rx_errors_buffer_size") + count("rx_errors_size"), 0);
        let mac = self.card.borrow_mut().read(Bar::Registers, reg::MAC_CFG.offset().into(), Width::Qword);
        assert!(MacCfg::from(mac).bcast_enable(), "the card is not set up");
    }

    /// Card, daemon and client work until none of them has anything left to do.
    fn settle(&mut self) {
        for _ in 0..10_000 {
            let idle = step(&self.card, &self.ledger) == Step::Idle;
            if self.told {
                self.number += 1;
                self.read(65_557, false);
            } else if !self.serve_interrupt() && idle {
                return;
            }
        }
        panic!("somebody spins: line {}, told {}", self.card.borrow().line(), self.told);
    }

    /// All that came was read, all that was written has left or is counted as lost, and the card works.
    fn is_over(&mut self) -> bool {
        self.statistics_have_grown();
        let (ledger, lost) = (self.ledger.borrow(), self.statistics["tx_lost"] + self.statistics["tx_errors"]);
        assert!(ledger.writes >= ledger.sent + lost, "frames are sent that were not written");
        let arrived = self.card.borrow().wire().to_card.is_empty();
        let working = self.adapter.state() == State::Running && self.adapter.link_up();
        arrived && working && self.writing.is_empty() && ledger.is_read() && ledger.writes == ledger.sent + lost
    }
}
