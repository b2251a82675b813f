//! When counting is said to have slowed an operation down.

use analysis::probe_effect::alarm;
use analysis::{ExperimentTable, PointView, summarise};
use record::{
    ExperimentHead, MetricHead, PROBE_EFFECT, PointHead, PointState, Sample, Shared, Unit,
};
use std::collections::BTreeMap;

fn experiment() -> ExperimentHead {
    let metric = |name: &str, unit| MetricHead {
        name: name.to_owned(),
        unit,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    };
    ExperimentHead {
        id: "ipc/pipe".to_owned(),
        metrics: vec![
            metric("time", Unit::Nanoseconds),
            metric(PROBE_EFFECT, Unit::Ratio),
        ],
        ..ExperimentHead::default()
    }
}

fn point() -> Shared<PointHead> {
    PointHead {
        index: 0,
        experiment: "ipc/pipe".to_owned(),
        settings: Vec::new(),
        bytes_per_op: None,
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
    .into()
}

/// A table of one point with these ratios, of one process.
fn table(ratios: &[f64]) -> ExperimentTable {
    let sample = |(index, value): (u32, &f64)| Sample {
        metric: 1,
        index,
        ops: 1,
        value: *value,
        ..Sample::default()
    };
    let samples = (0..).zip(ratios).map(sample).collect();
    summarise(&experiment(), &[point()], &BTreeMap::from([(0, samples)]))
}

fn said(ratios: &[f64]) -> Option<String> {
    let table = table(ratios);
    let point: &PointView = &table.points[0];
    alarm(&table, point)
}

/// Around a ratio, up and down in an order without drift.
fn around(ratio: f64, by: f64) -> Vec<f64> {
    let place = |i: u32| f64::from((i * 7) % 20) / 10.0 - 0.95;
    (0..20).map(|i| ratio + by * place(i)).collect()
}

#[test]
fn a_slowing_that_is_sure_and_above_5_percent_is_an_alarm() {
    let slow = said(&around(14.2, 1.0)).unwrap();
    assert!(slow.starts_with("with counters this takes 14.2"), "{slow}");
    assert!(slow.contains("its time is of passes without"), "{slow}");
    assert_eq!(said(&around(1.04, 0.001)), None, "below the threshold");
    assert!(said(&around(1.06, 0.001)).is_some());
    assert_eq!(said(&around(1.3, 3.0)), None, "not sure");
    assert_eq!(said(&around(0.7, 0.01)), None, "faster is no alarm");
}

#[test]
fn without_blocks_there_is_nothing_to_say() {
    assert_eq!(said(&[]), None);
    let mut without = table(&around(14.2, 1.0));
    without.head.metrics.truncate(1);
    assert_eq!(alarm(&without, &without.points[0]), None);
}
