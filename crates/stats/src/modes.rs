//! Does a sample have one mode or several?
//!
//! A median between two modes describes nothing that ever happened, so the
//! modes have to be found and reported. The test looks for a *valley*: an interval
//! with markedly fewer values for its width than one interval to its left and
//! one to its right. A density with one mode has no such triple, whatever its
//! shape: if it dips between two places it has two modes. The evidence of a
//! triple is the likelihood ratio of "the valley is as dense as the peak"
//! against what was counted, the weaker of both sides; its critical value,
//! which pays for trying every triple, comes from simulated uniform samples,
//! the flattest density with one mode. (The idea of the excess mass and dip
//! tests, Hartigan 1985, Mueller and Sawitzki 1991, with local evidence, which
//! finds small tight modes that a dip test overlooks.)

mod grid;
mod jumps;
mod valley;

use crate::error::{StatsError, sorted};
use crate::quantile::{median_sorted, quantile_sorted};
use serde::{Deserialize, Serialize};

/// Fewer samples than this are taken as one mode: there is nothing to see.
pub const FEWEST_SAMPLES: usize = 20;
/// Smaller groups are outliers, not modes.
pub const SMALLEST_SHARE: f64 = 0.05;
/// A group below this many samples is not believed either.
pub const SMALLEST_GROUP: usize = 4;
/// Modes nearer than this share of the larger one are reported as one: their
/// median misleads nobody.
pub const CLOSEST_MODES: f64 = 0.05;
/// More than this many are not distinguished.
pub const MOST_MODES: usize = 4;
/// Larger samples are searched through this many of their quantiles.
const SEARCHED: usize = 1000;

/// One mode of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// Median of the values that belong to it.
    pub center: f64,
    /// Share of all values, 0..=1.
    pub share: f64,
}

/// Modes of a sample in the order in which it was taken, lowest first; always at least
/// one, and the shares sum to 1. Values on a grid (a coarse clock) are recognised as such where at
/// least three different values occur.
///
/// # Errors
/// Empty or non-finite values.
pub fn modes(values: &[f64]) -> Result<Vec<Mode>, StatsError> {
    modes_on_grid(values, None)
}

/// `modes` for values known to be multiples of `step` apart (clock resolution
/// divided by the operations of a batch): neighbours on the grid are no modes. The order
/// of the values is that in which they were taken: modes are what they jump between.
///
/// # Errors
/// Empty or non-finite values.
pub fn modes_on_grid(in_order: &[f64], step: Option<f64>) -> Result<Vec<Mode>, StatsError> {
    let values = sorted("modes", in_order)?;
    if values.len() < FEWEST_SAMPLES {
        return Ok(vec![describe(&values, values.len())]);
    }
    let step = step
        .filter(|s| *s > 0.0)
        .unwrap_or_else(|| grid::step_of(&values));
    let spread = grid::spread_ties(&thinned(&values), step);
    let mut cuts = valley::cuts(&spread, step);
    cuts.sort_unstable_by(f64::total_cmp);
    let cuts = jumps::jumped(in_order, &cuts);
    Ok(merge_close(split(&values, &cuts)))
}

/// At most `SEARCHED` evenly spaced quantiles of sorted values.
fn thinned(values: &[f64]) -> Vec<f64> {
    if values.len() <= SEARCHED {
        return values.to_vec();
    }
    (0..SEARCHED)
        .map(|i| values[(2 * i + 1) * values.len() / (2 * SEARCHED)])
        .collect()
}

/// Parts of sorted values between the cuts, none of them empty.
fn split<'a>(values: &'a [f64], cuts: &[f64]) -> Vec<&'a [f64]> {
    let mut parts = Vec::with_capacity(cuts.len() + 1);
    let mut rest = values;
    for cut in cuts {
        let (below, above) = rest.split_at(rest.partition_point(|v| v < cut));
        parts.push(below);
        rest = above;
    }
    parts.push(rest);
    parts.retain(|p| !p.is_empty());
    parts
}

/// Joins neighbours whose centres are too near to matter.
fn merge_close(parts: Vec<&[f64]>) -> Vec<Mode> {
    let total = parts.iter().map(|p| p.len()).sum();
    let mut groups: Vec<Vec<f64>> = Vec::with_capacity(parts.len());
    for part in parts {
        let center = median_sorted(part).unwrap_or(f64::NAN);
        match groups.last_mut() {
            Some(last) if near(median_sorted(last).unwrap_or(f64::NAN), center) => {
                last.extend_from_slice(part);
            }
            _ => groups.push(part.to_vec()),
        }
    }
    groups.iter().map(|g| describe(g, total)).collect()
}

fn near(a: f64, b: f64) -> bool {
    (b - a).abs() < CLOSEST_MODES * a.abs().max(b.abs())
}

fn describe(part: &[f64], total: usize) -> Mode {
    Mode {
        center: quantile_sorted(part, 0.5).unwrap_or(f64::NAN),
        share: part.len() as f64 / total as f64,
    }
}

#[cfg(test)]
mod tests;
