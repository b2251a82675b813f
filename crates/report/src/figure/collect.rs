//! Points of a figure by series.

use super::quantity::Quantity;
use super::{DataPoint, Scale, Series, Verdict, palette};
use crate::format::{axis_value, counted};
use crate::grouped::{distinct, grouped, tallied};
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, FigureHead, PointState, Setting, Unit, word_as_read};
use std::collections::BTreeSet;

/// What the lines of a figure, or of a panel under it, are made from.
#[derive(Clone, Copy)]
pub(super) struct Collect<'a> {
    pub(super) table: &'a ExperimentTable,
    pub(super) head: &'a FigureHead,
    pub(super) quantity: &'a Quantity,
    pub(super) x_scale: &'a Scale,
    pub(super) split: &'a [String],
    pub(super) selected: &'a [&'a PointView],
}

pub(super) fn id(table: &ExperimentTable, index: usize) -> String {
    format!("{}-{}", table.head.id.replace('/', "-"), index + 1)
}

/// On every axis that `only` names, one of the values that it names for it.
pub(super) fn matches_all(point: &PointView, only: &[Setting]) -> bool {
    only.iter().all(|s| {
        let mut wanted = only.iter().filter(|o| o.axis == s.axis);
        wanted.any(|o| point.head.value(&s.axis) == Some(&o.value))
    })
}

/// The axes that part the points into lines: of those asked for the ones that vary, and any other
/// that does, so that a line never mixes settings.
pub(super) fn series_axes(head: &FigureHead, points: &[&PointView]) -> Vec<String> {
    let varies = |name: &str| {
        let values = points.iter().map(|p| p.head.value(name));
        values.collect::<BTreeSet<_>>().len() > 1
    };
    let asked = head.series.iter().filter(|axis| varies(axis));
    let mut axes: Vec<String> = asked.cloned().collect();
    let settings = points.iter().flat_map(|p| &p.head.settings);
    let names = distinct(
        settings
            .map(|s| s.axis.as_str())
            .filter(|axis| *axis != head.x),
    );
    for name in names {
        if varies(name) && !axes.iter().any(|a| a == name) {
            axes.push(name.to_owned());
        }
    }
    axes
}

pub(super) fn collect_series(c: &Collect<'_>) -> (Vec<Series>, Verdict) {
    let mut verdict = Verdict::default();
    let drawn = c.selected.iter().filter_map(|point| {
        let drawn = data_point(point, c)?;
        verdict.count(point);
        Some((key(c, point), drawn))
    });
    let mut groups = grouped(drawn);
    let ordered = groups.iter().all(|(k, _)| all_numbers(k)) && !c.split.is_empty();
    if ordered {
        groups.sort_by(|a, b| a.0.cmp(&b.0));
    }
    let count = groups.len();
    let series = groups.into_iter().enumerate();
    let series = series.map(|(i, (key, mut points))| {
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series {
            name: series_name(c, &key),
            colour: palette::series_colour(i, count, ordered),
            points,
        }
    });
    (series.collect(), verdict)
}

/// What tells a point's line from the others.
pub(super) fn key(c: &Collect<'_>, point: &PointView) -> SeriesKey {
    let values = c.split.iter().map(|axis| point.head.value(axis));
    values.map(Option::<&AxisValue>::cloned).collect()
}

fn all_numbers(key: &SeriesKey) -> bool {
    key.iter().flatten().all(|v| v.as_int().is_some())
}

/// `avx2`, `stride 64 B`, `8 processes same-cpu`.
pub(super) fn series_name(c: &Collect<'_>, key: &SeriesKey) -> String {
    let parts = c.split.iter().zip(key).filter_map(|(axis, value)| {
        Some(match value.as_ref()? {
            AxisValue::Word(w) => word_as_read(axis, w),
            value => {
                let value = axis_value(value, unit_of(c.table, axis));
                format!("{} {value}", axis.replace('_', " "))
            }
        })
    });
    let parts: Vec<String> = parts.collect();
    match parts.is_empty() {
        true => c.quantity.label.clone(),
        false => parts.join(", "),
    }
}

pub(super) fn unit_of(table: &ExperimentTable, axis: &str) -> Unit {
    let found = table.head.axes.iter().find(|a| a.name == axis);
    found.map_or(Unit::Count, |a| a.unit)
}

fn data_point(point: &PointView, c: &Collect<'_>) -> Option<DataPoint> {
    let value = point.head.value(&c.head.x)?;
    let x = match c.x_scale {
        Scale::Categories(words) => {
            let text = value.to_string();
            words.iter().position(|w| *w == text)? as f64
        }
        _ => value.as_int()? as f64,
    };
    c.quantity.drawn(point, x)
}

/// Drops what has no place on the paper and says how many that were.
pub(super) fn without_undrawable(
    mut series: Vec<Series>,
    x_log: bool,
    y_log: bool,
) -> (Vec<Series>, Option<String>) {
    let mut dropped = 0;
    for s in &mut series {
        let before = s.points.len();
        s.points.retain(|p| {
            let finite = p.x.is_finite() && p.y.center.is_finite();
            finite && (!x_log || p.x > 0.0) && (!y_log || p.y.center > 0.0)
        });
        dropped += before - s.points.len();
    }
    series.retain(|s| !s.points.is_empty());
    let note = (dropped > 0).then(|| {
        let are = if dropped == 1 { "is" } else { "are" };
        format!(
            "{} without a place on these axes (zero, negative or not a number) {are} only in the \
             table",
            counted(dropped, "point", "points")
        )
    });
    (series, note)
}

/// Points that were not measured, by reason.
pub(super) fn absences(points: &[&PointView]) -> Vec<String> {
    let reasons = tallied(points.iter().filter_map(|p| unmeasured(&p.head.state)));
    let reasons = reasons.into_iter();
    reasons
        .map(|(text, n)| format!("{} {text}", counted(n, "point", "points")))
        .collect()
}

/// Why a point has no numbers; None where it was measured.
pub(crate) fn unmeasured(state: &PointState) -> Option<String> {
    match state {
        PointState::Done => None,
        PointState::Pending => Some("not measured".to_owned()),
        PointState::Skipped { reason, .. } => Some(format!("skipped: {reason}")),
        PointState::Failed { reason } => Some(format!("failed: {reason}")),
    }
}

pub(super) type SeriesKey = Vec<Option<AxisValue>>;
