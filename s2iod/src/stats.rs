//! `stats`: every counter of engine, driver and card, one `name value` per line.

use std::fmt;
use std::time::Duration;

use lro::End;
use xframe::bits::StatCfg;
use xframe::registers as reg;
use xframe::statistics;

use crate::adapter::Adapter;
use crate::platform::Platform;

/// Units of 1,000 PCI clocks between transfers; a one-shot transfer takes one.
const CLICKS: u32 = 10;
/// How often and how long the end of a transfer is waited for.
const BUDGET: (u32, Duration) = (50, Duration::from_micros(100));

impl<P: Platform> Adapter<P> {
    /// Has the card write its block, and writes all counters to `out`. The card's are absent when it does not answer in
    /// time.
    ///
    /// # Errors
    ///
    /// What `out` says.
    pub fn write_stats(&mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        let fresh = self.transfer();
        writeln!(out, "link {}", if self.link_up { "up" } else { "down" })?;
        writeln!(out, "mtu {}", self.options.mtu)?;
        self.write_engine(out)?;
        self.write_driver(out)?;
        if !fresh {
            return Ok(());
        }
        let mut block = [0; statistics::HERC_SIZE];
        self.statistics.copy_out(0, &mut block);
        for field in statistics::TABLE {
            let extension = field.name().ends_with("_OFLOW") || field.name().starts_with("RESERVED");
            if let Some(value) = statistics::read_wide(&block, *field).filter(|_| !extension) {
                writeln!(out, "{} {value}", field.name().to_ascii_lowercase())?;
            }
        }
        Ok(())
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
        let errors = self.ring.errors();
        let (frames, failed) = self.tx.counts();
        let lines = [
            ("interrupts", self.counters.interrupts),
            ("interrupts_not_ours", self.counters.not_ours),
            ("link_changes", self.counters.link_changes),
            ("rx_errors_t_code", errors.t_code),
            ("rx_errors_buffer_size", errors.buffer_size),
            ("rx_errors_size", errors.size),
            ("rx_slots_in_card", self.ring.in_card().into()),
            ("tx_frames", frames),
            ("tx_errors", failed),
        ];
        lines.into_iter().try_for_each(|(name, value)| writeln!(out, "{name} {value}"))
    }

    /// Has the card write its statistics block; whether it did.
    fn transfer(&mut self) -> bool {
        let once = StatCfg::new().with_stat_en(true).with_one_shot_en(true).with_set_updt_period(CLICKS);
        self.csr.write(reg::STAT_CFG, once);
        let done = |value| !StatCfg::from(value).stat_en();
        self.csr.wait(&mut self.platform, reg::STAT_CFG, "the end of the transfer", BUDGET, done).is_ok()
    }
}
