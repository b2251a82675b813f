//! What a point shows: numbers that are known, samples in their order, and
//! records of fixtures as a whole.

use analysis::{ExperimentTable, OfRun, PointView, load, summarise, summarise_measured};
use record::{
    AxisValue, Disturbance, ExperimentHead, FigureHead, FigureKind, Instrument, MetricHead,
    PointHead, PointState, Run, Sample, Setting, Unit,
};
use std::collections::BTreeMap;
use std::path::Path;

fn metric(name: &str) -> MetricHead {
    MetricHead {
        name: name.into(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    }
}

fn experiment(figures: Vec<FigureHead>) -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: "a/b".into(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: vec![metric("time"), metric("wait")],
        figures,
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

fn point(settings: &[(&str, AxisValue)]) -> PointHead {
    let setting = |(axis, value): &(&str, AxisValue)| Setting {
        axis: (*axis).to_owned(),
        value: value.clone(),
    };
    PointHead {
        index: 0,
        experiment: "a/b".into(),
        settings: settings.iter().map(setting).collect(),
        bytes_per_op: Some(64),
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
}

fn sample(metric: u16, process: u16, value: f64) -> Sample {
    Sample {
        metric,
        process,
        index: 0,
        ops: 1,
        elapsed_ns: value,
        floor_ns: 0.0,
        value,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}

fn table(figures: Vec<FigureHead>, samples: Vec<Sample>) -> ExperimentTable {
    let settings = [("size", AxisValue::Int(64)), ("way", "x".into())];
    let points = [point(&settings).into()];
    summarise(
        &experiment(figures),
        &points,
        &BTreeMap::from([(0, samples)]),
    )
}

fn shown(figures: Vec<FigureHead>, samples: Vec<Sample>) -> PointView {
    table(figures, samples).points.remove(0)
}

#[test]
fn a_summary_of_the_numbers_from_0_to_100() {
    let values = (0..=100u32).map(|i| f64::from((i * 37) % 101));
    let view = shown(Vec::new(), values.map(|v| sample(0, 0, v)).collect());
    let s = view.primary().expect("samples");
    assert_eq!(
        (s.min, s.max, s.mean, s.median.center),
        (0.0, 100.0, 50.0, 50.0)
    );
    assert_eq!((s.p25, s.p75, s.p90, s.p99), (25.0, 75.0, Some(90.0), None));
    // n (n + 1) / 12, by one less than there are.
    assert!((s.variance - 101.0 * 102.0 / 12.0).abs() < 1e-9, "{s:?}");
    assert_eq!(
        (s.samples, s.processes, s.modes_between_processes),
        (101, 1, false)
    );
    assert!(view.summary(1).is_none());
}

#[test]
fn one_sample_has_no_variance() {
    let view = shown(Vec::new(), vec![sample(0, 0, 7.0)]);
    assert_eq!(
        view.primary().map(|s| (s.variance, s.median.center)),
        Some((0.0, 7.0))
    );
    let broken = shown(Vec::new(), vec![sample(0, 0, 7.0), sample(0, 0, f64::NAN)]);
    assert!(broken.primary().is_none() && broken.contamination.is_some());
}

/// A process that has several modes itself is no single draw.
#[test]
fn modes_lie_between_processes_where_none_has_two() {
    let between = |odd: usize| {
        let of = |process: u16| {
            let value = move |at: usize| {
                let upper = (process == 1) != (at < odd && process == 0);
                100.0 + if upper { 80.0 } else { 0.0 } + (at % 7) as f64 / 10.0
            };
            (0..30).map(move |at| sample(0, process, value(at)))
        };
        let view = shown(Vec::new(), of(0).chain(of(1)).collect());
        let s = view.primary().expect("samples").clone();
        (s.modes.len(), s.modes_between_processes)
    };
    assert_eq!(between(0), (2, true));
    assert_eq!(between(12), (2, false));
}

#[test]
fn bandwidth_counts_bytes_once() {
    let at = |value: f64| shown(Vec::new(), vec![sample(0, 0, value)]);
    assert_eq!(at(16.0).bandwidth_gb_per_s(), Some(4.0));
    assert_eq!(at(0.0).bandwidth_gb_per_s(), None);
    let mut none = at(16.0);
    none.head.bytes_per_op = None;
    assert_eq!(none.bandwidth_gb_per_s(), None);
    assert_eq!(
        (at(16.0).int("size"), at(16.0).int("way")),
        (Some(64), None)
    );
}

#[test]
fn points_are_selected_by_all_settings_that_are_named() {
    let table = table(Vec::new(), Vec::new());
    let count = |only: &[(&str, &str)]| table.select(only).count();
    assert_eq!(count(&[("size", "64"), ("way", "x")]), 1);
    assert_eq!(count(&[("size", "64"), ("way", "y")]), 0);
    assert_eq!((count(&[]), count(&[("none", "")])), (1, 0));
}

fn figure(kind: FigureKind, y: &str) -> FigureHead {
    FigureHead {
        kind,
        y: y.to_owned(),
        ..FigureHead::default()
    }
}

/// Times 1 to 4 of two processes, with waits ten times as long.
fn two_processes() -> Vec<Sample> {
    let both = |process, value| [sample(0, process, value), sample(1, process, 10.0 * value)];
    [(2, 1.0), (1, 2.0), (2, 3.0), (1, 4.0)]
        .iter()
        .flat_map(|(process, value)| both(*process, *value))
        .collect()
}

#[test]
fn samples_are_kept_in_order_where_a_figure_draws_them() {
    let kept = |figures: Vec<FigureHead>| -> Vec<(u16, Vec<f64>)> {
        let view = shown(figures, two_processes());
        let of = |v: &analysis::view::InOrder| (v.metric, v.values.clone());
        view.in_order.iter().map(of).collect()
    };
    assert_eq!(kept(vec![figure(FigureKind::Lines, "time")]), []);
    let tail = figure(FigureKind::Distribution, "wait");
    assert_eq!(
        kept(vec![tail.clone()]),
        [(1, vec![10.0, 20.0, 30.0, 40.0])]
    );
    // The order of one process says nothing of the next one's.
    let order = figure(FigureKind::Sequence, "time");
    assert_eq!(kept(vec![order.clone()]), [(0, vec![2.0, 4.0])]);
    let twice = vec![
        tail.clone(),
        order,
        tail,
        figure(FigureKind::Sequence, "none"),
    ];
    assert_eq!(
        kept(twice),
        [(1, vec![10.0, 20.0, 30.0, 40.0]), (0, vec![2.0, 4.0])]
    );
}

#[test]
fn what_is_left_out_of_the_order_is_counted() {
    let most = analysis::view::IN_ORDER_MOST;
    let of = |count: usize| {
        let samples = (0..count).map(|at| sample(0, 0, at as f64)).collect();
        let view = shown(vec![figure(FigureKind::Distribution, "time")], samples);
        let kept = view.values(0).expect("a figure draws them");
        (kept.values.len(), kept.left_out)
    };
    assert_eq!(of(most), (most, 0));
    assert_eq!(of(most + 3), (most, 3));
}

/// A clock of 1000 ns over batches of 100: steps of 10 ns are the clock's.
#[test]
fn the_step_of_a_clock_is_that_of_one_operation() {
    let batch = |at: u32| {
        let value = if at.is_multiple_of(3) { 30.0 } else { 40.0 };
        Sample {
            ops: 100,
            elapsed_ns: 100.0 * value,
            ..sample(0, 0, value)
        }
    };
    let samples: Vec<Sample> = (0..60).map(batch).collect();
    let modes = |resolution_ns: f64| {
        let instrument = Instrument {
            resolution_ns,
            ..Instrument::default()
        };
        let points = [point(&[]).into()];
        let by_point = BTreeMap::from([(0, samples.clone())]);
        let head = experiment(Vec::new());
        let of_run = OfRun {
            instrument: Some(instrument),
            ..OfRun::default()
        };
        let table = summarise_measured(&head, &points, &by_point, &of_run);
        table.points[0].primary().expect("samples").modes.len()
    };
    assert_eq!(modes(1000.0), 1);
    assert_eq!(modes(10.0), 2);
}

fn fixture(name: &str) -> analysis::RunView {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records");
    load(&Run::open(&folder.join(name)).expect("a record")).expect("its tables")
}

#[test]
fn every_experiment_of_a_record_has_its_table() {
    for name in ["v1-small", "v1-offload", "v1-copies-2", "v1-crashed"] {
        let view = fixture(name);
        let ids: Vec<&String> = view.tables.iter().map(|t| &t.head.id).collect();
        let listed: Vec<&String> = view.head.experiments.iter().map(|e| &e.id).collect();
        assert_eq!(ids, listed, "{name}");
        for table in &view.tables {
            assert!(view.table(&table.head.id).is_some());
            assert!(
                table
                    .points
                    .iter()
                    .all(|p| p.head.experiment == table.head.id)
            );
        }
        assert!(view.table("none/such").is_none());
    }
}

/// Nobody watched what disturbed recorded copies.
#[test]
fn copies_have_no_verdict_and_samples_have_one() {
    let view = fixture("v1-offload");
    let judged = |id: &str| {
        let table = view.table(id).expect("an experiment of the record");
        let with_samples = table.points.iter().filter(|p| !p.summaries.is_empty());
        let judged = with_samples.map(|p| p.contamination.is_some());
        judged.collect::<Vec<bool>>()
    };
    let timed = judged("offload/latency");
    assert!(!timed.is_empty() && timed.iter().all(|judged| *judged));
    assert!(judged("copies/trace").iter().all(|judged| !judged));
}
