//! CSV of samples: every one with the columns of the Parquet tables, and last `emulated`:
//! whether an emulated processor took its times.
//!
//! To a folder, one file for each experiment with its own axes as columns. To a
//! stream, all experiments under one header that has the axes of all of them;
//! cells of axes that an experiment does not have are empty.

use super::{ExportError, Selection, write_file};
use ::csv::Writer;
use analysis::RunView;
use record::table::{Cell, Column, ColumnKind, SampleRow, columns};
use record::{ExperimentHead, Run};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(super) fn write_files(
    run: &Run,
    (view, selection): (&RunView, &Selection),
    folder: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let mut files = Vec::new();
    for experiment in view.tables.iter().map(|t| &t.head) {
        let names = header(run, std::slice::from_ref(experiment));
        let mut bytes = Vec::new();
        let mut out = Writer::from_writer(&mut bytes);
        write_header(&names, &mut out)?;
        write_experiment(run, (experiment, selection), &names, &mut out)?;
        out.flush().map_err(ExportError::Stream)?;
        drop(out);
        let name = experiment.table_file().replace(".parquet", ".csv");
        files.push(write_file(&folder.join(name), &bytes)?);
    }
    Ok(files)
}

pub(super) fn write_all(
    run: &Run,
    (view, selection): (&RunView, &Selection),
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let experiments: Vec<ExperimentHead> = view.tables.iter().map(|t| t.head.clone()).collect();
    let names = header(run, &experiments);
    let mut out = Writer::from_writer(out);
    write_header(&names, &mut out)?;
    for experiment in &experiments {
        write_experiment(run, (experiment, selection), &names, &mut out)?;
    }
    out.flush().map_err(ExportError::Stream)
}

/// Columns of all the experiments, each once, axes together.
fn header(run: &Run, experiments: &[ExperimentHead]) -> Vec<String> {
    let mut front: Vec<String> = Vec::new();
    let mut behind: Vec<String> = Vec::new();
    for experiment in experiments {
        let mut passed_axes = false;
        for column in columns(run.head(), experiment) {
            passed_axes |= column.name == "bytes_per_op";
            if !front.contains(&column.name) && !behind.contains(&column.name) {
                let part = if passed_axes { &mut behind } else { &mut front };
                part.push(column.name);
            }
        }
    }
    front.append(&mut behind);
    front
}

fn write_header<W: Write>(names: &[String], out: &mut Writer<W>) -> Result<(), ExportError> {
    let names = names.iter().map(|name| escape::csv(name));
    let names = names.chain(["emulated".into()]);
    out.write_record(names.map(Cow::into_owned))
        .map_err(stream_error)
}

fn write_experiment<W: Write>(
    run: &Run,
    (experiment, selection): (&ExperimentHead, &Selection),
    names: &[String],
    out: &mut Writer<W>,
) -> Result<(), ExportError> {
    let samples = run.samples(&experiment.id)?;
    let columns = columns(run.head(), experiment);
    let named = |name: &String| columns.iter().find(|c| c.name == *name);
    let in_order: Vec<Option<&Column>> = names.iter().map(named).collect();
    let emulated = run.head().machine.is_emulated().to_string();
    for point in &run.head().points {
        let all = samples.get(&point.index).into_iter().flatten();
        for sample in all.filter(|s| wanted(experiment, s.metric, selection)) {
            let row = SampleRow { point, sample };
            let cells = in_order.iter();
            let cells = cells.map(|column| column.map_or_else(String::new, |c| text(c, row)));
            out.write_record(cells.chain([emulated.clone()]))
                .map_err(stream_error)?;
        }
    }
    Ok(())
}

fn wanted(experiment: &ExperimentHead, metric: u16, selection: &Selection) -> bool {
    let metric = experiment.metrics.get(usize::from(metric));
    metric.map_or(selection.metrics.is_none(), |m| {
        selection.has_metric(&m.name)
    })
}

/// Doubles in the shortest form that reads back to the same double.
fn text<'a>(column: &Column<'a>, row: SampleRow<'a>) -> String {
    match (column.cell)(row) {
        Cell::Int(v) if column.kind == ColumnKind::Unsigned64 => v.cast_unsigned().to_string(),
        Cell::Int(v) => v.to_string(),
        Cell::Double(v) => v.to_string(),
        Cell::Text(v) => escape::csv(&v).into_owned(),
        Cell::Null => String::new(),
    }
}

fn stream_error(cause: ::csv::Error) -> ExportError {
    ExportError::Stream(match cause.into_kind() {
        ::csv::ErrorKind::Io(source) => source,
        other => io::Error::other(format!("{other:?}")),
    })
}
