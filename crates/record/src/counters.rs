//! Counters asked for beside the time: which events they really are, and which
//! could not be had.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountersHead {
    /// `arch`, `dcache`, `instr`, `tlbmem` or `software`.
    pub group: String,
    /// Core family whose table of codes was used: `ARM Cortex-A72`.
    pub core: String,
    /// Where the codes are published.
    pub source: String,
    pub events: Vec<CounterHead>,
    /// Names of the metrics that the counters add to every experiment, behind
    /// its own.
    pub metrics: Vec<String>,
}

/// One event of the group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterHead {
    /// `L1D_CACHE_REFILL`: also the name of the metric.
    pub alias: String,
    /// The real event: `ls_any_fills_from_sys.all (rff44)`.
    pub event: String,
    /// In what it differs from its name.
    pub note: String,
    /// Whose work is counted: `user and kernel` or `user`.
    pub scope: String,
    /// Why it is not counted; None where it is.
    pub absent: Option<CounterAbsence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterAbsence {
    pub reason: String,
    /// The exact command that would help, or `none: ...`.
    pub remedy: String,
}
