//! Intervals of many points that few processes measured.
//!
//! Two or three process medians hardly know their own spread: Student's t pays
//! for that with 9 or 2.5 standard deviations to each side. But the points of
//! one experiment are measured alike, so their spreads are draws from one
//! distribution, and each point may borrow from the others what it cannot know
//! alone. The distribution of the variances is taken to be a scaled inverse
//! chi-square; how much is borrowed follows from how much the variances differ
//! beyond chance. Where they differ wildly (a few points at the edge of a
//! shared cache among many calm ones) hardly anything is.
//!
//! Source: G. K. Smyth, "Linear models and empirical Bayes methods for
//! assessing differential expression in microarray experiments", 2004.

use crate::error::StatsError;
use crate::family::Deviation;
use crate::interval::{Interval, Method};
use crate::processes::{multiply, process_interval};
use crate::quantile::{mean, median, median_sorted, variance};
use crate::student::student_t;
use statrs::function::gamma::digamma;

/// Points with several processes that a common prior needs.
pub const FEWEST_POINTS: usize = 8;

/// A variance below this share of the median one counts as this: equal medians
/// are the clock's rounding, and the logarithm of zero is no number.
const LEAST_OF_MEDIAN: f64 = 1e-3;

/// Processes that differ by less than this share of the variance of others, a thousandth of
/// their standard deviation, are not like them: by chance that is one point in a million, of
/// three processes.
const UNLIKE: f64 = 1e-6;

/// Largest argument of trigamma that is looked for.
const FLATTEST: f64 = 1e6;

/// What the spreads of many points say about the spread of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadPrior {
    /// Variance between processes, of logarithms.
    pub variance: f64,
    /// Weight of that variance, in degrees of freedom: at most as many as the points that it
    /// was found from have together.
    pub degrees: f64,
}

impl SpreadPrior {
    /// From points, each a list of processes, each a list of samples. Points
    /// with fewer than two processes, or whose medians do not differ by a share, are
    /// left out. None where fewer than eight points are left, or all agree
    /// exactly.
    pub fn fit(points: impl IntoIterator<Item = impl AsRef<[Vec<f64>]>>) -> Option<SpreadPrior> {
        let points = points.into_iter();
        let spreads: Vec<Spread> = points.filter_map(|p| Spread::of(p.as_ref())).collect();
        Self::fit_spreads(&spreads)
    }

    fn fit_spreads(spreads: &[Spread]) -> Option<SpreadPrior> {
        if spreads.len() < FEWEST_POINTS {
            return None;
        }
        let variances: Vec<f64> = spreads.iter().map(|s| s.variance).collect();
        let typical = median(&variances).ok().filter(|v| *v > 0.0)?;
        let least = LEAST_OF_MEDIAN * typical;
        // Logarithms of the variances, freed of what chance does to variances
        // of so few degrees of freedom.
        let logs: Vec<f64> = spreads
            .iter()
            .map(|s| {
                let half = s.degrees / 2.0;
                s.variance.max(least).ln() - digamma(half) + half.ln()
            })
            .collect();
        let by_chance: Vec<f64> = spreads.iter().map(|s| trigamma(s.degrees / 2.0)).collect();
        let excess = variance(&logs).ok()? - mean(&by_chance).ok()?;
        let center = mean(&logs).ok()?;
        let known: f64 = spreads.iter().map(|s| s.degrees).sum();
        if excess <= 0.0 {
            return Some(SpreadPrior {
                variance: center.exp(),
                degrees: known,
            });
        }
        let half = trigamma_inverse(excess);
        Some(SpreadPrior {
            variance: (center + digamma(half) - half.ln()).exp(),
            degrees: (2.0 * half).min(known),
        })
    }

    /// How processes of a point differ that showed these, each a list of samples: their own
    /// variance and this one, weighted. None of fewer than two, or of values that do not differ
    /// by a share of themselves.
    pub fn of(&self, processes: &[Vec<f64>]) -> Option<Deviation> {
        let (variance, degrees) = self.moderate(&Spread::of(processes)?);
        Some(Deviation { variance, degrees })
    }

    /// Whether a point's processes, each a list of samples, agree so well that it cannot be like
    /// the points this is of. Equal medians do not say so: a clock may have rounded them.
    pub fn is_contradicted_by(&self, processes: &[Vec<f64>]) -> bool {
        let own = Spread::of(processes).map_or(0.0, |spread| spread.variance);
        own > 0.0 && own < UNLIKE * self.variance
    }

    /// Variance and degrees of freedom of a point that showed `spread`.
    fn moderate(&self, spread: &Spread) -> (f64, f64) {
        let degrees = self.degrees + spread.degrees;
        let sum = self.degrees * self.variance + spread.degrees * spread.variance;
        (sum / degrees, degrees)
    }
}

/// The interval of the median of one process as one of the next process's median:
/// `within` says how its own samples vary, `spread` how processes differ, and both add as
/// independent errors of the logarithm. A single process cannot know the second, so its
/// interval is never narrower than that of several that differ as usual.
///
/// A median that is not above 0 keeps its own scale, so that nothing is estimated on
/// logarithms that can be 0 or negative.
pub fn one_process_interval(within: Interval, spread: &SpreadPrior) -> Interval {
    let between = student_t(within.level, spread.degrees) * spread.variance.sqrt();
    let Interval {
        center, low, high, ..
    } = within;
    let (low, high) = match low > 0.0 {
        true => (
            center * (-(center / low).ln().hypot(between)).exp(),
            center * (high / center).ln().hypot(between).exp(),
        ),
        false => {
            let between = between * center.abs();
            (
                center - (center - low).hypot(between),
                center + (high - center).hypot(between),
            )
        }
    };
    Interval {
        low,
        high,
        method: Method::OneProcess,
        degrees: Some(spread.degrees),
        ..within
    }
}

/// How the process medians of a point vary.
struct Spread {
    /// Sorted logarithms of the medians.
    logs: Vec<f64>,
    variance: f64,
    degrees: f64,
}

impl Spread {
    fn of(processes: &[Vec<f64>]) -> Option<Spread> {
        let mut medians = Vec::with_capacity(processes.len());
        for process in processes.iter().filter(|p| !p.is_empty()) {
            medians.push(median(process).ok()?);
        }
        medians.sort_unstable_by(f64::total_cmp);
        if !multiply(&medians) {
            return None;
        }
        let logs: Vec<f64> = medians.iter().map(|m| m.ln()).collect();
        let variance = variance(&logs).ok().filter(|_| logs.len() >= 2)?;
        Some(Spread {
            degrees: logs.len() as f64 - 1.0,
            variance,
            logs,
        })
    }
}

/// `process_interval` of one of several points that share `prior`. Two to five
/// processes borrow their spread from it; all others, and points whose medians
/// do not differ by a share of themselves, are treated as without a prior.
///
/// # Errors
/// No samples at all, non-finite ones, or a level outside 0..1.
pub fn moderated_interval(
    processes: &[Vec<f64>],
    level: f64,
    prior: Option<&SpreadPrior>,
) -> Result<Interval, StatsError> {
    let alone = process_interval(processes, level)?;
    let (Some(prior), Method::ProcessT) = (prior, alone.method) else {
        return Ok(alone);
    };
    let Some(spread) = Spread::of(processes) else {
        return Ok(alone);
    };
    let (variance, degrees) = prior.moderate(&spread);
    let half = student_t(level, degrees) * (variance / spread.logs.len() as f64).sqrt();
    let middle = mean(&spread.logs)?;
    let center = median_sorted(&spread.logs).unwrap_or(middle).exp();
    Ok(Interval {
        center: alone.center,
        low: (middle - half).exp().min(center).min(alone.center),
        high: (middle + half).exp().max(center).max(alone.center),
        level,
        method: Method::ProcessModeratedT,
        degrees: Some(degrees),
    })
}

/// Second derivative of ln gamma, x > 0: recurrence up to 10, then the
/// asymptotic series (Abramowitz and Stegun 6.4.6, 6.4.12).
fn trigamma(x: f64) -> f64 {
    let mut x = x;
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + 1.0 / x
        + y / 2.0
        + (y / x) * (1.0 / 6.0 + y * (-1.0 / 30.0 + y * (1.0 / 42.0 - y / 30.0)))
}

/// x with trigamma(x) = value > 0; trigamma falls from infinity to 0.
fn trigamma_inverse(value: f64) -> f64 {
    let (mut low, mut high) = (1e-6f64, FLATTEST);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::NOMINAL_LEVEL;
    use crate::rng::Rng;

    #[test]
    fn trigamma_matches_the_tables() {
        let pi_squared = std::f64::consts::PI.powi(2);
        for (x, want) in [
            (0.5, pi_squared / 2.0),
            (1.0, pi_squared / 6.0),
            (1.5, pi_squared / 2.0 - 4.0),
            (2.0, pi_squared / 6.0 - 1.0),
        ] {
            assert!((trigamma(x) - want).abs() < 1e-11, "{x}");
            assert!((trigamma_inverse(want) - x).abs() < 1e-6, "{x}");
        }
    }

    /// Points whose processes differ by `spread(rng)` each (sd of logs).
    fn draw(
        rng: &mut Rng,
        points: usize,
        processes: usize,
        spread: impl Fn(&mut Rng) -> f64,
    ) -> Vec<Vec<Vec<f64>>> {
        (0..points)
            .map(|_| {
                let sd = spread(rng);
                (0..processes)
                    .map(|_| {
                        let shift = sd * rng.normal();
                        let one = |rng: &mut Rng| (shift + 0.001 * rng.normal()).exp();
                        (0..9).map(|_| one(rng)).collect()
                    })
                    .collect()
            })
            .collect()
    }

    /// Share of points whose interval holds the truth, and the mean width.
    fn coverage(processes: usize, spread: impl Fn(&mut Rng) -> f64 + Copy) -> (f64, f64) {
        let mut rng = Rng::new(5);
        let (mut hits, mut widths, mut all) = (0.0, 0.0, 0.0);
        for _ in 0..60 {
            let points = draw(&mut rng, 40, processes, spread);
            let prior = SpreadPrior::fit(&points).expect("forty points");
            for point in &points {
                let got = moderated_interval(point, NOMINAL_LEVEL, Some(&prior)).expect("samples");
                hits += f64::from(u8::from(got.contains(1.0)));
                // One whose processes differ by a factor of three borrows nothing.
                if got.method == Method::ProcessModeratedT {
                    widths += (got.high / got.low).ln();
                }
                all += 1.0;
            }
        }
        (hits / all, widths / all)
    }

    #[test]
    fn equal_spreads_are_learnt_from_two_processes_each() {
        let (hits, width) = coverage(2, |_| 0.02);
        assert!((hits - 0.95).abs() < 0.015, "{hits}");
        // Known spread: 2 x 1.96 x 2 % / sqrt(2) = 5.5 %; t alone: 30 %.
        assert!((0.05..0.07).contains(&width), "{width}");
    }

    #[test]
    fn spreads_that_differ_keep_the_level() {
        // Inverse chi-square with 4 degrees of freedom: what the method takes
        // for granted. Lognormal by a factor 3: what it does not.
        let inverse = |rng: &mut Rng| {
            let chi: f64 = (0..4).map(|_| rng.normal().powi(2)).sum();
            0.02 * (4.0 / chi).sqrt()
        };
        let lognormal = |rng: &mut Rng| 0.02 * (1.1 * rng.normal()).exp();
        for processes in [2, 3] {
            let (hits, _) = coverage(processes, inverse);
            assert!((hits - 0.95).abs() < 0.02, "{processes}: {hits}");
            let (hits, _) = coverage(processes, lognormal);
            assert!(hits > 0.92, "{processes}: {hits}");
        }
    }

    #[test]
    fn wild_points_among_calm_ones_stay_wide() {
        let mut rng = Rng::new(9);
        let mut points = draw(&mut rng, 30, 2, |_| 0.01);
        points.push(vec![vec![14.0; 9], vec![144.0; 9]]);
        let prior = SpreadPrior::fit(&points).expect("points");
        let wild = moderated_interval(&points[30], NOMINAL_LEVEL, Some(&prior)).expect("samples");
        assert!(wild.contains(14.0) && wild.contains(144.0), "{wild:?}");
    }

    #[test]
    fn what_a_clock_keeps_is_unlike_what_the_machine_slows() {
        let prior = SpreadPrior {
            variance: 0.04 * 0.04,
            degrees: 20.0,
        };
        let of = |medians: [f64; 3]| medians.map(|m| vec![m; 5]);
        assert!(prior.is_contradicted_by(&of([4e6, 4e6 + 9.0, 4e6 - 20.0])));
        assert!(!prior.is_contradicted_by(&of([4e6, 4.01e6, 3.99e6])));
        assert!(
            !prior.is_contradicted_by(&of([50.0, 50.0, 50.0])),
            "rounded"
        );
        let mut random = Rng::new(7);
        let mut draw = || -> Vec<Vec<f64>> {
            let one = |random: &mut Rng| vec![(0.04 * random.normal()).exp()];
            (0..3).map(|_| one(&mut random)).collect()
        };
        let seldom = (0..20_000).filter(|_| prior.is_contradicted_by(&draw()));
        assert!(seldom.count() <= 2);
    }

    #[test]
    fn too_few_points_and_one_process_are_left_as_they_were() {
        let mut rng = Rng::new(2);
        let few = draw(&mut rng, 7, 2, |_| 0.02);
        assert_eq!(SpreadPrior::fit(&few), None);
        let same: Vec<Vec<Vec<f64>>> = vec![vec![vec![1.0; 6]; 2]; 10];
        assert_eq!(SpreadPrior::fit(&same), None);
        let prior = SpreadPrior {
            variance: 1e-4,
            degrees: 10.0,
        };
        for processes in [1, 6] {
            let point = &draw(&mut rng, 1, processes, |_| 0.02)[0];
            assert_eq!(
                moderated_interval(point, NOMINAL_LEVEL, Some(&prior)),
                process_interval(point, NOMINAL_LEVEL)
            );
        }
        assert!(moderated_interval(&[], NOMINAL_LEVEL, Some(&prior)).is_err());
        let difference = [vec![-1.0; 6], vec![1.0; 6]];
        let got = moderated_interval(&difference, NOMINAL_LEVEL, Some(&prior)).expect("samples");
        assert_eq!(got.method, Method::ProcessT);
    }
}
