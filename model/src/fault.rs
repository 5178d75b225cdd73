//! Owns what can be made to go wrong with the card itself, and where it then does.

use xframe::registers::Register;
use xframe::{rxd, txd};

use crate::memory::{MasterAbort, Memory};

mod plan;

pub use plan::{Plan, Schedule};

/// Something that goes wrong. What happens "next" happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// So many of the next messages are not sent.
    LoseMessages(u32),
    /// So many of the next messages are sent twice.
    RepeatMessages(u32),
    /// The next received frame ends with this T_CODE.
    ReceiveCode(u8),
    /// The next list sent ends with this T_CODE.
    SendCode(u8),
    /// The next RxD claims so many bytes, whatever was written.
    Size(u16),
    /// The next RxD that is filled is never given back.
    KeepRxd,
    /// The next list that is sent is never given back.
    KeepTxd,
    /// Nobody answers the card's next access to memory.
    Abort,
    /// The hardware finds these causes in a register of latched causes.
    Alarm(Register, u64),
    /// The cable is pulled out (`false`) or plugged in.
    Link(bool),
    /// The card does not become ready (`true`), or does again.
    StuckReset(bool),
    /// The card does not answer (`true`): it reads all ones and does nothing. Or it does again, as if nothing had been.
    Gone(bool),
}

/// Faults that wait for their occasion, and those that last.
#[derive(Default)]
pub(crate) struct Faults {
    pub lose_messages: u32,
    pub repeat_messages: u32,
    receive_code: Option<u8>,
    send_code: Option<u8>,
    size: Option<u16>,
    keep_rxd: bool,
    keep_txd: bool,
    abort: bool,
    pub stuck_reset: bool,
    pub gone: bool,
}

impl Faults {
    /// Takes in a fault that waits or lasts; false if it is none of these.
    pub fn take_in(&mut self, fault: Fault) -> bool {
        match fault {
            Fault::LoseMessages(count) => self.lose_messages += count,
            Fault::RepeatMessages(count) => self.repeat_messages += count,
            Fault::ReceiveCode(code) => self.receive_code = Some(code),
            Fault::SendCode(code) => self.send_code = Some(code),
            Fault::Size(size) => self.size = Some(size),
            Fault::KeepRxd => self.keep_rxd = true,
            Fault::KeepTxd => self.keep_txd = true,
            Fault::Abort => self.abort = true,
            Fault::StuckReset(on) => self.stuck_reset = on,
            Fault::Gone(on) => self.gone = on,
            Fault::Alarm(..) | Fault::Link(_) => return false,
        }
        true
    }

    /// How a received frame ends instead.
    pub fn receive_code(&mut self) -> Option<rxd::TCode> {
        let code = self.receive_code.take()?;
        Some(rxd::Control1::from(u64::from(code & 0xF) << 48).t_code())
    }

    /// How a sent list ends instead.
    pub fn send_code(&mut self) -> Option<txd::TCode> {
        let code = self.send_code.take()?;
        Some(txd::Control1::from(u64::from(code & 0xF) << 48).t_code())
    }

    /// What an RxD claims instead.
    pub fn size(&mut self) -> Option<u16> {
        self.size.take()
    }

    pub fn keeps_rxd(&mut self) -> bool {
        std::mem::take(&mut self.keep_rxd)
    }

    pub fn keeps_txd(&mut self) -> bool {
        std::mem::take(&mut self.keep_txd)
    }

    /// Whether the next access to memory is to fail; it is told once.
    pub fn take_abort(&mut self) -> bool {
        std::mem::take(&mut self.abort)
    }
}

/// The way to the host's memory, on which the next access may fail.
pub(crate) struct Bus<'a, M> {
    pub memory: &'a mut M,
    /// Whether it will.
    pub abort: bool,
}

impl<M: Memory> Memory for Bus<'_, M> {
    fn read(&mut self, bus: u64, into: &mut [u8]) -> Result<(), MasterAbort> {
        if std::mem::take(&mut self.abort) { Err(MasterAbort { bus }) } else { self.memory.read(bus, into) }
    }

    fn write(&mut self, bus: u64, from: &[u8]) -> Result<(), MasterAbort> {
        if std::mem::take(&mut self.abort) { Err(MasterAbort { bus }) } else { self.memory.write(bus, from) }
    }
}
