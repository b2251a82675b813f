//! Points by operation and size.

use analysis::pick::numbers;
use analysis::{ExperimentTable, PointView};

/// Whether the source held data. Records from before the axis held nothing else.
pub fn of_data(point: &PointView) -> bool {
    point.word("content") != "zeros"
}

/// Measured points of an operation on data by one CPU.
pub fn by_one<'a>(
    table: &'a ExperimentTable,
    operation: &'a str,
) -> impl Iterator<Item = &'a PointView> {
    let measured = table.measured([("operation", operation)]);
    measured.filter(|p| p.int("cores") == Some(1) && of_data(p))
}

/// Working set of the point, bytes; 0 where it has none.
pub fn size(point: &PointView) -> i64 {
    point.int("size").unwrap_or(0)
}

/// Sizes measured with one CPU, bytes, ascending.
pub fn sizes(table: &ExperimentTable, operation: &str) -> Vec<i64> {
    numbers(by_one(table, operation), "size")
}
