//! Knees of a curve on log-log axes: where throughput stops growing with the
//! message, falls off a cliff, or grows again.
//!
//! On these axes y = c x^s is a straight line of slope s: a fixed cost for
//! each message has slope 1 in throughput, a fixed cost for each byte slope 0.
//! The curve is cut into straight pieces; neighbours that differ neither in
//! slope nor in height are one. Pieces need not join, so a cliff between two
//! measured x is one knee with a jump, and a bend is one without; a bend drawn
//! out over octaves (a fixed cost plus a rate) is one too. Intervals
//! and confidence come from redrawing every point inside its own interval and
//! cutting again.

mod cut;
mod gradual;

use crate::curve::{CurvePoint, SIGMAS_OF_95, central_95, to_cut};
use crate::error::StatsError;
use crate::interval::NOMINAL_LEVEL;
use crate::interval::{Interval, Method};
use crate::rng::Rng;
use crate::segment::{Piece, Spot, roughness};
use serde::{Deserialize, Serialize};

/// Misfits of this size (log scale, so 2 %) are not worth a cut however narrow
/// the intervals of the points.
const STRAIGHTNESS: f64 = 0.02;

/// Fewest points of a curve: one straight piece must be distinguishable from two.
pub const FEWEST_POINTS: usize = 5;

/// What counts as a knee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KneeOptions {
    /// Slopes (d ln y / d ln x) on both sides must differ by this ...
    pub smallest_bend: f64,
    /// ... or the curve must jump by this factor, up or down.
    pub smallest_jump: f64,
    /// Redrawn curves that confidence and intervals rest on.
    pub redraws: u32,
}

impl Default for KneeOptions {
    fn default() -> Self {
        KneeOptions {
            smallest_bend: 0.2,
            smallest_jump: 1.2,
            redraws: 200,
        }
    }
}

/// Straight pieces of a curve y(x) on log-log axes, lowest x first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knees {
    /// One more than there are breaks.
    pub segments: Vec<LogSegment>,
    pub breaks: Vec<Knee>,
    /// Share of redrawn curves with as many breaks.
    pub confidence: f64,
}

/// y is near `level` (x / middle)^slope on `from_x..=to_x`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogSegment {
    /// First and last measured x of the piece.
    pub from_x: f64,
    pub to_x: f64,
    /// d ln y / d ln x: 1 is proportional, 0 is flat.
    pub slope: Interval,
    /// y of the line at the middle (geometric mean) of from_x and to_x.
    pub level: f64,
}

/// A place where slope or height change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// Where the lines cross; where they cross elsewhere (the curve jumps),
    /// the geometric mean of the measured x on both sides.
    ///
    /// Central 95 % over the redrawn curves, stretched to the neighbouring
    /// measured x on both sides.
    pub at: Interval,
    /// Last measured x before the knee and first one behind it.
    pub before_x: f64,
    pub after_x: f64,
    /// Share of redrawn curves with a knee inside `at`.
    pub confidence: f64,
    pub slope_before: f64,
    pub slope_after: f64,
    /// Line after over line before at x: 1 for a bend, 0.3 for a cliff down
    /// to 30 %.
    pub jump: f64,
}

/// Finds the knees of a curve. `points` in any order; x and y positive.
///
/// # Errors
/// Fewer than five points, numbers that are not finite or not positive, an x
/// that occurs twice, an interval that misses its median.
pub fn log_log_knees(points: &[CurvePoint], options: KneeOptions) -> Result<Knees, StatsError> {
    let points = to_cut("knees", points, FEWEST_POINTS)?;
    let (segments, mut breaks) = once(&points, None, &options);
    let mut rng = Rng::new(0x4b4e_4545);
    let redraws: Vec<Vec<Knee>> = (0..options.redraws)
        .map(|_| once(&points, Some(&mut rng), &options).1)
        .collect();
    let same = redraws.iter().filter(|r| r.len() == breaks.len()).count();
    for knee in &mut breaks {
        qualify(&points, knee, &redraws);
    }
    Ok(Knees {
        segments,
        breaks,
        confidence: share(same, redraws.len()),
    })
}

/// Pieces and knees of the curve, or of one redrawn by `rng`.
fn once(
    points: &[CurvePoint],
    mut rng: Option<&mut Rng>,
    options: &KneeOptions,
) -> (Vec<LogSegment>, Vec<Knee>) {
    // Redrawn in logarithms: an interval over many decades stays finite.
    let mut spots: Vec<Spot> = points
        .iter()
        .map(|p| Spot {
            u: p.x.ln(),
            v: p.y.center.ln() + rng.as_mut().map_or(0.0, |r| p.log_sigma() * r.normal()),
            sigma: p.log_sigma(),
        })
        .collect();
    let rough = roughness(&spots, |_| 1.0);
    for spot in &mut spots {
        spot.sigma = spot.sigma.max(rough).hypot(STRAIGHTNESS);
    }
    let pieces = cut::pieces(&spots, options);
    let segments = pieces.iter().map(|p| segment_of(points, p)).collect();
    let knee = |pair: &[Piece]| between(points, &spots, &pair[0], &pair[1]);
    (segments, pieces.windows(2).map(knee).collect())
}

fn segment_of(points: &[CurvePoint], piece: &Piece) -> LogSegment {
    let half = SIGMAS_OF_95 * piece.slope_error;
    LogSegment {
        from_x: points[piece.start].x,
        to_x: points[piece.end - 1].x,
        slope: Interval {
            center: piece.slope,
            low: piece.slope - half,
            high: piece.slope + half,
            level: NOMINAL_LEVEL,
            method: Method::LeastSquares,
            degrees: None,
        },
        level: f64::midpoint(piece.first, piece.last).exp(),
    }
}

fn between(points: &[CurvePoint], spots: &[Spot], a: &Piece, b: &Piece) -> Knee {
    let (left, right) = (&spots[a.end - 1], &spots[b.start]);
    let u = cut::crossing(spots, a, b).unwrap_or(f64::midpoint(left.u, right.u));
    let jump = (b.first + b.slope * (u - right.u)) - (a.last + a.slope * (u - left.u));
    let (before_x, after_x) = (points[a.end - 1].x, points[b.start].x);
    let x = u.exp();
    Knee {
        at: Interval::resampled(x, before_x.min(x), after_x.max(x)),
        before_x,
        after_x,
        confidence: 1.0,
        slope_before: a.slope,
        slope_after: b.slope,
        jump: jump.exp(),
    }
}

/// Fills interval and confidence of a knee from the redraws.
fn qualify(points: &[CurvePoint], knee: &mut Knee, redraws: &[Vec<Knee>]) {
    let at = &mut knee.at;
    let x = at.center;
    let distance = |k: &&Knee| (k.at.center / x).ln().abs();
    let seen: Vec<f64> = redraws
        .iter()
        .filter_map(|r| r.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))))
        .map(|k| k.at.center)
        .collect();
    // A redrawn curve that lost this knee answers with another one; only
    // those nearer than the neighbouring points twice over are about this.
    let reach = (knee.after_x / knee.before_x).powi(2);
    let near: Vec<f64> = seen
        .into_iter()
        .filter(|x| (knee.before_x / reach..=knee.after_x * reach).contains(x))
        .collect();
    if let Some((low, high)) = central_95(near.clone()) {
        let below = points.iter().rev().find(|p| p.x < low.min(x));
        let above = points.iter().find(|p| p.x > high.max(x));
        at.low = below.map_or(low, |p| p.x).min(at.low);
        at.high = above.map_or(high, |p| p.x).max(at.high);
    }
    let inside = near.iter().filter(|x| at.contains(**x));
    knee.confidence = share(inside.count(), redraws.len());
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
