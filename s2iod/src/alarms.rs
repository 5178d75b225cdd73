//! Alarms: every cause of trouble that the hardware latches is counted, and the fatal ones are told.
//!
//! Their interrupts stay masked. They are rare, none is helped by being answered at once, and a cause that cannot be
//! cleared would never let the line fall.

mod table;

use std::fmt;

use xframe::constants::Asic;

use crate::csr::{Csr, GONE};
use crate::platform::Bar;

use table::LATCHES;

/// What a cause means for the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    /// It goes on working.
    Counted,
    /// A block has stopped, or data were lost without a trace: only a reset helps.
    Fatal,
    /// Fatal on Xena; Herc corrects itself.
    FatalOnXena,
}

/// How often each cause was seen.
pub(crate) struct Alarms {
    counts: Box<[u64]>,
}

/// What a look at the latches found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing that the card does not survive.
    Fine,
    /// This cause, by its name; the first if there are several.
    Fatal(&'static str),
    /// The registers read all ones.
    Silent,
}

impl Alarms {
    pub fn new() -> Self {
        Self { counts: LATCHES.iter().flat_map(|latch| latch.causes).map(|_| 0).collect() }
    }

    /// Reads, counts and clears every latch.
    pub fn look<B: Bar>(&mut self, csr: &Csr<B>, asic: Asic) -> Look {
        let mut counts = self.counts.iter_mut();
        let mut fatal = None;
        for latch in &LATCHES {
            let latched = csr.read(latch.register);
            if latched == GONE {
                return Look::Silent;
            }
            let mut known = 0;
            for (cause, count) in latch.causes.iter().zip(counts.by_ref()) {
                let bits = latched & cause.bits;
                known |= bits;
                *count += u64::from(bits.count_ones());
                if bits != 0 && is_fatal(cause.severity, asic) {
                    fatal = fatal.or(Some(cause.name));
                }
            }
            if known != 0 {
                // Only these: other bits of the same register are the link's.
                csr.write(latch.register, known);
            }
        }
        fatal.map_or(Look::Fine, Look::Fatal)
    }

    /// Writes one `alarm_<name> count` a line.
    pub fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let causes = LATCHES.iter().flat_map(|latch| latch.causes);
        causes.zip(&self.counts).try_for_each(|(cause, count)| writeln!(out, "alarm_{} {count}", cause.name))
    }
}

fn is_fatal(severity: Severity, asic: Asic) -> bool {
    match severity {
        Severity::Counted => false,
        Severity::Fatal => true,
        Severity::FatalOnXena => asic == Asic::Xena,
    }
}
