//! Runs to compare: made up, with a known difference.

use analysis::{ExperimentTable, Interval, Mode, Outcome, PointView, RunView, Summary, compare};
use record::{
    AxisValue, Conditions, ExperimentHead, Instrument, MachineCard, MetricHead, PointHead,
    PointState, RecipeHead, RunHead, RunState, SCHEMA_VERSION, Setting, Unit,
};

fn metric(name: &str, lower_is_better: bool) -> MetricHead {
    MetricHead {
        name: name.into(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better,
        explains: false,
    }
}

fn experiment() -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: "mem/latency".into(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: vec![metric("latency", true), metric("rate", false)],
        figures: Vec::new(),
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

pub fn summary(metric: u16, median: f64, half: f64, processes: u32) -> Summary {
    Summary {
        at_best: None,
        metric,
        samples: 30 * processes,
        processes,
        effective: f64::from(30 * processes),
        median: Interval::resampled(median, median * (1.0 - half), median * (1.0 + half)),
        min: median,
        max: median,
        mean: median,
        variance: 0.0,
        p25: median,
        p75: median,
        p90: Some(median),
        p99: Some(median),
        modes: vec![Mode {
            center: median,
            share: 1.0,
        }],
        modes_between_processes: false,
    }
}

/// What scripts read, whatever the fields are called in here.
#[test]
fn a_median_stands_in_json_with_the_names_of_its_interval() {
    let json = serde_json::to_value(summary(0, 100.0, 0.01, 1)).unwrap();
    assert_eq!(json["median"], 100.0);
    assert_eq!((&json["low"], &json["high"]), (&99.0.into(), &101.0.into()));
    assert_eq!(
        (&json["level"], &json["method"]),
        (&0.95.into(), &"resampled".into())
    );
    let back: Summary = serde_json::from_value(json).unwrap();
    assert_eq!(back, summary(0, 100.0, 0.01, 1));
}

pub fn point(size: i64, summaries: Vec<Summary>) -> PointView {
    PointView {
        cycles: None,
        link_ns: None,
        burst_ns: None,
        head: PointHead {
            index: 0,
            experiment: "mem/latency".into(),
            settings: vec![Setting {
                axis: "size".into(),
                value: AxisValue::Int(size),
            }],
            bytes_per_op: None,
            state: PointState::Done,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        }
        .into(),
        summaries,
        contamination: None,
        in_order: Vec::new(),
        histogram: None,
    }
}

pub fn run(id: &str, points: Vec<PointView>) -> RunView {
    let head = RunHead {
        schema_version: SCHEMA_VERSION,
        id: id.into(),
        started_utc: String::new(),
        ended_utc: None,
        tool_version: "0.1.0".into(),
        command_line: Vec::new(),
        recipe: RecipeHead::default(),
        state: RunState::Complete,
        labels: record::Labels::default(),
        machine: MachineCard {
            cpu_model: "X".into(),
            kernel: "6.1".into(),
            ..MachineCard::default()
        },
        machine_full: serde_json::Value::Null,
        conditions: Conditions::default(),
        instrument: Instrument::default(),
        experiments: vec![experiment()],
        points: points.iter().map(|p| p.head.clone()).collect(),
        findings: Vec::new(),
        claims: Vec::new(),
    };
    RunView {
        speeds: Vec::new(),
        head,
        tables: vec![ExperimentTable {
            head: experiment(),
            points,
        }],
    }
}

/// Points that did not change, so that what runs have in common is known to be nothing.
const UNCHANGED: i64 = 40;

/// A pair of runs: the first point has these summaries, and so many others stay.
pub fn among(a: Summary, b: Summary) -> (RunView, RunView) {
    let stays = |size| point(size, vec![summary(0, 100.0, 1e-6, 6)]);
    let with = |id: &str, first: Summary| {
        let mut points = vec![point(1, vec![first])];
        points.extend((2..2 + UNCHANGED).map(stays));
        run(id, points)
    };
    (with("a", a), with("b", b))
}

/// One point, among others that did not change, with these summaries of the primary metric.
pub fn outcome(a: Summary, b: Summary) -> (Outcome, String) {
    let (a, b) = among(a, b);
    let found = compare(&a, &b, 0.05);
    (
        found.points[0].outcome,
        found.points[0].reason.clone().unwrap_or_default(),
    )
}
