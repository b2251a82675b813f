//! Rows of a comparison, and those that are held against the same shift.

use super::PointChange;
use super::evidence::Evidence;
use stats::Deviation;

/// A metric of a point, before and after it is judged.
pub(super) struct Row {
    pub change: PointChange,
    /// None where it cannot be compared.
    pub evidence: Option<Evidence>,
}

/// Rows that are held against the same shift.
pub(super) struct Group {
    pub rows: Vec<usize>,
    /// As a logarithm; None where there are too few rows to know it.
    pub shift: Option<f64>,
    /// Of the shift as the middle of so many rows.
    pub blur: Deviation,
    /// What the rows' own deviations have in common: processes that move all of them.
    pub together: Deviation,
    /// Of the difference of two runs.
    pub run: Deviation,
    pub runs: u32,
    /// Beyond the rows' own deviations.
    pub scatter: Deviation,
}
