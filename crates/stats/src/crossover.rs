//! From which x on one curve is cheaper than another.

use crate::curve::{CurvePoint, central_95, ordered, redrawn};
use crate::error::StatsError;
use crate::interval::{Interval, Method};
use crate::rng::Rng;
use serde::{Deserialize, Serialize};

/// Curves closer than this share count as equal: a smaller gain decides nothing.
const SMALLEST_GAIN: f64 = 0.02;
/// ... and not below this many standard deviations of their ratio.
const SMALLEST_GAIN_SIGMAS: f64 = 2.5;
/// A crossing that fewer of the redrawn curves show is not claimed.
const FEWEST_AGREE: f64 = 0.8;
const REDRAWS: u32 = 400;

/// Which of two curves is cheaper, and where that changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum Crossover {
    /// A is nowhere more expensive.
    AlwaysA,
    /// B is nowhere more expensive.
    AlwaysB,
    /// B is cheaper from x on.
    BFrom {
        /// Where the curves cross, between two measured x on log axes, with the
        /// central 95 % over the redrawn curves. Its level is the share of them with
        /// such a crossing.
        at: Interval,
        /// First measured x at which B is the cheaper one.
        first_x: f64,
    },
    /// The curves cross more than once, or B wins first and loses later, or
    /// they cannot be distinguished.
    Unclear,
}

impl Crossover {
    /// The x from which on B is cheaper, where there is one.
    pub fn x(&self) -> Option<f64> {
        match self {
            Crossover::BFrom { at, .. } => Some(at.center),
            _ => None,
        }
    }
}

/// Compares two curves of costs (lower is cheaper) at the x they share.
///
/// # Errors
/// Fewer than two shared x, numbers that are not finite or not positive.
pub fn crossover(a: &[CurvePoint], b: &[CurvePoint]) -> Result<Crossover, StatsError> {
    let what = "a crossover";
    let a = ordered(what, a, 2)?;
    let b = ordered(what, b, 2)?;
    let pairs: Vec<(CurvePoint, CurvePoint)> = a
        .iter()
        .filter_map(|p| b.iter().find(|q| q.x == p.x).map(|q| (*p, *q)))
        .collect();
    if pairs.len() < 2 {
        return Err(StatsError::TooFew {
            what,
            have: pairs.len(),
            need: 2,
        });
    }
    let (a, b): (Vec<CurvePoint>, Vec<CurvePoint>) = pairs.into_iter().unzip();
    let found = once(&a, &b);
    let Crossover::BFrom { at, first_x } = found else {
        return Ok(found);
    };
    let mut rng = Rng::new(0x4352_4f53);
    let seen: Vec<f64> = (0..REDRAWS)
        .filter_map(|_| {
            let a = redrawn(&a, &mut rng);
            once(&a, &redrawn(&b, &mut rng)).x()
        })
        .collect();
    let confidence = seen.len() as f64 / f64::from(REDRAWS);
    Ok(match central_95(seen) {
        Some((low, high)) if confidence >= FEWEST_AGREE => Crossover::BFrom {
            at: Interval {
                low: low.min(at.center),
                high: high.max(at.center),
                level: confidence,
                ..at
            },
            first_x,
        },
        _ => Crossover::Unclear,
    })
}

/// Logarithm of B over A, and what it must exceed to mean anything.
struct Gap {
    x: f64,
    log_ratio: f64,
    margin: f64,
}

impl Gap {
    fn b_wins(&self) -> bool {
        self.log_ratio < -self.margin
    }

    fn a_wins(&self) -> bool {
        self.log_ratio > self.margin
    }
}

fn once(a: &[CurvePoint], b: &[CurvePoint]) -> Crossover {
    let gaps: Vec<Gap> = a
        .iter()
        .zip(b)
        .map(|(a, b)| Gap {
            x: a.x,
            log_ratio: (b.y.center / a.y.center).ln(),
            margin: (SMALLEST_GAIN_SIGMAS * a.log_sigma().hypot(b.log_sigma())).max(SMALLEST_GAIN),
        })
        .collect();
    let last_a = gaps.iter().rposition(Gap::a_wins);
    let first_b = gaps.iter().position(Gap::b_wins);
    match (last_a, first_b) {
        (None, None) => Crossover::Unclear,
        (Some(_), None) => Crossover::AlwaysA,
        (None, Some(_)) => Crossover::AlwaysB,
        (Some(last_a), Some(first_b)) if last_a > first_b => Crossover::Unclear,
        (Some(last_a), Some(first_b)) => {
            let x = crossing(&gaps[last_a..=first_b]);
            Crossover::BFrom {
                at: Interval {
                    center: x,
                    low: x,
                    high: x,
                    level: 1.0,
                    method: Method::Resampled,
                    degrees: None,
                },
                first_x: gaps.iter().map(|g| g.x).find(|at| *at >= x).unwrap_or(x),
            }
        }
    }
}

/// Where the log ratio passes zero for the last time between the last win of
/// A and the first of B, straight between neighbours on the log axis.
fn crossing(gaps: &[Gap]) -> f64 {
    let pair = gaps
        .windows(2)
        .rev()
        .find(|w| w[0].log_ratio > 0.0 && w[1].log_ratio <= 0.0);
    match pair {
        Some([left, right]) => {
            let share = left.log_ratio / (left.log_ratio - right.log_ratio);
            left.x * (right.x / left.x).powf(share)
        }
        // Unreachable: the first of `gaps` is positive and the last negative.
        _ => gaps[gaps.len() - 1].x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(y: impl Fn(f64) -> f64, noise: f64, seed: u64) -> Vec<CurvePoint> {
        let mut rng = Rng::new(seed);
        (6..25)
            .map(|i| {
                let x = 2f64.powi(i);
                let median = y(x) * (noise * rng.normal()).exp();
                let half = (1.96 * noise).exp();
                CurvePoint::new(x, median, median / half, median * half)
            })
            .collect()
    }

    #[test]
    fn a_set_up_cost_that_pays_off() {
        // 100 + 0.1 x against 2000 + 0.05 x: equal at 38 000.
        let a = curve(|x| 100.0 + 0.1 * x, 0.01, 1);
        let b = curve(|x| 2000.0 + 0.05 * x, 0.01, 2);
        let Ok(Crossover::BFrom { at, first_x }) = crossover(&a, &b) else {
            panic!("no crossing: {:?}", crossover(&a, &b));
        };
        assert!((at.center / 38_000.0).ln().abs() < 0.1, "{at:?}");
        assert!(
            at.low <= 38_000.0 * 1.05 && 38_000.0 * 0.95 <= at.high,
            "{at:?}"
        );
        assert_eq!(first_x, 65536.0);
        assert!(at.level > 0.95);
        assert_eq!(
            crossover(&b, &a),
            Ok(Crossover::Unclear),
            "the wrong way round"
        );
    }

    #[test]
    fn no_crossing() {
        let a = curve(|x| x, 0.01, 1);
        let b = curve(|x| 1.5 * x, 0.01, 2);
        assert_eq!(crossover(&a, &b), Ok(Crossover::AlwaysA));
        assert_eq!(crossover(&b, &a), Ok(Crossover::AlwaysB));
    }

    #[test]
    fn equal_curves_hardly_ever_cross() {
        let claims = (0..100)
            .filter(|seed| {
                let a = curve(|x| x, 0.03, 2 * seed);
                let b = curve(|x| x, 0.03, 2 * seed + 1);
                crossover(&a, &b).is_ok_and(|c| c.x().is_some())
            })
            .count();
        assert!(claims <= 5, "{claims} of 100");
    }

    #[test]
    fn curves_without_common_x_are_refused() {
        let a = curve(|x| x, 0.01, 1);
        let b: Vec<CurvePoint> = a
            .iter()
            .map(|p| CurvePoint { x: p.x + 1.0, ..*p })
            .collect();
        assert!(matches!(
            crossover(&a, &b),
            Err(StatsError::TooFew { have: 0, .. })
        ));
    }
}
