//! One cell of a block: one part of one subject, and its samples so far.

use super::Member;
use crate::counters::Counted;
use crate::sampling::{Sampling, Shape};
use crate::watch::Seen;
use stats::whole;

/// One timed batch, before the floor is taken off.
#[derive(Debug, Clone)]
pub struct Raw {
    pub index: u32,
    /// Number of the event that several points of a block share.
    pub turn: Option<u64>,
    pub ops: u64,
    pub elapsed_ns: f64,
    /// What the whole of it took, ns: more, where the subject times parts of its work alone.
    pub whole_ns: f64,
    /// What the instrument that timed it reads of nothing, ns.
    pub floor_ns: f64,
    pub seen: Seen,
    /// The watch and the yardstick looked at what was timed: it ran on this thread, now.
    pub watched: bool,
    /// Among the readings of the yardstick.
    pub place: Option<usize>,
    pub counted: Counted,
    /// Time of preparation, batch and watch together, ns.
    pub wall_ns: u64,
    /// What the subject counted in the whole batch.
    pub tallies: Vec<f64>,
}

/// The samples of one part of one subject, and what is expected of the next batch.
#[derive(Debug)]
pub struct Cell {
    pub member: usize,
    pub part: u16,
    pub sampling: Sampling,
    pub quantum: u64,
    /// Samples of a recording; None: batches are made.
    pub recorded: Option<u32>,
    /// Operations of the next batch.
    pub ops: u64,
    /// What a batch of `ops` should take, ns; 0 before the first.
    pub expected_ns: f64,
    /// Fastest operation of any batch, ns; infinite before the first.
    pub fastest_op_ns: f64,
    /// What preparation, batch and watch should take, ns.
    pub expected_wall_ns: u64,
    /// Last batch of the calibration: the only sample of a point whose
    /// operation outlasts its limits.
    pub calibration: Option<Raw>,
    /// How often the batch size was sought again.
    pub sought_again: u32,
    pub raws: Vec<Raw>,
    /// Passes with and without counters alternate.
    pub alternates: bool,
    /// Batches of passes with counters: their counts are samples, their times are not.
    pub counted: Vec<Raw>,
    /// Operations timed one by one after the batches.
    pub singles: Vec<Raw>,
    pub notes: Vec<String>,
}

impl Cell {
    /// Without samples; `index` is the member's place in the block.
    pub fn new(index: usize, part: u16, member: &Member<'_>) -> Self {
        let quantum = member.subject.quantum().max(1);
        Cell {
            member: index,
            part,
            sampling: member.sampling,
            quantum,
            recorded: member.subject.recorded(),
            ops: quantum,
            expected_ns: 0.0,
            fastest_op_ns: f64::INFINITY,
            expected_wall_ns: 0,
            calibration: None,
            sought_again: 0,
            raws: Vec::new(),
            alternates: false,
            counted: Vec::new(),
            singles: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Most samples this cell may have. Single operations are repeated as
    /// often as asked for; the plan's limit holds for both shapes.
    pub fn cap(&self) -> usize {
        if let Some(recorded) = self.recorded {
            return recorded.min(self.sampling.max_samples) as usize;
        }
        let most = match self.sampling.shape {
            Shape::Batched => self.sampling.max_samples,
            Shape::Single { repetitions } => repetitions.min(self.sampling.max_samples),
            // One batch: how many samples it holds was read above.
            Shape::Recorded { .. } => 1,
        };
        most.max(1) as usize
    }

    /// Whether it has as many samples as it may have, of both kinds of passes.
    pub fn full(&self) -> bool {
        self.full_of(false) && (!self.alternates || self.full_of(true))
    }

    /// Whether it has as many samples as it may have of one kind of passes.
    pub fn full_of(&self, counted: bool) -> bool {
        let taken = match counted {
            true => self.counted.len(),
            false => self.raws.len(),
        };
        taken >= self.cap()
    }

    /// Whether it has the samples that are wanted even when the budget is spent, and
    /// something to hold them against where counters alternate.
    pub fn has_wanted(&self) -> bool {
        let wanted = self.wanted();
        self.raws.len() >= wanted && (!self.alternates || self.counted.len() >= wanted.min(2))
    }

    /// Samples wanted even when the budget is spent. One, where already one
    /// batch outlasts the budget.
    pub fn wanted(&self) -> usize {
        if self.recorded.is_some() {
            self.cap()
        } else if self.outlasts_budget() {
            1
        } else {
            (self.sampling.min_samples.max(1) as usize).min(self.cap())
        }
    }

    /// By the fastest operation seen: a batch that was interrupted for long
    /// says nothing of the operation.
    pub fn outlasts_budget(&self) -> bool {
        let batch_ns = self.fastest_op_ns * self.ops as f64;
        self.recorded.is_none() && batch_ns.is_finite() && batch_ns > self.sampling.budget_ns as f64
    }

    /// Keeps the time of the fastest operation.
    pub fn note_fastest(&mut self, raw: &Raw) {
        let op_ns = raw.elapsed_ns / raw.ops.max(1) as f64;
        self.fastest_op_ns = self.fastest_op_ns.min(op_ns);
    }

    /// Nearest multiple of the quantum, at least one quantum.
    pub fn round_ops(&self, ops: f64) -> u64 {
        // 2^52: exact in f64, and no batch of that size can ever end.
        let limited = ops.clamp(1.0, (1u64 << 52) as f64);
        let turns = whole((limited / self.quantum as f64).round().max(1.0));
        turns.saturating_mul(self.quantum)
    }

    /// Takes a batch as a sample.
    pub fn keep(&mut self, raw: Raw) {
        self.learn(&raw);
        self.raws.push(raw);
    }

    /// Takes a batch of a pass with counters, which may take longer: time is planned with it.
    pub fn keep_counted(&mut self, raw: Raw) {
        self.expected_wall_ns = self.expected_wall_ns.midpoint(raw.wall_ns);
        self.counted.push(raw);
    }

    /// Expectations follow the latest batch, half and half, so that one
    /// disturbed batch does not end a point early.
    pub fn learn(&mut self, raw: &Raw) {
        self.note_fastest(raw);
        let wall_ns = raw.wall_ns as f64;
        self.expected_ns = f64::midpoint(self.expected_ns, raw.elapsed_ns);
        self.expected_wall_ns = whole(f64::midpoint(self.expected_wall_ns as f64, wall_ns));
    }

    /// Forgets what was expected: the batch size changed.
    pub fn expect(&mut self, raw: &Raw) {
        self.note_fastest(raw);
        let scale = self.ops as f64 / raw.ops as f64;
        let outside = (raw.wall_ns as f64 - raw.elapsed_ns).max(0.0);
        self.expected_ns = raw.elapsed_ns * scale;
        self.expected_wall_ns = whole(self.expected_ns + outside);
    }

    /// ns per operation of each sample so far.
    pub fn values(&self) -> Vec<f64> {
        self.raws.iter().map(Raw::value).collect()
    }
}

impl Raw {
    /// ns per operation, floor taken off. May be negative where the batch is
    /// shorter than the floor: that is a finding, not to be hidden.
    pub fn value(&self) -> f64 {
        (self.elapsed_ns - self.floor_ns) / self.ops.max(1) as f64
    }
}
