//! Driver and front between a hostile card and a hostile client, and what the host does.

use std::collections::HashSet;
use std::time::Duration;

use s2iod::front::{Call, Front, Handle, Op, Path};
use s2iod::{Adapter, Options};
use xframe::constants::Asic;

use super::{Chaos, Dice, Malice, Noise, platform};

/// More than the longest chain of waits: a recovery in which every one runs out.
const PATIENCE: Duration = Duration::from_secs(30);
/// More accesses than any call needs.
const ACCESSES: u64 = 100_000;

fn options() -> Options {
    Options { rings: 3, rx_slots: 8, rx_spare: 8, tx_slots: 4, ..Options::default() }
}

/// What the host does.
#[derive(Clone, Debug)]
pub enum Action {
    Steps(u8),
    Frame(u16),
    Scribble,
    Interrupt,
    Watch(u16),
    Open(u8, bool),
    Read { handle: u8, offset: u64, length: u16, nonblock: bool },
    Write { handle: u8, offset: u64, bytes: Vec<u8>, nonblock: bool },
    Event(u8),
    Cancel(u32),
    Close(u8),
}

/// Driver and front between a hostile card and a hostile client.
struct World {
    adapter: Adapter<Chaos>,
    malice: Malice,
    front: Front<u32, Vec<u8>>,
    /// Handles that were ever open.
    handles: Vec<Handle>,
    /// Calls that were not answered.
    pending: HashSet<u32>,
    tag: u32,
    now: Duration,
}

impl World {
    fn act(&mut self, action: Action) {
        let handle = |number: u8| self.handles.get(usize::from(number) % self.handles.len().max(1)).copied();
        match action {
            Action::Steps(count) => self.malice.step(count.into()),
            Action::Frame(length) => self.malice.arrive(length.into()),
            Action::Scribble => self.malice.scribble(),
            Action::Interrupt => drop(self.adapter.service()),
            Action::Watch(milliseconds) => {
                self.now += Duration::from_millis(milliseconds.into());
                self.adapter.watch(self.now);
            }
            Action::Open(number, write) => {
                let path = Path::ALL[usize::from(number) % Path::ALL.len()];
                self.handles.extend(self.front.open(path.name(), 0, write));
            }
            Action::Read { handle: number, offset, length, nonblock } => {
                if let Some(handle) = handle(number) {
                    self.call(handle, Op::Read { offset }, vec![0; length.into()], nonblock);
                }
            }
            Action::Write { handle: number, offset, bytes, nonblock } => {
                if let Some(handle) = handle(number) {
                    self.call(handle, Op::Write { offset }, bytes, nonblock);
                }
            }
            Action::Event(number) => {
                if let Some(handle) = handle(number) {
                    let _ = self.front.fevent(handle, &mut self.adapter);
                }
            }
            Action::Cancel(tag) => drop(self.front.cancel(&tag)),
            Action::Close(number) => {
                if let Some(handle) = handle(number) {
                    let _ = self.front.close(handle);
                }
            }
        }
        self.front.service(&mut self.adapter, self.now);
        self.collect();
    }

    fn call(&mut self, handle: Handle, op: Op, buffer: Vec<u8>, nonblock: bool) {
        self.tag += 1;
        self.pending.insert(self.tag);
        self.front.submit(Call { tag: self.tag, handle, op, buffer, nonblock });
    }

    fn collect(&mut self) {
        while let Some(done) = self.front.next_completion() {
            assert!(self.pending.remove(&done.tag), "call {} was answered twice", done.tag);
            if let Ok(length) = done.result {
                assert!(length <= done.buffer.len());
            }
        }
        while self.front.next_event().is_some() {}
    }
}

/// Runs a schedule; every action must come to an end in time.
pub fn run(asic: Asic, noise: Noise, dice: Dice, actions: impl IntoIterator<Item = Action>) {
    let (platform, malice) = platform(asic, noise, dice);
    let Ok(adapter) = Adapter::bring_up(platform, options()) else {
        assert!(malice.take_effort() < (ACCESSES, PATIENCE));
        return;
    };
    malice.take_effort();
    let mut front = Front::new();
    let handles = vec![front.open("", 0, true).unwrap()];
    let now = Duration::from_secs(1);
    let mut world = World { adapter, malice, front, handles, pending: HashSet::new(), tag: 0, now };
    for action in actions {
        world.act(action.clone());
        let (accesses, slept) = world.malice.take_effort();
        assert!(accesses < ACCESSES && slept < PATIENCE, "{action:?}: {accesses} accesses, {slept:?}");
    }
    for handle in std::mem::take(&mut world.handles) {
        let _ = world.front.close(handle);
    }
    world.front.service(&mut world.adapter, world.now);
    world.collect();
    assert!(world.pending.is_empty(), "calls {:?} were never answered", world.pending);
}
