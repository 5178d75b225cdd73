//! `stats`: what the card is, and every counter of engine, driver and card, one `name value` per line.

use std::fmt;

use lro::End;
use xframe::constants::Asic;

use crate::adapter::Adapter;
use crate::bring_up::Identity;
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
        self.write_identity(out)?;
        self.write_engine(out)?;
        self.write_driver(out)?;
        self.alarms.write(out)?;
        if known { self.card_counters.write(out) } else { Ok(()) }
    }

    /// What the card says of itself; nothing that it does not say.
    fn write_identity(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let Identity { asic, revision, mac: [a, b, c, d, e, f] } = self.identity();
        for (name, words) in [("product", self.product()), ("serial_number", self.serial()), ("bus", self.bus())] {
            if !words.is_empty() {
                writeln!(out, "{name} {words}")?;
            }
        }
        writeln!(out, "chip {}", if asic == Asic::Herc { "Xframe II" } else { "Xframe I" })?;
        writeln!(out, "revision {revision}")?;
        writeln!(out, "mac {a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}")?;
        writeln!(out, "interrupts_by {}", self.interrupts().name())
    }

    fn write_engine(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let stats = self.rings.lro_stats();
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
        let (errors, tx) = (self.rings.errors(), self.tx.counts());
        let lines = [
            ("interrupts", self.counters.interrupts),
            ("interrupts_not_ours", self.counters.not_ours),
            ("link_changes", self.counters.link_changes),
            ("faults", self.counters.faults),
            ("recoveries", self.counters.recoveries),
            ("recoveries_failed", self.counters.recoveries_failed),
            ("rx_completed", self.rings.completed()),
            ("rx_errors_t_code", errors.t_code),
            ("rx_errors_buffer_size", errors.buffer_size),
            ("rx_errors_size", errors.size),
            ("rx_slots_in_card", self.rings.in_card().into()),
            ("tx_frames", tx.frames),
            ("tx_errors", tx.errors),
            ("tx_lost", tx.lost),
        ];
        lines.into_iter().try_for_each(|(name, value)| writeln!(out, "{name} {value}"))?;
        let rings = self.rings.iter().enumerate().filter(|_| self.options.rings > 1);
        rings
            .into_iter()
            .try_for_each(|(number, ring)| writeln!(out, "rx_ring_{number}_completed {}", ring.rx.completed()))
    }
}
