//! Counters around each timed batch, where a run asks for them.
//!
//! The group counts all the time; it is read before the clock starts and after
//! it stopped, and the difference belongs to the batch. So the batch's time
//! holds no reading, and its counts hold the two clock reads and half of a
//! reading at each end: what an empty batch counts stands in the run's notes
//! and is not subtracted.

mod live;
mod plan;
#[cfg(test)]
mod tests;

pub use live::Counters;
pub use plan::{CounterMetric, CounterPlan, Planned, plan, plan_with};

/// Counts around batches.
pub trait Count {
    /// Right before the clock starts. `member`: place of the subject in its
    /// block.
    fn before(&mut self, member: usize);
    /// Right after the clock stopped on `ops` operations.
    fn after(&mut self, member: usize, ops: u64) -> Counted;
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
