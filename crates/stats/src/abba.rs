//! Comparing A with B inside one run, measured in blocks A B B A.
//!
//! A drift that is linear over a block adds as much to the two A as to the
//! two B and cancels; A..AB..B under the same drift would be a difference that
//! is not there. The blocks are the independent units: the test is Wilcoxon's
//! on their differences, the estimate the Hodges-Lehmann centre with the
//! interval that belongs to that test.

use crate::error::{StatsError, check};
use crate::interval::NOMINAL_LEVEL;
use crate::interval::{Interval, Method};
use crate::quantile::median_sorted;
use crate::rank::{EXACT_SIGNED, RankTest, signed_rank, subset_sums};
use crate::whole::whole_index;
use serde::{Deserialize, Serialize};

/// Fewest blocks that can show a difference at 5 %: 2 / 2^6.
pub const FEWEST_BLOCKS: usize = 6;

/// One block, in the order of measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Abba {
    pub a_first: f64,
    pub b_first: f64,
    pub b_second: f64,
    pub a_second: f64,
}

/// B against A.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// B - A, or B / A from `abba_ratio`.
    pub effect: Interval,
    pub test: RankTest,
}

/// B - A from blocks.
///
/// # Errors
/// No blocks, or non-finite values.
pub fn abba_difference(blocks: &[Abba]) -> Result<Paired, StatsError> {
    let differences: Vec<f64> = blocks
        .iter()
        .map(|b| (b.b_first + b.b_second - b.a_first - b.a_second) / 2.0)
        .collect();
    Ok(Paired {
        effect: hodges_lehmann(&differences)?,
        test: signed_rank(&differences)?,
    })
}

/// B / A from blocks of positive values: the difference of logarithms.
///
/// # Errors
/// No blocks, or values that are not finite and positive.
pub fn abba_ratio(blocks: &[Abba]) -> Result<Paired, StatsError> {
    let logs: Vec<Abba> = blocks
        .iter()
        .map(|b| Abba {
            a_first: b.a_first.ln(),
            b_first: b.b_first.ln(),
            b_second: b.b_second.ln(),
            a_second: b.a_second.ln(),
        })
        .collect();
    let Paired { effect, test } = abba_difference(&logs)?;
    let effect = Interval {
        center: effect.center.exp(),
        low: effect.low.exp(),
        high: effect.high.exp(),
        ..effect
    };
    Ok(Paired { effect, test })
}

/// Median of all pairwise means (Walsh averages) with the interval of the
/// differences that the signed-rank test does not reject.
fn hodges_lehmann(differences: &[f64]) -> Result<Interval, StatsError> {
    check("a paired difference", differences)?;
    let n = differences.len();
    let mut walsh = Vec::with_capacity(n * (n + 1) / 2);
    for (i, a) in differences.iter().enumerate() {
        walsh.extend(differences[i..].iter().map(|b| f64::midpoint(*a, *b)));
    }
    walsh.sort_unstable_by(f64::total_cmp);
    let (cut, level) = walsh_rank(n);
    Ok(Interval {
        center: median_sorted(&walsh).unwrap_or(f64::NAN),
        low: walsh[cut],
        high: walsh[walsh.len() - 1 - cut],
        level,
        method: Method::SignedRank,
        degrees: None,
    })
}

/// How many Walsh averages to leave out at each end, and the level reached.
fn walsh_rank(n: usize) -> (usize, f64) {
    let tail = (1.0 - NOMINAL_LEVEL) / 2.0;
    if n > EXACT_SIGNED {
        let count = n as f64;
        let mean = count * (count + 1.0) / 4.0;
        let sigma = (mean * (2.0 * count + 1.0) / 6.0).sqrt();
        return (whole_index(mean - 1.96 * sigma - 0.5), NOMINAL_LEVEL);
    }
    let ranks: Vec<u64> = (1..=n as u64).collect();
    let chance = subset_sums(&ranks);
    // P(W <= 0) is the level's price for min..max.
    let (mut cut, mut below) = (0, chance[0]);
    while below + chance[cut + 1] <= tail {
        cut += 1;
        below += chance[cut];
    }
    (cut, (1.0 - 2.0 * below).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::mann_whitney;
    use crate::rng::Rng;

    /// Eighty values with noise of 1 % under a drift of 3 % over all of them.
    fn drifting(rng: &mut Rng, effect: f64, is_b: impl Fn(usize) -> bool) -> Vec<f64> {
        (0..80)
            .map(|i| {
                let drift = 0.03 * i as f64 / 79.0;
                let shift = if is_b(i) { effect } else { 0.0 };
                1.0 + drift + shift + 0.01 * rng.normal()
            })
            .collect()
    }

    fn blocks(values: &[f64]) -> Vec<Abba> {
        values
            .chunks_exact(4)
            .map(|c| Abba {
                a_first: c[0],
                b_first: c[1],
                b_second: c[2],
                a_second: c[3],
            })
            .collect()
    }

    fn abba_rate(effect: f64, trials: u32) -> f64 {
        let mut rng = Rng::new(5);
        let hits = (0..trials)
            .filter(|_| {
                let values = drifting(&mut rng, effect, |i| matches!(i % 4, 1 | 2));
                abba_difference(&blocks(&values)).is_ok_and(|p| p.test.p <= 0.05)
            })
            .count();
        hits as f64 / f64::from(trials)
    }

    #[test]
    fn blocks_keep_the_level_under_drift_and_see_half_a_percent() {
        let false_alarms = abba_rate(0.0, 1000);
        assert!((0.03..0.07).contains(&false_alarms), "{false_alarms}");
        let power = abba_rate(0.005, 500);
        assert!((0.45..0.65).contains(&power), "{power}");
    }

    #[test]
    fn one_after_the_other_fails_under_drift() {
        let mut rng = Rng::new(6);
        let alarms = (0..100)
            .filter(|_| {
                let values = drifting(&mut rng, 0.0, |_| false);
                mann_whitney(&values[..40], &values[40..]).is_ok_and(|t| t.p <= 0.05)
            })
            .count();
        assert!(alarms > 95, "{alarms} of 100");
    }

    #[test]
    fn linear_drift_cancels_exactly() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let paired = abba_difference(&blocks(&values)).expect("ten blocks");
        assert_eq!((paired.effect.center, paired.test.p), (0.0, 1.0));
    }

    #[test]
    fn interval_covers_the_effect() {
        let mut rng = Rng::new(8);
        let hits = (0..600)
            .filter(|_| {
                let values = drifting(&mut rng, 0.02, |i| matches!(i % 4, 1 | 2));
                abba_difference(&blocks(&values)).is_ok_and(|p| p.effect.contains(0.02))
            })
            .count();
        assert!(
            (0.93..0.98).contains(&(hits as f64 / 600.0)),
            "{hits} of 600"
        );
    }

    #[test]
    fn levels_of_few_blocks() {
        // min..max of the Walsh averages covers 1 - 2 / 2^n.
        assert_eq!(walsh_rank(1), (0, 0.0));
        assert_eq!(walsh_rank(5), (0, 0.9375));
        assert_eq!(walsh_rank(6), (0, 0.96875));
        assert_eq!(walsh_rank(10).0, 8);
    }

    #[test]
    fn ratios() {
        let block = Abba {
            a_first: 2.0,
            b_first: 6.0,
            b_second: 6.0,
            a_second: 2.0,
        };
        let paired = abba_ratio(&[block; 7]).expect("seven blocks");
        assert!((paired.effect.center - 3.0).abs() < 1e-12);
        let negative = Abba {
            a_first: -1.0,
            ..block
        };
        assert!(abba_ratio(&[negative]).is_err());
    }

    /// The interval is that of the logarithms, as a factor.
    #[test]
    fn a_ratio_has_the_interval_of_its_logarithm() {
        let factors = [1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4];
        let of = |value: fn(f64) -> f64| -> Vec<Abba> {
            let block = |(at, f): (usize, &f64)| {
                let drift = 1.0 + at as f64;
                Abba {
                    a_first: value(drift),
                    b_first: value(drift * f),
                    b_second: value(drift * f),
                    a_second: value(drift),
                }
            };
            factors.iter().enumerate().map(block).collect()
        };
        let ratio = abba_ratio(&of(|v| v)).expect("positive values");
        let logs = abba_difference(&of(f64::ln)).expect("finite values");
        let near = |a: f64, log: f64| assert!((a.ln() - log).abs() < 1e-12, "{a} {log}");
        near(ratio.effect.center, logs.effect.center);
        near(ratio.effect.low, logs.effect.low);
        near(ratio.effect.high, logs.effect.high);
        assert_eq!(ratio.effect.level, logs.effect.level);
        assert!(
            ratio.effect.low > 1.7 && ratio.effect.high < 2.4,
            "{ratio:?}"
        );
        assert!((2.0..2.1).contains(&ratio.effect.center), "{ratio:?}");
    }

    /// Tables of the signed-rank test: of 6 pairs the 21 Walsh averages without any
    /// left out, of 10 all but 8 at each end, at 95.1 %.
    #[test]
    fn as_many_averages_are_left_out_as_the_table_says() {
        assert_eq!(walsh_rank(5).0, 0);
        let near = |found: (usize, f64), cut, level: f64| {
            assert_eq!(found.0, cut);
            assert!((found.1 - level).abs() < 5e-4, "{found:?}");
        };
        near(walsh_rank(6), 0, 1.0 - 2.0 / 64.0);
        near(walsh_rank(10), 8, 0.9512);
        near(walsh_rank(20), 52, 0.9516);
    }

    /// Where the normal approximation counts, against the exact critical values.
    #[test]
    fn of_many_blocks_the_approximation_leaves_out_what_the_exact_test_does() {
        for (n, exact) in [(51, 453), (60, 648), (80, 1211), (100, 1955)] {
            let (cut, level) = walsh_rank(n);
            assert!(exact - 2 <= cut && cut <= exact + 1, "{n}: {cut}");
            assert_eq!(level, NOMINAL_LEVEL);
        }
    }
}
