//! How a point is sampled: what the experiment asks for, and the limits the
//! plan sets.

use serde::{Deserialize, Serialize};

/// What a sample of an experiment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Many operations a sample, as many as fill the batch time.
    Batched,
    /// One operation a sample, always after `prepare` (cold caches), so many
    /// repetitions where the budget allows.
    Single { repetitions: u32 },
    /// What set-up recorded, as much as there is (`Subject::recorded`). The recording
    /// takes its own time, once for all points of a block.
    Recorded { lasts_ns: u64 },
}

impl Shape {
    /// Time that set-up takes by what it is asked for, ns.
    pub fn lasts_ns(self) -> u64 {
        match self {
            Shape::Recorded { lasts_ns } => lasts_ns,
            Shape::Batched | Shape::Single { .. } => 0,
        }
    }
}

/// Limits of sampling one point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    pub shape: Shape,
    /// Time that one batch should take, ns.
    pub batch_ns: u64,
    /// Time for all samples of the point, ns; set-up not included.
    pub budget_ns: u64,
    /// The point ends here whatever happens, ns; calibration, warm-up and
    /// preparation included.
    pub deadline_ns: u64,
    pub min_samples: u32,
    pub max_samples: u32,
    /// Stop early when the interval of the median is narrower than this share
    /// of the median, both sides together. 0 never stops early.
    pub target_width: f64,
    /// After the batches some operations are timed one by one, as a metric of their own
    /// behind the tallies.
    #[serde(default)]
    pub singly: bool,
}
