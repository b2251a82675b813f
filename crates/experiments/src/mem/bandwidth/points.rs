//! Points by operation and size.

use analysis::{ExperimentTable, PointView};
use std::collections::BTreeSet;

/// Whether the source held data. Records from before the axis held nothing else.
pub fn of_data(point: &PointView) -> bool {
    point.word("content") != "zeros"
}

/// Measured points of an operation on data by one CPU.
pub fn by_one<'a>(
    table: &'a ExperimentTable,
    operation: &'a str,
) -> impl Iterator<Item = &'a PointView> {
    table.points.iter().filter(move |p| {
        let wanted = p.word("operation") == operation && p.int("cores") == Some(1);
        wanted && of_data(p) && p.median_ns().is_some()
    })
}

pub fn size(point: &PointView) -> i64 {
    point.int("size").unwrap_or(0)
}

pub fn sizes(table: &ExperimentTable, operation: &str) -> Vec<i64> {
    let found: BTreeSet<i64> = by_one(table, operation).map(size).collect();
    found.into_iter().collect()
}
