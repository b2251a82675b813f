//! Operations of two kinds that a batch averages.

use analysis::singles::kinds;
use analysis::{ExperimentTable, summarise};
use record::{ExperimentHead, MetricHead, PointHead, PointState, SINGLE, Sample, Shared, Unit};
use std::collections::BTreeMap;

fn experiment() -> ExperimentHead {
    let metric = |name: &str| MetricHead {
        name: name.to_owned(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    };
    ExperimentHead {
        id: "syscall/open".to_owned(),
        metrics: vec![metric("latency"), metric(SINGLE)],
        ..ExperimentHead::default()
    }
}

fn point() -> Shared<PointHead> {
    PointHead {
        index: 0,
        experiment: "syscall/open".to_owned(),
        settings: Vec::new(),
        bytes_per_op: None,
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
    .into()
}

/// Batches of `batched_ns` an operation in two processes, and these single ones in each.
fn table(batched_ns: f64, singles_ns: &[f64]) -> ExperimentTable {
    table_of(batched_ns, [singles_ns, singles_ns])
}

fn table_of(batched_ns: f64, singles_ns: [&[f64]; 2]) -> ExperimentTable {
    let sample = |metric: u16, process: u16, index: usize, value: f64| Sample {
        metric,
        process,
        index: u32::try_from(index).unwrap(),
        ops: if metric == 0 { 1000 } else { 1 },
        elapsed_ns: value,
        value,
        ..Sample::default()
    };
    let mut samples = Vec::new();
    for (process, singles_ns) in (0..).zip(singles_ns) {
        samples.extend((0..50).map(|i| sample(0, process, i, batched_ns + (i * 7 % 10) as f64)));
        let singles = (50..).zip(singles_ns);
        samples.extend(singles.map(|(i, ns)| sample(1, process, i, *ns)));
    }
    summarise(&experiment(), &[point()], &BTreeMap::from([(0, samples)]))
}

/// A hundred of about a microsecond, each tenth so many times as long.
fn each_tenth(times: f64) -> Vec<f64> {
    let short = |i: u32| 1000.0 + f64::from(i * 37 % 11);
    let long = |i: u32| if i % 10 == 7 { times } else { 1.0 };
    (0..100).map(|i| long(i) * short(i)).collect()
}

#[test]
fn two_kinds_are_said_where_they_average_to_a_batch() {
    let table = table(1206.0, &each_tenth(3.0));
    let found = kinds(&table, &table.points[0]).unwrap();
    assert!(found.agree(), "{found:?}");
    let shares: Vec<f64> = found.singles.modes.iter().map(|m| m.share).collect();
    assert_eq!(shares, [0.9, 0.1]);
    assert_eq!(table.points[0].primary().unwrap().modes.len(), 1);
}

#[test]
fn kinds_that_are_not_those_of_a_batch_are_not_said_to_be() {
    let table = table(700.0, &each_tenth(3.0));
    let found = kinds(&table, &table.points[0]).unwrap();
    assert!(!found.agree(), "{found:?}");
}

#[test]
fn a_slower_process_is_no_kind_of_operation() {
    let slower: Vec<f64> = each_tenth(1.0).iter().map(|ns| 1.3 * ns).collect();
    let table = table_of(1150.0, [&each_tenth(1.0), &slower]);
    assert_eq!(table.points[0].summary(1).unwrap().modes.len(), 2);
    assert_eq!(kinds(&table, &table.points[0]), None);
}

#[test]
fn what_lasts_longer_than_a_batch_is_no_kind_of_operation() {
    // In one process a neighbour comes and goes: the batches show it as well.
    let slower = |ns: f64, i: usize| if i % 25 < 8 { 1.4 * ns } else { ns };
    let hit: Vec<f64> = each_tenth(1.0)
        .into_iter()
        .enumerate()
        .map(|(i, ns)| slower(ns, i))
        .collect();
    let mut table = table_of(1006.0, [&each_tenth(1.0), &hit]);
    let point = &mut table.points[0];
    assert!(point.summary(1).unwrap().modes.len() > 1);
    assert!(!point.summary(1).unwrap().modes_between_processes);
    assert!(kinds(&table, &table.points[0]).is_some());
    let modes = [(1006.0, 0.85), (1360.0, 0.15)];
    let modes = modes.map(|(center, share)| analysis::Mode { center, share });
    table.points[0].summaries[0].modes = modes.to_vec();
    assert_eq!(kinds(&table, &table.points[0]), None);
}

#[test]
fn one_kind_is_no_news() {
    let table = table(1006.0, &each_tenth(1.0));
    assert_eq!(kinds(&table, &table.points[0]), None);
    let few = each_tenth(3.0)[..5].to_vec();
    let table = self::table(1206.0, &few);
    assert_eq!(kinds(&table, &table.points[0]), None);
}
