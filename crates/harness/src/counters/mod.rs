//! Counters around each timed batch, where a run asks for them.
//!
//! The group counts all the time; it is read before the clock starts and after
//! it stopped, and the difference belongs to the batch. So the batch's time
//! holds no reading, and its counts hold the two clock reads and half of a
//! reading at each end: what an empty batch counts stands in the run's notes
//! and is not subtracted.

mod live;
mod marks;
mod plan;
#[cfg(test)]
mod tests;

pub use live::Counters;
pub use marks::{MARK_REGIONS, Marks};
pub use plan::{CounterMetric, CounterPlan, Planned, SIMULATED, plan, plan_with, simulated};
pub use probe::counters::derived::L2_MISSES;

/// Counts around batches.
pub trait Count {
    /// Takes the members of the next block, each by its point's index in the plan and
    /// the threads to count with it; notes for each.
    fn attach_block(&mut self, members: &[(u32, Vec<u32>)]) -> Vec<Vec<String>> {
        vec![Vec::new(); members.len()]
    }

    /// The block is over.
    fn detach(&mut self) {}

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

/// Opens counters or marks for the calling thread, as the plan has it; what is not as
/// planned.
pub fn open(plan: &CounterPlan) -> (Box<dyn Count>, Vec<String>) {
    if plan.marks {
        let (marks, notes) = Marks::open();
        return (Box::new(marks), notes);
    }
    let (counters, notes) = Counters::open(plan);
    (Box::new(counters), notes)
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
