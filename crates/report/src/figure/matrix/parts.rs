//! A figure of pairs has room for two axes. Where others vary too, there is one
//! figure for each of their settings: none is hidden behind another.

use crate::figure::collect::unit_of;
use crate::format::axis_value;
use crate::grouped::grouped;
use crate::label::words;
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, FigureHead, FigureKind, word_as_read};

/// The points of one figure, and what they have in common.
pub struct Part {
    pub table: ExperimentTable,
    /// `a tasks 2, b tasks 2`.
    pub name: String,
}

/// More figures than this are not looked at: then the first settings stand for all.
const MOST: usize = 12;

/// The parts of figure `index`; none where it needs not be parted.
pub fn parts(table: &ExperimentTable, index: usize) -> Vec<Part> {
    let head = &table.head.figures[index];
    if head.kind != FigureKind::Matrix || head.series.is_empty() {
        return Vec::new();
    }
    let fits = |p: &&PointView| {
        let mut only = head.only.iter();
        only.all(|s| p.head.value(&s.axis) == Some(&s.value))
    };
    let selected: Vec<&PointView> = table.points.iter().filter(fits).collect();
    let axes = hidden(head, &selected);
    let key = |point: &PointView| -> Vec<Option<AxisValue>> {
        axes.iter()
            .map(|axis| point.head.value(axis).cloned())
            .collect()
    };
    let parts = grouped(
        selected
            .into_iter()
            .map(|point| (key(point), point.clone())),
    );
    if parts.len() > MOST {
        return Vec::new();
    }
    let part = |(key, points): (Vec<Option<AxisValue>>, Vec<PointView>)| Part {
        name: name(table, &axes, &key),
        table: ExperimentTable {
            head: table.head.clone(),
            points,
        },
    };
    parts.into_iter().map(part).collect()
}

/// Axes that vary and are neither rows nor columns.
fn hidden<'a>(head: &FigureHead, points: &[&'a PointView]) -> Vec<&'a str> {
    let mut axes: Vec<&str> = Vec::new();
    for setting in points.iter().flat_map(|p| &p.head.settings) {
        let axis = setting.axis.as_str();
        let shown = axis == head.x || head.series.first().is_some_and(|row| row == axis);
        if shown || axes.contains(&axis) {
            continue;
        }
        if points
            .iter()
            .any(|p| p.head.value(axis) != Some(&setting.value))
        {
            axes.push(axis);
        }
    }
    axes
}

fn name(table: &ExperimentTable, axes: &[&str], key: &[Option<AxisValue>]) -> String {
    let settings = axes.iter().zip(key).filter_map(|(axis, value)| {
        let value = axis_value(value.as_ref()?, unit_of(table, axis));
        Some(format!("{} {}", words(axis), word_as_read(axis, &value)))
    });
    settings.collect::<Vec<_>>().join(", ")
}
