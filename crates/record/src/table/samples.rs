//! The columns of a table of samples that come from the sample alone.

use super::stored::Stored::{self, OptDouble};
use super::stored::field;
use crate::sample::{Sample, Yardstick};

/// The column that says which point a sample is of.
pub(super) const POINT: &str = "point";

/// The first stands in front of the metric's name and unit, the others behind.
pub(super) static SAMPLE: [(&str, Stored<Sample>); 19] = [
    ("metric_index", field!(U16, metric)),
    ("process", field!(U16, process)),
    ("sample", field!(U32, index)),
    ("ops", field!(U64, ops)),
    ("elapsed_ns", field!(Double, elapsed_ns)),
    ("floor_ns", field!(Double, floor_ns)),
    ("value", field!(Double, value)),
    ("cpu", field!(U16, cpu)),
    (
        "voluntary_switches",
        field!(U32, disturbance.voluntary_switches),
    ),
    (
        "involuntary_switches",
        field!(U32, disturbance.involuntary_switches),
    ),
    ("minor_faults", field!(U32, disturbance.minor_faults)),
    ("major_faults", field!(U32, disturbance.major_faults)),
    ("migrations", field!(U32, disturbance.migrations)),
    ("steal_ns", field!(OptU64, disturbance.steal_ns)),
    ("interrupts", field!(OptU32, disturbance.interrupts)),
    ("bracket_batches", field!(U32, disturbance.bracket_batches)),
    ("off_cpu_ns", field!(OptU64, disturbance.off_cpu_ns)),
    (
        "link_ns",
        OptDouble(
            |s| s.yardstick.map(|y| y.link_ns),
            |s, ns| set(s, ns, |y| &mut y.link_ns),
        ),
    ),
    (
        "burst_ns",
        OptDouble(
            |s| s.yardstick.map(|y| y.burst_ns),
            |s, ns| set(s, ns, |y| &mut y.burst_ns),
        ),
    ),
];

/// A column of a yardstick, which a sample has where it has all of them.
fn set(sample: &mut Sample, ns: Option<f64>, field: fn(&mut Yardstick) -> &mut f64) {
    if let Some(ns) = ns {
        *field(sample.yardstick.get_or_insert_default()) = ns;
    }
}

/// Columns that tables of schema 1 and 2 do not have.
pub(super) const SINCE_3: [&str; 4] = ["bracket_batches", "off_cpu_ns", "link_ns", "burst_ns"];

/// What was read around one sample says all of it, in records of before it was shared.
pub(super) fn as_read_alone(sample: &mut Sample) {
    let seen = &mut sample.disturbance;
    seen.bracket_batches = u32::from(seen.steal_ns.is_some() || seen.interrupts.is_some());
}
