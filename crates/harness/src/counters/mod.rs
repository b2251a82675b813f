//! Counters around each timed batch, where a run asks for them.
//!
//! The group counts all the time; it is read before the clock starts and after
//! it stopped, and the difference belongs to the batch. So the batch's time
//! holds no reading, and its counts hold the two clock reads and half of a
//! reading at each end: what an empty batch counts stands in the run's notes
//! and is not subtracted.

mod live;
mod marks;
mod opened;
mod plan;
#[cfg(test)]
mod tests;

pub use live::Counters;
pub use marks::{MARK_REGIONS, Marks};
pub use opened::Opened;
pub use plan::{CounterMetric, CounterPlan, Planned, SIMULATED, plan, plan_with, simulated};
pub use probe::counters::derived::L2_MISSES;

/// Counts around batches.
pub trait Count {
    /// The batches of the block until now were calibration, those that follow
    /// are samples.
    fn sampling_begins(&mut self) {}
    /// Right before the clock starts. `member`: place of the subject in its
    /// block.
    fn before(&mut self, member: usize, part: u16);
    /// Right after the clock stopped.
    fn stop(&mut self, member: usize, part: u16);
    /// What was counted in between, for each of `ops` operations: a subject may
    /// have an instrument of its own that says how many they were.
    fn counted(&mut self, ops: u64) -> Counted;
}

/// What was counted around one batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counted {
    /// By metric of the plan, in its unit; None where nothing was counted.
    pub values: Vec<Option<f64>>,
    /// Share of the time that the processor's events were on counters, 0..=1;
    /// None where there are none.
    pub share: Option<f64>,
}
