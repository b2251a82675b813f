//! The columns of a table of samples that come from the sample alone.

use super::stored::{Stored, field};
use crate::sample::Sample;

/// The column that says which point a sample is of.
pub(super) const POINT: &str = "point";

/// The first stands in front of the metric's name and unit, the others behind.
pub(super) static SAMPLE: [(&str, Stored<Sample>); 15] = [
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
];
