//! `stats`: every counter of engine, driver and card, one `name value` per line.

use std::fmt;

use lro::End;

use crate::adapter::Adapter;
use crate::health::State;
use crate::platform::Platform;

impl<P: Platform> Adapter<P> {
    /// Has the card write its block, and writes all counters to `out`. The card's are absent when it does not answer in
    /// time; while it is being reset, and when it is gone, they are those of before. None ever goes back.
    ///
    /// # Errors
    ///
    /// What `out` says.
    pub fn write_stats(&mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        let running = self.state() == State::Running;
        let known = !running || self.card_counters.transfer(&mut self.platform, &self.csr);
        writeln!(out, "link {}", if self.link_up { "up" } else { "down" })?;
        writeln!(out, "mtu {}", self.options.mtu)?;
        self.write_engine(out)?;
        self.write_driver(out)?;
        self.alarms.write(out)?;
        if known { self.card_counters.write(out) } else { Ok(()) }
    }

    fn write_engine(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let stats = self.engine.stats();
        writeln!(out, "lro_frames {}", stats.frames)?;
        writeln!(out, "lro_units {}", stats.units)?;
        writeln!(out, "lro_bytes {}", stats.bytes)?;
        writeln!(out, "lro_merged_units {}", stats.merged_units)?;
        writeln!(out, "lro_merged_segments {}", stats.merged_segments)?;
        for end in End::ALL {
            writeln!(out, "lro_ended_{} {}", end.name(), stats.ended(end))?;
        }
        Ok(())
    }

    fn write_driver(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let (errors, tx) = (self.ring.errors(), self.tx.counts());
        let lines = [
            ("interrupts", self.counters.interrupts),
            ("interrupts_not_ours", self.counters.not_ours),
            ("link_changes", self.counters.link_changes),
            ("faults", self.counters.faults),
            ("recoveries", self.counters.recoveries),
            ("recoveries_failed", self.counters.recoveries_failed),
            ("rx_completed", self.ring.completed()),
            ("rx_errors_t_code", errors.t_code),
            ("rx_errors_buffer_size", errors.buffer_size),
            ("rx_errors_size", errors.size),
            ("rx_slots_in_card", self.ring.in_card().into()),
            ("tx_frames", tx.frames),
            ("tx_errors", tx.errors),
            ("tx_lost", tx.lost),
        ];
        lines.into_iter().try_for_each(|(name, value)| writeln!(out, "{name} {value}"))
    }
}
