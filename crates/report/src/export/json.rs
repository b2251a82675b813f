//! JSON: what a run found, without its samples.
//!
//! `schema` names the layout, `schema_version` its version. A number that JSON
//! cannot hold (NaN, infinity) is null.

use analysis::{ExperimentTable, PointView, RunView};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

const SCHEMA_VERSION: u32 = 1;

pub(super) fn text(view: &RunView) -> String {
    let head = &view.head;
    let document = Document {
        schema: "pontage-summary",
        schema_version: SCHEMA_VERSION,
        run: json!({
            "id": head.id,
            "started_utc": head.started_utc,
            "ended_utc": head.ended_utc,
            "outcome": head.state,
            "tool_version": head.tool_version,
            "command_line": head.command_line,
            "recipe": head.recipe,
            "conditions": head.conditions,
            "instrument": head.instrument,
        }),
        machine: json!(head.machine),
        experiments: view.tables.iter().map(Experiment::of).collect(),
        findings: json!(head.findings),
        claims: json!(head.claims),
    };
    let text = serde_json::to_string_pretty(&document).expect("names of fields are strings");
    match escape::json(&text) {
        std::borrow::Cow::Borrowed(_) => text + "\n",
        std::borrow::Cow::Owned(escaped) => escaped + "\n",
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    run: Value,
    machine: Value,
    experiments: Vec<Experiment<'a>>,
    findings: Value,
    claims: Value,
}

#[derive(Serialize)]
struct Experiment<'a> {
    #[serde(flatten)]
    head: Value,
    #[serde(serialize_with = "points")]
    points: &'a ExperimentTable,
}

impl Experiment<'_> {
    fn of(table: &ExperimentTable) -> Experiment<'_> {
        let head = &table.head;
        let head = json!({
            "id": head.id,
            "title": head.title,
            "question": head.question,
            "counts": head.counts,
            "does_not_count": head.does_not_count,
            "origin": head.origin,
            "axes": head.axes,
            "metrics": head.metrics,
        });
        Experiment {
            head,
            points: table,
        }
    }
}

/// Each point is made as it is written: all those of a large record at once take gigabytes.
fn points<S: Serializer>(table: &ExperimentTable, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(table.points.iter().map(|p| point(table, p)))
}

fn point(table: &ExperimentTable, point: &PointView) -> Value {
    let settings: Map<String, Value> = point
        .head
        .settings
        .iter()
        .map(|s| (s.axis.clone(), json!(s.value)))
        .collect();
    json!({
        "index": point.head.index,
        "settings": settings,
        "bytes_per_op": point.head.bytes_per_op,
        "outcome": point.head.state,
        "bandwidth_gb_per_s": point.bandwidth_gb_per_s(),
        "contamination": point.contamination,
        "metrics": metrics(table, point),
    })
}

/// Summaries by the name of their metric.
fn metrics(table: &ExperimentTable, point: &PointView) -> Map<String, Value> {
    let mut all = Map::new();
    for summary in &point.summaries {
        let Some(metric) = table.head.metrics.get(usize::from(summary.metric)) else {
            continue;
        };
        let mut value = json!(summary);
        value["unit"] = json!(metric.unit.symbol());
        all.insert(metric.name.clone(), value);
    }
    all
}
