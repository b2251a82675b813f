//! Interval of the ratio of two medians from the interval of each.
//!
//! On the log scale a ratio is a difference, and the variance of a difference
//! can be recovered from the distances between each estimate and the ends of
//! its interval, each side on its own, so lopsided intervals stay lopsided
//! (MOVER: Zou and Donner 2008). Order statistics come in steps, so intervals
//! have levels between 75 % and 99 %; each distance is first brought to the
//! nominal level as if the estimate were normal. Coverage in simulation is
//! 95 to 99 %; see the tests.

use crate::error::StatsError;
use crate::family::Deviation;
use crate::interval::NOMINAL_LEVEL;
use crate::interval::{Interval, Method};
use crate::student::student_t;
use statrs::distribution::{ContinuousCDF, Normal};

/// Intervals below this level (fewer than three samples) say too little to be
/// brought to the nominal one.
pub const LOWEST_LEVEL: f64 = 0.7;

/// A level above counts as this: no interval of measured values is certain.
const HIGHEST_LEVEL: f64 = 0.9999;

/// ln(b / a), and how far it may be wrong to each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogRatio {
    pub log: f64,
    pub below: Deviation,
    pub above: Deviation,
}

impl LogRatio {
    /// Towards no change: the deviation that a test of "nothing changed" is about.
    pub fn towards(&self, value: f64) -> Deviation {
        match self.log > value {
            true => self.below,
            false => self.above,
        }
    }
}

/// The ratio b / a for tests at any level, with the degrees of freedom that the intervals of
/// both have.
///
/// # Errors
/// As `ratio_interval`.
pub fn log_ratio(a: &Interval, b: &Interval) -> Result<LogRatio, StatsError> {
    let (of_a, of_b) = (LogInterval::new(a)?, LogInterval::new(b)?);
    let deviation = |interval: &Interval, distance: f64| {
        let degrees = interval.degrees.unwrap_or(f64::INFINITY);
        let level = interval.level.min(HIGHEST_LEVEL);
        let error = distance / student_t(level, degrees);
        Deviation {
            variance: error * error,
            degrees,
        }
    };
    let (a_low, a_high) = of_a.as_given(a);
    let (b_low, b_high) = of_b.as_given(b);
    Ok(LogRatio {
        log: of_b.mid - of_a.mid,
        below: deviation(b, b_low).plus(deviation(a, a_high)),
        above: deviation(b, b_high).plus(deviation(a, a_low)),
    })
}

/// b / a at the nominal level.
///
/// # Errors
/// A centre or an end that is not finite and positive, or a level below
/// `LOWEST_LEVEL`.
pub fn ratio_interval(a: &Interval, b: &Interval) -> Result<Interval, StatsError> {
    let (a, b) = (LogInterval::new(a)?, LogInterval::new(b)?);
    let mid = b.mid - a.mid;
    Ok(Interval {
        center: mid.exp(),
        low: (mid - b.below.hypot(a.above)).exp(),
        high: (mid + b.above.hypot(a.below)).exp(),
        level: NOMINAL_LEVEL,
        method: Method::Mover,
        degrees: None,
    })
}

/// Logarithm of an estimate and its distances to the ends, at nominal level.
struct LogInterval {
    mid: f64,
    below: f64,
    above: f64,
}

impl LogInterval {
    fn new(interval: &Interval) -> Result<Self, StatsError> {
        let refuse = |value| StatsError::OutOfRange {
            what: "an interval of a ratio",
            value,
        };
        for value in [interval.low, interval.center, interval.high] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(refuse(value));
            }
        }
        if interval.level.is_nan() || interval.level < LOWEST_LEVEL {
            return Err(refuse(interval.level));
        }
        let scale = sigmas(NOMINAL_LEVEL) / sigmas(interval.level.min(HIGHEST_LEVEL));
        let mid = interval.center.ln();
        Ok(LogInterval {
            mid,
            below: scale * (mid - interval.low.ln()),
            above: scale * (interval.high.ln() - mid),
        })
    }

    /// Distances to the ends of `interval`, which it was made of, at its own level.
    fn as_given(&self, interval: &Interval) -> (f64, f64) {
        (self.mid - interval.low.ln(), interval.high.ln() - self.mid)
    }
}

/// Half width of a normal's central interval in standard deviations.
fn sigmas(level: f64) -> f64 {
    Normal::new(0.0, 1.0).map_or(f64::NAN, |n| n.inverse_cdf(0.5 + level / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::median_interval;
    use crate::processes::process_interval;
    use crate::rng::Rng;

    fn interval(low: f64, center: f64, high: f64) -> Interval {
        Interval {
            center,
            low,
            high,
            level: 0.95,
            method: Method::OrderStatistic,
            degrees: None,
        }
    }

    #[test]
    fn of_exact_medians_is_exact() {
        let ratio = ratio_interval(&interval(2.0, 2.0, 2.0), &interval(3.0, 3.0, 3.0));
        let ratio = ratio.expect("positive medians");
        assert!((ratio.low - 1.5).abs() < 1e-12 && (ratio.high - 1.5).abs() < 1e-12);
    }

    #[test]
    fn swapping_the_sides_inverts_it() {
        let (a, b) = (interval(8.0, 10.0, 11.0), interval(18.0, 20.0, 30.0));
        let forth = ratio_interval(&a, &b).expect("positive medians");
        let back = ratio_interval(&b, &a).expect("positive medians");
        assert!((forth.low * back.high - 1.0).abs() < 1e-12);
        assert!((forth.high * back.low - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_at_or_below_zero() {
        assert!(ratio_interval(&interval(0.0, 1.0, 2.0), &interval(1.0, 1.0, 1.0)).is_err());
        assert!(ratio_interval(&interval(1.0, 1.0, f64::NAN), &interval(1.0, 1.0, 1.0)).is_err());
        let single = Interval {
            level: 0.0,
            ..interval(1.0, 1.0, 1.0)
        };
        assert!(
            ratio_interval(&single, &interval(1.0, 1.0, 1.0)).is_err(),
            "one sample"
        );
    }

    fn lognormal(rng: &mut Rng, n: usize, median: f64, sigma: f64) -> Vec<f64> {
        (0..n)
            .map(|_| median * (sigma * rng.normal()).exp())
            .collect()
    }

    #[test]
    fn coverage_for_single_processes() {
        let mut rng = Rng::new(21);
        for (n, m, sigma) in [
            (3, 3, 0.3),
            (6, 6, 0.3),
            (10, 10, 0.3),
            (30, 30, 0.1),
            (30, 100, 0.05),
        ] {
            let hits = (0..1000)
                .filter(|_| {
                    let a = median_interval(&lognormal(&mut rng, n, 10.0, sigma), NOMINAL_LEVEL);
                    let b = median_interval(&lognormal(&mut rng, m, 11.0, 0.3), NOMINAL_LEVEL);
                    let (Ok(a), Ok(b)) = (a, b) else { return false };
                    ratio_interval(&a, &b).is_ok_and(|r| r.contains(1.1))
                })
                .count();
            assert!((940..=995).contains(&hits), "n = {n}, {m}: {hits} of 1000");
        }
    }

    #[test]
    fn coverage_for_few_processes() {
        let mut rng = Rng::new(22);
        let mut draw = |k: usize| -> Vec<Vec<f64>> {
            (0..k)
                .map(|_| {
                    let median = (0.02 * rng.normal()).exp();
                    lognormal(&mut rng, 11, median, 0.01)
                })
                .collect()
        };
        for (k, l) in [(2, 2), (3, 3), (3, 6)] {
            let hits = (0..600)
                .filter(|_| {
                    let a = process_interval(&draw(k), NOMINAL_LEVEL);
                    let b = process_interval(&draw(l), NOMINAL_LEVEL);
                    let (Ok(a), Ok(b)) = (a, b) else { return false };
                    ratio_interval(&a, &b).is_ok_and(|r| r.contains(1.0))
                })
                .count();
            assert!(hits >= 565, "{k}, {l} processes: {hits} of 600");
        }
    }
}
