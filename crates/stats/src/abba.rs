//! Comparing A with B in blocks A B B A, or B A A B, over processes that are started afresh.
//!
//! A drift that is linear over a block adds as much to the two A as to the two B and cancels;
//! A..AB..B under the same drift would be a difference that is not there. The blocks are the
//! independent units: the estimate is Hodges and Lehmann's centre of their differences, the test
//! Wilcoxon's (`flips`).

use crate::error::{StatsError, check};
use crate::interval::{Interval, Method};
use crate::quantile::{mean, median_sorted, variance};
use crate::student::student_t;
use serde::{Deserialize, Serialize};

/// One block: what each side measured, in the order in which it did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Abba {
    pub a: [f64; 2],
    pub b: [f64; 2],
}

impl Abba {
    /// ln(B / A), the means of the logarithms of both sides; None of values that are not above
    /// zero.
    pub fn log_ratio(&self) -> Option<f64> {
        let log = |side: [f64; 2]| f64::midpoint(side[0].ln(), side[1].ln());
        let ratio = log(self.b) - log(self.a);
        ratio.is_finite().then_some(ratio)
    }
}

/// Pairwise means of differences (Walsh averages), sorted.
pub(crate) struct Walsh(Vec<f64>);

impl Walsh {
    /// Of differences.
    ///
    /// # Errors
    /// None, or some that are not finite.
    pub fn of(differences: &[f64]) -> Result<Walsh, StatsError> {
        check("a paired difference", differences)?;
        let n = differences.len();
        let mut all = Vec::with_capacity(n * (n + 1) / 2);
        for (i, a) in differences.iter().enumerate() {
            all.extend(differences[i..].iter().map(|b| f64::midpoint(*a, *b)));
        }
        all.sort_unstable_by(f64::total_cmp);
        Ok(Walsh(all))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Hodges and Lehmann's estimate of the centre.
    pub fn center(&self) -> f64 {
        median_sorted(&self.0).unwrap_or(f64::NAN)
    }

    /// The centre between the averages of which so many are left out at each end; None where
    /// none are left.
    pub fn between(&self, left_out: usize, level: f64) -> Option<Interval> {
        let last = self.len().checked_sub(1 + left_out)?;
        (left_out <= last).then(|| Interval {
            center: self.center(),
            low: self.0[left_out],
            high: self.0[last],
            level,
            method: Method::SignedRank,
            degrees: None,
        })
    }
}

/// The mean of few differences, by Student's t: where there are too few for ranks.
///
/// # Errors
/// Fewer than two, or some that are not finite.
pub fn mean_difference(differences: &[f64], level: f64) -> Result<Interval, StatsError> {
    let (center, spread) = (mean(differences)?, variance(differences)?);
    let n = differences.len() as f64;
    let half = student_t(level, n - 1.0) * (spread / n).sqrt();
    Ok(Interval {
        center,
        low: center - half,
        high: center + half,
        level,
        method: Method::PairedT,
        degrees: Some(n - 1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_drift_cancels_in_either_order() {
        let drift = |at: f64| (0.03 * at).exp();
        let first = Abba {
            a: [drift(0.0), drift(3.0)],
            b: [drift(1.0), drift(2.0)],
        };
        let second = Abba {
            a: [drift(1.0), drift(2.0)],
            b: [drift(0.0), drift(3.0)],
        };
        for block in [first, second] {
            assert!(block.log_ratio().expect("positive").abs() < 1e-12);
        }
        let twice = Abba {
            b: first.b.map(|b| 2.0 * b),
            ..first
        };
        assert!((twice.log_ratio().expect("positive") - 2f64.ln()).abs() < 1e-12);
        let none = Abba {
            a: [0.0, 1.0],
            ..first
        };
        assert_eq!(none.log_ratio(), None);
    }

    #[test]
    fn the_centre_is_the_median_of_pairwise_means() {
        let walsh = Walsh::of(&[1.0, 2.0, 6.0]).expect("three");
        // 1, 1.5, 2, 3.5, 4, 6.
        assert_eq!((walsh.len(), walsh.center()), (6, 2.75));
        let inner = walsh.between(1, 0.5).expect("four left");
        assert_eq!((inner.low, inner.high), (1.5, 4.0));
        assert!(walsh.between(3, 0.5).is_none());
        assert!(Walsh::of(&[f64::NAN]).is_err() && Walsh::of(&[]).is_err());
    }

    #[test]
    fn few_blocks_have_an_interval_by_t() {
        let mut rng = Rng::new(9);
        let hits = (0..1000)
            .filter(|_| {
                let blocks: Vec<f64> = (0..4).map(|_| 0.02 + 0.01 * rng.normal()).collect();
                mean_difference(&blocks, 0.95).is_ok_and(|i| i.contains(0.02))
            })
            .count();
        assert!((930..=970).contains(&hits), "{hits} of 1000");
        assert!(mean_difference(&[1.0], 0.95).is_err());
    }
}
