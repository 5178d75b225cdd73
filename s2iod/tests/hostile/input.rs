//! Bytes as a fuzzer makes them, read as what card and host do.

use xframe::constants::Asic;

use super::world::{Action, run};
use super::{Dice, Noise};

/// Actions in one run.
const LONGEST_RUN: usize = 100;

/// The bytes that are left, and zeros behind them.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *byte
    }

    fn word(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let (bytes, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        bytes.to_vec()
    }

    fn offset(&mut self) -> u64 {
        match self.byte() {
            offset @ 1..20 => offset.into(),
            255 => u64::MAX,
            _ => 0,
        }
    }

    fn length(&mut self) -> u16 {
        match self.byte() % 4 {
            0 => 1_500,
            1 => self.word(),
            _ => self.byte().into(),
        }
    }

    fn action(&mut self) -> Action {
        match self.byte() % 11 {
            0 => Action::Steps(self.byte() % 20),
            1 => Action::Frame(14 + self.word() % 1_586),
            2 => Action::Scribble,
            3 => Action::Interrupt,
            4 => Action::Watch(self.word() % 20_000),
            5 => Action::Open(self.byte(), self.byte().is_multiple_of(2)),
            6 => Action::Read {
                handle: self.byte(),
                offset: self.offset(),
                length: self.length(),
                nonblock: self.byte().is_multiple_of(2),
            },
            7 => {
                let (handle, offset, length) = (self.byte(), self.offset(), self.length());
                let nonblock = self.byte().is_multiple_of(2);
                let mut bytes = self.bytes(usize::from(length).min(40));
                if length > 40 {
                    bytes.resize(length.into(), 0);
                }
                Action::Write { handle, offset, bytes, nonblock }
            }
            8 => Action::Event(self.byte()),
            9 => Action::Cancel(self.byte().into()),
            _ => Action::Close(self.byte()),
        }
    }
}

/// One run: a third of the bytes are the actions, the rest is what the card tells instead of the truth.
pub fn hostile(bytes: &[u8]) {
    let mut input = Input(bytes);
    let asic = if input.byte() % 4 == 0 { Asic::Xena } else { Asic::Herc };
    let (register, config) = (input.byte().into(), input.byte().into());
    let kind = input.byte();
    let noise = Noise { register, config, memory: kind & 1 != 0, quiet_start: kind & 2 != 0 };
    let (actions, lies) = input.0.split_at(input.0.len() / 3);
    let mut input = Input(actions);
    let mut left = LONGEST_RUN;
    let actions = std::iter::from_fn(|| {
        left = left.checked_sub(1)?;
        (!input.0.is_empty()).then(|| input.action())
    });
    run(asic, noise, Dice::of(lies), actions);
}
