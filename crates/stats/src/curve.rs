//! Points of a measured curve, and the redrawing of one inside its noise.

use crate::error::StatsError;
use crate::interval::Interval;
use crate::rng::Rng;
use crate::whole::whole_index;
use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval of a normal, in standard deviations.
pub(crate) const SIGMAS_OF_95: f64 = 1.96;

/// A measured value with its 95 % interval at a place x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    pub x: f64,
    pub y: Interval,
}

impl CurvePoint {
    /// `y` between `low` and `high` at `x`.
    pub fn new(x: f64, y: f64, low: f64, high: f64) -> CurvePoint {
        let y = Interval::resampled(y, low, high);
        CurvePoint { x, y }
    }

    /// The point with `f` of its value; `f` only rises or only falls.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> CurvePoint {
        CurvePoint {
            x: self.x,
            y: self.y.map(f),
        }
    }

    /// Standard deviation of the median on the log scale, from its interval.
    pub(crate) fn log_sigma(&self) -> f64 {
        ((self.y.high / self.y.low).ln() / (2.0 * SIGMAS_OF_95)).max(0.0)
    }
}

/// Sorted by x, checked: finite, positive, low <= median <= high, no x twice.
pub(crate) fn ordered(
    what: &'static str,
    points: &[CurvePoint],
    need: usize,
) -> Result<Vec<CurvePoint>, StatsError> {
    if points.len() < need {
        return Err(StatsError::TooFew {
            what,
            have: points.len(),
            need,
        });
    }
    for (index, point) in points.iter().enumerate() {
        check_point(what, index, point)?;
    }
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x));
    match sorted.windows(2).find(|w| w[0].x == w[1].x) {
        Some(pair) => Err(StatsError::OutOfRange {
            what,
            value: pair[0].x,
        }),
        None => Ok(sorted),
    }
}

/// Points of a curve that is cut into pieces, where every pair of points may be a
/// piece: of a longer curve as many, evenly along the scale, first and last included.
const MOST_TO_CUT: usize = 256;

/// As [`ordered`], for cutting.
pub(crate) fn to_cut(
    what: &'static str,
    points: &[CurvePoint],
    need: usize,
) -> Result<Vec<CurvePoint>, StatsError> {
    let mut points = ordered(what, points, need)?;
    let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) else {
        return Ok(points);
    };
    if points.len() > MOST_TO_CUT {
        let place = |p: &CurvePoint| (p.x / first.x).ln() / (last.x / first.x).ln();
        let step = |p: &CurvePoint| whole_index(place(p) * (MOST_TO_CUT - 2) as f64);
        // The first of each step; the last point makes a step of its own.
        points.dedup_by_key(|p| if p.x < last.x { step(p) } else { MOST_TO_CUT });
    }
    Ok(points)
}

fn check_point(what: &'static str, index: usize, p: &CurvePoint) -> Result<(), StatsError> {
    for value in [p.x, p.y.center, p.y.low, p.y.high] {
        if !value.is_finite() {
            return Err(StatsError::NotFinite { what, index, value });
        }
    }
    let unordered = !p.y.contains(p.y.center);
    let value = match p {
        p if p.x <= 0.0 => p.x,
        p if p.y.low <= 0.0 => p.y.low,
        p if unordered => p.y.center,
        _ => return Ok(()),
    };
    Err(StatsError::OutOfRange { what, value })
}

/// The curve as another measurement might have drawn it: each median moved
/// inside its own interval, on the log scale.
pub(crate) fn redrawn(points: &[CurvePoint], rng: &mut Rng) -> Vec<CurvePoint> {
    let redraw = |p: &CurvePoint| {
        let factor = (p.log_sigma() * rng.normal()).exp();
        p.map(|v| v * factor)
    };
    points.iter().map(redraw).collect()
}

/// Central 95 % of values, by rank; None when empty.
pub(crate) fn central_95(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let low = crate::quantile::quantile_sorted(&values, 0.025)?;
    let high = crate::quantile::quantile_sorted(&values, 0.975)?;
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::{CurvePoint, MOST_TO_CUT, to_cut};

    fn curve(xs: impl Iterator<Item = f64>) -> Vec<CurvePoint> {
        let point = |x| CurvePoint::new(x, 1.0, 1.0, 1.0);
        xs.map(point).collect()
    }

    fn kept(points: &[CurvePoint]) -> Vec<f64> {
        let kept = to_cut("a test", points, 2).unwrap();
        kept.iter().map(|p| p.x).collect()
    }

    #[test]
    fn a_long_curve_is_cut_at_points_along_its_whole_length() {
        let long = curve((1..=100_000).map(f64::from));
        let xs = kept(&long);
        assert!(xs.len() <= MOST_TO_CUT && xs.len() > 100, "{}", xs.len());
        assert_eq!((xs[0], xs[xs.len() - 1]), (1.0, 100_000.0));
        assert!(xs.is_sorted_by(|a, b| a < b));
        assert_eq!(xs[..4], [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn a_short_one_stays_as_it_is() {
        let short = curve((1..=MOST_TO_CUT as i32).map(f64::from));
        assert_eq!(kept(&short).len(), MOST_TO_CUT);
    }
}
