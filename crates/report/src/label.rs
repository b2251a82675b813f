//! A point in words: only what distinguishes it from the others of its experiment.

use crate::format::axis_value;
use analysis::{ExperimentTable, PointView};
use record::{AxisHead, AxisValue, Unit, word_as_read};

/// The axes that take more than one value among these points, in order.
pub fn varying<'a>(table: &'a ExperimentTable, points: &[&PointView]) -> Vec<&'a AxisHead> {
    let varies = |axis: &&AxisHead| {
        let mut values = points.iter().map(|p| p.head.value(&axis.name));
        let first = values.next();
        first.is_some_and(|first| values.any(|other| other != first))
    };
    table.head.axes.iter().filter(varies).collect()
}

/// `4 KiB, pread, cold`; what all points share is left out. Empty where nothing varies.
pub fn label(point: &PointView, axes: &[&AxisHead]) -> String {
    let parts = axes.iter().filter_map(|axis| part(point, axis));
    parts.collect::<Vec<_>>().join(", ")
}

fn part(point: &PointView, axis: &AxisHead) -> Option<String> {
    let value = point.head.value(&axis.name)?;
    Some(self::value(&axis.name, axis.unit, value))
}

/// A value of an axis, with its name where it says nothing without: `4 KiB`, `depth 8`.
pub fn value(axis: &str, unit: Unit, value: &AxisValue) -> String {
    let text = axis_value(value, unit);
    match (unit, axis) {
        (Unit::Word, axis) => word_as_read(axis, &text),
        (Unit::Bytes, "size") => text,
        (Unit::Nanoseconds, name) => {
            let ns = value.as_int().map_or(f64::NAN, |ns| ns as f64);
            format!("{} {}", words(name), crate::format::time_ns(ns, 3))
        }
        (_, name) => format!("{} {text}", words(name)),
    }
}

/// The name of an axis or a metric as it is read.
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// What all of these points have in common, in words: `pattern stream, mode 2 threads`. Zeros that
/// stand for "the usual" are left out.
pub fn shared(table: &ExperimentTable, points: &[&PointView]) -> String {
    let varying = varying(table, points);
    let Some(first) = points.first() else {
        return String::new();
    };
    let axes = table.head.axes.iter();
    let common = axes.filter(|axis| !varying.iter().any(|other| other.name == axis.name));
    let said = common.filter_map(|axis| {
        let value = first.head.value(&axis.name)?;
        (value.as_int() != Some(0)).then(|| {
            let text = axis_value(value, axis.unit);
            format!("{} {}", words(&axis.name), word_as_read(&axis.name, &text))
        })
    });
    said.collect::<Vec<_>>().join(", ")
}
