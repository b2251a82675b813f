//! The job of a measuring process and the events that it sends back.

use crate::clock::ClockSpec;
use crate::counters::CounterPlan;
use crate::lateness;
use crate::point::{Context, Point};
use crate::sampling::Sampling;
use crate::scheduling::Scheduling;
use record::{InterruptsHead, PointState, Sample, TraceHead};
use serde::{Deserialize, Serialize};

/// Time that a block may overrun its deadline by a last batch, ns.
pub const GRACE_NS: u64 = 5_000_000_000;

/// The state of a point that is left out for lack of time, which is no fault of its own.
pub fn no_time(why: &str) -> PointState {
    PointState::Skipped {
        reason: lateness::reason(why),
        remedy: lateness::REMEDY.to_owned(),
    }
}

/// Whether a point was left out for lack of time.
pub fn lacks_time(state: &PointState) -> bool {
    matches!(state, PointState::Skipped { reason, .. } if lateness::is_one(reason))
}

/// A point with how it is to be sampled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedPoint {
    pub point: Point,
    pub sampling: Sampling,
    /// Timed parts of the experiment, at least 1.
    pub parts: u16,
    /// Bytes one operation moves, counted once.
    pub bytes_per_op: Option<u64>,
}

/// Points that are set up together and sampled in alternation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Block {
    pub points: Vec<PlannedPoint>,
}

impl Block {
    /// When no batch of it is begun any more, ns after sampling began.
    pub fn deadline_ns(&self) -> u64 {
        let deadlines = self.points.iter().map(|p| p.sampling.deadline_ns);
        let sum = deadlines.fold(0, u64::saturating_add);
        sum.saturating_mul(crate::sampler::LATEST)
    }

    /// Time of the recording that its set-up makes, one for all points, ns.
    pub fn lasts_ns(&self) -> u64 {
        let lasts = self.points.iter().map(|p| p.sampling.shape.lasts_ns());
        lasts.max().unwrap_or(0)
    }

    /// Sum of the points' budgets, ns.
    pub fn budget_ns(&self) -> u64 {
        let budgets = self.points.iter().map(|p| p.sampling.budget_ns);
        budgets.fold(0, u64::saturating_add)
    }
}

/// Everything one measuring process does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub experiment: String,
    /// Number among the repetitions, from 0.
    pub process: u16,
    /// No block is begun later (CLOCK_MONOTONIC), ns; None: there is no limit.
    pub until_ns: Option<u64>,
    /// Index of the first sample: not 0 after a crash in the same repetition.
    pub first_index: u32,
    pub clock: ClockSpec,
    /// Cost of a reading, the same for all processes; None: this one measures its own.
    pub floor_ns: Option<f64>,
    pub scheduling: Scheduling,
    /// What to count around each batch.
    pub counters: Option<CounterPlan>,
    /// Keep what interrupts the machine while points are sampled.
    pub interrupts: bool,
    pub context: Context,
    pub blocks: Vec<Block>,
}

impl Job {
    /// The longest time between two sleeps that is no fault, ns.
    pub fn longest_block_ns(&self) -> u64 {
        let longest = self.blocks.iter().map(Block::deadline_ns).max();
        longest.unwrap_or(0).saturating_add(2 * GRACE_NS)
    }
}

/// What a measuring process reports, in this order for each block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Pinned and ready to measure; `notes`: what could not be had.
    Ready {
        scheduling: String,
        memory_locked: bool,
        notes: Vec<String>,
    },
    /// The set-up of a point begins.
    PointStarted { index: u32 },
    /// The points of the block that could be set up are being sampled.
    Sampling { indices: Vec<u32> },
    PointDone {
        index: u32,
        state: PointState,
        samples: Vec<Sample>,
        notes: Vec<String>,
        traces: Vec<TraceHead>,
        interrupts: Option<InterruptsHead>,
    },
    /// A seccomp filter forbids this system call: last words.
    Forbidden { call: i64 },
    Finished {
        /// Index the next sample of this repetition would have.
        next_index: u32,
        /// Real-time priority was taken away in between.
        demoted: bool,
    },
}
