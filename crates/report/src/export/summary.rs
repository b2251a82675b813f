//! CSV and Markdown of what a run found: a row for each metric of each point.

use super::Selection;
use crate::document::{Document, Table, markdown};
use crate::format;
use crate::sheet::{Sheet, number};
use analysis::{ExperimentTable, PointView, RunView, Summary};
use record::{MetricHead, SummaryRow};

const HEADS: [&str; 27] = [
    "run",
    "experiment",
    "point",
    "settings",
    "bytes_per_op",
    "metric",
    "unit",
    "median",
    "low",
    "high",
    "level",
    "samples",
    "processes",
    "effective",
    "min",
    "p25",
    "p75",
    "p90",
    "p99",
    "max",
    "mean",
    "modes",
    "at_best",
    "at_best_share",
    "link_ns",
    "verdict",
    "emulated",
];

/// One table of all experiments: the settings of a point are one cell, because unlike
/// experiments have unlike axes, and each row names the unit of its values. What are sentences
/// (why a point is disturbed) is left to JSON.
pub(super) fn csv(view: &RunView, selection: &Selection) -> String {
    let mut sheet = Sheet::new(HEADS);
    let emulated = view.head.machine.is_emulated();
    for row in analysis::rows(view) {
        let metric = metric_of(view, &row);
        if metric.is_some_and(|m| selection.shows(m)) {
            sheet.row(cells(&view.head.id, row, emulated));
        }
    }
    sheet.csv()
}

fn metric_of<'a>(view: &'a RunView, row: &SummaryRow) -> Option<&'a MetricHead> {
    let metrics = &view.table(&row.experiment)?.head.metrics;
    metrics.get(usize::from(row.metric_index))
}

fn cells(run: &str, row: SummaryRow, emulated: bool) -> [String; 27] {
    let bytes = row.bytes_per_op.map(|bytes| bytes.to_string());
    [
        run.to_owned(),
        row.experiment,
        row.point.to_string(),
        row.settings,
        bytes.unwrap_or_default(),
        row.metric,
        row.unit,
        number(row.median),
        number(row.low),
        number(row.high),
        number(row.level),
        row.samples.to_string(),
        row.processes.to_string(),
        number(row.effective),
        number(row.min),
        number(row.p25),
        number(row.p75),
        number(row.p90),
        number(row.p99),
        number(row.max),
        number(row.mean),
        row.modes.to_string(),
        number(row.at_best),
        number(row.at_best_share),
        number(row.link_ns),
        row.verdict.unwrap_or_default(),
        emulated.to_string(),
    ]
}

/// A table for a page of a repository: the first metric of each point, or those that are named.
pub(super) fn markdown(view: &RunView, selection: &Selection) -> String {
    let heads = ["Experiment", "Settings", "Metric"];
    let numbers = ["Median", "95 % interval", "Range", "Samples"];
    let mut table = Table::of(heads.len(), heads.into_iter().chain(numbers));
    for of in &view.tables {
        for point in &of.points {
            let wanted = point.summaries.iter().filter(|s| match selection.metrics {
                Some(_) => true,
                None => s.metric == 0,
            });
            wanted.for_each(|s| table.row(row(of, point, s)));
        }
    }
    markdown::write(&Document::from(table))
}

fn row(table: &ExperimentTable, point: &PointView, summary: &Summary) -> [String; 7] {
    let metric = table.head.metrics.get(usize::from(summary.metric));
    let unit = metric.map_or(record::Unit::Count, |m| m.unit);
    let value = |value: f64| format::quantity(value, unit, 3);
    let (low, high) = (summary.median.low, summary.median.high);
    let interval = match summary.median.is_none() {
        true => "none".to_owned(),
        false => format!("{} to {}", value(low), value(high)),
    };
    [
        table.head.id.clone(),
        settings(table, point),
        metric.map(|m| m.name.clone()).unwrap_or_default(),
        value(summary.median.center),
        interval,
        format!("{} to {}", value(summary.min), value(summary.max)),
        summary.samples.to_string(),
    ]
}

/// `size 4 KiB, cache hot`.
fn settings(table: &ExperimentTable, point: &PointView) -> String {
    let one = |s: &record::Setting| {
        let axis = table.head.axes.iter().find(|a| a.name == s.axis);
        let unit = axis.map_or(record::Unit::Word, |a| a.unit);
        format!("{} {}", s.axis, format::axis_value(&s.value, unit))
    };
    let all: Vec<String> = point.head.settings.iter().map(one).collect();
    all.join(", ")
}
