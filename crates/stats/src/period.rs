//! One period behind several times that are small whole multiples of it: the
//! clock cycle behind chains of dependent instructions (lmbench's `mhz` takes
//! the greatest common divisor of such times).
//!
//! Noise has no greatest common divisor, so this is a fit: of all periods that
//! bring the times near whole multiples the longest is taken, and it is only
//! claimed if unrelated times would hardly have been brought as near.

use crate::error::StatsError;
use crate::interval::NOMINAL_LEVEL;
use crate::interval::{Interval, Method};
use crate::student::student_t;
use crate::whole::whole;
use serde::{Deserialize, Serialize};

/// Largest multiple that is tried where none is given.
pub const LARGEST_MULTIPLE: u32 = 24;
/// Fewest times that can contradict a period.
pub const FEWEST_TIMES: usize = 3;
/// Timings are no better than this share, however narrow their intervals.
const TIMING_FLOOR: f64 = 0.003;
/// A time fits within this many of its standard deviations ...
const FIT_SIGMAS: f64 = 3.0;
/// ... or within this share of the period.
const FIT_SHARE: f64 = 0.03;
/// At most one time in this many may misfit.
const ONE_MISFIT_IN: usize = 5;
/// Half the width of a 95 % interval of a normal, in standard deviations.
const SIGMAS_OF_95: f64 = 1.96;

/// A time with its 95 % interval, and how many periods it should hold if known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TimedMultiple {
    pub time: Interval,
    pub multiple: Option<u32>,
}

impl TimedMultiple {
    fn sigma(&self) -> f64 {
        let width = self.time.high - self.time.low;
        (width / (2.0 * SIGMAS_OF_95)).max(TIMING_FLOOR * self.time.center)
    }

    /// Whole multiple of the period that this time is taken for.
    fn count(&self, period: f64) -> f64 {
        match self.multiple {
            Some(multiple) => f64::from(multiple),
            None => (self.time.center / period).round().max(1.0),
        }
    }

    fn tolerance(&self, period: f64) -> f64 {
        (FIT_SIGMAS * self.sigma()).max(FIT_SHARE * period)
    }

    fn fits(&self, period: f64) -> bool {
        (self.time.center - self.count(period) * period).abs() <= self.tolerance(period)
    }
}

/// A common period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// The period with its 95 % interval.
    pub period: Interval,
    /// Multiple that each time was taken for, in the order given.
    pub multiples: Vec<u32>,
    /// Times that do not fit, by position.
    pub misfits: Vec<usize>,
    /// 1 less the chance that unrelated times fit as well.
    pub confidence: f64,
}

/// Finds the longest period of which all times (but one in five) are whole
/// multiples. None where there is no such period that chance does not explain
/// with 5 % or more. Without known multiples, times that share a factor (2, 4
/// and 6 periods) give that multiple of the period: include one that does not.
///
/// # Errors
/// Fewer than three times; times or intervals that are not finite, not
/// positive or not in order; a known multiple of zero.
pub fn common_period(times: &[TimedMultiple]) -> Result<Option<Period>, StatsError> {
    check(times)?;
    let mut candidates: Vec<f64> = times.iter().flat_map(divisions).collect();
    candidates.sort_unstable_by(|a, b| b.total_cmp(a));
    let allowed = times.len() / ONE_MISFIT_IN;
    for (tried, candidate) in candidates.iter().enumerate() {
        let rough: Vec<&TimedMultiple> = times.iter().filter(|t| t.fits(*candidate)).collect();
        if rough.len() + allowed < times.len() {
            continue;
        }
        let Some(period) = refine(&rough, *candidate) else {
            continue;
        };
        let fitting: Vec<&TimedMultiple> = times.iter().filter(|t| t.fits(period.center)).collect();
        if fitting.len() + allowed < times.len() {
            continue;
        }
        let chance = chance(times, &fitting, period.center, tried + 1);
        if chance < 1.0 - NOMINAL_LEVEL {
            return Ok(Some(describe(times, period, chance)));
        }
    }
    Ok(None)
}

fn check(times: &[TimedMultiple]) -> Result<(), StatsError> {
    let what = "a common period";
    if times.len() < FEWEST_TIMES {
        return Err(StatsError::TooFew {
            what,
            have: times.len(),
            need: FEWEST_TIMES,
        });
    }
    for (index, t) in times.iter().enumerate() {
        for value in [t.time.center, t.time.low, t.time.high] {
            if !value.is_finite() {
                return Err(StatsError::NotFinite { what, index, value });
            }
        }
        if t.time.center <= 0.0 || !t.time.contains(t.time.center) || t.multiple == Some(0) {
            return Err(StatsError::OutOfRange {
                what,
                value: t.time.center,
            });
        }
    }
    Ok(())
}

/// Periods that a single time allows.
fn divisions(t: &TimedMultiple) -> Vec<f64> {
    match t.multiple {
        Some(multiple) => vec![t.time.center / f64::from(multiple)],
        None => (1..=LARGEST_MULTIPLE)
            .map(|m| t.time.center / f64::from(m))
            .collect(),
    }
}

/// Least squares period of times with whole multiples, its interval widened
/// where the misfit is larger than the timings explain.
fn refine(times: &[&TimedMultiple], rough: f64) -> Option<Interval> {
    let (mut weight, mut product) = (0.0, 0.0);
    for t in times {
        let (count, precision) = (t.count(rough), t.sigma().powi(-2));
        weight += precision * count * count;
        product += precision * count * t.time.center;
    }
    let period = product / weight;
    let degrees = times.len() as f64 - 1.0;
    if !(period.is_finite() && degrees >= 1.0) {
        return None;
    }
    let misfit: f64 = times
        .iter()
        .map(|t| ((t.time.center - t.count(rough) * period) / t.sigma()).powi(2))
        .sum();
    let half = student_t(NOMINAL_LEVEL, degrees) * ((misfit / degrees).max(1.0) / weight).sqrt();
    Some(Interval {
        center: period,
        low: period - half,
        high: period + half,
        level: NOMINAL_LEVEL,
        method: Method::LeastSquares,
        degrees: None,
    })
}

/// Chance that unrelated times fit this period or a longer one: each lands by
/// chance within its tolerance of a whole multiple; one of them is the anchor
/// that the period was divided from; `tried` periods had their chance.
fn chance(all: &[TimedMultiple], fitting: &[&TimedMultiple], period: f64, tried: usize) -> f64 {
    let mut odds: Vec<f64> = fitting
        .iter()
        .map(|t| (2.0 * t.tolerance(period) / period).min(1.0))
        .collect();
    odds.sort_unstable_by(f64::total_cmp);
    // The time with the smallest chance of fitting is taken for the anchor: the cautious
    // choice.
    let by_luck: f64 = odds.iter().skip(1).product();
    let choices: f64 = (0..all.len() - fitting.len())
        .map(|i| (all.len() - i) as f64 / (i + 1) as f64)
        .product();
    (by_luck * choices * tried as f64).min(1.0)
}

fn describe(times: &[TimedMultiple], period: Interval, chance: f64) -> Period {
    let multiple =
        |t: &TimedMultiple| u32::try_from(whole(t.count(period.center))).unwrap_or(u32::MAX);
    let misfit = |i: &usize| !times[*i].fits(period.center);
    Period {
        multiples: times.iter().map(multiple).collect(),
        misfits: (0..times.len()).filter(misfit).collect(),
        confidence: 1.0 - chance,
        period,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn timed(time: f64, noise: f64, multiple: Option<u32>) -> TimedMultiple {
        let half = 1.96 * noise * time;
        TimedMultiple {
            time: Interval::resampled(time, time - half, time + half),
            multiple,
        }
    }

    fn times(
        counts: &[u32],
        period: f64,
        noise: f64,
        known: bool,
        seed: u64,
    ) -> Vec<TimedMultiple> {
        let mut rng = Rng::new(seed);
        counts
            .iter()
            .map(|c| {
                let time = f64::from(*c) * period * (1.0 + noise * rng.normal());
                timed(time, noise, known.then_some(*c))
            })
            .collect()
    }

    #[test]
    fn cycles_behind_unknown_chains() {
        let mut covered = 0;
        for seed in 0..100 {
            let data = times(&[1, 2, 3, 3, 4, 5, 7], 0.3125, 0.005, false, seed);
            let found = common_period(&data)
                .expect("valid times")
                .expect("a period");
            assert_eq!(found.multiples, [1, 2, 3, 3, 4, 5, 7]);
            covered += u32::from(found.period.contains(0.3125));
        }
        assert!((88..=100).contains(&covered), "{covered} of 100");
    }

    #[test]
    fn no_chain_need_be_one_cycle_long() {
        let data = times(&[2, 3, 4, 6, 9], 0.25, 0.003, false, 5);
        let found = common_period(&data)
            .expect("valid times")
            .expect("a period");
        assert_eq!(found.multiples, [2, 3, 4, 6, 9]);
        assert!((found.period.center - 0.25).abs() < 0.003, "{found:?}");
    }

    #[test]
    fn known_multiples_settle_a_shared_factor() {
        let known = times(&[2, 4, 6], 0.5, 0.003, true, 1);
        let found = common_period(&known)
            .expect("valid times")
            .expect("a period");
        assert!((found.period.center - 0.5).abs() < 0.01, "{found:?}");
        assert!(found.confidence > 0.95);
    }

    #[test]
    fn one_odd_chain_is_named() {
        let mut data = times(&[1, 2, 3, 4, 5, 6, 7], 0.4, 0.003, false, 2);
        data[3] = timed(0.4 * 4.45, 0.003, None);
        let found = common_period(&data)
            .expect("valid times")
            .expect("a period");
        assert_eq!(found.misfits, [3]);
        assert!((found.period.center - 0.4).abs() < 0.004);
    }

    #[test]
    fn unrelated_times_have_no_period() {
        let mut rng = Rng::new(3);
        let claims = (0..300)
            .filter(|_| {
                let data: Vec<TimedMultiple> = (0..7)
                    .map(|_| timed(0.3 * (1.0 + 6.0 * rng.uniform()), 0.005, None))
                    .collect();
                common_period(&data).is_ok_and(|p| p.is_some())
            })
            .count();
        assert!(claims <= 15, "{claims} of 300");
    }

    #[test]
    fn contradicted_hints_have_no_period() {
        let mut data = times(&[1, 2, 3, 4], 0.3, 0.003, true, 4);
        data[1].multiple = Some(3);
        assert_eq!(common_period(&data), Ok(None));
    }

    #[test]
    fn unfit_times_are_refused() {
        let good = timed(1.0, 0.01, None);
        assert!(matches!(
            common_period(&[good, good]),
            Err(StatsError::TooFew { .. })
        ));
        let bad = TimedMultiple {
            time: good.time.map(|_| f64::NAN),
            ..good
        };
        assert!(matches!(
            common_period(&[good, bad, good]),
            Err(StatsError::NotFinite { .. })
        ));
        let zero = TimedMultiple {
            multiple: Some(0),
            ..good
        };
        assert!(matches!(
            common_period(&[good, zero, good]),
            Err(StatsError::OutOfRange { .. })
        ));
    }
}
