//! Owns where the measurement runs and what it counts: one processor, and this thread's own time on it.

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Stays on the first processor that this process may use, and so will its children. Returns its number.
///
/// # Errors
///
/// A system that does not let it.
pub fn pin() -> Result<usize> {
    let allowed = sched_getaffinity(None).context("cannot tell which processors may be used")?;
    let cpu = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).context("no processor may be used")?;
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).with_context(|| format!("cannot stay on processor {cpu}"))?;
    Ok(cpu)
}

/// Nanoseconds of processor time that this thread has had: what other programs take in between does not count.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
