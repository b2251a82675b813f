//! Plateaus of a working-set curve: how many levels of memory, how large, how
//! slow.
//!
//! The curve is cut into pieces on log axes. Long flat (or nearly flat) pieces
//! are levels; steep ones are transitions. Levels that differ too little are
//! one (a TLB bump is no cache). A level's capacity is the last x before the
//! curve leaves it for good; the true one lies between that x and the next
//! measured. Its interval and confidence come from redrawing every point
//! inside its own interval and looking again.

mod edge;
mod level;

use crate::curve::{CurvePoint, central_95, redrawn, to_cut};
use crate::error::StatsError;
use crate::interval::Interval;
use crate::rng::Rng;
use crate::segment::{Spot, roughness};
use crate::whole::whole_index;
use serde::{Deserialize, Serialize};

/// Plateaus are never quite flat; misfits of this size (log scale, so 1.5 %)
/// are not worth a cut however narrow the intervals of the points.
const FLATNESS: f64 = 0.015;

/// Fewest points of a curve: two levels of three points.
pub const FEWEST_POINTS: usize = 6;

/// What counts as a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlateauOptions {
    /// Neighbouring levels must differ by this factor.
    pub smallest_ratio: f64,
    /// Redrawn curves that confidence and intervals rest on.
    pub redraws: u32,
}

impl Default for PlateauOptions {
    fn default() -> Self {
        PlateauOptions {
            smallest_ratio: 1.3,
            redraws: 200,
        }
    }
}

/// Levels of a curve, lowest x first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plateaus {
    pub levels: Vec<Plateau>,
    /// Share of redrawn curves with as many levels.
    pub confidence: f64,
}

/// One level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plateau {
    /// First and last x on the level.
    pub from_x: f64,
    pub to_x: f64,
    /// Median of the points on the level.
    ///
    /// Central 95 % over the redrawn curves.
    pub value: Interval,
    /// Natural logarithm of the rise for each doubling of x; 0 where flat.
    pub slope_per_octave: f64,
    /// The edge towards the next level. None for the last level, and where the
    /// curve ends.
    pub capacity: Option<Capacity>,
}

/// Where a level ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Last measured x on the level.
    ///
    /// Central 95 % over the redrawn curves, stretched below to where a gradual
    /// edge may begin inside the noise, and above to the next measured x.
    pub at: Interval,
    /// First measured x beyond it: the true edge lies in at..next_x.
    pub next_x: f64,
    /// First measured x that has arrived on the next level.
    pub transition_end_x: f64,
    /// Share of redrawn curves with an edge within one measured x of this one.
    pub confidence: f64,
}

/// Finds the levels of a curve that rises with x.
///
/// # Errors
/// Fewer than six points, numbers that are not finite or not positive, an x
/// that occurs twice, an interval that misses its median.
pub fn plateaus(points: &[CurvePoint], options: PlateauOptions) -> Result<Plateaus, StatsError> {
    let points = to_cut("plateaus", points, FEWEST_POINTS)?;
    let mut levels = once(&points, options.smallest_ratio);
    let mut rng = Rng::new(0x504c_4154);
    let redraws: Vec<Vec<Plateau>> = (0..options.redraws)
        .map(|_| {
            let curve = redrawn(&points, &mut rng);
            once(&curve, options.smallest_ratio)
        })
        .collect();
    let same = redraws.iter().filter(|r| r.len() == levels.len()).count();
    for index in 0..levels.len() {
        qualify(&points, &mut levels, index, &redraws);
    }
    Ok(Plateaus {
        levels,
        confidence: share(same, redraws.len()),
    })
}

/// The levels without intervals.
fn once(points: &[CurvePoint], smallest_ratio: f64) -> Vec<Plateau> {
    let spots = spots_of(points);
    let levels = level::find(&spots, smallest_ratio.ln());
    edge::describe(points, &spots, &levels)
}

fn spots_of(points: &[CurvePoint]) -> Vec<Spot> {
    let mut spots: Vec<Spot> = points
        .iter()
        .map(|p| Spot {
            u: p.x.log2(),
            v: p.y.center.ln(),
            sigma: p.log_sigma(),
        })
        .collect();
    // What points scatter beyond their own intervals (page placement differs
    // from size to size) is noise too.
    let rough = roughness(&spots, |_| 1.0);
    for spot in &mut spots {
        spot.sigma = spot.sigma.max(rough).hypot(FLATNESS);
    }
    spots
}

/// Fills the intervals and confidence of level `index` from the redraws.
fn qualify(points: &[CurvePoint], levels: &mut [Plateau], index: usize, redraws: &[Vec<Plateau>]) {
    let count = levels.len();
    let level = &mut levels[index];
    let values = redraws
        .iter()
        .filter(|r| r.len() == count)
        .map(|r| r[index].value.center)
        .collect();
    if let Some((low, high)) = central_95(values) {
        level.value.low = low.min(level.value.center);
        level.value.high = high.max(level.value.center);
    }
    let Some(edge) = level.capacity.as_mut() else {
        return;
    };
    let at = place(points, edge.at.center);
    let seen: Vec<usize> = redraws
        .iter()
        .filter_map(|r| nearest_edge(points, r, at))
        .collect();
    let near = seen.iter().filter(|p| p.abs_diff(at) <= 1).count();
    edge.confidence = share(near, redraws.len());
    if let Some((low, high)) = central_95(seen.iter().map(|p| *p as f64).collect()) {
        edge.at.low = points[whole_index(low)].x.min(edge.at.low);
        let above = (whole_index(high.ceil()) + 1).min(points.len() - 1);
        edge.at.high = points[above].x.max(edge.next_x);
    }
}

/// Position of the edge of a redrawn curve that is nearest to `at`.
fn nearest_edge(points: &[CurvePoint], levels: &[Plateau], at: usize) -> Option<usize> {
    levels
        .iter()
        .filter_map(|l| l.capacity.map(|c| place(points, c.at.center)))
        .min_by_key(|p| p.abs_diff(at))
}

fn place(points: &[CurvePoint], x: f64) -> usize {
    points.partition_point(|p| p.x < x)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests;
