//! Many numbers in little room: exact count, sum and extremes, quantiles to
//! within 1.6 %, a histogram by powers of two.

use crate::width::{index, whole};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Steps in each doubling.
const STEP_BITS: u32 = 5;
const STEPS: u64 = 1 << STEP_BITS;

/// A distribution of times in ns, or of any other whole numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution {
    /// By size; grows as far as it is needed.
    counts: Vec<u32>,
    /// How many numbers.
    pub count: u64,
    /// Their sum; it saturates.
    pub sum: u64,
    /// The smallest; 0 where there is none.
    pub min: u64,
    /// The largest; 0 where there is none.
    pub max: u64,
    squares: f64,
}

/// A quantile and the interval that holds it with 95 % confidence, were the
/// numbers drawn independently.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The best estimate.
    pub value: f64,
    /// Lower end of the interval; negative infinity where there is none.
    pub low: f64,
    /// Upper end of the interval; infinity where there is none.
    pub high: f64,
}

impl Estimate {
    /// The mean of equal windows, none below 0, and 1.96 standard errors to each side. Windows
    /// are joined until 32 are left at most: neighbours resemble each other.
    pub fn of_windows(windows: &[f64]) -> Option<Estimate> {
        let each = windows.len().div_ceil(32).max(1);
        let joined = windows
            .chunks_exact(each)
            .map(|w| w.iter().sum::<f64>() / each as f64);
        let values: Vec<f64> = joined.collect();
        let count = values.len() as f64;
        let value = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|v| (v - value).powi(2)).sum();
        let half = 1.96 * (squares / (count - 1.0) / count).sqrt();
        (values.len() > 1).then_some(Estimate {
            value,
            low: (value - half).max(0.0),
            high: value + half,
        })
    }

    /// Whether the two intervals lie apart.
    pub fn apart(&self, other: &Estimate) -> bool {
        self.high < other.low || other.high < self.low
    }
}

#[inline]
fn place(value: u64) -> usize {
    if value < STEPS {
        return index(value);
    }
    let octave = 63 - value.leading_zeros() - STEP_BITS;
    index(u64::from(octave) * STEPS + (value >> octave))
}

/// The least number of a place, and the least of the next.
fn bounds(place: usize) -> (u64, u64) {
    let place = place as u64;
    if place < 2 * STEPS {
        return (place, place + 1);
    }
    let octave = place / STEPS - 1;
    let low = (STEPS + place % STEPS) << octave;
    (low, low.saturating_add(1 << octave))
}

impl Distribution {
    /// Counts one number.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let place = place(value);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] = self.counts[place].saturating_add(1);
        if self.count == 0 || value < self.min {
            self.min = value;
        }
        self.max = self.max.max(value);
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        self.squares += value as f64 * value as f64;
    }

    /// Counts all numbers of another distribution.
    pub fn merge(&mut self, other: &Distribution) {
        if other.count == 0 {
            return;
        }
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, others) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*others);
        }
        self.min = match self.count {
            0 => other.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.squares += other.squares;
    }

    /// Exact; 0 where there is no number.
    pub fn mean(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => self.sum as f64 / count as f64,
        }
    }

    /// Of the sample (divided by count - 1); 0 below two numbers.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let count = self.count as f64;
        ((self.squares - self.sum as f64 * self.mean()) / (count - 1.0)).max(0.0)
    }

    /// The number of rank `rank` (0 the least), to within its step.
    fn ranked(&self, rank: u64) -> u64 {
        let mut passed = 0;
        for (place, count) in self.counts.iter().enumerate() {
            passed += u64::from(*count);
            if passed > rank {
                let (low, next) = bounds(place);
                return (low + (next - 1 - low) / 2).clamp(self.min, self.max);
            }
        }
        self.max
    }

    /// `share` from 0 to 1; 0 where nothing was added.
    pub fn quantile(&self, share: f64) -> u64 {
        match self.count {
            0 => 0,
            count => self.ranked(whole(((count - 1) as f64 * share).round())),
        }
    }

    /// A quantile with the order statistics that hold it with 95 % confidence.
    pub fn estimate(&self, share: f64) -> Estimate {
        if self.count == 0 {
            return Estimate::default();
        }
        let count = self.count as f64;
        let half = 1.96 * (count * share * (1.0 - share)).sqrt();
        let middle = (count - 1.0) * share;
        let last = self.count - 1;
        Estimate {
            value: self.quantile(share) as f64,
            low: self.ranked(whole((middle - half).floor())) as f64,
            high: self.ranked(whole((middle + half).ceil()).min(last)) as f64,
        }
    }

    /// The mean, and 1.96 standard errors to each side.
    pub fn mean_estimate(&self) -> Estimate {
        let half = 1.96 * (self.variance() / self.count.max(1) as f64).sqrt();
        let value = self.mean();
        Estimate {
            value,
            low: value - half,
            high: value + half,
        }
    }

    /// Counts by powers of two: the least number of each class that has any
    /// (0, 1, 2, 4 ...) and how many are in it.
    pub fn powers(&self) -> Vec<(u64, u64)> {
        let mut classes: Vec<(u64, u64)> = Vec::new();
        for (place, count) in self.counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            let (low, _) = bounds(place);
            let class = if low == 0 { 0 } else { 1 << low.ilog2() };
            match classes.last_mut() {
                Some((known, sum)) if *known == class => *sum += u64::from(*count),
                _ => classes.push((class, u64::from(*count))),
            }
        }
        classes
    }
}

/// In a few numbers, for JSON: the mean is exact, quantiles are to within 1.6 %.
impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut digest = to.serialize_struct("Distribution", 9)?;
        digest.serialize_field("count", &self.count)?;
        digest.serialize_field("sum", &self.sum)?;
        digest.serialize_field("mean", &self.mean())?;
        digest.serialize_field("min", &self.min)?;
        digest.serialize_field("median", &self.quantile(0.5))?;
        digest.serialize_field("p90", &self.quantile(0.9))?;
        digest.serialize_field("p99", &self.quantile(0.99))?;
        digest.serialize_field("p999", &self.quantile(0.999))?;
        digest.serialize_field("max", &self.max)?;
        digest.end()
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, bounds, place};
    use proptest::prelude::*;

    #[test]
    fn nothing_is_zero() {
        let none = Distribution::default();
        assert_eq!(
            (none.quantile(0.5), none.mean(), none.powers().len()),
            (0, 0.0, 0)
        );
        assert_eq!(none.estimate(0.5).value, 0.0);
    }

    #[test]
    fn classes_are_powers_of_two() {
        let mut some = Distribution::default();
        for value in [0, 1, 1, 3, 1000, 1023, 1024] {
            some.add(value);
        }
        assert_eq!(some.powers(), [(0, 1), (1, 2), (2, 1), (512, 2), (1024, 1)]);
    }

    /// Of 10, 20, 30, 40: deviation 12.91, of the mean 6.455.
    #[test]
    fn the_mean_has_its_standard_error() {
        let mut some = Distribution::default();
        for value in [10, 20, 30, 40] {
            some.add(value);
        }
        let estimated = some.mean_estimate();
        assert_eq!(estimated.value, 25.0);
        assert!(
            (estimated.high - 25.0 - 1.96 * 6.4550).abs() < 1e-3,
            "{estimated:?}"
        );
        assert!(
            (25.0 - estimated.low - 1.96 * 6.4550).abs() < 1e-3,
            "{estimated:?}"
        );
    }

    proptest! {
        #[test]
        fn every_number_lies_in_its_place(value: u64) {
            let (low, next) = bounds(place(value));
            prop_assert!(low <= value && (value < next || next == u64::MAX));
        }

        #[test]
        fn quantiles_are_near_and_merging_is_adding(
            left in prop::collection::vec(0u64..1_000_000_000, 1..200),
            right in prop::collection::vec(0u64..1_000_000_000, 0..200),
        ) {
            let of = |values: &[u64]| {
                let mut d = Distribution::default();
                values.iter().for_each(|v| d.add(*v));
                d
            };
            let mut all: Vec<u64> = left.iter().chain(&right).copied().collect();
            let together = of(&all);
            let mut merged = of(&left);
            merged.merge(&of(&right));
            prop_assert_eq!(merged.quantile(0.5), together.quantile(0.5));
            prop_assert_eq!((merged.count, merged.sum, merged.max, merged.min),
                (together.count, together.sum, together.max, together.min));
            all.sort_unstable();
            prop_assert_eq!((Some(&together.min), Some(&together.max)), (all.first(), all.last()));
            for share in [0.0, 0.5, 0.9, 1.0] {
                let exact = all[((all.len() - 1) as f64 * share).round() as usize] as f64;
                let estimated = together.quantile(share) as f64;
                prop_assert!((estimated - exact).abs() <= exact * 0.0161 + 1.0, "{estimated} {exact}");
            }
            let median = together.estimate(0.5);
            prop_assert!(median.low <= median.value && median.value <= median.high);
        }
    }
}
