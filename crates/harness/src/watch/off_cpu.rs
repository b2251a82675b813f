//! For how long the thread did not run while a batch was timed.

use crate::clock::raw_now_ns;
use probe::thread_time;

/// Pairs of readings around nothing.
const TRIES: usize = 31;

/// The two clocks that are held against each other, and what reading them costs.
#[derive(Debug, Clone, Copy)]
pub struct OffCpu {
    /// What the thread's clock counts beyond the other one between two readings, ns.
    overhead_ns: i64,
    before: Option<(u64, u64)>,
}

impl OffCpu {
    /// Measures what the readings cost.
    pub fn fit() -> OffCpu {
        let mut off = OffCpu {
            overhead_ns: 0,
            before: None,
        };
        let mut tries: Vec<i64> = (0..TRIES)
            .filter_map(|_| {
                off.begin();
                off.difference_ns()
            })
            .collect();
        tries.sort_unstable();
        off.overhead_ns = tries.get(tries.len() / 2).map_or(0, |typical| -typical);
        off
    }

    /// Right before a batch.
    pub fn begin(&mut self) {
        self.before = thread_time::now_ns().map(|ran_ns| (ran_ns, raw_now_ns()));
    }

    /// Time since then for which the thread did not run, ns; None where the system does not
    /// say.
    pub fn end(&mut self) -> Option<u64> {
        let off_ns = self.difference_ns()?.saturating_add(self.overhead_ns);
        Some(u64::try_from(off_ns).unwrap_or(0))
    }

    fn difference_ns(&mut self) -> Option<i64> {
        let now_ns = raw_now_ns();
        let ran_now_ns = thread_time::now_ns()?;
        let (ran_ns, at_ns) = self.before.take()?;
        let passed = |now: u64, before: u64| i64::try_from(now.saturating_sub(before)).ok();
        Some(passed(now_ns, at_ns)? - passed(ran_now_ns, ran_ns)?)
    }
}
