//! `micro-benchmark_from_5.dat` and its like: one timed copy a line.

use super::fields::{Layout, Malformed, doubted_difference};
use std::fmt;

const LAYOUT: Layout = Layout {
    kind: "latency",
    fields: &["CPU", "size", "t0", "t1", "dt"],
    example: "3\t64\t2740081346085\t2740081346193\t108",
};

/// A line: one timed copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatencyRecord {
    /// That read the clock.
    pub cpu: u16,
    pub size_bytes: u64,
    pub t0_ns: u64,
    pub t1_ns: u64,
    pub dt_ns: u64,
}

impl LatencyRecord {
    pub(super) fn parse(fields: &[&str]) -> Result<Self, Malformed> {
        let [cpu, size, t0, t1, dt] = LAYOUT.of(fields)?;
        Ok(LatencyRecord {
            cpu: LAYOUT.whole(0, cpu)?,
            size_bytes: LAYOUT.exact(1, size)?,
            t0_ns: LAYOUT.whole(2, t0)?,
            t1_ns: LAYOUT.whole(3, t1)?,
            dt_ns: LAYOUT.exact(4, dt)?,
        })
    }

    pub(super) fn doubts(&self) -> Vec<String> {
        doubted_difference(self.t0_ns, self.t1_ns, self.dt_ns)
    }
}

impl fmt::Display for LatencyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\t{}\t{}\t{}\t{}",
            self.cpu, self.size_bytes, self.t0_ns, self.t1_ns, self.dt_ns
        )
    }
}
