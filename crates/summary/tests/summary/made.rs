//! Runs made for these tests: what is not said is good.

use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Interval, PointView, RunView};
use record::{
    Confidence, Finding, Instrument, PointState, RunHead, TollGroup, TollHead, Unit, Verdict,
};
use testbed::{int, measured, table, word};

/// A run of these tables on a quiet machine with a good clock.
pub fn run(tables: Vec<ExperimentTable>) -> RunView {
    let head = serde_json::json!({
        "schema_version": record::SCHEMA_VERSION, "id": "20260101T120000Z-made",
        "started_utc": "2026-01-01T12:00:00Z", "ended_utc": "2026-01-01T12:01:00Z",
        "tool_version": "0.1.0", "command_line": ["pontage", "run"],
        "recipe": {"name": "quick", "preset": "quick", "processes": 5, "budget_ns": 1, "text": ""},
        "state": {"state": "complete"}, "machine": record::MachineCard::default(),
        "machine_full": null, "conditions": record::Conditions {
            busy_before: Some(0.0), steal_share: Some(0.0), ..record::Conditions::default()
        },
        "instrument": Instrument {
            clock: "tsc".to_owned(), clock_hz: 2e9, invariant: true, ..Instrument::default()
        },
        "experiments": [], "points": [], "findings": [], "claims": [],
    });
    let mut head: RunHead = serde_json::from_value(head).expect("a head");
    head.points = tables
        .iter()
        .flat_map(|t| t.points.iter().map(|p| p.head.clone()))
        .collect();
    RunView {
        head,
        tables,
        speeds: Vec::new(),
    }
}

/// A point of five processes at this size, ns, with an interval of this share to both sides.
pub fn sized(id: &str, way: &str, size: u64, ns: f64, share: f64) -> PointView {
    let settings = [int("size", size as i64), word("way", way)];
    let mut point = measured(id, &settings, &[ns]);
    let summary = &mut point.summaries[0];
    summary.processes = 5;
    summary.median = Interval::resampled(ns, ns * (1.0 - share), ns * (1.0 + share));
    point.contamination = Some(analysis::Contamination {
        level: ContaminationLevel::Clean,
        disturbed: 0,
        unknown: 0,
        samples: 31,
        reason: String::new(),
    });
    point
}

/// The same, and it could not be measured.
pub fn skipped(id: &str, reason: &str) -> PointView {
    let mut point = sized(id, "a", 64, 1.0, 0.01);
    point.summaries.clear();
    point.head.state = PointState::Skipped {
        reason: reason.to_owned(),
        remedy: "sudo true".to_owned(),
    };
    point
}

/// An experiment with a row of the map for each of these ways; its times by size.
pub fn ways(id: &str, group: TollGroup, ways: &[(&str, bool, [f64; 3])]) -> ExperimentTable {
    let sizes = [64, 64 << 10, 16 << 20];
    let points = ways.iter().flat_map(|(way, _, times)| {
        let each = sizes.iter().zip(times);
        each.map(|(size, ns)| sized(id, way, *size, *ns, 0.02))
    });
    let mut made = table(id, points.collect());
    let row = |(way, usual, _): &(&str, bool, [f64; 3])| TollHead {
        label: (*way).to_owned(),
        size_axis: "size".to_owned(),
        only: vec![word("way", way)],
        group: Some(group),
        usual: *usual,
        ..TollHead::default()
    };
    made.head.toll = ways.iter().map(row).collect();
    made
}

/// A finding of a ratio between two bounds.
pub fn ratio(experiment: &str, key: &str, value: f64, low: f64, high: f64) -> Finding {
    Finding {
        experiment: experiment.to_owned(),
        key: key.to_owned(),
        sentence: format!("{key} is {value}"),
        value: Some(value),
        low: Some(low),
        high: Some(high),
        unit: Unit::Ratio,
        confidence: Confidence { share: 0.95 },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
        regions: Vec::new(),
        methods: Vec::new(),
        pattern: None,
        class: None,
        family: None,
        brief: None,
    }
}
