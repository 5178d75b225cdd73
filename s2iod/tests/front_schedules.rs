//! Any schedule of clients and card: nothing is lost, answered twice, out of order or forgotten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "front/mod.rs"]
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use s2iod::front::{Call, Errno, Handle, LAST_DELAY, Op};
use world::{MAX_FRAME, World, frame, number};

#[derive(Clone, Debug)]
enum Step {
    Arrive,
    /// A frame comes just when the card is being armed.
    Race,
    Reclaim,
    Open,
    Close(usize),
    Read {
        handle: usize,
        nonblock: bool,
    },
    Write {
        handle: usize,
        nonblock: bool,
        length: usize,
    },
    Cancel(usize),
    Service,
    Pass(u64),
    Subscribe(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let index = || 0..8_usize;
    let length = prop_oneof![Just(13), Just(14), Just(64), Just(MAX_FRAME), Just(MAX_FRAME + 1)];
    prop_oneof![
        8 => Just(Step::Arrive),
        1 => Just(Step::Race),
        2 => Just(Step::Reclaim),
        1 => Just(Step::Open),
        1 => index().prop_map(Step::Close),
        8 => (index(), any::<bool>()).prop_map(|(handle, nonblock)| Step::Read { handle, nonblock }),
        4 => (index(), any::<bool>(), length).prop_map(|(handle, nonblock, length)| Step::Write {
            handle,
            nonblock,
            length
        }),
        1 => index().prop_map(Step::Cancel),
        4 => Just(Step::Service),
        2 => (0..40_u64).prop_map(Step::Pass),
        1 => index().prop_map(Step::Subscribe),
    ]
}

/// A call that has no answer yet.
struct Pending {
    handle: Handle,
    is_read: bool,
    nonblock: bool,
    length: usize,
    cancelled: bool,
    served: bool,
}

/// The world, and what must be true of it.
struct Checked {
    world: World,
    handles: Vec<Handle>,
    pending: BTreeMap<u32, Pending>,
    frames: u32,
    next_read: u32,
    next_tag: u32,
    sent: BTreeSet<u32>,
}

impl Checked {
    fn new() -> Self {
        let mut world = World::new();
        let handles = vec![world.open(""), world.open("")];
        Self { world, handles, pending: BTreeMap::new(), frames: 0, next_read: 0, next_tag: 0, sent: BTreeSet::new() }
    }

    /// One of the open handles, or one that was never open.
    fn handle(&self, index: usize) -> Handle {
        self.handles.get(index).copied().unwrap_or(Handle(usize::MAX))
    }

    fn next_frame(&mut self) -> Vec<u8> {
        self.frames += 1;
        frame(self.frames - 1)
    }

    fn submit(&mut self, handle: Handle, op: Op, buffer: Vec<u8>, nonblock: bool) {
        let tag = self.next_tag;
        self.next_tag += 1;
        let is_read = matches!(op, Op::Read { .. });
        let length = buffer.len();
        self.pending.insert(tag, Pending { handle, is_read, nonblock, length, cancelled: false, served: false });
        self.world.front.submit(Call { tag, handle, op, buffer, nonblock });
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Arrive => {
                let frame = self.next_frame();
                self.world.card.arrive(frame);
                if self.world.card.interrupts > 0 {
                    self.service();
                }
            }
            Step::Race => {
                if self.world.card.race.is_none() && !self.world.card.armed {
                    self.world.card.race = Some(self.next_frame());
                }
            }
            Step::Reclaim => {
                self.world.card.reclaim(1);
                if self.world.card.interrupts > 0 {
                    self.service();
                }
            }
            Step::Open => self.handles.push(self.world.open("")),
            Step::Close(index) => {
                let open = index < self.handles.len();
                let handle = if open { self.handles.remove(index) } else { self.handle(index) };
                assert_eq!(self.world.front.close(handle).is_ok(), open);
            }
            Step::Read { handle, nonblock } => {
                self.submit(self.handle(handle), Op::Read { offset: 0 }, vec![0; 100], nonblock);
            }
            Step::Write { handle, nonblock, length } => {
                let mut frame = self.next_tag.to_be_bytes().to_vec();
                frame.resize(length, 0);
                self.submit(self.handle(handle), Op::Write { offset: 0 }, frame, nonblock);
            }
            Step::Cancel(index) => {
                if let Some((tag, pending)) = self.pending.iter_mut().nth(index) {
                    pending.cancelled = true;
                    assert!(self.world.front.cancel(tag));
                }
            }
            Step::Service => self.service(),
            Step::Pass(milliseconds) => {
                self.service();
                self.world.pass(Duration::from_millis(milliseconds));
            }
            Step::Subscribe(index) => {
                let handle = self.handle(index);
                let ready = self.world.front.fevent(handle, &mut self.world.card);
                assert_eq!(ready.is_ok(), index < self.handles.len());
            }
        }
        self.check_answers();
    }

    fn service(&mut self) {
        self.world.service();
        for pending in self.pending.values_mut() {
            pending.served = true;
        }
        self.check_answers();
        self.check_rest();
    }

    /// Each answer is the only one of its call, and one that the call can have.
    fn check_answers(&mut self) {
        while let Some(completion) = self.world.front.next_completion() {
            let call = self.pending.remove(&completion.tag).expect("answered twice");
            match completion.result {
                Ok(length) if call.is_read => {
                    assert_eq!(length, 64);
                    assert_eq!(number(&completion.buffer), self.next_read, "lost or out of order");
                    self.next_read += 1;
                }
                Ok(length) => {
                    assert_eq!(length, call.length);
                    self.sent.insert(completion.tag);
                }
                Err(Errno::EAGAIN) => assert!(call.nonblock),
                Err(Errno::EINTR) => assert!(call.cancelled),
                Err(Errno::EBADF) => assert!(!self.handles.contains(&call.handle)),
                Err(Errno::EINVAL) => assert!(!call.is_read && call.length < 14),
                Err(Errno::EMSGSIZE) => assert!(!call.is_read && call.length > MAX_FRAME),
                Err(errno) => panic!("{errno:?}"),
            }
        }
    }

    /// What holds whenever the front has done its work.
    fn check_rest(&mut self) {
        let card = &self.world.card;
        let waits = |is_read| self.pending.values().any(|call| call.is_read == is_read && call.served);
        if waits(true) {
            assert!(card.armed && card.frames.is_empty(), "a read waits beside frames, or for ever");
        }
        if waits(false) {
            assert!(card.room == 0 && card.room_wanted, "a write waits beside room, or for ever");
        }
        if !card.armed && !self.handles.is_empty() {
            assert!(self.world.front.deadline().is_some(), "nobody looks after the card");
        }
        let written: Vec<u32> = card.sent.iter().map(|frame| number(frame)).collect();
        assert!(written.is_sorted_by(|one, other| one < other), "sent twice or out of order");
        assert_eq!(written.into_iter().collect::<BTreeSet<_>>(), self.sent);
    }

    /// However it came to this, a reader is told of what is left, and gets it.
    fn end(mut self) {
        self.service();
        for handle in std::mem::take(&mut self.handles) {
            self.world.front.close(handle).unwrap();
        }
        self.check_answers();
        assert!(self.pending.is_empty(), "never answered");

        let handle = self.world.open("");
        self.world.events();
        self.world.pass(LAST_DELAY);
        assert_eq!(self.world.told(), !self.world.card.frames.is_empty());
        while let Ok(number) = self.world.try_read(handle) {
            assert_eq!(number, self.next_read);
            self.next_read += 1;
        }
        assert_eq!(self.next_read, self.frames, "lost");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nothing_is_lost_answered_twice_or_forgotten(steps in prop::collection::vec(step(), 0..120)) {
        let mut checked = Checked::new();
        for step in &steps {
            checked.apply(step);
        }
        checked.end();
    }
}
