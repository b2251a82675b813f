//! From a table and a figure's description to the figure model.

use super::axes::{x_axis, x_scale, y_axis};
use super::collect::{
    Collect, absences, collect_series, matches_all, series_axes, without_undrawable,
};
use super::quantity::Quantity;
use super::{Figure, Scale, marks, one_place, panels, regions};
use crate::counted;
use crate::instrument::EMULATED;
use analysis::{ExperimentTable, PointView, RunView};
use record::{FigureKind, RunHead};

/// Every figure of a run, in the order of its tables.
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
    let selected = table.points.iter().filter(|p| matches_all(p, &head.only));
    let selected: Vec<&PointView> = selected.collect();
    if head.kind == FigureKind::Matrix {
        return super::matrix::build(table, index, &quantity, &selected);
    }
    if head.kind.draws_samples() {
        let split = series_axes(head, &selected);
        return super::samples::build(
            index,
            &Collect {
                table,
                head,
                quantity: &quantity,
                x_scale: &Scale::Linear,
                split: &split,
                selected: &selected,
            },
        );
    }
    let mut notes = counted::of_figure(run, table, &head.y, &selected);
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
    // Rows of words already are that.
    let rows = match of.x_scale {
        Scale::Categories(_) => None,
        _ => one_place::rows(&series, &of.quantity.label),
    };
    let (series, x_scale) = match rows {
        Some((names, rows)) => {
            notes.extend(one_place::note(of, &series));
            (rows, names)
        }
        None => (series, of.x_scale.clone()),
    };
    let x = x_axis(table, head, x_scale, &series);
    let y = y_axis(of.quantity, head, &series);
    let (marks, beyond) = marks::collect(run, &table.head.id, head, &x);
    notes.extend(beyond);
    let (below, missing) = panels::collect(of, &x, &series);
    notes.extend(missing);
    let (regions, of_one) = regions::collect(run, &table.head.id, head, &x);
    notes.extend(of_one);
    Figure {
        series,
        marks,
        regions,
        below,
        notes,
        verdict,
        ..Figure::empty(table, index, x, y)
    }
}
