//! Counters around each timed batch, where a run asks for them.
//!
//! Counting costs time: on some guests each switch of a counted thread takes half a
//! millisecond. So passes over the points of a block alternate, without and with counters
//! (A B B A): times are of the passes without, counts of those with, and the ratio of the two
//! is the probe effect. In the passes without no event is open.
//!
//! Where not all events fit the counters that count, groups take turns, block by block of
//! four passes. A group is read before the clock starts and after it stopped; what reading
//! itself counts in an empty batch is taken off, and kept with the run.

mod choice;
mod heads;
mod judge;
mod live;
mod marks;
mod metrics;
mod overhead;
mod plan;
mod settle;
#[cfg(test)]
mod tests;

pub use choice::{Asked, explained};
pub use judge::Judged;
pub use live::Counters;
pub use marks::{MARK_REGIONS, Marks};
pub use plan::{CounterMetric, CounterPlan, Pass, TakenOff};
pub use probe::counters::derived::L2_MISSES;
pub use settle::{Planned, SIMULATED, plan, plan_with, simulated, tested, tested_on};

/// What a pass over the points of a block is to the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Turn {
    /// Counted, and its times stand: what counts costs nothing.
    #[default]
    Along,
    /// Counted; its times are not those of the operation alone.
    Counted,
    /// Not counted.
    Without,
}

/// Whose work belongs to a point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whom {
    /// The point's index in the plan.
    pub index: u32,
    /// Other threads that do a part of it.
    pub threads: Vec<u32>,
    /// The calling thread does no part: the others are counted alone.
    pub others_alone: bool,
}

/// Counts around batches.
pub trait Count {
    /// Takes the members of the next block; notes for each.
    fn attach_block(&mut self, members: &[Whom]) -> Vec<Vec<String>> {
        vec![Vec::new(); members.len()]
    }

    /// The block is over.
    fn detach(&mut self) {}

    /// The batches of the block until now were calibration, those that follow
    /// are samples.
    fn sampling_begins(&mut self) {}
    /// A pass over the points of the block begins, from 0.
    fn pass_begins(&mut self, pass: usize) {
        let _ = pass;
    }
    /// What the present pass is; before the first one that of calibration.
    fn turn(&self) -> Turn {
        Turn::Along
    }
    /// Right before the clock starts. `member`: place of the subject in its
    /// block.
    fn before(&mut self, member: usize, part: u16);
    /// Right after the clock stopped.
    fn stop(&mut self, member: usize, part: u16);
    /// What was counted in between, for each of `ops` operations: a subject may
    /// have an instrument of its own that says how many they were.
    fn counted(&mut self, ops: u64) -> Counted;
    /// Whether what the batches of a point counted can be true, each with its operations.
    fn judge(&self, batches: &[(u64, &Counted)]) -> Judged {
        let _ = batches;
        Judged::default()
    }
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
    /// Metrics that came out as no share of anything, and what they came out as.
    pub outside: Vec<(usize, f64)>,
    /// The measuring thread was counted: what the instrument itself counts is taken off.
    pub own: bool,
    /// Share of the time that the processor's events were on counters, 0..=1;
    /// None where there are none.
    pub share: Option<f64>,
}
