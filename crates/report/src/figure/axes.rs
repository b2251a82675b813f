//! Scales and ranges of a figure's two axes.

use super::collect::unit_of;
use super::quantity::Quantity;
use super::{Axis, Scale, Series};
use crate::grouped::distinct;
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, FigureHead};

/// Linear, or by powers of two where the head asks for it and all points can be drawn so.
pub fn x_scale(head: &FigureHead, points: &[&PointView], notes: &mut Vec<String>) -> Scale {
    let values: Vec<&AxisValue> = points
        .iter()
        .filter_map(|p| p.head.value(&head.x))
        .collect();
    if values.iter().any(|v| v.as_word().is_some()) {
        return Scale::Categories(distinct(values.iter().map(ToString::to_string)));
    }
    if !head.x_log2 {
        return Scale::Linear;
    }
    if values.iter().filter_map(|v| v.as_int()).any(|v| v <= 0) {
        notes.push(format!(
            "the {} axis is linear because it starts at zero",
            head.x.replace('_', " ")
        ));
        return Scale::Linear;
    }
    Scale::Log2
}

/// The axis that the points stand along, with its ticks.
pub fn x_axis(table: &ExperimentTable, head: &FigureHead, scale: Scale, series: &[Series]) -> Axis {
    let range = match &scale {
        Scale::Categories(words) => (-0.5, words.len().max(1) as f64 - 0.5),
        _ => {
            let (low, high) = extent(series.iter().flat_map(|s| &s.points).map(|p| p.x));
            match (low == high, scale.is_log()) {
                (true, true) => (low / 2.0, high * 2.0),
                (true, false) => (low - 1.0, high + 1.0),
                _ => (low, high),
            }
        }
    };
    Axis {
        label: x_label(table, &head.x),
        unit: unit_of(table, &head.x),
        scale,
        range,
    }
}

/// Longest description that still fits under an axis, characters.
const LABEL_CHARS: usize = 60;

/// What the axis is, rather than its short name, where that fits.
fn x_label(table: &ExperimentTable, name: &str) -> String {
    let axis = table.head.axes.iter().find(|a| a.name == name);
    let doc = axis.map(|a| a.doc.trim());
    doc.filter(|doc| !doc.is_empty() && doc.chars().count() <= LABEL_CHARS)
        .map_or_else(|| name.replace('_', " "), str::to_owned)
}

/// The axis of the values, with its range.
pub fn y_axis(quantity: &Quantity, head: &FigureHead, series: &[Series]) -> Axis {
    let scale = if head.y_log {
        Scale::Log10
    } else {
        Scale::Linear
    };
    let values = series
        .iter()
        .flat_map(|s| &s.points)
        .flat_map(|p| [p.y.center, p.y.low, p.y.high])
        .filter(|v| v.is_finite() && (!head.y_log || *v > 0.0));
    let (low, high) = extent(values);
    let range = if head.y_log {
        (low / 1.15, high * 1.15)
    } else {
        linear_range(low, high)
    };
    Axis {
        label: quantity.label.clone(),
        unit: quantity.unit,
        scale,
        range,
    }
}

/// A linear axis starts at zero unless that would squeeze the data into its
/// upper third.
pub fn linear_range(low: f64, high: f64) -> (f64, f64) {
    if low == 0.0 && high == 0.0 {
        return (0.0, 1.0);
    }
    let top = high + 0.06 * high.abs().max(1e-9);
    if low >= 0.0 && low < 0.67 * high {
        return (0.0, top);
    }
    let pad = ((high - low) * 0.15).max(high.abs() * 0.02).max(1e-9);
    (low - pad, high + pad)
}

/// The least and the largest of finite values.
pub fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
        (l.min(v), h.max(v))
    });
    if low.is_finite() && high.is_finite() {
        (low, high)
    } else {
        (1.0, 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::linear_range;

    #[test]
    fn nothing_at_all_has_an_axis_that_can_be_read() {
        assert_eq!(linear_range(0.0, 0.0), (0.0, 1.0));
        assert_eq!(linear_range(0.0, 10.0).0, 0.0);
    }
}
