//! From a table and a figure's description to the figure model.

use super::axes::{x_axis, x_scale, y_axis};
use super::quantity::Quantity;
use super::{DataPoint, Figure, Scale, Series, Verdict, absent, marks, palette, panels, regions};
use crate::format::{axis_value, counted};
use crate::instrument::EMULATED;
use analysis::{ExperimentTable, PointView, RunView};
use record::{AxisValue, FigureHead, FigureKind, PointState, RunHead, Setting, Unit};
use std::collections::BTreeSet;

/// Every figure of a run, in the order of its tables.
#[must_use]
pub fn all(view: &RunView) -> Vec<Figure> {
    view.tables
        .iter()
        .flat_map(|t| of_table(&view.head, t))
        .collect()
}

fn of_table(run: &RunHead, table: &ExperimentTable) -> Vec<Figure> {
    if table.head.figures.is_empty() {
        let figure = super::spread::build(table);
        return figure.map(|f| labelled(run, f)).into_iter().collect();
    }
    (0..table.head.figures.len())
        .flat_map(|i| figures(run, table, i))
        .collect()
}

/// What figure `index` of an experiment comes to: one, or of pairs one for each
/// setting of the axes that it does not show.
#[must_use]
pub fn figures(run: &RunHead, table: &ExperimentTable, index: usize) -> Vec<Figure> {
    let parts = super::matrix::parts(table, index);
    if parts.len() < 2 {
        return vec![build(run, table, index)];
    }
    let parts = parts.iter().zip(1..);
    parts
        .map(|(part, number)| {
            let mut figure = build(run, &part.table, index);
            figure.title = format!("{}: {}", figure.title, part.name);
            figure.id = format!("{}-{number}", figure.id);
            figure
        })
        .collect()
}

/// Figure `index` of an experiment.
///
/// # Panics
/// When the experiment has no figure of that index.
#[must_use]
pub fn build(run: &RunHead, table: &ExperimentTable, index: usize) -> Figure {
    labelled(run, unlabelled(run, table, index))
}

/// Times of an emulated processor are called that wherever they are drawn: a
/// figure may travel without its page.
fn labelled(run: &RunHead, mut figure: Figure) -> Figure {
    if run.machine.is_emulated() {
        figure.title.push_str(" (emulated)");
        figure.y.label.push_str(", emulated");
        for panel in &mut figure.below {
            panel.y.label.push_str(", emulated");
        }
        figure.notes.push(format!("emulated: {EMULATED}"));
    }
    figure
}

fn unlabelled(run: &RunHead, table: &ExperimentTable, index: usize) -> Figure {
    let head = &table.head.figures[index];
    let quantity = Quantity::find(table, &head.y);
    let selected: Vec<&PointView> = table
        .points
        .iter()
        .filter(|p| matches_all(p, &head.only))
        .collect();
    if head.kind == FigureKind::Matrix {
        return super::matrix::build(table, index, &quantity, &selected);
    }
    if head.kind.draws_samples() {
        let split = series_axes(head, &selected);
        return super::samples::build(&Collect {
            table,
            head,
            quantity: &quantity,
            x_scale: &Scale::Linear,
            split: &split,
            selected: &selected,
        });
    }
    let mut notes: Vec<String> = absent::uncounted(run, table, &head.y).into_iter().collect();
    let x_scale = x_scale(head, &selected, &mut notes);
    let split = series_axes(head, &selected);
    let collect = Collect {
        table,
        head,
        quantity: &quantity,
        x_scale: &x_scale,
        split: &split,
        selected: &selected,
    };
    curves(run, index, &collect, notes)
}

/// Lines of medians, with marks, regions and panels below.
fn curves(run: &RunHead, index: usize, of: &Collect<'_>, mut notes: Vec<String>) -> Figure {
    let (table, head) = (of.table, of.head);
    let (series, verdict) = collect_series(of);
    let (series, dropped) = without_undrawable(series, of.x_scale.is_log(), head.y_log);
    notes.extend(dropped);
    notes.extend(absences(of.selected));
    let x = x_axis(table, head, of.x_scale.clone(), &series);
    let y = y_axis(of.quantity, head, &series);
    let (marks, beyond) = marks::collect(run, &table.head.id, head, &x);
    notes.extend(beyond);
    let (below, missing) = panels::collect(of, &x, &series);
    notes.extend(missing);
    let (regions, of_one) = regions::collect(run, &table.head.id, head, &x);
    notes.extend(of_one);
    Figure {
        id: id(table, index),
        experiment: table.head.id.clone(),
        title: head.title.clone(),
        x,
        y,
        series,
        marks,
        regions,
        below,
        reading: head.reading.clone(),
        notes,
        verdict,
        matrix: None,
    }
}

pub(super) fn id(table: &ExperimentTable, index: usize) -> String {
    format!("{}-{}", table.head.id.replace('/', "-"), index + 1)
}

/// On every axis that `only` names, one of the values that it names for it.
fn matches_all(point: &PointView, only: &[Setting]) -> bool {
    only.iter().all(|s| {
        let mut wanted = only.iter().filter(|o| o.axis == s.axis);
        wanted.any(|o| point.head.value(&s.axis) == Some(&o.value))
    })
}

/// The axes that part the points into lines: those asked for, and any other
/// that varies, so that a line never mixes settings.
fn series_axes(head: &FigureHead, points: &[&PointView]) -> Vec<String> {
    let mut axes: Vec<String> = head.series.clone();
    let mut names: Vec<&str> = Vec::new();
    for setting in points.iter().flat_map(|p| &p.head.settings) {
        if setting.axis != head.x && !names.contains(&setting.axis.as_str()) {
            names.push(&setting.axis);
        }
    }
    for name in names {
        let distinct: BTreeSet<Option<&AxisValue>> =
            points.iter().map(|p| p.head.value(name)).collect();
        if distinct.len() > 1 && !axes.iter().any(|a| a == name) {
            axes.push(name.to_owned());
        }
    }
    axes
}

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

type SeriesKey = Vec<Option<AxisValue>>;

pub(super) fn collect_series(c: &Collect<'_>) -> (Vec<Series>, Verdict) {
    let mut verdict = Verdict::default();
    let mut groups: Vec<(SeriesKey, Vec<DataPoint>)> = Vec::new();
    for point in c.selected {
        let Some(drawn) = data_point(point, c) else {
            continue;
        };
        verdict.count(point);
        let key: SeriesKey = c
            .split
            .iter()
            .map(|a| point.head.value(a).cloned())
            .collect();
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, points)) => points.push(drawn),
            None => groups.push((key, vec![drawn])),
        }
    }
    let ordered = groups.iter().all(|(k, _)| all_numbers(k)) && !c.split.is_empty();
    if ordered {
        groups.sort_by(|a, b| a.0.cmp(&b.0));
    }
    let count = groups.len();
    let series = groups
        .into_iter()
        .enumerate()
        .map(|(i, (key, mut points))| {
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Series {
                name: series_name(c, &key),
                colour: palette::series_colour(i, count, ordered),
                points,
            }
        })
        .collect();
    (series, verdict)
}

fn all_numbers(key: &SeriesKey) -> bool {
    key.iter().flatten().all(|v| v.as_int().is_some())
}

/// `avx2`, `stride 64 B`, `8 processes same-cpu`.
pub(super) fn series_name(c: &Collect<'_>, key: &SeriesKey) -> String {
    let parts: Vec<String> = c
        .split
        .iter()
        .zip(key)
        .filter_map(|(axis, value)| Some((axis, value.as_ref()?)))
        .map(|(axis, value)| {
            let unit = unit_of(c.table, axis);
            match value {
                AxisValue::Word(w) => w.clone(),
                AxisValue::Int(_) => {
                    format!("{} {}", axis.replace('_', " "), axis_value(value, unit))
                }
            }
        })
        .collect();
    if parts.is_empty() {
        c.quantity.label.clone()
    } else {
        parts.join(", ")
    }
}

pub(super) fn unit_of(table: &ExperimentTable, axis: &str) -> Unit {
    table
        .head
        .axes
        .iter()
        .find(|a| a.name == axis)
        .map_or(Unit::Count, |a| a.unit)
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
fn without_undrawable(
    mut series: Vec<Series>,
    x_log: bool,
    y_log: bool,
) -> (Vec<Series>, Option<String>) {
    let mut dropped = 0;
    for s in &mut series {
        let before = s.points.len();
        s.points.retain(|p| {
            let finite = p.x.is_finite() && p.y.is_finite();
            finite && (!x_log || p.x > 0.0) && (!y_log || p.y > 0.0)
        });
        dropped += before - s.points.len();
    }
    series.retain(|s| !s.points.is_empty());
    let note = (dropped > 0).then(|| {
        let are = if dropped == 1 { "is" } else { "are" };
        format!(
            "{} without a place on these axes (zero, negative or not a number) {are} in the \
             table only",
            counted(dropped, "point", "points")
        )
    });
    (series, note)
}

/// Points that were not measured, by reason.
pub(super) fn absences(points: &[&PointView]) -> Vec<String> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for point in points {
        let text = match &point.head.state {
            PointState::Done => continue,
            PointState::Pending => "not measured".to_owned(),
            PointState::Skipped { reason, .. } => format!("skipped: {reason}"),
            PointState::Failed { reason } => format!("failed: {reason}"),
        };
        match reasons.iter_mut().find(|(t, _)| *t == text) {
            Some((_, n)) => *n += 1,
            None => reasons.push((text, 1)),
        }
    }
    reasons
        .into_iter()
        .map(|(text, n)| format!("{} {text}", counted(n, "point", "points")))
        .collect()
}
