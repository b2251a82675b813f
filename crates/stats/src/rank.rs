//! Rank tests: Wilcoxon's signed-rank test and the Mann-Whitney test.
//!
//! Small samples get the exact distribution given the ranks as they are, ties
//! included (counting over doubled mid-ranks, which are whole numbers); large
//! ones the normal approximation with the correction for ties and half a step
//! for continuity.

use crate::error::{StatsError, check};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// Most values of an exact signed-rank test.
pub const EXACT_SIGNED: usize = 50;
/// Most values, both samples together, of an exact Mann-Whitney test.
pub const EXACT_TWO_SAMPLES: usize = 40;

/// Outcome of a two-sided test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RankTest {
    /// Sum of the ranks of the positive differences, or Mann-Whitney's U of
    /// the first sample.
    pub statistic: f64,
    /// Two-sided.
    pub p: f64,
    /// Values that took part.
    pub n: usize,
    pub exact: bool,
}

/// Wilcoxon's test that differences are symmetric around zero. Zeros say
/// nothing and are left out, as Wilcoxon did; with nothing left p is 1.
///
/// # Errors
/// Empty or non-finite differences.
pub fn signed_rank(differences: &[f64]) -> Result<RankTest, StatsError> {
    check("a signed-rank test", differences)?;
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranks = doubled_ranks(&sizes);
    let positive: u64 = ranks
        .iter()
        .zip(&kept)
        .filter(|(_, d)| **d > 0.0)
        .map(|(r, _)| r)
        .sum();
    let exact = kept.len() <= EXACT_SIGNED;
    let p = if exact {
        two_sided(&subset_sums(&ranks), positive)
    } else {
        // The doubled statistic has twice the mean and four times the variance.
        let mean = ranks.iter().sum::<u64>() as f64 / 2.0;
        let squares: f64 = ranks.iter().map(|r| (*r as f64).powi(2)).sum();
        normal_p(positive as f64, mean, squares / 4.0, 1.0)
    };
    Ok(RankTest {
        statistic: positive as f64 / 2.0,
        p,
        n: kept.len(),
        exact,
    })
}

/// Mann and Whitney's test that two independent samples come from the same
/// distribution.
///
/// # Errors
/// An empty sample or non-finite values.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Result<RankTest, StatsError> {
    check("a Mann-Whitney test", a)?;
    check("a Mann-Whitney test", b)?;
    let both = [a, b].concat();
    let ranks = doubled_ranks(&both);
    let sum: u64 = ranks[..a.len()].iter().sum();
    let (m, n) = (a.len() as f64, b.len() as f64);
    let exact = both.len() <= EXACT_TWO_SAMPLES;
    let p = if exact {
        two_sided(&sums_of_subsets(&ranks, a.len()), sum)
    } else {
        let total = m + n;
        let mean = ranks.iter().sum::<u64>() as f64 / total;
        let spread: f64 = ranks.iter().map(|r| (*r as f64 - mean).powi(2)).sum();
        // Sum of m draws without replacement from the ranks.
        let variance = m * n / (total * (total - 1.0)) * spread;
        normal_p(sum as f64, m * mean, variance, 1.0)
    };
    Ok(RankTest {
        statistic: sum as f64 / 2.0 - m * (m + 1.0) / 2.0,
        p,
        n: both.len(),
        exact,
    })
}

/// Twice the mid-rank of each value, ranks from 1.
fn doubled_ranks(values: &[f64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let tied = order[start..]
            .iter()
            .take_while(|i| values[**i] == values[order[start]])
            .count();
        for i in &order[start..start + tied] {
            ranks[*i] = (2 * start + tied + 1) as u64;
        }
        start += tied;
    }
    ranks
}

/// Of a sum in a table of all of them, which few ranks have.
fn place(sum: u64) -> usize {
    usize::try_from(sum).unwrap_or(usize::MAX)
}

/// Probability of each sum when every rank is in or out by a fair coin.
pub(crate) fn subset_sums(ranks: &[u64]) -> Vec<f64> {
    let total: u64 = ranks.iter().sum();
    let mut chance = vec![0.0; place(total) + 1];
    chance[0] = 1.0;
    for rank in ranks {
        for sum in (0..chance.len()).rev() {
            let with = sum
                .checked_sub(place(*rank))
                .map_or(0.0, |rest| chance[rest]);
            chance[sum] = (chance[sum] + with) / 2.0;
        }
    }
    chance
}

/// Probability of each sum of `size` of the ranks, all choices equally likely.
fn sums_of_subsets(ranks: &[u64], size: usize) -> Vec<f64> {
    let total = place(ranks.iter().sum());
    let mut ways = vec![vec![0.0; total + 1]; size + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        let rank = place(*rank);
        for taken in (1..=size).rev() {
            for sum in (rank..=total).rev() {
                ways[taken][sum] += ways[taken - 1][sum - rank];
            }
        }
    }
    let all: f64 = ways[size].iter().sum();
    ways[size].iter().map(|w| w / all).collect()
}

/// Twice the smaller tail at `seen`, at most 1.
fn two_sided(chance: &[f64], seen: u64) -> f64 {
    let seen = place(seen);
    let below: f64 = chance[..=seen].iter().sum();
    let above: f64 = chance[seen..].iter().sum();
    (2.0 * below.min(above)).min(1.0)
}

fn normal_p(seen: f64, mean: f64, variance: f64, half_step: f64) -> f64 {
    let distance = ((seen - mean).abs() - half_step).max(0.0);
    if variance <= 0.0 {
        return 1.0;
    }
    let standard = Normal::new(0.0, 1.0).map(|n| n.sf(distance / variance.sqrt()));
    standard.map_or(1.0, |tail| (2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p_signed(differences: &[f64]) -> f64 {
        signed_rank(differences).expect("finite differences").p
    }

    #[test]
    fn signed_rank_matches_the_tables() {
        // All of n positive: 2 / 2^n.
        assert!((p_signed(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 0.0625).abs() < 1e-12);
        // n = 10, T = 8 is the 5 % critical value: P = 0.0488 two-sided.
        let t8: Vec<f64> = (1..=10)
            .map(|i| if i == 8 { -8.0 } else { f64::from(i) })
            .collect();
        assert!(
            (p_signed(&t8) - 0.048_828_125).abs() < 1e-12,
            "{}",
            p_signed(&t8)
        );
        let t9: Vec<f64> = (1..=10)
            .map(|i| if i == 9 { -9.0 } else { f64::from(i) })
            .collect();
        assert!(p_signed(&t9) > 0.05);
    }

    #[test]
    fn zeros_say_nothing_and_ties_share_ranks() {
        assert_eq!(p_signed(&[0.0, 0.0]), 1.0);
        let tied = signed_rank(&[1.0, 1.0, -1.0, 0.0, 2.0]).expect("finite differences");
        // Ranks 2 2 2 4: W+ = 8 of 10; the sum is 8 or more in 4 of 16 cases.
        assert_eq!((tied.statistic, tied.n, tied.exact), (8.0, 4, true));
        assert!((tied.p - 0.5).abs() < 1e-12, "{}", tied.p);
    }

    #[test]
    fn exact_and_normal_meet() {
        let value = |i: u32| {
            if i.is_multiple_of(3) {
                -f64::from(i)
            } else {
                f64::from(i) * 1.01
            }
        };
        let at_limit: Vec<f64> = (1..=50).map(value).collect();
        let beyond: Vec<f64> = (1..=51).map(value).collect();
        assert!(signed_rank(&at_limit).is_ok_and(|t| t.exact));
        let normal = signed_rank(&beyond).expect("finite differences");
        assert!(!normal.exact);
        let chance = subset_sums(&(1..=51).map(|r| 2 * r).collect::<Vec<u64>>());
        let exact = two_sided(&chance, (2.0 * normal.statistic) as u64);
        assert!((exact - normal.p).abs() < 0.001, "{exact} {}", normal.p);
    }

    #[test]
    fn mann_whitney_matches_the_tables() {
        // Complete separation of 4 and 5: 2 / C(9, 4).
        let low = [1.0, 2.0, 3.0, 4.0];
        let high = [5.0, 6.0, 7.0, 8.0, 9.0];
        let test = mann_whitney(&low, &high).expect("finite values");
        assert_eq!((test.statistic, test.exact), (0.0, true));
        assert!((test.p - 2.0 / 126.0).abs() < 1e-12);
        // U = 23 is the 5 % critical value for 10 and 10 (0.0433), 24 is not.
        let a: Vec<f64> = (0..10).map(f64::from).collect();
        let shifted = |by: f64| -> Vec<f64> { (0..10).map(|i| f64::from(i) + by).collect() };
        let test = mann_whitney(&a, &shifted(3.5)).expect("finite values");
        assert_eq!(test.statistic, 21.0);
        assert!((0.02..0.0433).contains(&test.p), "{}", test.p);
    }

    #[test]
    fn large_samples_with_ties() {
        let a: Vec<f64> = (0..60).map(|i| f64::from(i % 7)).collect();
        let same = mann_whitney(&a, &a).expect("finite values");
        assert!(!same.exact && same.p > 0.99, "{same:?}");
        let b: Vec<f64> = a.iter().map(|v| v + 2.0).collect();
        assert!(mann_whitney(&a, &b).is_ok_and(|t| t.p < 1e-5));
        assert_eq!(mann_whitney(&[1.0; 30], &[1.0; 30]).map(|t| t.p), Ok(1.0));
    }
}
