//! The summary of a run as rows of a table.

use crate::view::{ContaminationLevel, ExperimentTable, PointView, RunView, Summary};
use record::SummaryRow;

/// Longest reason that is kept, in characters: readers of tables refuse long cells.
const REASON_CHARS: usize = 400;

/// A row for each metric of each point that has samples.
pub fn rows(view: &RunView) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for table in &view.tables {
        for point in &table.points {
            rows.extend(point.summaries.iter().map(|s| row(table, point, s)));
        }
    }
    rows
}

fn row(table: &ExperimentTable, point: &PointView, summary: &Summary) -> SummaryRow {
    let metric = table.head.metrics.get(usize::from(summary.metric));
    let median = &summary.median;
    let end = |end: f64| (!median.is_none()).then_some(end);
    let judged = point.contamination.as_ref().filter(|_| summary.metric == 0);
    SummaryRow {
        experiment: table.head.id.clone(),
        point: point.head.index,
        settings: point.head.label(),
        bytes_per_op: point.head.bytes_per_op,
        metric_index: summary.metric,
        metric: metric.map(|m| m.name.clone()).unwrap_or_default(),
        unit: metric
            .map(|m| m.unit.symbol().to_owned())
            .unwrap_or_default(),
        samples: summary.samples,
        processes: summary.processes,
        effective: summary.effective,
        median: median.center,
        low: end(median.low),
        high: end(median.high),
        level: median.level,
        method: median.method.name().to_owned(),
        min: summary.min,
        max: summary.max,
        mean: summary.mean,
        p25: summary.p25,
        p75: summary.p75,
        p90: summary.p90,
        p99: summary.p99,
        modes: u32::try_from(summary.modes.len()).unwrap_or(u32::MAX),
        at_best: summary.at_best.map(|best| best.value),
        at_best_share: summary.at_best.map(|best| best.share),
        link_ns: point.link_ns.filter(|_| summary.metric == 0),
        verdict: judged.map(|c| word(c.level).to_owned()),
        reason: judged.map(|c| c.reason.chars().take(REASON_CHARS).collect()),
    }
}

fn word(level: ContaminationLevel) -> &'static str {
    match level {
        ContaminationLevel::Clean => "clean",
        ContaminationLevel::Disturbed => "disturbed",
        ContaminationLevel::Contaminated => "contaminated",
    }
}
