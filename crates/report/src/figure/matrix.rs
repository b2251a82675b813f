//! A figure of pairs: a cell for each, its colour the value.

mod parts;
pub mod tone;

pub(super) use parts::parts;

use super::axes::extent;
use super::collect::{self};
use super::quantity::Quantity;
use super::{Axis, DataPoint, Figure, Scale, Verdict};
use crate::format::{axis_value, counted, quantity, significant};
use crate::grouped::distinct;
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, FigureHead, PointState, Unit};

/// Rows from the top, columns from the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub rows: Side,
    pub columns: Side,
    /// Row after row.
    pub cells: Vec<Cell>,
}

/// One side: what it is, and its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    pub label: String,
    pub names: Vec<String>,
}

/// Longest name that stands at a side: commands may have long ones.
const LONGEST_NAME: usize = 24;

impl Side {
    /// The names next to the cells, long ones cut.
    pub fn shown(&self) -> Vec<String> {
        let cut = |name: &String| match name.chars().count() > LONGEST_NAME {
            true => name.chars().take(LONGEST_NAME - 3).collect::<String>() + "...",
            false => name.clone(),
        };
        self.names.iter().map(cut).collect()
    }
}

/// A cell: measured, or why it is not.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Measured(DataPoint),
    /// In the plan and not measured, with the reason.
    Absent(String),
    /// Not in the plan: a CPU and itself.
    Unplanned,
}

impl Cell {
    /// Its value, where it was measured.
    pub fn value(&self) -> Option<f64> {
        match self {
            Cell::Measured(p) => Some(p.y.center),
            Cell::Absent(_) | Cell::Unplanned => None,
        }
    }
}

impl Matrix {
    /// Row, column and contents of every cell.
    pub fn placed(&self) -> impl Iterator<Item = (usize, usize, &Cell)> {
        let wide = self.columns.names.len().max(1);
        let cells = self.cells.iter().enumerate();
        cells.map(move |(i, cell)| (i / wide, i % wide, cell))
    }

    /// The measured cells.
    pub fn measured(&self) -> impl Iterator<Item = &DataPoint> {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Measured(p) => Some(p),
            Cell::Absent(_) | Cell::Unplanned => None,
        })
    }

    /// The whole cell in words: `from 0, to 5: 61.2 ns ±0.4 %, 120 samples`.
    pub fn sentence(&self, row: usize, column: usize, cell: &Cell, unit: Unit) -> String {
        let name = |side: &Side, i: usize| {
            let name = side.names.get(i).map_or("?", String::as_str);
            format!("{} {name}", side.label)
        };
        let place = format!("{}, {}", name(&self.rows, row), name(&self.columns, column));
        match cell {
            Cell::Measured(p) => {
                let open = match unit == Unit::Ratio && p.y.low <= 1.0 && p.y.high >= 1.0 {
                    true => ": no difference from 1 shown",
                    false => "",
                };
                let mut text = format!(
                    "{place}: {} ({} to {}){open}, {}",
                    quantity(p.y.center, unit, 4),
                    quantity(p.y.low, unit, 4),
                    quantity(p.y.high, unit, 4),
                    counted(p.samples as usize, "sample", "samples")
                );
                for more in [Some(&p.reason), p.modes.as_ref()].into_iter().flatten() {
                    if !more.is_empty() {
                        text.push_str(&format!("; {more}"));
                    }
                }
                text
            }
            Cell::Absent(why) => format!("{place}: {why}"),
            Cell::Unplanned => format!("{place}: not in the plan"),
        }
    }
}

/// Unit of all cells and its divisor: cells stand next to each other and are
/// compared, so they share one.
pub fn cell_unit(figure: &Figure) -> (f64, &'static str) {
    match figure.y.unit {
        Unit::Nanoseconds => match figure.y.range.0 {
            low if low >= 1e9 => (1e9, "s"),
            low if low >= 1e6 => (1e6, "ms"),
            low if low >= 1e4 => (1e3, "µs"),
            _ => (1.0, "ns"),
        },
        unit => (1.0, unit.symbol()),
    }
}

/// Short number of a cell, without its unit. Ratios show their hundredths.
pub fn cell_text(figure: &Figure, value: f64) -> String {
    let value = value / cell_unit(figure).0;
    let ratio = figure.y.unit == Unit::Ratio;
    if value >= 100.0 {
        format!("{value:.0}")
    } else if ratio && (0.1..10.0).contains(&value) {
        format!("{value:.2}")
    } else {
        significant(value, if value >= 10.0 { 3 } else { 2 })
    }
}

/// 0 for the smallest value of the figure's range, 1 for the largest.
pub fn share(figure: &Figure, value: f64) -> f64 {
    let (low, high) = figure.y.range;
    let share = if figure.y.scale.is_log() {
        (value / low).ln() / (high / low).ln()
    } else {
        (value - low) / (high - low)
    };
    if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        // One value only: neither small nor large.
        0.5
    }
}

pub(super) fn build(
    table: &ExperimentTable,
    index: usize,
    quantity: &Quantity,
    selected: &[&PointView],
) -> Figure {
    let head = &table.head.figures[index];
    let row_axis = head.series.first().map_or("", String::as_str);
    let (columns, rows) = (values(&head.x, selected), values(row_axis, selected));
    let mut notes = Vec::new();
    let (cells, verdict) = fill(
        &rows,
        &columns,
        quantity,
        |p| (p.head.value(row_axis), p.head.value(&head.x)),
        selected,
        &mut notes,
    );
    notes.extend(collect::absences(selected));
    let side = |axis: &str, values: &[&AxisValue]| Side {
        label: axis.replace('_', " "),
        names: values
            .iter()
            .map(|v| axis_value(v, collect::unit_of(table, axis)))
            .collect(),
    };
    let matrix = Matrix {
        rows: side(row_axis, &rows),
        columns: side(&head.x, &columns),
        cells,
    };
    let (x, y) = (
        columns_axis(&matrix.columns),
        value_axis(quantity, head, &matrix),
    );
    Figure {
        notes,
        verdict,
        matrix: Some(matrix),
        ..Figure::empty(table, index, x, y)
    }
}

fn columns_axis(columns: &Side) -> Axis {
    let names = columns.names.clone();
    Axis {
        label: columns.label.clone(),
        unit: Unit::Word,
        range: (-0.5, names.len().max(1) as f64 - 0.5),
        scale: Scale::Categories(names),
    }
}

/// Colours stand for equal factors where all values have one.
fn value_axis(quantity: &Quantity, head: &FigureHead, matrix: &Matrix) -> Axis {
    let by_factors = head.y_log || quantity.unit == Unit::Ratio;
    let positive = matrix.measured().all(|p| p.y.center > 0.0);
    Axis {
        label: quantity.label.clone(),
        unit: quantity.unit,
        scale: match by_factors && positive {
            true => Scale::Log10,
            false => Scale::Linear,
        },
        range: range(matrix, quantity.unit),
    }
}

/// Half a colour scale is at least this factor wide: values that are all but
/// equal must not look like night and day.
const LEAST_FACTOR: f64 = 1.15;

fn range(matrix: &Matrix, unit: Unit) -> (f64, f64) {
    let (low, high) = extent(matrix.measured().map(|p| p.y.center));
    if unit == Unit::Ratio && low > 0.0 {
        return (low.min(1.0 / LEAST_FACTOR), high.max(LEAST_FACTOR));
    }
    let middle = (low * high).sqrt();
    if low > 0.0 && high < low * LEAST_FACTOR * LEAST_FACTOR {
        return (middle / LEAST_FACTOR, middle * LEAST_FACTOR);
    }
    (low, high)
}

/// Values of an axis: numbers in their own order, words in that of the plan.
fn values<'a>(axis: &str, points: &[&'a PointView]) -> Vec<&'a AxisValue> {
    let mut found = distinct(points.iter().filter_map(|p| p.head.value(axis)));
    if found.iter().all(|value| value.as_int().is_some()) {
        found.sort();
    }
    found
}

type Place<'a> = (Option<&'a AxisValue>, Option<&'a AxisValue>);

fn fill<'a>(
    rows: &[&AxisValue],
    columns: &[&AxisValue],
    quantity: &Quantity,
    place: impl Fn(&'a PointView) -> Place<'a>,
    points: &[&'a PointView],
    notes: &mut Vec<String>,
) -> (Vec<Cell>, Verdict) {
    let mut cells = vec![Cell::Unplanned; rows.len() * columns.len()];
    let mut verdict = Verdict::default();
    let (mut hidden, mut unplaced) = (0, 0);
    for point in points {
        let at = |values: &[&AxisValue], value: Option<&AxisValue>| {
            let value = value?;
            values.iter().position(|v| *v == value)
        };
        let (row, column) = place(point);
        let (Some(row), Some(column)) = (at(rows, row), at(columns, column)) else {
            unplaced += 1;
            continue;
        };
        let cell = &mut cells[row * columns.len() + column];
        if *cell != Cell::Unplanned {
            hidden += 1;
            continue;
        }
        let drawn = quantity
            .drawn(point, column as f64)
            .filter(|p| p.y.center.is_finite());
        *cell = match drawn {
            Some(drawn) => {
                verdict.count(point);
                Cell::Measured(drawn)
            }
            None => Cell::Absent(why(&point.head.state)),
        };
    }
    if hidden + unplaced > 0 {
        notes.push(format!(
            "{} share a cell with another one or have none; they are only in the table",
            counted(hidden + unplaced, "point", "points")
        ));
    }
    (cells, verdict)
}

fn why(state: &PointState) -> String {
    match (state, collect::unmeasured(state)) {
        (PointState::Skipped { remedy, .. }, Some(why)) => format!("{why}; enable: {remedy}"),
        (_, Some(why)) => why,
        (_, None) => "no number".to_owned(),
    }
}
