//! What the numbers say, in sentences that carry their confidence.

use crate::axis::Unit;
use serde::{Deserialize, Serialize};

/// A conclusion drawn from one experiment's table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Experiment that it rests on.
    pub experiment: String,
    /// Stable key: `l1d_capacity`, `dram_latency`, `best_copy_method`.
    pub key: String,
    /// A plain sentence, complete without the figure.
    pub sentence: String,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: Unit,
    pub confidence: Confidence,
    /// What another source (sysfs, cpuid) says of the same quantity.
    pub reference: Option<f64>,
    /// Who says so: `sysfs cache/index2/size`.
    pub reference_source: Option<String>,
    pub verdict: Verdict,
}

/// How much the finding can bear.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// Share of resampled data sets that give the same answer, 0..=1.
    #[serde(deserialize_with = "crate::head_file::float::or_nan")]
    pub share: f64,
}

/// Comparison of a finding with its reference, or of a claim with the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing to compare with.
    Stated,
    Agree,
    Disagree,
    /// The data do not allow an answer; the sentence says why.
    Undecided,
}

/// A claim of an experiment (a statement about shape) and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimOutcome {
    pub experiment: String,
    pub claim: String,
    /// None: the points that it needs were not measured.
    pub held: Option<bool>,
    /// The figures that decided it.
    pub evidence: String,
}
