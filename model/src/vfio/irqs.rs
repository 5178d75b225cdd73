//! Owns the way of interrupts to the client: the descriptors it gave, the line's level, and messages that wait for one.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, write};
use xframe::constants::VECTORS;

/// Kinds of interrupts, by the index that names them.
pub(crate) mod index {
    pub const LINE: u32 = 0;
    pub const MSIX: u32 = 2;
    /// How many kinds there are; the others have no interrupts.
    pub const COUNT: u32 = 5;
}

/// What to do to a range of interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Mask,
    Unmask,
    Trigger,
}

/// What comes with the action.
pub(crate) enum Data<'a> {
    /// It is to be done now.
    Now,
    /// It is to be done now for those interrupts whose byte is not zero.
    Selected(&'a [u8]),
    /// The descriptors through which it is done from now on; none takes them away.
    Descriptors(Vec<OwnedFd>),
}

/// A request to set interrupts up.
pub(crate) struct Set<'a> {
    pub index: u32,
    pub start: u32,
    pub count: u32,
    pub action: Action,
    pub data: Data<'a>,
}

impl Set<'_> {
    /// Whether the action is to be done now to interrupt `number`.
    fn does(&self, number: u32) -> bool {
        let Some(at) = number.checked_sub(self.start).filter(|at| *at < self.count) else { return false };
        match &self.data {
            Data::Now => true,
            Data::Selected(bytes) => bytes.get(at as usize).is_some_and(|byte| *byte != 0),
            Data::Descriptors(_) => false,
        }
    }
}

#[derive(Default)]
struct Line {
    trigger: Option<OwnedFd>,
    /// Becomes readable when the client unmasks.
    unmask: Option<OwnedFd>,
    /// The client masked the line, or has not unmasked it since it was triggered.
    masked: bool,
}

/// How many interrupts of a kind there are.
pub(crate) fn count(index: u32, msix: bool) -> u32 {
    match index {
        index::LINE => 1,
        index::MSIX if msix => VECTORS as u32,
        _ => 0,
    }
}

pub(crate) struct Irqs {
    line: Line,
    vectors: Vec<Option<OwnedFd>>,
    /// Bit `n`: vector `n` was sent while it had no descriptor, which is how a client masks it.
    pending: u64,
}

impl Irqs {
    pub fn new() -> Self {
        Self { line: Line::default(), vectors: (0..VECTORS).map(|_| None).collect(), pending: 0 }
    }

    /// Vectors that wait, vector 0 in the least significant bit.
    pub const fn pending(&self) -> u64 {
        self.pending
    }

    /// Nothing of the past is delivered any more. Descriptors stay.
    pub fn reset(&mut self) {
        self.pending = 0;
        self.line.masked = false;
    }

    /// What becomes readable when the client unmasks the line.
    pub fn unmask_request(&self) -> Option<BorrowedFd<'_>> {
        self.line.unmask.as_ref().filter(|_| self.line.masked).map(AsFd::as_fd)
    }

    /// The client unmasked the line by its descriptor.
    pub fn take_unmask_request(&mut self) {
        if let Some(unmask) = &self.line.unmask {
            let _counted = rustix::io::read(unmask, &mut [0; 8]);
        }
        self.line.masked = false;
    }

    /// Triggers the line if it is asserted and not masked; it is masked from then on.
    pub fn level(&mut self, asserted: bool) {
        if asserted && !self.line.masked && self.line.trigger.as_ref().is_some_and(signal) {
            self.line.masked = true;
        }
    }

    /// Delivers a message, or keeps it until its vector has a descriptor.
    pub fn message(&mut self, vector: u8) {
        match self.vectors.get(usize::from(vector)) {
            Some(Some(descriptor)) => drop(signal(descriptor)),
            _ => self.pending |= 1_u64.checked_shl(vector.into()).unwrap_or(0),
        }
    }

    /// Does what the client asks for.
    pub fn set(&mut self, set: Set<'_>, msix: bool) -> Result<(), Errno> {
        let most = count(set.index, msix);
        if set.start.checked_add(set.count).is_none_or(|end| end > most) {
            return Err(Errno::INVAL);
        }
        match set.index {
            index::LINE => self.set_line(set),
            index::MSIX => self.set_vectors(set),
            _ => Err(Errno::INVAL),
        }
    }

    fn set_line(&mut self, set: Set<'_>) -> Result<(), Errno> {
        if set.count == 0 && matches!(set.data, Data::Now) && set.action == Action::Trigger {
            self.line = Line::default();
            return Ok(());
        }
        let now = set.does(0);
        match (set.action, set.data) {
            (Action::Trigger, Data::Descriptors(given)) => self.line.trigger = only(given)?,
            (Action::Unmask, Data::Descriptors(given)) => self.line.unmask = only(given)?,
            (Action::Mask, Data::Descriptors(_)) => return Err(Errno::INVAL),
            (Action::Mask, _) => self.line.masked |= now,
            (Action::Unmask, _) => self.line.masked &= !now,
            (Action::Trigger, _) if now => drop(self.line.trigger.as_ref().map(signal)),
            (Action::Trigger, _) => {}
        }
        Ok(())
    }

    fn set_vectors(&mut self, set: Set<'_>) -> Result<(), Errno> {
        if set.action != Action::Trigger {
            return Err(Errno::INVAL);
        }
        if set.count == 0 && matches!(set.data, Data::Now) {
            *self = Self { line: std::mem::take(&mut self.line), ..Self::new() };
            return Ok(());
        }
        if let Data::Descriptors(given) = set.data {
            return self.give(set.start, set.count, given);
        }
        for vector in (set.start..set.start + set.count).filter(|vector| set.does(*vector)) {
            self.message(vector as u8);
        }
        Ok(())
    }

    /// Gives vectors their descriptors, and what waited for them.
    fn give(&mut self, start: u32, count: u32, given: Vec<OwnedFd>) -> Result<(), Errno> {
        if !given.is_empty() && given.len() != count as usize {
            return Err(Errno::INVAL);
        }
        given.iter().try_for_each(never_block)?;
        let mut given = given.into_iter();
        for (vector, slot) in (0_u32..).zip(&mut self.vectors).skip(start as usize).take(count as usize) {
            *slot = given.next();
            if self.pending & 1 << vector != 0 && slot.as_ref().is_some_and(signal) {
                self.pending &= !(1 << vector);
            }
        }
        Ok(())
    }
}

/// At most one descriptor.
fn only(given: Vec<OwnedFd>) -> Result<Option<OwnedFd>, Errno> {
    given.iter().try_for_each(never_block)?;
    let mut given = given.into_iter();
    match (given.next(), given.next()) {
        (first, None) => Ok(first),
        _ => Err(Errno::INVAL),
    }
}

/// The client may give anything, a full pipe for example: writing to it must not hold the card up.
fn never_block(descriptor: &OwnedFd) -> Result<(), Errno> {
    fcntl_setfl(descriptor, fcntl_getfl(descriptor)? | OFlags::NONBLOCK)
}

/// Adds one to an eventfd; false if that fails. One whose count is full is as good as signalled.
fn signal(descriptor: &OwnedFd) -> bool {
    matches!(write(descriptor, &1_u64.to_ne_bytes()), Ok(_) | Err(Errno::AGAIN))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, eventfd};

    fn event() -> (OwnedFd, OwnedFd) {
        let ours = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
        let theirs = ours.try_clone().unwrap();
        (ours, theirs)
    }

    /// How often the descriptor was signalled since it was last asked.
    fn signals(descriptor: &OwnedFd) -> u64 {
        let mut count = [0; 8];
        rustix::io::read(descriptor, &mut count).map_or(0, |_| u64::from_ne_bytes(count))
    }

    fn set(index: u32, start: u32, count: u32, action: Action, data: Data<'_>) -> Set<'_> {
        Set { index, start, count, action, data }
    }

    fn line() -> (Irqs, OwnedFd) {
        let mut irqs = Irqs::new();
        let (ours, theirs) = event();
        irqs.set(set(index::LINE, 0, 1, Action::Trigger, Data::Descriptors(vec![theirs])), true).unwrap();
        (irqs, ours)
    }

    #[test]
    fn the_line_is_masked_by_its_own_trigger_and_fires_again_when_unmasked() {
        let (mut irqs, event) = line();
        irqs.level(true);
        irqs.level(true);
        assert_eq!(signals(&event), 1);
        irqs.set(set(index::LINE, 0, 1, Action::Unmask, Data::Now), true).unwrap();
        irqs.level(true);
        assert_eq!(signals(&event), 1);
        irqs.set(set(index::LINE, 0, 1, Action::Unmask, Data::Selected(&[1])), true).unwrap();
        irqs.level(false);
        assert_eq!(signals(&event), 0);
    }

    #[test]
    fn the_line_can_be_unmasked_by_a_descriptor() {
        let (mut irqs, event) = line();
        let (unmask, theirs) = super::tests::event();
        irqs.set(set(index::LINE, 0, 1, Action::Unmask, Data::Descriptors(vec![theirs])), true).unwrap();
        assert!(irqs.unmask_request().is_none(), "it is not masked");
        irqs.level(true);
        assert!(irqs.unmask_request().is_some());
        assert!(signal(&unmask));
        irqs.take_unmask_request();
        irqs.level(true);
        assert_eq!(signals(&event), 2);
    }

    #[test]
    fn a_message_without_descriptor_waits_for_one() {
        let mut irqs = Irqs::new();
        irqs.message(9);
        assert_eq!(irqs.pending(), 1 << 9);
        let (ours, theirs) = event();
        irqs.set(set(index::MSIX, 9, 1, Action::Trigger, Data::Descriptors(vec![theirs])), true).unwrap();
        assert_eq!((signals(&ours), irqs.pending()), (1, 0));
        irqs.message(9);
        assert_eq!(signals(&ours), 1);
    }

    #[test]
    fn disabling_all_forgets_descriptors_and_what_waits() {
        let mut irqs = Irqs::new();
        let (ours, theirs) = event();
        irqs.set(set(index::MSIX, 0, 1, Action::Trigger, Data::Descriptors(vec![theirs])), true).unwrap();
        irqs.message(1);
        irqs.set(set(index::MSIX, 0, 0, Action::Trigger, Data::Now), true).unwrap();
        irqs.message(0);
        assert_eq!((signals(&ours), irqs.pending()), (0, 1));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let mut irqs = Irqs::new();
        for (index, start, count, msix) in [
            (0, 1, 1, true),
            (2, 0, 65, true),
            (2, u32::MAX, 2, true),
            (2, 0, 1, false),
            (1, 0, 1, true),
            (9, 0, 1, true),
        ] {
            let result = irqs.set(set(index, start, count, Action::Trigger, Data::Now), msix);
            assert_eq!(result, Err(Errno::INVAL), "{index} {start} {count}");
        }
    }

    #[test]
    fn a_full_pipe_does_not_hold_the_card_up() {
        let (_read, write) = rustix::pipe::pipe().unwrap();
        let mut irqs = Irqs::new();
        irqs.set(set(index::MSIX, 0, 1, Action::Trigger, Data::Descriptors(vec![write])), true).unwrap();
        for _ in 0..20_000 {
            irqs.message(0);
        }
    }
}
