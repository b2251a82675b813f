//! Operations of two kinds that a batch averages, from operations timed one by one.

use crate::view::{ExperimentTable, PointView, Summary};
use record::SINGLE;

/// The mean of a batch and that of single operations may differ so far, as a share: the one is
/// a median, and timing an operation by itself costs a few steps of the pipeline.
const AGREES: f64 = 0.25;

/// Batches whose own modes lie this share of the way apart do not average them: what makes them
/// lasts longer than a batch.
const SHOWN: f64 = 0.5;

/// The single operations of a point that has several kinds of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kinds<'a> {
    pub singles: &'a Summary,
    /// Mean of the kinds over the time of an operation in a batch.
    pub times_batched: f64,
}

impl Kinds<'_> {
    /// Whether the kinds average to what the batches say: else timing the operations one by
    /// one is what made them.
    pub fn agree(&self) -> bool {
        (self.times_batched - 1.0).abs() <= AGREES
    }
}

/// None where the operations are of one kind, or were not timed one by one.
pub fn kinds<'a>(table: &ExperimentTable, point: &'a PointView) -> Option<Kinds<'a>> {
    let metric = table.head.metrics.iter().position(|m| m.name == SINGLE)?;
    let singles = point.summary(u16::try_from(metric).ok()?)?;
    // Processes that differ are no kinds of operations.
    if singles.modes.len() < 2 || singles.modes_between_processes {
        return None;
    }
    let batches = point.primary()?;
    if distance(batches) >= SHOWN * distance(singles) {
        return None;
    }
    let batched = point.median_ns().filter(|ns| *ns > 0.0)?;
    let modes = singles.modes.iter();
    let mean: f64 = modes.map(|mode| mode.share * mode.center).sum();
    Some(Kinds {
        singles,
        times_batched: mean / batched,
    })
}

/// From the lowest mode to the highest, on the scale of logarithms.
fn distance(summary: &Summary) -> f64 {
    let centers = summary.modes.iter().map(|mode| mode.center);
    let (low, high) = centers.fold((f64::INFINITY, 0.0f64), |(low, high), center| {
        (low.min(center), high.max(center))
    });
    (high / low).ln()
}
