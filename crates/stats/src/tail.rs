//! A far quantile with its interval from two order statistics.
//!
//! How many of n samples lie above the true quantile p is binomial with
//! probability 1 - p, whatever the distribution. Counted from the largest
//! sample, x(j) lies above the quantile unless fewer than j samples do, and
//! below it unless j or more do. Close to the end the samples do not reach:
//! where even the largest may well lie below the quantile, the interval is
//! open above, and says so instead of ending at the largest sample.

use crate::error::{StatsError, sorted};
use crate::interval::{Interval, Method};
use crate::quantile::quantile_sorted;
use crate::whole::whole_index;
use serde::{Deserialize, Serialize};

/// Quantile `p` of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    pub p: f64,
    /// Centre: definition 7 of Hyndman and Fan, as every quantile here. Lower end: the
    /// smallest sample where there are too few for one. Upper end: infinite where the
    /// samples do not say how far the quantile may lie above them.
    #[serde(flatten)]
    pub value: Interval,
}

/// Fewest samples with an upper end at `level`: the first n with
/// p^n <= (1 - level) / 2. 368 for p = 0.99, 3688 for p = 0.999 at 95 %.
pub fn fewest_for_upper_end(p: f64, level: f64) -> usize {
    let wanted = ((1.0 - level) / 2.0).ln() / p.ln();
    whole_index(wanted.ceil().max(1.0))
}

/// Quantile `p` of values that are worth `effective` independent ones
/// ([`mod@crate::dependence`]), with its interval at `level`. The ranks are those of so many:
/// each stands for as many of the values as one of them is worth.
///
/// # Errors
/// Empty or non-finite values, `p` or `level` outside 0..1, `effective` not above 0.
pub fn tail_interval(
    values: &[f64],
    p: f64,
    level: f64,
    effective: f64,
) -> Result<Tail, StatsError> {
    const WHAT: &str = "an interval of a quantile";
    let sorted = sorted(WHAT, values)?;
    let positive = effective > 0.0;
    if !positive {
        let value = effective;
        return Err(StatsError::OutOfRange { what: WHAT, value });
    }
    for value in [p, level] {
        if !(value > 0.0 && value < 1.0) {
            return Err(StatsError::OutOfRange { what: WHAT, value });
        }
    }
    let center = quantile_sorted(&sorted, p).ok_or(StatsError::Empty { what: WHAT })?;
    let n = sorted.len();
    let worth = whole_index(effective.floor()).clamp(1, n);
    let ranks = Ranks::of(worth, 1.0 - p, (1.0 - level) / 2.0);
    // Outwards: the first of the values that a rank stands for above, the last below.
    let above = |rank: usize| 1 + (rank - 1) * n / worth;
    let below = |rank: usize| (rank * n).div_ceil(worth).min(n);
    let from_the_top = |rank: usize| sorted[n - rank];
    Ok(Tail {
        p,
        value: Interval {
            center,
            low: from_the_top(below(ranks.low.min(worth))).min(center),
            high: match ranks.high {
                0 => f64::INFINITY,
                rank => from_the_top(above(rank)).max(center),
            },
            level: 1.0 - ranks.missed,
            method: Method::OrderStatistic,
            degrees: None,
        },
    })
}

/// Ends of the interval, counted from the largest sample as 1.
struct Ranks {
    /// 0: none.
    high: usize,
    low: usize,
    /// Probability that the quantile lies outside.
    missed: f64,
}

impl Ranks {
    /// `above`: probability that a sample lies above the quantile; `tail`: what
    /// may be missed on each side.
    fn of(n: usize, above: f64, tail: f64) -> Ranks {
        let count = n as f64;
        let odds = (above / (1.0 - above)).ln();
        // ln P(Bin = k), stepped: the probabilities themselves underflow.
        let mut ln_term = count * (1.0 - above).ln();
        let (mut below, mut high, mut over) = (0.0, 0, 0.0);
        for k in 0..=n {
            below += ln_term.exp();
            if below <= tail {
                (high, over) = (k + 1, below);
            }
            if below >= 1.0 - tail {
                return Ranks {
                    high,
                    low: k + 1,
                    missed: over + (1.0 - below).max(0.0),
                };
            }
            ln_term += ((count - k as f64) / (k as f64 + 1.0)).ln() + odds;
        }
        Ranks {
            high,
            low: n,
            missed: over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::NOMINAL_LEVEL;
    use crate::order::median_ranks;
    use crate::rng::Rng;

    fn counted(n: u32) -> Vec<f64> {
        (1..=n).map(f64::from).collect()
    }

    /// Of independent values.
    fn of_all(values: &[f64], p: f64, level: f64) -> Result<Tail, StatsError> {
        tail_interval(values, p, level, values.len().max(1) as f64)
    }

    #[test]
    fn values_worth_fewer_have_the_ranks_of_so_many() {
        // 500: p99 lies between the 2nd and the 12th from the top with 97 %.
        let independent = of_all(&counted(500), 0.99, NOMINAL_LEVEL).expect("counted");
        assert_eq!(
            (independent.value.low, independent.value.high),
            (490.0, 500.0)
        );
        let repeated = tail_interval(&counted(2000), 0.99, NOMINAL_LEVEL, 500.0).expect("counted");
        assert_eq!((repeated.value.low, repeated.value.high), (1957.0, 2000.0));
        let few = tail_interval(&counted(2000), 0.99, NOMINAL_LEVEL, 300.0).expect("counted");
        assert_eq!(few.value.high, f64::INFINITY);
        assert!(tail_interval(&counted(20), 0.9, NOMINAL_LEVEL, 0.0).is_err());
    }

    #[test]
    fn tails_of_samples_that_lean_on_each_other_are_covered() {
        let mut rng = Rng::new(9);
        let hits = (0..200).filter(|_| {
            let mut x = rng.normal();
            let step = (1.0f64 - 0.49).sqrt();
            let next = |_| {
                x = 0.7 * x + step * rng.normal();
                x
            };
            let values: Vec<f64> = (0..4000).map(next).collect();
            let worth = crate::dependence(&values).expect("finite").effective();
            let got = tail_interval(&values, 0.99, NOMINAL_LEVEL, worth).expect("finite");
            got.value.contains(2.326_347_874)
        });
        let share = hits.count() as f64 / 200.0;
        assert!(share >= 0.93, "{share}");
    }

    #[test]
    fn at_one_half_the_ranks_are_those_of_the_median() {
        for n in [6, 9, 20, 30, 100, 1001] {
            let (rank, level) = median_ranks(n as usize, NOMINAL_LEVEL);
            let got = of_all(&counted(n), 0.5, NOMINAL_LEVEL).expect("counted");
            assert_eq!(got.value.low, rank as f64, "{n}");
            assert_eq!(got.value.high, f64::from(n) + 1.0 - rank as f64, "{n}");
            assert!((got.value.level - level).abs() < 1e-9, "{n}");
        }
    }

    #[test]
    fn the_upper_end_is_open_until_there_are_samples_enough() {
        assert_eq!(fewest_for_upper_end(0.99, NOMINAL_LEVEL), 368);
        assert_eq!(fewest_for_upper_end(0.999, NOMINAL_LEVEL), 3688);
        for (p, n) in [(0.99, 368), (0.999, 3688)] {
            let one_less = of_all(&counted(n - 1), p, NOMINAL_LEVEL).expect("counted");
            assert_eq!(one_less.value.high, f64::INFINITY);
            let enough = of_all(&counted(n), p, NOMINAL_LEVEL).expect("counted");
            assert_eq!(enough.value.high, f64::from(n));
        }
    }

    #[test]
    fn few_samples_reach_down_to_the_smallest_only_where_they_must() {
        // P(no sample of 1000 above p99.9) = 0.368; 4 or more: 0.0189.
        let got = of_all(&counted(1000), 0.999, NOMINAL_LEVEL).expect("counted");
        assert_eq!((got.value.low, got.value.high), (997.0, f64::INFINITY));
        assert!((got.value.level - 0.981).abs() < 1e-3, "{got:?}");
        assert!((got.value.center - 999.001).abs() < 1e-9);
        let two = of_all(&[1.0, 2.0], 0.5, NOMINAL_LEVEL).expect("two");
        assert_eq!((two.value.low, two.value.high), (1.0, f64::INFINITY));
    }

    #[test]
    fn a_million_samples_do_not_underflow() {
        let got = of_all(&counted(1_000_000), 0.999, NOMINAL_LEVEL).expect("counted");
        // 1000 -+ 1.96 sqrt(999) samples above.
        assert!((got.value.low - 998_937.0).abs() <= 2.0, "{got:?}");
        let high = got.value.high;
        assert!((high - 999_062.0).abs() <= 2.0, "{got:?}");
        assert!((0.95..0.953).contains(&got.value.level), "{got:?}");
    }

    /// Share of trials whose interval holds the true quantile.
    fn coverage(n: usize, p: f64, truth: f64, draw: fn(&mut Rng) -> f64) -> f64 {
        let mut rng = Rng::new(3);
        let hits = (0..500)
            .filter(|_| {
                let values: Vec<f64> = (0..n).map(|_| draw(&mut rng)).collect();
                let got = of_all(&values, p, NOMINAL_LEVEL).expect("finite");
                got.value.low <= truth && truth <= got.value.high
            })
            .count();
        hits as f64 / 500.0
    }

    #[test]
    fn coverage_of_known_tails() {
        // Lognormal, sd 0.5: exp(0.5 z). Pareto with exponent 1.5: mean, no variance.
        let lognormal = |rng: &mut Rng| (0.5 * rng.normal()).exp();
        let pareto = |rng: &mut Rng| (1.0 - rng.uniform()).powf(-1.0 / 1.5);
        let z99 = 2.326_347_874_f64;
        for (n, p, truth, draw) in [
            (
                500,
                0.99,
                (0.5 * z99).exp(),
                lognormal as fn(&mut Rng) -> f64,
            ),
            (4000, 0.999, (0.5 * 3.090_232_306_f64).exp(), lognormal),
            (500, 0.99, 0.01f64.powf(-1.0 / 1.5), pareto),
            (4000, 0.999, 0.001f64.powf(-1.0 / 1.5), pareto),
        ] {
            let got = coverage(n, p, truth, draw);
            assert!((0.94..=0.99).contains(&got), "n = {n}, p = {p}: {got}");
        }
    }

    #[test]
    fn unfit_input_is_named() {
        assert!(matches!(
            of_all(&[], 0.99, 0.95),
            Err(StatsError::Empty { .. })
        ));
        assert!(matches!(
            of_all(&[2.0, f64::NAN], 0.99, 0.95),
            Err(StatsError::NotFinite { index: 1, .. })
        ));
        assert!(of_all(&[1.0], 1.0, 0.95).is_err());
        assert!(of_all(&[1.0], 0.9, f64::NAN).is_err());
    }
}
