//! What the hypervisor takes of a visit.

use probe::cpu_time::{Stat, tick_ns};
use std::path::Path;
use std::time::Instant;

/// What it had taken of all CPUs when a visit began.
pub struct Taken {
    steal_ticks: u64,
    began: Instant,
}

impl Taken {
    /// None where the kernel does not say.
    pub fn now() -> Option<Taken> {
        let stat = Stat::read(Path::new("/")).ok()?;
        Some(Taken {
            steal_ticks: stat.all.steal,
            began: Instant::now(),
        })
    }

    /// Of one CPU's time since then, 0..=1: an idle CPU loses none. The kernel tells it in steps of
    /// a tick, so that of a visit shorter than some ticks little is known.
    pub fn share(self) -> Option<f64> {
        let stat = Stat::read(Path::new("/")).ok()?;
        let taken = stat.all.steal.saturating_sub(self.steal_ticks) * tick_ns();
        let share = taken as f64 / self.began.elapsed().as_nanos() as f64;
        share.is_finite().then(|| share.min(1.0))
    }
}
