//! Interval of the median from two order statistics.
//!
//! The number of samples below the true median is binomial with p = 1/2
//! whatever the distribution, so x(i)..x(n+1-i) covers the median with
//! probability 1 - 2 P(Binomial(n, 1/2) <= i - 1). No resampling and no
//! assumption on the shape; only that the samples are independent draws. Samples
//! that are worth fewer ([`mod@crate::dependence`]) have the ranks that leave out as
//! much on each side of so many.

use crate::error::{StatsError, sorted};
use crate::interval::{Interval, Method};
use crate::quantile::median_sorted;
use crate::student::student_t;
use crate::whole::whole_index;

/// Fewest samples whose extremes reach 95 %: 1 - 2 / 2^6 = 96.9 %.
pub const FEWEST_FOR_95: usize = 6;

/// Rank i (from 1) of the lower end and the coverage of x(i)..x(n+1-i): the
/// largest i with P(Binomial(n, 1/2) <= i - 1) <= (1 - level) / 2. Where not
/// even i = 1 reaches the level, i = 1 with the coverage that it has.
pub fn median_ranks(n: usize, level: f64) -> (usize, f64) {
    let tail = (1.0 - level) / 2.0;
    let count = n as f64;
    // ln P(Bin = k), stepped by ln((n - k) / (k + 1)): 2^-n underflows.
    let mut ln_term = -count * std::f64::consts::LN_2;
    let mut below = ln_term.exp();
    let (mut rank, mut reached) = (1, below);
    for k in 0..n / 2 {
        if below > tail {
            break;
        }
        (rank, reached) = (k + 1, below);
        ln_term += ((count - k as f64) / (k as f64 + 1.0)).ln();
        below += ln_term.exp();
    }
    (rank, (1.0 - 2.0 * reached).max(0.0))
}

/// Median with its order-statistic interval at `level` (0.95 usually).
///
/// For fewer than six samples 95 % cannot be had: the interval is min..max
/// and its `level` says what that covers (5: 93.75 %, 2: 50 %, 1: 0).
///
/// # Errors
/// Empty or non-finite values, or a level outside 0..1.
pub fn median_interval(values: &[f64], level: f64) -> Result<Interval, StatsError> {
    let values = sorted("an interval of the median", values)?;
    if !(level > 0.0 && level < 1.0) {
        return Err(StatsError::OutOfRange {
            what: "an interval of the median",
            value: level,
        });
    }
    Ok(interval_of_sorted(&values, level))
}

/// Median of samples that are worth `effective` independent ones, with its interval at
/// `level`: ranks n/2 -+ t sqrt(n tau) / 2 with tau = n / effective, Student's t
/// because tau is an estimate, and never nearer than those of independent samples.
/// Where they are worth fewer than six there is no interval: the method says so, the
/// level is 0, and the ends are the smallest and the largest sample.
///
/// # Errors
/// As `median_interval`; `effective` that is not above 0.
pub fn effective_interval(
    values: &[f64],
    level: f64,
    effective: f64,
) -> Result<Interval, StatsError> {
    let independent = median_interval(values, level)?;
    let positive = effective > 0.0;
    if !positive {
        return Err(StatsError::OutOfRange {
            what: "an interval of the median",
            value: effective,
        });
    }
    let values = sorted("an interval of the median", values)?;
    let n = values.len();
    if n < FEWEST_FOR_95 || effective >= n as f64 {
        return Ok(independent);
    }
    if effective < FEWEST_FOR_95 as f64 {
        return Ok(Interval {
            low: values[0],
            high: values[n - 1],
            level: 0.0,
            method: Method::None,
            ..independent
        });
    }
    let count = n as f64;
    let half = student_t(level, effective - 1.0) * (count * count / effective).sqrt() / 2.0;
    let (nearest, _) = median_ranks(n, level);
    let place = whole_index((count / 2.0 - half).max(0.0)).min(nearest - 1);
    Ok(Interval {
        low: values[place],
        high: values[n - 1 - place],
        level,
        ..independent
    })
}

/// `values` sorted, finite and not empty; `level` inside 0..1.
pub(crate) fn interval_of_sorted(values: &[f64], level: f64) -> Interval {
    let (rank, reached) = median_ranks(values.len(), level);
    Interval {
        center: median_sorted(values).unwrap_or(f64::NAN),
        low: values[rank - 1],
        high: values[values.len() - rank],
        level: reached,
        method: Method::OrderStatistic,
        degrees: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::NOMINAL_LEVEL;
    use crate::rng::Rng;

    #[test]
    fn ranks_match_the_binomial_table() {
        // n, rank, coverage: from exact integer sums of binomial coefficients.
        let table = [
            (1, 1, 0.0),
            (2, 1, 0.5),
            (3, 1, 0.75),
            (5, 1, 0.9375),
            (6, 1, 0.968_75),
            (8, 1, 0.992_187_5),
            (9, 2, 0.960_937_5),
            (10, 2, 0.978_515_625),
            (20, 6, 0.958_610_535),
            (30, 10, 0.957_226_055),
            (100, 40, 0.964_799_800),
        ];
        for (n, rank, coverage) in table {
            let (got_rank, got) = median_ranks(n, NOMINAL_LEVEL);
            assert_eq!(got_rank, rank, "n = {n}");
            assert!((got - coverage).abs() < 1e-8, "n = {n}: {got}");
        }
    }

    #[test]
    fn samples_worth_fewer_have_wider_ends_and_too_few_have_none() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let of = |effective| effective_interval(&values, NOMINAL_LEVEL, effective).expect("finite");
        let ends = |i: Interval| (i.low, i.high);
        assert_eq!(ends(of(100.0)), (39.0, 60.0));
        // A hair fewer: t of 98 degrees, and 50 - 9.97.
        assert_eq!(ends(of(99.0)), (39.0, 60.0));
        // 25: t 2.064 times sqrt(400) / 2 = 20.6.
        assert_eq!(ends(of(25.0)), (29.0, 70.0));
        let none = of(5.9);
        assert_eq!((ends(none), none.level), ((0.0, 99.0), 0.0));
        assert_eq!(none.method, Method::None);
        assert_eq!(none.center, 49.5);
        let few = effective_interval(&values[..5], NOMINAL_LEVEL, 2.0).expect("finite");
        assert_eq!((few.method, few.level), (Method::OrderStatistic, 0.9375));
    }

    #[test]
    fn ranks_agree_with_exact_sums() {
        // Pascal's row in u128 is exact up to n = 120.
        for n in 1..=120usize {
            let mut row = vec![1u128];
            for k in 0..n {
                row.push(row[k] * (n - k) as u128 / (k as u128 + 1));
            }
            let whole = 2f64.powi(i32::try_from(n).expect("at most 120"));
            let (rank, level) = median_ranks(n, NOMINAL_LEVEL);
            let below: u128 = row[..rank].iter().sum();
            assert!(
                (level - (1.0 - 2.0 * below as f64 / whole)).abs() < 1e-9,
                "n = {n}"
            );
            let next: u128 = row[..=rank].iter().sum();
            assert!(
                next as f64 / whole > 0.025 || rank > n / 2,
                "n = {n}: a larger rank fits"
            );
            assert!(
                n < FEWEST_FOR_95 || below as f64 / whole <= 0.025,
                "n = {n}"
            );
        }
    }

    #[test]
    fn large_counts_neither_underflow_nor_run_away() {
        let (rank, level) = median_ranks(100_000, NOMINAL_LEVEL);
        // n/2 - 1.96 sqrt(n)/2 = 49 690.1
        assert!((49_689..=49_692).contains(&rank), "{rank}");
        assert!((0.95..0.951).contains(&level), "{level}");
    }

    #[test]
    fn coverage_on_lognormal_samples() {
        let mut rng = Rng::new(7);
        for n in [6, 10, 30, 100] {
            let trials = 3000;
            let hits = (0..trials)
                .filter(|_| {
                    let values: Vec<f64> = (0..n).map(|_| (0.3 * rng.normal()).exp()).collect();
                    median_interval(&values, NOMINAL_LEVEL).is_ok_and(|i| i.contains(1.0))
                })
                .count();
            let coverage = hits as f64 / f64::from(trials);
            let want = median_ranks(n, NOMINAL_LEVEL).1;
            // Standard error 0.4 points; an off-by-one in the rank moves the
            // coverage by more than 1.5 points for each of these n.
            assert!(
                (coverage - want).abs() < 0.014,
                "n = {n}: {coverage} for {want}"
            );
        }
    }
}
