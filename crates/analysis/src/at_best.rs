//! What the machine can, next to what one gets.
//!
//! Where disturbance only adds, the median says what one gets here and now; it was one to two and a
//! half times what the machine can on a guest with neighbours. Tools that print the best of many
//! report the second, and sink the longer they measure. So both are given: the median, and the
//! time that one sample in twenty keeps, which neither a longer run nor one lucky sample moves.

use serde::{Deserialize, Serialize};
use stats::interval::NOMINAL_LEVEL;
use stats::quantile::quantile_sorted;

/// One sample in twenty is at least so fast.
const SHARE: f64 = 0.05;
/// Samples worth fewer do not know their best twentieth.
const FEWEST: f64 = 18.0;
/// So far above it a sample is as good.
pub const NEAR: f64 = 0.03;

/// The best that the samples of a time show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AtBest {
    /// The 5 % quantile.
    pub value: f64,
    /// The least sample, and where the quantile ends at 97.5 %.
    pub low: f64,
    pub high: f64,
    /// Share of the samples that are within 3 % above it, 0..=1.
    pub share: f64,
}

impl AtBest {
    /// Of values in rising order that are worth `effective` independent ones; None of too few,
    /// and of those that are not above 0.
    pub fn of(sorted: &[f64], effective: f64) -> Option<AtBest> {
        if effective < FEWEST {
            return None;
        }
        let low = *sorted.first()?;
        let value = quantile_sorted(sorted, SHARE).filter(|_| low > 0.0)?;
        // The same from the other side: the number of samples below it is binomial.
        let mirrored: Vec<f64> = sorted.iter().map(|value| -value).collect();
        let tail = stats::tail_interval(&mirrored, 1.0 - SHARE, NOMINAL_LEVEL, effective).ok()?;
        let near = sorted.partition_point(|v| *v <= value * (1.0 + NEAR));
        Some(AtBest {
            value,
            low,
            high: -tail.value.low,
            share: near as f64 / sorted.len() as f64,
        })
    }

    /// How many times as long the median takes.
    pub fn times(&self, median: f64) -> f64 {
        median / self.value
    }
}

#[cfg(test)]
mod tests {
    use super::AtBest;

    #[test]
    fn disturbance_that_only_adds_does_not_move_it() {
        let noise = |i: u32| f64::from((i * 37) % 101) / 1000.0;
        let calm: Vec<f64> = (0..100).map(|i| 100.0 + noise(i)).collect();
        let of = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            AtBest::of(&values, values.len() as f64).expect("enough")
        };
        let alone = of(calm.clone());
        assert!((alone.value - 100.0).abs() < 0.02 && alone.share == 1.0);
        let slow = |(i, v): (u32, f64)| if i % 10 < 7 { 2.0 * v } else { v };
        let shared = of((0..).zip(calm).map(slow).collect());
        assert!((shared.value - 100.0).abs() < 0.1, "{shared:?}");
        assert!((shared.share - 0.3).abs() < 0.02, "{shared:?}");
        assert!(shared.times(200.0) > 1.9);
        assert!(shared.low <= shared.value && shared.value <= shared.high);
    }

    #[test]
    fn few_samples_and_values_around_zero_have_none() {
        assert_eq!(AtBest::of(&[1.0; 10], 10.0), None);
        assert_eq!(AtBest::of(&[1.0; 100], 6.0), None);
        let around: Vec<f64> = (0..40).map(|i| f64::from(i) - 2.0).collect();
        assert_eq!(AtBest::of(&around, 40.0), None);
    }
}
