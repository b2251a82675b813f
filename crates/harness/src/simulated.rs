//! A machine that exists in numbers only, in the place of this one.
//!
//! Where a context has one, memory is mapped on it as well, and chains hand it the address of
//! each load instead of waiting for the load: plan, batches, statistics and findings are those
//! of a real run, and what the machine is like is known.

use crate::slices::Slice;
use crate::windows::Window;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What a look saw, each since the first look.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Look {
    pub at_ns: f64,
    /// CLOCK_MONOTONIC_COARSE; 0 where it was not looked at.
    pub coarse_ns: f64,
}

/// What a kernel states of real-time tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealTimeLimits {
    /// `sched_rr_timeslice_ms`.
    pub rr_slice_ns: u64,
    /// `sched_rt_runtime_us`.
    pub runtime_ns: u64,
    /// `sched_rt_period_us`.
    pub period_ns: u64,
}

/// What a simulated machine does in the place of loads, stores and flushes. Addresses are
/// those of this process; time passes on the simulated machine's clock alone.
pub trait Simulated: Send + Sync {
    /// Memory of this process stands for memory of the machine, in huge pages or not.
    fn map(&self, at: usize, bytes: usize, huge: bool);
    /// Bytes of a huge page; None where it has none.
    fn huge_page_bytes(&self) -> Option<usize>;
    /// It does so no longer.
    fn unmap(&self, at: usize);
    /// Loads of which each gives the address of the next by `next`, made by `codes`
    /// instructions in turn. Returns the address of the load that would follow.
    fn follow(
        &self,
        at: usize,
        loads: u64,
        codes: u32,
        next: &mut dyn FnMut(usize) -> usize,
    ) -> usize;
    /// The time of one load, ns, with nothing else under way.
    fn time_load(&self, code: u32, at: usize) -> f64;
    /// The stores of a set-up, so many, each to another line; nothing waits for them.
    fn set_up(&self, places: &mut dyn Iterator<Item = usize>, count: usize);
    /// So many stores, each `step` bytes behind the one before and from the end of `within` at
    /// its begin again, with `cycles` of work between them. Returns the address of the store
    /// that would follow.
    fn walk(&self, at: usize, within: Range<usize>, step: usize, stores: u64, cycles: f64)
    -> usize;
    /// Drops a line from all caches; the fence behind it is part of it.
    fn flush(&self, at: usize);
    /// Bytes that the flush works on; None where user programs have no such instruction.
    fn flush_bytes(&self) -> Option<usize>;
    /// The test CPU adds to the word `ours` so often, while its partner adds to `theirs`.
    fn contend(&self, ours: usize, theirs: usize, times: u64);
    /// The partner of the test CPU loads a word.
    fn load_by_partner(&self, at: usize);
    /// Work that needs no memory, cycles.
    fn compute(&self, cycles: f64);
    /// A loop looks at both clocks again and again for `ns`: each two looks in a row between
    /// which something came.
    fn look(&self, ns: f64, seen: &mut dyn FnMut([Look; 2]));
    /// Sleeps until the next whole multiple of `interval_ns` on its clock, with this timer slack
    /// or the thread's own; how late it ran again, ns.
    fn sleep(&self, interval_ns: u64, slack_ns: Option<u64>) -> f64;
    /// The thread's timer slack as the kernel states it, ns: prctl(2).
    fn timer_slack_ns(&self) -> f64;
    /// So many real-time tasks of equal rank compute on one CPU for `length_ns`, in turns
    /// (SCHED_RR) or not (SCHED_FIFO): the slices that each had.
    fn compute_in_real_time(&self, tasks: usize, in_turns: bool, length_ns: u64)
    -> Vec<Vec<Slice>>;
    /// Units of work in registers until a window has passed, while the partner rests or does the
    /// same.
    fn work_in_registers(&self, window_ns: u64, next_to_itself: bool) -> Window;
    /// What its kernel states of such tasks.
    fn real_time_limits(&self) -> RealTimeLimits;
    /// Step of the coarse clock as the kernel states it, ns: clock_getres(2).
    fn coarse_step_ns(&self) -> f64;
}

/// The machine that is measured.
#[derive(Clone, Default)]
pub struct Measured(Option<Arc<dyn Simulated>>);

impl Measured {
    /// A simulated machine.
    pub fn simulated(machine: Arc<dyn Simulated>) -> Measured {
        Measured(Some(machine))
    }

    /// None where it is the one that this process runs on.
    pub fn in_numbers(&self) -> Option<&dyn Simulated> {
        self.0.as_deref()
    }
}

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            None => "this machine",
            Some(_) => "a simulated machine",
        })
    }
}

impl PartialEq for Measured {
    fn eq(&self, other: &Measured) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}
