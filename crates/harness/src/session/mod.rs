//! A whole run from the coordinator's side: which process measures what, what
//! to do when one dies, and where the results go.

mod again;
mod cause;
mod crash;
mod exit;
mod forbidden;
mod met;
mod process;
mod queue;
mod rounds;
mod running;
mod schedule;
mod silence;
mod surroundings;

pub use exit::describe_exit;
pub use process::Launcher;

use crate::clock::ClockSpec;
use crate::counters::CounterPlan;
use crate::error::HarnessError;
use crate::point::Context;
use crate::scheduling::Scheduling;
use crate::worker::Block;
use record::{PointHead, Sample};
use running::Run;
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use surroundings::Aside;

/// The blocks of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedExperiment {
    pub id: String,
    pub blocks: Vec<Block>,
}

/// Takes what was measured. The record writer stands behind it.
pub trait Sink {
    /// A point was measured, skipped or failed by repetition `process`. For
    /// repetitions after the first the samples join those already there.
    ///
    /// # Errors
    /// When it could not be kept (disk full): the run ends.
    fn point(
        &mut self,
        process: u16,
        head: &PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// What had a part in these samples of a point and one process besides the operation,
    /// so that they are worth taking again (`18 ms were stolen`); None: nothing.
    fn doubt(&self, head: &PointHead, samples: &[Sample]) -> Option<String> {
        let _ = (head, samples);
        None
    }
}

/// Where the run stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    pub experiment: String,
    /// Its place in the plan, which may ask for an experiment twice.
    pub at: usize,
    /// Index of the point being set up or sampled.
    pub point: Option<u32>,
    /// Number of the repetition, from 0, of `processes`; from `processes` on, points are
    /// measured again.
    pub process: u16,
    pub processes: u16,
    /// Points of this repetition that are done, skipped and left out ones included.
    pub points_done: u32,
    pub points_total: u32,
    /// Of all repetitions, by place in the plan.
    pub samplings: Vec<Samplings>,
    /// Until the limit of time, ns; None: there is none.
    pub left_ns: Option<u64>,
}

/// Points of an experiment, counted once for each repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Samplings {
    pub done: u32,
    pub total: u32,
}

/// Receives the state of the run: at each event, and every quarter of a second.
pub trait Progress {
    fn update(&mut self, status: &Status);
}

/// How long a measuring process may stay silent, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From its start to its readiness, and between blocks.
    pub idle_ns: u64,
    /// Set-up of one point.
    pub setup_ns: u64,
    /// Beyond the sum of the deadlines of the points being sampled.
    pub grace_ns: u64,
    /// To end after it was asked to.
    pub stop_ns: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            idle_ns: 30_000_000_000,
            setup_ns: 60_000_000_000,
            grace_ns: crate::worker::GRACE_NS,
            stop_ns: 2_000_000_000,
        }
    }
}

/// What all processes of a run share.
pub struct Session<'a> {
    pub launcher: Launcher,
    pub clock: ClockSpec,
    /// Cost of a reading that every sample has taken off, so that processes do not differ
    /// by it; None: each process measures its own.
    pub floor_ns: Option<f64>,
    pub scheduling: Scheduling,
    /// What to count around each batch; None: nothing.
    pub counters: Option<CounterPlan>,
    /// Keep what interrupts the machine while points are sampled.
    pub interrupts: bool,
    pub context: Context,
    /// Repetitions by process, at least 1.
    pub processes: u16,
    pub patience: Patience,
    /// Time for all of it: what does not fit is left out, as `schedule` says.
    pub limit: Option<Duration>,
    /// Points that `Sink::doubt` doubts are measured by further processes while there is time.
    pub again: bool,
    /// Set from outside (a signal): end the current process, keep what is
    /// finished.
    pub stop: &'a AtomicBool,
}

/// What the points of an experiment took, all processes together, next to what was planned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spent {
    pub experiment: String,
    /// Its place in the plan, which may ask for an experiment twice.
    pub at: usize,
    /// Points times processes, those that are skipped included.
    pub points: u32,
    /// Of these, ns.
    pub budget_ns: u64,
    /// Their recordings, as long as was asked for, ns.
    pub recorded_ns: u64,
    /// Those that were measured.
    pub done: u32,
    /// Their timed batches, ns.
    pub sampled_ns: u64,
    /// By the clock, ns.
    pub took_ns: u64,
    /// Some were left out for lack of time: what they would have taken is not known.
    pub cut: bool,
}

impl Spent {
    /// Adds what other points took; whose they are stays.
    pub fn add(&mut self, other: &Spent) {
        self.points += other.points;
        self.done += other.done;
        self.cut |= other.cut;
        self.budget_ns = self.budget_ns.saturating_add(other.budget_ns);
        self.recorded_ns = self.recorded_ns.saturating_add(other.recorded_ns);
        self.sampled_ns = self.sampled_ns.saturating_add(other.sampled_ns);
        self.took_ns = self.took_ns.saturating_add(other.took_ns);
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ending {
    /// Ended before its plan was done because `stop` was set.
    pub stopped: bool,
    /// Policy the processes measured under: `SCHED_OTHER`, `SCHED_FIFO 10`.
    pub scheduling: String,
    pub memory_locked: bool,
    /// What could not be had, each once.
    pub notes: Vec<String>,
    /// By experiment, in the order of the plan; those without a point are not there.
    pub spent: Vec<Spent>,
    /// What points took that were measured again, ns.
    pub again_ns: u64,
}

impl Session<'_> {
    /// Measures the plan, within the limit of time where there is one. The repetitions visit the experiments in rounds, so
    /// that the processes of a point lie far apart in time. A point that was
    /// skipped or failed once is not tried again by later repetitions.
    ///
    /// The calling thread keeps off the measuring CPUs meanwhile. The scratch
    /// folder of the context is made where it is missing and never removed
    /// here: only who made a folder can know that nothing else lies in it.
    ///
    /// # Errors
    /// When no measuring process can be started or a result cannot be kept;
    /// what the sink took before stays with it.
    pub fn run(
        &self,
        plan: &[PlannedExperiment],
        sink: &mut dyn Sink,
        progress: &mut dyn Progress,
    ) -> Result<Ending, HarnessError> {
        let scratch = &self.context.scratch;
        std::fs::create_dir_all(scratch).map_err(|source| HarnessError::Scratch {
            path: scratch.clone(),
            source,
        })?;
        let _aside = Aside::step(self.context.test_cpu, self.context.partner_cpu);
        Run::new(self, plan, sink, progress).all(plan)
    }
}
