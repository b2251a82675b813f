//! Knees explained: a sweep's knees, the thresholds near them that are known, and
//! what else the same points counted.
//!
//! Two things may be near a knee. A *threshold* (a capacity, a page, a cache)
//! whose value lies there coincides with it, and no more is said. *Evidence*
//! (switches, system calls per message) that changes by a factor at that very
//! point, and by which that threshold is known to show itself, is the only
//! ground on which the sentence ties the two together.

mod explain;
mod phrase;
mod threshold;

pub use explain::explain;
pub use threshold::{Facts, PIPE_BUF_BYTES, Threshold, ZEROCOPY_BYTES, thresholds};

use record::{Setting, Unit};
use stats::{CurvePoint, Knees};

/// One curve of one experiment with its knees.
#[derive(Debug, Clone, Copy)]
pub struct Sweep<'a> {
    /// Axis along x, its unit: `size`, bytes.
    pub axis: &'a str,
    pub axis_unit: Unit,
    /// What was measured: `bandwidth`, in `unit`.
    pub metric: &'a str,
    pub unit: Unit,
    /// True for rates, false for times.
    pub higher_is_better: bool,
    /// Begins the keys of the findings: `pipe`. Keys are unique in a run.
    pub key: &'a str,
    /// The same curve in words, before each sentence: `between threads on one
    /// CPU`. Empty where there is only one.
    pub conditions: &'a str,
    /// Settings that make this curve; they go with the regions.
    pub only: &'a [Setting],
    /// Measured points; x as in `knees`.
    pub curve: &'a [CurvePoint],
    pub knees: &'a Knees,
}

/// Another metric of the sweep's points, over the same axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// `voluntary switches per message`, as a sentence would have it.
    pub name: String,
    /// What a rise means, as a clause: `every write blocks`. Without it the
    /// sentence says that the count rises.
    pub rise_means: Option<String>,
    /// (x, value), any order; values of zero and more.
    pub points: Vec<(f64, f64)>,
}

/// The same sweep with a threshold moved: what that would give.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// `raising it to 1 MiB`.
    pub change: String,
    /// In the unit of the sweep.
    pub curve: Vec<CurvePoint>,
}

#[cfg(test)]
mod tests;
