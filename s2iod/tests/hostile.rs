//! A card and a client that do whatever they like: the driver stays whole, every wait ends, and the front still answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "hostile/mod.rs"]
mod hostile;

use std::collections::HashSet;
use std::time::Duration;

use hostile::{Chaos, Malice, Noise, platform};
use proptest::prelude::*;
use s2iod::front::{Call, Front, Handle, Op, Path};
use s2iod::{Adapter, Options};
use xframe::constants::Asic;

/// More than the longest chain of waits: a recovery in which every one runs out.
const PATIENCE: Duration = Duration::from_secs(30);
/// More accesses than any call needs.
const ACCESSES: u64 = 100_000;

fn options() -> Options {
    Options { rx_slots: 8, rx_spare: 8, tx_slots: 4, ..Options::default() }
}

/// What the host does.
#[derive(Clone, Debug)]
enum Action {
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

fn action() -> impl Strategy<Value = Action> {
    let offset = prop_oneof![9 => Just(0), 1 => 0..20_u64, 1 => any::<u64>()];
    let length = prop_oneof![Just(0_u16), 1..100_u16, Just(1_500), any::<u16>()];
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..100),
        prop::collection::vec(any::<u8>(), 1_400..1_600),
        "(add|remove|on|off|[0-9]{1,5}|[ -~]{0,20})( [0-9a-f:]{17})?\n?".prop_map(String::into_bytes),
    ];
    prop_oneof![
        4 => (0..20_u8).prop_map(Action::Steps),
        4 => (14..1_600_u16).prop_map(Action::Frame),
        2 => Just(Action::Scribble),
        4 => Just(Action::Interrupt),
        2 => (0..20_000_u16).prop_map(Action::Watch),
        2 => any::<(u8, bool)>().prop_map(|(path, write)| Action::Open(path, write)),
        6 => (any::<u8>(), offset.clone(), length, any::<bool>())
            .prop_map(|(handle, offset, length, nonblock)| Action::Read { handle, offset, length, nonblock }),
        4 => (any::<u8>(), offset, bytes, any::<bool>())
            .prop_map(|(handle, offset, bytes, nonblock)| Action::Write { handle, offset, bytes, nonblock }),
        1 => any::<u8>().prop_map(Action::Event),
        1 => (0..200_u32).prop_map(Action::Cancel),
        1 => any::<u8>().prop_map(Action::Close),
    ]
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
fn run(asic: Asic, noise: Noise, seed: u64, actions: Vec<Action>) {
    let (platform, malice) = platform(asic, noise, seed);
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

fn asic() -> impl Strategy<Value = Asic> {
    prop_oneof![Just(Asic::Herc), Just(Asic::Xena)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn registers_that_lie_now_and_then_do_no_harm(
        asic in asic(), seed: u64, rarity in 3..200_u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { register: rarity, ..Noise::NONE }, seed, actions);
    }

    #[test]
    fn registers_that_begin_to_lie_once_the_card_is_up_do_no_harm(
        asic in asic(), seed: u64, rarity in 1..20_u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { register: rarity, quiet_start: true, ..Noise::NONE }, seed, actions);
    }

    #[test]
    fn memory_in_which_anything_may_stand_does_no_harm(
        asic in asic(), seed: u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { memory: true, quiet_start: true, ..Noise::NONE }, seed, actions);
    }

    #[test]
    fn everything_at_once_does_no_harm(
        asic in asic(), seed: u64, rarity in 1..50_u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { register: rarity, config: rarity, memory: true, quiet_start: true }, seed, actions);
    }

    #[test]
    fn a_card_of_pure_noise_is_an_error(asic in asic(), seed: u64) {
        run(asic, Noise { register: 1, config: 0, memory: true, quiet_start: false }, seed, Vec::new());
    }

    #[test]
    fn a_hostile_client_gets_one_answer_for_each_call(
        asic in asic(), seed: u64, actions in prop::collection::vec(action(), 0..200),
    ) {
        run(asic, Noise::NONE, seed, actions);
    }
}
