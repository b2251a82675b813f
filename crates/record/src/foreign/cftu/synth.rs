//! `micro-benchmark_from_5_synth.dat` and its like: one size a line, its 300
//! copies in five figures.

use super::fields::{Field, Layout, Line, difference, field};
use std::fmt;

/// Figures with four decimals agree when they differ by less than this.
const LAST_DIGIT: f64 = 1e-4;

/// A line: the times of all copies of one size.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SynthRecord {
    pub size_bytes: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    pub mean_ns: f64,
    /// Of the sample (n - 1), ns^2.
    pub variance: f64,
    pub median_ns: f64,
}

impl Line for SynthRecord {
    const LAYOUT: &'static Layout<Self> = &Layout {
        kind: "a synthesis",
        fields: &[
            ("size", field!(Exact, size_bytes)),
            ("minimum", field!(Exact, min_ns)),
            ("maximum", field!(Exact, max_ns)),
            ("mean", field!(Decimal, mean_ns, 4)),
            ("variance", field!(Decimal, variance, 4)),
            ("median", field!(Decimal, median_ns, 4)),
        ],
        example: "1\t96\t115\t98.3300\t4.0546\t99.0000",
    };

    fn doubts(&self) -> Vec<String> {
        let (min, max) = (self.min_ns as f64, self.max_ns as f64);
        let outside = |v: f64| v < min - LAST_DIGIT || v > max + LAST_DIGIT;
        let named = [("mean", self.mean_ns), ("median", self.median_ns)];
        let strays = named.into_iter().filter(|(_, v)| outside(*v));
        strays
            .map(|(name, v)| format!("its {name} {v:.4} is outside {min} to {max}"))
            .collect()
    }
}

impl SynthRecord {
    /// The synthesis of times of one size; None for fewer than two, which have
    /// no sample variance.
    pub fn of(size_bytes: u64, times_ns: &[u64]) -> Option<Self> {
        let mut sorted = times_ns.to_vec();
        sorted.sort_unstable();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let n = sorted.len();
        if n < 2 {
            return None;
        }
        let mean = sorted.iter().map(|t| *t as f64).sum::<f64>() / n as f64;
        let squares = sorted.iter().map(|t| (*t as f64 - mean).powi(2));
        let middle = [sorted[(n - 1) / 2], sorted[n / 2]];
        Some(SynthRecord {
            size_bytes,
            min_ns: min,
            max_ns: max,
            mean_ns: mean,
            variance: squares.sum::<f64>() / (n - 1) as f64,
            median_ns: (middle[0] as f64 + middle[1] as f64) / 2.0,
        })
    }

    /// In what it differs from another synthesis of the same times.
    pub fn differs_from(&self, recomputed: &SynthRecord) -> Option<String> {
        let close = |a: f64, b: f64| (a - b).abs() < LAST_DIGIT + 1e-9 * b;
        let same = self.min_ns == recomputed.min_ns
            && self.max_ns == recomputed.max_ns
            && close(self.mean_ns, recomputed.mean_ns)
            && close(self.variance, recomputed.variance)
            && close(self.median_ns, recomputed.median_ns);
        (!same).then(|| difference(self, recomputed))
    }
}

impl fmt::Display for SynthRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::LAYOUT.print(self, f)
    }
}
