//! The columns of a table, in order, and how each cell comes from a sample.

use super::name;
use crate::axis::{AxisValue, Unit};
use crate::describe::{AxisHead, ExperimentHead};
use crate::run::{PointHead, RunHead};
use crate::sample::{Disturbance, Sample};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A sample and the point it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct SampleRow<'a> {
    pub point: &'a PointHead,
    pub sample: &'a Sample,
}

/// Type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Unsigned16,
    Unsigned32,
    Unsigned64,
    Signed64,
    Double,
    Text,
}

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Of any integer kind; unsigned 64-bit values keep their bits.
    Int(i64),
    Double(f64),
    Text(Cow<'a, str>),
    Null,
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
        Column::new("run", ColumnKind::Text, |_| {
            Cell::Text(run.id.as_str().into())
        }),
        Column::new("experiment", ColumnKind::Text, |_| {
            Cell::Text(experiment.id.as_str().into())
        }),
        Column::new(name::POINT, ColumnKind::Unsigned32, |r| {
            Cell::Int(r.point.index.into())
        }),
    ];
    let behind = sample_columns(experiment);
    let mut taken: BTreeSet<String> = all.iter().chain(&behind).map(|c| c.name.clone()).collect();
    for axis in &experiment.axes {
        let name = free_name(axis, &mut taken);
        let mut column = axis_column(run, &experiment.id, axis, &name);
        column.is_axis = true;
        all.push(column);
    }
    all.extend(behind);
    all
}

/// An axis keeps its own column name unless a column of the sample has it.
fn free_name(axis: &AxisHead, taken: &mut BTreeSet<String>) -> String {
    let mut name = axis.column();
    while !taken.insert(name.clone()) {
        name = format!("axis_{name}");
    }
    name
}

fn axis_column<'a>(run: &RunHead, experiment: &str, axis: &'a AxisHead, name: &str) -> Column<'a> {
    let is_word = |p: &PointHead| {
        p.experiment == experiment && matches!(p.value(&axis.name), Some(AxisValue::Word(_)))
    };
    let cell = |make: fn(&AxisValue) -> Cell<'_>| {
        move |r: SampleRow<'a>| r.point.value(&axis.name).map_or(Cell::Null, make)
    };
    // A word on an axis of numbers turns the column into text: nothing is lost.
    if axis.unit == Unit::Word || run.points.iter().any(is_word) {
        Column::new(name, ColumnKind::Text, cell(text_cell)).nullable()
    } else {
        Column::new(name, ColumnKind::Signed64, cell(int_cell)).nullable()
    }
}

fn text_cell(value: &AxisValue) -> Cell<'_> {
    match value {
        AxisValue::Word(word) => Cell::Text(word.into()),
        AxisValue::Int(v) => Cell::Text(v.to_string().into()),
    }
}

fn int_cell(value: &AxisValue) -> Cell<'_> {
    value.as_int().map_or(Cell::Null, Cell::Int)
}

/// The columns that every experiment has, behind its axes.
fn sample_columns(experiment: &ExperimentHead) -> Vec<Column<'_>> {
    use ColumnKind::{Double, Text, Unsigned16, Unsigned32, Unsigned64};
    let metric = |r: &SampleRow| experiment.metrics.get(usize::from(r.sample.metric));
    vec![
        Column::new("bytes_per_op", Unsigned64, |r| opt(r.point.bytes_per_op)).nullable(),
        Column::new(name::METRIC_INDEX, Unsigned16, |r| {
            Cell::Int(r.sample.metric.into())
        }),
        Column::new("metric", Text, move |r| {
            metric(&r).map_or(Cell::Null, |m| Cell::Text(m.name.as_str().into()))
        })
        .nullable(),
        Column::new("unit", Text, move |r| {
            metric(&r).map_or(Cell::Null, |m| Cell::Text(m.unit.symbol().into()))
        })
        .nullable(),
        Column::new(name::PROCESS, Unsigned16, |r| {
            Cell::Int(r.sample.process.into())
        }),
        Column::new(name::SAMPLE, Unsigned32, |r| {
            Cell::Int(r.sample.index.into())
        }),
        Column::new(name::OPS, Unsigned64, |r| {
            Cell::Int(r.sample.ops.cast_signed())
        }),
        Column::new(name::ELAPSED_NS, Double, |r| {
            Cell::Double(r.sample.elapsed_ns)
        }),
        Column::new(name::FLOOR_NS, Double, |r| Cell::Double(r.sample.floor_ns)),
        Column::new(name::VALUE, Double, |r| Cell::Double(r.sample.value)),
        Column::new(name::CPU, Unsigned16, |r| Cell::Int(r.sample.cpu.into())),
        disturbance(name::VOLUNTARY_SWITCHES, |d| d.voluntary_switches),
        disturbance(name::INVOLUNTARY_SWITCHES, |d| d.involuntary_switches),
        disturbance(name::MINOR_FAULTS, |d| d.minor_faults),
        disturbance(name::MAJOR_FAULTS, |d| d.major_faults),
        disturbance(name::MIGRATIONS, |d| d.migrations),
        Column::new(name::STEAL_NS, Unsigned64, |r| {
            opt(r.sample.disturbance.steal_ns)
        })
        .nullable(),
        Column::new(name::INTERRUPTS, Unsigned32, |r| {
            opt(r.sample.disturbance.interrupts.map(u64::from))
        })
        .nullable(),
    ]
}

fn disturbance<'a>(name: &str, count: fn(&Disturbance) -> u32) -> Column<'a> {
    Column::new(name, ColumnKind::Unsigned32, move |r| {
        Cell::Int(count(&r.sample.disturbance).into())
    })
}

fn opt<'a>(value: Option<u64>) -> Cell<'a> {
    value.map_or(Cell::Null, |v| Cell::Int(v.cast_signed()))
}
