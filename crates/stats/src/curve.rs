//! Points of a measured curve, and the redrawing of one inside its noise.

use crate::error::StatsError;
use crate::rng::Rng;
use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval of a normal, in standard deviations.
pub(crate) const SIGMAS_OF_95: f64 = 1.96;

/// A measured value with its 95 % interval at a place x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    pub x: f64,
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl CurvePoint {
    /// Standard deviation of the median on the log scale, from its interval.
    pub(crate) fn log_sigma(&self) -> f64 {
        ((self.high / self.low).ln() / (2.0 * SIGMAS_OF_95)).max(0.0)
    }

    /// Standard deviation of the median, from its interval.
    pub(crate) fn sigma(&self) -> f64 {
        (self.high - self.low) / (2.0 * SIGMAS_OF_95)
    }
}

/// Which coordinates are taken on a log scale and must be positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    LogLog,
    Linear,
}

/// Sorted by x, checked: finite, low <= median <= high, no x twice, and
/// positive where logarithms are taken.
pub(crate) fn ordered(
    what: &'static str,
    points: &[CurvePoint],
    need: usize,
    scale: Scale,
) -> Result<Vec<CurvePoint>, StatsError> {
    if points.len() < need {
        return Err(StatsError::TooFew {
            what,
            have: points.len(),
            need,
        });
    }
    for (index, point) in points.iter().enumerate() {
        check_point(what, index, point, scale)?;
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

fn check_point(
    what: &'static str,
    index: usize,
    p: &CurvePoint,
    scale: Scale,
) -> Result<(), StatsError> {
    for value in [p.x, p.median, p.low, p.high] {
        if !value.is_finite() {
            return Err(StatsError::NotFinite { what, index, value });
        }
    }
    let unordered = p.low > p.median || p.median > p.high;
    let value = match scale {
        Scale::LogLog if p.x <= 0.0 => p.x,
        Scale::LogLog if p.low <= 0.0 => p.low,
        _ if unordered => p.median,
        _ => return Ok(()),
    };
    Err(StatsError::OutOfRange { what, value })
}

/// The curve as another measurement might have drawn it: each median moved
/// inside its own interval, on the scale given.
pub(crate) fn redrawn(points: &[CurvePoint], scale: Scale, rng: &mut Rng) -> Vec<CurvePoint> {
    let redraw = |p: &CurvePoint| {
        let z = rng.normal();
        match scale {
            Scale::LogLog => {
                let factor = (p.log_sigma() * z).exp();
                CurvePoint {
                    x: p.x,
                    median: p.median * factor,
                    low: p.low * factor,
                    high: p.high * factor,
                }
            }
            Scale::Linear => {
                let step = p.sigma() * z;
                CurvePoint {
                    x: p.x,
                    median: p.median + step,
                    low: p.low + step,
                    high: p.high + step,
                }
            }
        }
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
