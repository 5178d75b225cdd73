//! A card of a few fields, and a front on it in a world where time stands still unless told to pass.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use s2iod::front::{Call, Change, Device, DeviceError, Errno, Events, Front, Handle, Op, Path, Received, Sent};

pub const MAC: [u8; 6] = [0x02, 0x0c, 0xfc, 0, 0, 1];
pub const MAX_FRAME: usize = 1_514;
pub const ROOM: usize = 4;

/// A frame that tells its number; 64 bytes.
pub fn frame(number: u32) -> Vec<u8> {
    let mut frame = vec![0; 64];
    frame[..4].copy_from_slice(&number.to_be_bytes());
    frame
}

pub fn number(frame: &[u8]) -> u32 {
    u32::from_be_bytes(*frame.first_chunk().unwrap())
}

/// Follows the contract of [`Device`] and notes what is done to it.
#[derive(Debug)]
pub struct Card {
    pub frames: VecDeque<Vec<u8>>,
    pub armed: bool,
    /// Interrupts since the last service.
    pub interrupts: usize,
    /// Times the interrupt was armed when it was not.
    pub armings: usize,
    /// A frame that comes just when the interrupt is about to be armed.
    pub race: Option<Vec<u8>>,
    pub sent: Vec<Vec<u8>>,
    pub room: usize,
    pub room_wanted: bool,
    pub gone: bool,
    pub changes: Vec<Change>,
    /// What happens while the statistics are read: in the middle of a batch of calls.
    pub meanwhile: fn(&mut Card),
}

impl Card {
    pub fn arrive(&mut self, frame: Vec<u8>) {
        self.frames.extend(self.race.take());
        self.frames.push_back(frame);
        if self.armed {
            self.armed = false;
            self.interrupts += 1;
        }
    }

    pub fn reclaim(&mut self, room: usize) {
        self.room += room;
        if self.room_wanted {
            self.room_wanted = false;
            self.interrupts += 1;
        }
    }

    pub fn vanish(&mut self) {
        self.gone = true;
        self.interrupts += 1;
    }
}

impl Device for Card {
    fn mac(&self) -> [u8; 6] {
        MAC
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received, DeviceError> {
        assert!(!buffer.is_empty());
        if self.gone {
            return Err(DeviceError::Gone);
        }
        // A frame without bytes stands for one that turns out to be damaged.
        while self.frames.front().is_some_and(Vec::is_empty) {
            self.frames.pop_front();
        }
        let Some(frame) = self.frames.pop_front() else { return Ok(Received::Empty) };
        let length = frame.len().min(buffer.len());
        buffer[..length].copy_from_slice(&frame[..length]);
        Ok(if length < frame.len() { Received::Truncated(length) } else { Received::Whole(length) })
    }

    fn send(&mut self, frame: &[u8]) -> Result<Sent, DeviceError> {
        assert!(frame.len() >= 14);
        if self.gone {
            return Err(DeviceError::Gone);
        }
        if frame.len() > MAX_FRAME {
            return Err(DeviceError::TooLong);
        }
        if self.room == 0 {
            self.room_wanted = true;
            return Ok(Sent::Full);
        }
        self.room -= 1;
        self.sent.push(frame.to_vec());
        Ok(Sent::Done)
    }

    fn rearm(&mut self) -> bool {
        self.armings += usize::from(!self.armed);
        self.frames.extend(self.race.take());
        self.armed = self.frames.is_empty() && !self.gone;
        !self.armed
    }

    fn has_frames(&mut self) -> bool {
        !self.frames.is_empty() || self.gone
    }

    fn has_room(&mut self) -> bool {
        self.room_wanted |= self.room == 0;
        self.room > 0 || self.gone
    }

    fn write_stats(&mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        (self.meanwhile)(self);
        writeln!(out, "rmac_frms {}", self.frames.len())
    }

    fn write_setting(&mut self, path: Path, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{} is so", path.name())
    }

    fn change(&mut self, change: Change) -> Result<(), DeviceError> {
        match change {
            _ if self.gone => return Err(DeviceError::Gone),
            Change::Mtu(9_601..) => return Err(DeviceError::OutOfRange),
            Change::Mtu(9_600) => return Err(DeviceError::NoMemory),
            Change::RemoveMulticast(_) => return Err(DeviceError::Absent),
            Change::AddMulticast(_) if self.changes.len() == ROOM => return Err(DeviceError::ListFull),
            change => self.changes.push(change),
        }
        Ok(())
    }
}

/// One answer, as a test wants to compare it.
pub type Answer = (u32, Result<usize, Errno>);

pub struct World {
    pub front: Front<u32, Vec<u8>>,
    pub card: Card,
    pub now: Duration,
    next_tag: u32,
}

impl World {
    pub fn new() -> Self {
        let card = Card {
            frames: VecDeque::new(),
            armed: true,
            interrupts: 0,
            armings: 0,
            race: None,
            sent: Vec::new(),
            room: ROOM,
            room_wanted: false,
            gone: false,
            changes: Vec::new(),
            meanwhile: |_| (),
        };
        Self { front: Front::new(), card, now: Duration::from_secs(5), next_tag: 0 }
    }

    pub fn open(&mut self, path: &str) -> Handle {
        self.front.open(path, 0, path.is_empty()).unwrap()
    }

    pub fn service(&mut self) {
        self.card.interrupts = 0;
        self.front.service(&mut self.card, self.now);
    }

    /// As the daemon does: it works when there is an interrupt.
    pub fn serve_interrupts(&mut self) {
        if self.card.interrupts > 0 {
            self.service();
        }
    }

    pub fn arrive(&mut self, frame: Vec<u8>) {
        self.card.arrive(frame);
        self.serve_interrupts();
    }

    pub fn reclaim(&mut self, room: usize) {
        self.card.reclaim(room);
        self.serve_interrupts();
    }

    /// Lets time pass, with the one-shot timer doing its work.
    pub fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(deadline) = self.front.deadline().filter(|deadline| *deadline <= end) {
            self.now = self.now.max(deadline);
            self.service();
        }
        self.now = end;
    }

    pub fn call(&mut self, handle: Handle, op: Op, buffer: Vec<u8>, nonblock: bool) -> u32 {
        self.next_tag += 1;
        let tag = self.next_tag;
        self.front.submit(Call { tag, handle, op, buffer, nonblock });
        self.service();
        tag
    }

    /// One service for a read of the statistics, in the middle of which `meanwhile` happens, and then for another call.
    pub fn batch(&mut self, meanwhile: fn(&mut Card), handle: Handle, op: Op, nonblock: bool) -> u32 {
        let stats = self.open("stats");
        let read = Op::Read { offset: 0 };
        self.front.submit(Call { tag: 0, handle: stats, op: read, buffer: Vec::new(), nonblock: true });
        self.card.meanwhile = meanwhile;
        let tag = self.call(handle, op, frame(99), nonblock);
        self.card.meanwhile = |_| ();
        tag
    }

    /// A read that would wait.
    pub fn read(&mut self, handle: Handle) -> u32 {
        self.call(handle, Op::Read { offset: 0 }, vec![0; 1_500], false)
    }

    /// A read that does not wait: the frame's number, or why not.
    pub fn try_read(&mut self, handle: Handle) -> Result<u32, Errno> {
        let tag = self.call(handle, Op::Read { offset: 0 }, vec![0; 1_500], true);
        let completion = self.front.next_completion().unwrap();
        assert_eq!(completion.tag, tag);
        completion.result.map(|length| number(&completion.buffer[..length]))
    }

    /// Bytes of a path that has offsets.
    pub fn read_at(&mut self, handle: Handle, offset: u64, length: usize) -> Result<Vec<u8>, Errno> {
        self.call(handle, Op::Read { offset }, vec![0; length], true);
        let completion = self.front.next_completion().unwrap();
        completion.result.map(|length| completion.buffer[..length].to_vec())
    }

    pub fn write(&mut self, handle: Handle, frame: Vec<u8>) -> u32 {
        self.call(handle, Op::Write { offset: 0 }, frame, false)
    }

    pub fn try_write(&mut self, handle: Handle, frame: Vec<u8>) -> Result<usize, Errno> {
        self.call(handle, Op::Write { offset: 0 }, frame, true);
        self.front.next_completion().unwrap().result
    }

    pub fn answers(&mut self) -> Vec<Answer> {
        std::iter::from_fn(|| self.front.next_completion())
            .map(|completion| (completion.tag, completion.result))
            .collect()
    }

    pub fn events(&mut self) -> Vec<(Handle, Events)> {
        std::iter::from_fn(|| self.front.next_event()).collect()
    }

    /// Whether `EVENT_READ` came to any handle since the last look.
    pub fn told(&mut self) -> bool {
        self.events().iter().any(|(_, events)| events.read)
    }
}

pub const READ: Events = Events { read: true, write: false };
pub const WRITE: Events = Events { read: false, write: true };
