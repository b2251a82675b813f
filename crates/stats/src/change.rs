//! Did the level stay the same while a point was sampled?
//!
//! A frequency that steps, a cache that warms up, a neighbour that comes: the median of
//! such samples lies between two levels and is neither. Two tests, each against the noise that
//! is left when its own answer is taken out, counted for what it is worth (`dependence`):
//!
//! - a *step*: the largest standardised difference of two parts, over every place to cut
//!   (CUSUM with the weights of a two-sample test; Csorgo and Horvath 1997);
//! - a *trend*: the slope over the order.
//!
//! Both are made on values of which the lowest and the highest tenth are drawn in, so that a few
//! wild ones decide nothing, and a change of many times the noise counts as that, which it does
//! not on ranks.
//!
//! Critical values are Student's t with as many degrees of freedom as the noise is worth
//! samples, less what was taken out of it: what wanders slowly is worth few, and is a step or a
//! trend by chance. They are exceeded by at most 1 % of independent samples of any shape, 20 to
//! 1000 of them (simulated), by 3 % of 60 samples of an autoregression of 0.7, and 13 % of 0.99. A
//! slow wave that fits half a turn into a point does change its level, and is called that.

use crate::dependence::of_rest;
use crate::error::{StatsError, check};
use crate::quantile::{mean, median, quantile_sorted};
use crate::student::student_t;

/// Fewer samples do not show whether their level changed.
pub const FEWEST: usize = 20;
/// Parts of fewer samples are no level.
const SHORTEST: usize = 5;
/// Share of the values at each end that is drawn in to the next of the others.
const DRAWN_IN: f64 = 0.1;
/// A step of independent samples is this certain at one place; the best of all places is one by
/// chance in a hundred points at most.
const STEP_LEVEL: f64 = 0.9998;
/// A step takes two means and a place out of the samples.
const OF_STEP: Taken = Taken {
    lags: 2.0,
    degrees: 3.0,
};
/// A trend of independent samples is this certain; one in two hundred is by chance.
const TREND_LEVEL: f64 = 0.995;
/// A line takes a mean and a slope.
const OF_LINE: Taken = Taken {
    lags: 2.0,
    degrees: 2.0,
};
/// A trend is drawn through the medians of the first and the last of so many parts.
const PARTS: usize = 5;

/// How a level changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    pub kind: ChangeKind,
    /// Median before, or where a trend begins.
    pub before: f64,
    /// Median after, or where it ends.
    pub after: f64,
}

/// From one level to another, or on and on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// So many samples were taken before it.
    Step {
        before: usize,
    },
    Trend,
}

impl Change {
    /// Change of the level, as a share of the level before; infinite from 0.
    pub fn share(&self) -> f64 {
        (self.after - self.before) / self.before.abs()
    }
}

/// The change of level that explains most of the values, in the order in which they were
/// taken; None where their level stayed, or too few were taken to tell.
///
/// # Errors
/// Empty or non-finite values.
pub fn change(in_order: &[f64]) -> Result<Option<Change>, StatsError> {
    check("a change of level", in_order)?;
    if in_order.len() < FEWEST {
        return Ok(None);
    }
    let values = drawn_in(in_order)?;
    if values.iter().all(|v| *v == 0.0) {
        return Ok(None);
    }
    let (at, step) = step(&values);
    let trend = trend(&values);
    let is_step = step.is_there() && (!trend.is_there() || step.rest <= trend.rest);
    match (is_step, trend.is_there()) {
        (true, _) => Ok(Some(Change {
            kind: ChangeKind::Step { before: at },
            before: median(&in_order[..at])?,
            after: median(&in_order[at..])?,
        })),
        (false, true) => Ok(Some(whole_trend(in_order)?)),
        (false, false) => Ok(None),
    }
}

/// From the first sample to the last: the medians of two parts lie in the middle of each.
fn whole_trend(in_order: &[f64]) -> Result<Change, StatsError> {
    let n = in_order.len();
    let part = n / PARTS;
    let (first, last) = (median(&in_order[..part])?, median(&in_order[n - part..])?);
    let beyond = (last - first) * part as f64 / (2.0 * (n - part) as f64);
    Ok(Change {
        kind: ChangeKind::Trend,
        before: first - beyond,
        after: last + beyond,
    })
}

/// Values less their mean, with the ends drawn in. Where that leaves them all alike, as where one
/// in twenty differs, nothing changed its level.
fn drawn_in(in_order: &[f64]) -> Result<Vec<f64>, StatsError> {
    let mut sorted = in_order.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share| quantile_sorted(&sorted, share).unwrap_or(f64::NAN);
    let low = at(DRAWN_IN);
    // Between equal values interpolation may miss by the last digit.
    let high = at(1.0 - DRAWN_IN).max(low);
    let values: Vec<f64> = in_order.iter().map(|v| v.clamp(low, high)).collect();
    let middle = mean(&values)?;
    Ok(values.iter().map(|v| v - middle).collect())
}

/// What an answer takes out of the noise.
#[derive(Clone, Copy)]
struct Taken {
    /// Numbers that each take of the first autocorrelation.
    lags: f64,
    degrees: f64,
}

/// How well an answer explains values.
struct Fit {
    /// Standardised by the noise that is left, and by what that is worth.
    z: f64,
    /// What chance does not exceed.
    critical: f64,
    /// Sum of the squares that it leaves.
    rest: f64,
}

impl Fit {
    /// Of a size that is its own standard deviation where noise has one of 1; `left` is what the
    /// answer leaves of each value.
    fn of(size: f64, left: &[f64], level: f64, taken: Taken) -> Fit {
        let n = left.len() as f64;
        let rest: f64 = left.iter().map(|v| v * v).sum();
        let noise = (rest / (n - 2.0)).sqrt().max(f64::MIN_POSITIVE);
        let time = of_rest(left, taken.lags).time;
        Fit {
            z: size / (noise * time.sqrt()),
            critical: student_t(level, (n / time - taken.degrees).max(1.0)),
            rest,
        }
    }

    fn is_there(&self) -> bool {
        self.z > self.critical
    }
}

/// The best place to cut, and how well it explains the values.
fn step(values: &[f64]) -> (usize, Fit) {
    let n = values.len();
    let shortest = SHORTEST.max(n / 20);
    let mut sum = 0.0;
    let mut best = (shortest, 0.0, 0.0);
    for (taken, value) in (1..).zip(values) {
        sum += value;
        if taken < shortest || n - taken < shortest {
            continue;
        }
        let weight = taken as f64 * (n - taken) as f64 / n as f64;
        let size = f64::abs(sum) / weight.sqrt();
        if size > best.1 {
            best = (taken, size, sum);
        }
    }
    let (at, size, sum) = best;
    let (before, after) = (sum / at as f64, -sum / (n - at) as f64);
    let mean = |place: usize| if place < at { before } else { after };
    let left: Vec<f64> = (0..).zip(values).map(|(i, v)| v - mean(i)).collect();
    (at, Fit::of(size, &left, STEP_LEVEL, OF_STEP))
}

/// How well a slope explains the values.
fn trend(values: &[f64]) -> Fit {
    let n = values.len() as f64;
    let place = |i: usize| i as f64 - (n - 1.0) / 2.0;
    let along: f64 = (0..).zip(values).map(|(i, v)| place(i) * v).sum();
    let length = n * (n * n - 1.0) / 12.0;
    let slope = along / length;
    let left: Vec<f64> = (0..)
        .zip(values)
        .map(|(i, v)| v - slope * place(i))
        .collect();
    Fit::of(slope.abs() * length.sqrt(), &left, TREND_LEVEL, OF_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn share_found(n: usize, trials: usize, value: impl Fn(f64, &mut Rng) -> f64) -> f64 {
        let mut rng = Rng::new(17);
        let found = (0..trials).filter(|_| {
            let values: Vec<f64> = (0..n)
                .map(|i| value(i as f64 / n as f64, &mut rng))
                .collect();
            change(&values).is_ok_and(|c| c.is_some())
        });
        found.count() as f64 / trials as f64
    }

    #[test]
    fn a_level_that_stays_is_left_alone() {
        for n in [20, 60, 300] {
            let normal = share_found(n, 400, |_, r| 100.0 + r.normal());
            let skewed = share_found(n, 400, |_, r| (0.5 * r.normal()).exp());
            let ticks = share_found(n, 400, |_, r| r.normal().round());
            for found in [normal, skewed, ticks] {
                assert!(found <= 0.02, "{n}: {found}");
            }
        }
    }

    #[test]
    fn a_few_wild_samples_are_no_level() {
        let mut values: Vec<f64> = (0..60).map(|i| f64::from((i * 37) % 11)).collect();
        assert_eq!(change(&values), Ok(None));
        values[..4].fill(500.0);
        assert_eq!(change(&values), Ok(None));
    }

    #[test]
    fn what_wanders_slowly_is_seldom_taken_for_a_change() {
        for (n, most) in [(30, 0.18), (60, 0.18), (300, 0.14)] {
            let wandered = std::cell::Cell::new(0.0);
            let found = share_found(n, 400, |at, r| {
                let kept = if at == 0.0 {
                    r.normal()
                } else {
                    0.99 * wandered.get()
                };
                wandered.set(kept + (1.0 - 0.99f64.powi(2)).sqrt() * r.normal());
                wandered.get()
            });
            assert!(found <= most, "{n}: {found}");
        }
    }

    #[test]
    fn a_change_of_many_times_the_noise_is_found_though_the_noise_wanders() {
        let wandered = std::cell::Cell::new(0.0);
        let found = share_found(60, 200, |at, r| {
            let fresh = (1.0 - 0.7f64.powi(2)).sqrt() * r.normal();
            wandered.set(0.7 * wandered.get() + fresh);
            let level = if at < 25.0 / 60.0 { 1.3 } else { 1.0 };
            level * (1.0 + 0.02 * wandered.get())
        });
        // On ranks: 60 %.
        assert!(found >= 0.75, "{found}");
    }

    #[test]
    fn steps_drifts_and_warm_ups_are_found() {
        type Shape = fn(f64, &mut Rng) -> f64;
        let shapes: [(&str, Shape); 4] = [
            ("drift of 3 %", |t, r| 1.0 + 0.03 * t + 0.01 * r.normal()),
            ("drift of 10 %", |t, r| 1.0 + 0.1 * t + 0.02 * r.normal()),
            ("step of 4 %", |t, r| {
                1.0 + if t > 0.5 { 0.04 } else { 0.0 } + 0.01 * r.normal()
            }),
            ("25 of 60 slower by 30 %", |t, r| {
                1.0 + if t < 25.0 / 60.0 { 0.3 } else { 0.0 } + 0.03 * r.normal()
            }),
        ];
        for (what, shape) in shapes {
            let found = share_found(60, 200, shape);
            assert!(found >= 0.95, "{what}: {found}");
        }
    }

    #[test]
    fn the_place_and_the_levels_are_told() {
        let noise = |i: usize| f64::from(u32::try_from((i * 37) % 11).unwrap()) / 10.0;
        let stepped: Vec<f64> = (0..60)
            .map(|i| noise(i) + if i < 25 { 130.0 } else { 100.0 })
            .collect();
        let found = change(&stepped).unwrap().expect("a step");
        assert_eq!(found.kind, ChangeKind::Step { before: 25 });
        assert!((found.share() + 0.23).abs() < 0.005, "{found:?}");
        let rising: Vec<f64> = (0..60).map(|i| 100.0 + noise(i) + i as f64 / 6.0).collect();
        let found = change(&rising).unwrap().expect("a trend");
        assert_eq!(found.kind, ChangeKind::Trend);
        assert!((found.share() - 0.098).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn too_few_and_equal_values_say_nothing() {
        let step: Vec<f64> = (0..19).map(|i| if i < 9 { 1.0 } else { 2.0 }).collect();
        assert_eq!(change(&step), Ok(None));
        assert_eq!(change(&[3.0; 40]), Ok(None));
        // Quantiles between equal values that come out in the wrong order.
        let alike = f64::from_bits(0x4058_301a_9c00_0003);
        for n in 20..200 {
            for value in [alike, 96.751_624_187_906_06, 0.1, 1.0 / 3.0] {
                assert_eq!(change(&vec![value; n]), Ok(None), "{n} of {value}");
            }
        }
        assert!(change(&[]).is_err());
        assert!(change(&[f64::NAN; 30]).is_err());
    }
}
