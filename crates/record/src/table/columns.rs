//! The columns of a table, in order, and how each cell comes from a sample.

use super::cell::{Cell, ColumnKind};
use super::samples::{POINT, SAMPLE};
use super::stored::Stored;
use crate::axis::{AxisValue, Unit};
use crate::describe::{AxisHead, ExperimentHead};
use crate::run::{PointHead, RunHead};
use crate::sample::Sample;
use std::collections::BTreeSet;

/// A sample and the point it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct SampleRow<'a> {
    pub point: &'a PointHead,
    pub sample: &'a Sample,
}

/// A column: its name, its type, and how to get its cell of a row.
pub struct Column<'a> {
    pub name: String,
    /// One of the experiment's axes, not a column that every table has.
    pub is_axis: bool,
    pub kind: ColumnKind,
    pub nullable: bool,
    pub cell: Box<dyn Fn(SampleRow<'a>) -> Cell<'a> + 'a>,
}

impl<'a> Column<'a> {
    fn new(name: &str, kind: ColumnKind, cell: impl Fn(SampleRow<'a>) -> Cell<'a> + 'a) -> Self {
        Self {
            name: name.to_owned(),
            is_axis: false,
            kind,
            nullable: false,
            cell: Box::new(cell),
        }
    }

    fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }
}

/// All columns of an experiment's table, for Parquet and for whoever writes the
/// same table in another format.
pub fn columns<'a>(run: &'a RunHead, experiment: &'a ExperimentHead) -> Vec<Column<'a>> {
    let mut all = vec![
        Column::new("run", ColumnKind::Text, |_| run.id.as_str().into()),
        Column::new("experiment", ColumnKind::Text, |_| {
            experiment.id.as_str().into()
        }),
        Column::new(POINT, ColumnKind::Unsigned32, |r| r.point.index.into()),
    ];
    let behind = sample_columns(experiment);
    let mut taken: BTreeSet<String> = all.iter().chain(&behind).map(|c| c.name.clone()).collect();
    for axis in &experiment.axes {
        let name = free_name(axis.column(), &mut taken);
        let mut columns = vec![axis_column(axis, &name)];
        if axis.unit != Unit::Word && has_words(run, &experiment.id, axis) {
            let name = free_name(format!("{}_word", axis.name), &mut taken);
            columns
                .push(Column::new(&name, ColumnKind::Text, axis_cell(axis, word_cell)).nullable());
        }
        all.extend(columns.into_iter().map(|column| Column {
            is_axis: true,
            ..column
        }));
    }
    all.extend(behind);
    all
}

/// An axis keeps its own column name unless a column of the sample has it.
fn free_name(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name = format!("axis_{name}");
    }
    name
}

/// Of one type in every table, whatever the values: readers put tables together by the
/// names of their columns. A word among numbers has a column of its own.
fn axis_column<'a>(axis: &'a AxisHead, name: &str) -> Column<'a> {
    match axis.unit {
        Unit::Word => Column::new(name, ColumnKind::Text, axis_cell(axis, text_cell)),
        _ => Column::new(name, ColumnKind::Signed64, axis_cell(axis, int_cell)),
    }
    .nullable()
}

fn axis_cell<'a>(
    axis: &'a AxisHead,
    make: fn(&AxisValue) -> Cell<'_>,
) -> impl Fn(SampleRow<'a>) -> Cell<'a> + 'a {
    move |r: SampleRow<'a>| r.point.value(&axis.name).map_or(Cell::Null, make)
}

fn has_words(run: &RunHead, experiment: &str, axis: &AxisHead) -> bool {
    run.points.iter().any(|p| {
        p.experiment == experiment && matches!(p.value(&axis.name), Some(AxisValue::Word(_)))
    })
}

fn word_cell(value: &AxisValue) -> Cell<'_> {
    value.as_word().map_or(Cell::Null, Cell::from)
}

fn text_cell(value: &AxisValue) -> Cell<'_> {
    match value {
        AxisValue::Word(word) => word.as_str().into(),
        AxisValue::Int(v) => Cell::Text(v.to_string().into()),
    }
}

fn int_cell(value: &AxisValue) -> Cell<'_> {
    value.as_int().map_or(Cell::Null, Cell::Int)
}

fn stored<'a>((name, column): &'static (&str, Stored<Sample>)) -> Column<'a> {
    Column {
        nullable: column.is_nullable(),
        ..Column::new(name, column.kind(), |r| column.cell(r.sample))
    }
}

/// The columns that every experiment has, behind its axes.
fn sample_columns(experiment: &ExperimentHead) -> Vec<Column<'_>> {
    let metric = |r: &SampleRow| experiment.metrics.get(usize::from(r.sample.metric));
    let name = move |r: SampleRow| metric(&r).map(|m| m.name.as_str()).into();
    let unit = move |r: SampleRow| metric(&r).map(|m| m.unit.symbol()).into();
    let bytes = |r: SampleRow| r.point.bytes_per_op.into();
    let (metric_index, others) = SAMPLE.split_at(1);
    let mut all = vec![Column::new("bytes_per_op", ColumnKind::Unsigned64, bytes).nullable()];
    all.extend(metric_index.iter().map(stored));
    all.push(Column::new("metric", ColumnKind::Text, name).nullable());
    all.push(Column::new("unit", ColumnKind::Text, unit).nullable());
    all.extend(others.iter().map(stored));
    all
}
