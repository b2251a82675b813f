//! Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format):
//! `{benchmark: {measure: {value, lower_value, upper_value}}}`.
//!
//! A benchmark is a point, `copy/memcpy size=4096 cache=hot`. The primary metric
//! is Bencher's own measure `latency`, in nanoseconds; others are named with
//! their unit. The value is the median, the bounds its interval. A value that
//! is not finite has no place in the format and is left out.
//!
//! The format has no place for conditions, and a threshold knows a benchmark by its
//! name: those of an emulated processor end with ` (emulated)`, so that they are
//! never held against those of a real one.

use super::Selection;
use analysis::{ExperimentTable, RunView, Summary};
use serde_json::{Map, Value, json};

pub(super) fn text(view: &RunView, selection: &Selection) -> String {
    let mut benchmarks = Map::new();
    let suffix = match view.head.machine.is_emulated() {
        true => " (emulated)",
        false => "",
    };
    for table in &view.tables {
        for point in &table.points {
            let measures: Map<String, Value> = point
                .summaries
                .iter()
                .filter(|s| s.median.center.is_finite())
                .filter_map(|s| Some((measure_name(table, s.metric, selection)?, measure(s))))
                .collect();
            if !measures.is_empty() {
                let name = format!("{} {}", table.head.id, point.head.label());
                let name = format!("{}{suffix}", name.trim_end());
                benchmarks.insert(name, Value::Object(measures));
            }
        }
    }
    escape::json(&format!("{:#}", Value::Object(benchmarks))).into_owned() + "\n"
}

fn measure_name(table: &ExperimentTable, metric: u16, selection: &Selection) -> Option<String> {
    if metric == 0 {
        return Some("latency".into());
    }
    let metric = table.head.metrics.get(usize::from(metric));
    let metric = metric.filter(|m| selection.shows(m))?;
    Some(format!("{}{}", metric.name, metric.unit.suffix()))
}

fn measure(summary: &Summary) -> Value {
    let bounds = [
        ("value", summary.median.center),
        ("lower_value", summary.median.low),
        ("upper_value", summary.median.high),
    ];
    // The extremes of samples that carry no interval are no bounds.
    let given = if summary.median.is_none() {
        1
    } else {
        bounds.len()
    };
    let finite = bounds
        .into_iter()
        .take(given)
        .filter(|(_, bound)| bound.is_finite());
    let fields = finite.map(|(name, bound)| (name.to_owned(), json!(bound)));
    Value::Object(fields.collect())
}
