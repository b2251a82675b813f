//! A quantity over time, in bins that widen as the capture goes on.

use crate::width::index;
use serde::Serialize;

/// More bins than this are merged by twos.
const MOST_BINS: usize = 128;
const FIRST_WIDTH_NS: u64 = 1_000_000;

/// Sums by bin of time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Course {
    /// Of the first bin; None: nothing was added.
    pub begin_ns: Option<u64>,
    /// Length of a bin; doubled when the capture outgrows the bins.
    pub width_ns: u64,
    /// By bin: the count, or value times ns.
    pub sums: Vec<f64>,
}

impl Course {
    fn bin(&mut self, at_ns: u64) -> usize {
        let begin = *self.begin_ns.get_or_insert(at_ns);
        if self.width_ns == 0 {
            self.width_ns = FIRST_WIDTH_NS;
        }
        let behind = at_ns.saturating_sub(begin);
        while behind / self.width_ns >= MOST_BINS as u64 {
            self.widen();
        }
        let bin = index(behind / self.width_ns);
        if self.sums.len() <= bin {
            self.sums.resize(bin + 1, 0.0);
        }
        bin
    }

    fn widen(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        self.sums = self.sums.chunks(2).map(|two| two.iter().sum()).collect();
    }

    /// Something happened.
    #[inline]
    pub fn count(&mut self, at_ns: u64) {
        let bin = self.bin(at_ns);
        self.sums[bin] += 1.0;
    }

    /// `value` held from one time to another: its product with the time is
    /// spread over the bins.
    pub fn hold(&mut self, from_ns: u64, until_ns: u64, value: f64) {
        if from_ns >= until_ns {
            return;
        }
        self.bin(from_ns);
        let last = self.bin(until_ns);
        let first = self.bin(from_ns);
        let begin = self.begin_ns.unwrap_or(from_ns);
        for bin in first..=last {
            let low = begin.saturating_add((bin as u64).saturating_mul(self.width_ns));
            let high = low.saturating_add(self.width_ns);
            let inside = until_ns.min(high).saturating_sub(from_ns.max(low));
            self.sums[bin] += value * inside as f64;
        }
    }

    /// Sums by ns (a rate where things were counted, a mean where they held) of the bins
    /// that lie wholly inside the capture.
    pub fn whole_per_ns(&self, end_ns: u64) -> Vec<f64> {
        let width_ns = self.width_ns.max(1);
        let length = end_ns.saturating_sub(self.begin_ns.unwrap_or(end_ns));
        let whole = index(length / width_ns);
        // Bins at the end in which nothing happened count as well.
        let sum = |bin| self.sums.get(bin).copied().unwrap_or(0.0);
        (0..whole.min(MOST_BINS))
            .map(|bin| sum(bin) / width_ns as f64)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Course, MOST_BINS};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_by_widening(spans in prop::collection::vec((0u64..5_000_000_000, 0u64..50_000_000), 1..60)) {
            let mut course = Course::default();
            course.count(0);
            let mut wanted = 1.0;
            for (from, length) in spans {
                course.hold(from, from + length, 2.0);
                wanted += 2.0 * length as f64;
            }
            let got: f64 = course.sums.iter().sum();
            prop_assert!((got - wanted).abs() <= wanted * 1e-9, "{got} {wanted}");
            prop_assert!(course.sums.len() <= MOST_BINS);
        }
    }
}
