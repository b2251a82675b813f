//! `micro-benchmark_from_5.dat` and its like: one timed copy a line.

use super::fields::{Field, Layout, Line, doubted_difference, field};
use std::fmt;

/// A line: one timed copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LatencyRecord {
    /// That read the clock.
    pub cpu: u16,
    pub size_bytes: u64,
    pub t0_ns: u64,
    pub t1_ns: u64,
    pub dt_ns: u64,
}

impl Line for LatencyRecord {
    const LAYOUT: &'static Layout<Self> = &Layout {
        kind: "latency",
        fields: &[
            ("CPU", field!(U16, cpu)),
            ("size", field!(Exact, size_bytes)),
            ("t0", field!(U64, t0_ns)),
            ("t1", field!(U64, t1_ns)),
            ("dt", field!(Exact, dt_ns)),
        ],
        example: "3\t64\t2740081346085\t2740081346193\t108",
    };

    fn doubts(&self) -> Vec<String> {
        doubted_difference(self.t0_ns, self.t1_ns, self.dt_ns)
    }
}

impl fmt::Display for LatencyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::LAYOUT.print(self, f)
    }
}
