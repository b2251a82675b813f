//! Samples of an experiment's points -> its table of summaries.

use crate::contamination::judge_point;
use crate::view::{ExperimentTable, IN_ORDER_MOST, InOrder, Mode, PointView, Summary};
use record::{ExperimentHead, FigureKind, Instrument, PointHead, Sample};
use stats::SpreadPrior;
use stats::interval::NOMINAL_LEVEL;
use stats::quantile::{median, quantile_sorted};
use std::collections::BTreeMap;

/// Samples by point index, in the order of measuring.
pub type SamplesByPoint = BTreeMap<u32, Vec<Sample>>;

/// Table of `experiment` from those of `points` that belong to it. Points
/// without samples keep their state and have no summaries.
pub fn summarise(
    experiment: &ExperimentHead,
    points: &[PointHead],
    samples: &SamplesByPoint,
) -> ExperimentTable {
    summarise_measured(experiment, points, samples, None, None)
}

/// `summarise` that also knows the instrument (the steps of a coarse clock are
/// then not taken for modes) and how processes differ in the run as a whole,
/// for experiments with too few points to tell.
pub fn summarise_measured(
    experiment: &ExperimentHead,
    points: &[PointHead],
    samples: &SamplesByPoint,
    instrument: Option<&Instrument>,
    of_run: Option<&SpreadPrior>,
) -> ExperimentTable {
    let known = Known {
        resolution_ns: instrument.map(|i| i.resolution_ns),
        spreads: spreads_by_metric(samples),
        of_run,
    };
    let view = |head: &PointHead| {
        let taken = samples.get(&head.index).map_or(&[][..], Vec::as_slice);
        PointView {
            head: head.clone(),
            summaries: summaries(experiment, taken, &known),
            contamination: judge_point(taken),
            in_order: in_order(experiment, taken),
        }
    };
    ExperimentTable {
        head: experiment.clone(),
        points: points
            .iter()
            .filter(|p| p.experiment == experiment.id)
            .map(view)
            .collect(),
    }
}

/// Values of the metrics whose samples a figure of the experiment draws.
fn in_order(experiment: &ExperimentHead, taken: &[Sample]) -> Vec<InOrder> {
    let mut all: Vec<InOrder> = Vec::new();
    let figures = experiment.figures.iter();
    for figure in figures.filter(|f| f.kind.draws_samples()) {
        let metric = experiment.metrics.iter().position(|m| m.name == figure.y);
        let Some(metric) = metric.and_then(|at| u16::try_from(at).ok()) else {
            continue;
        };
        if all.iter().any(|v| v.metric == metric) {
            continue;
        }
        // One process's order says nothing of the next one's.
        let first = taken.iter().map(|s| s.process).min();
        let in_one = figure.kind == FigureKind::Sequence;
        let belongs = |s: &&Sample| s.metric == metric && (!in_one || Some(s.process) == first);
        let values = || taken.iter().filter(belongs).map(|s| s.value);
        all.push(InOrder {
            metric,
            left_out: values().count().saturating_sub(IN_ORDER_MOST),
            values: values().take(IN_ORDER_MOST).collect(),
        });
    }
    all.retain(|v| !v.values.is_empty());
    all
}

/// What a summary rests on besides the samples of its point.
struct Known<'a> {
    resolution_ns: Option<f64>,
    /// How processes differ, by metric.
    spreads: BTreeMap<u16, SpreadPrior>,
    of_run: Option<&'a SpreadPrior>,
}

/// Values of one metric of a point, process by process.
type Processes = Vec<Vec<f64>>;

/// How processes differ in the points of an experiment, by metric.
fn spreads_by_metric(samples: &SamplesByPoint) -> BTreeMap<u16, SpreadPrior> {
    let mut points: BTreeMap<u16, Vec<Processes>> = BTreeMap::new();
    for taken in samples.values() {
        for (metric, of_metric) in by_metric(taken) {
            points
                .entry(metric)
                .or_default()
                .push(by_process(&of_metric));
        }
    }
    points
        .into_iter()
        .filter_map(|(metric, points)| Some((metric, SpreadPrior::fit(&points)?)))
        .collect()
}

/// How processes differ in all points of a run, by their first metric.
pub(crate) fn spread_of_run<'a>(
    experiments: impl Iterator<Item = &'a SamplesByPoint>,
) -> Option<SpreadPrior> {
    let points: Vec<Processes> = experiments
        .flat_map(BTreeMap::values)
        .filter_map(|taken| by_metric(taken).remove(&0))
        .map(|of_metric| by_process(&of_metric))
        .collect();
    SpreadPrior::fit(&points)
}

fn by_metric(samples: &[Sample]) -> BTreeMap<u16, Vec<&Sample>> {
    let mut found: BTreeMap<u16, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        found.entry(sample.metric).or_default().push(sample);
    }
    found
}

fn by_process(samples: &[&Sample]) -> Processes {
    let mut found: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        found.entry(sample.process).or_default().push(sample.value);
    }
    found.into_values().collect()
}

/// One summary for each metric that occurs, by metric index. A moment has none:
/// it says when, and the median of that means nothing.
fn summaries(experiment: &ExperimentHead, samples: &[Sample], known: &Known<'_>) -> Vec<Summary> {
    let is_moment = |metric: u16| {
        let head = experiment.metrics.get(usize::from(metric));
        head.is_some_and(|m| m.unit.is_moment())
    };
    by_metric(samples)
        .into_iter()
        .filter(|(metric, _)| !is_moment(*metric))
        .filter_map(|(metric, taken)| summary(metric, &taken, known))
        .collect()
}

/// None where a value is not a finite number: no median is true then, and the
/// contamination verdict says so.
fn summary(metric: u16, samples: &[&Sample], known: &Known<'_>) -> Option<Summary> {
    let by_process = by_process(samples);
    let spread = known.spreads.get(&metric).or(known.of_run);
    let interval = stats::moderated_interval(&by_process, NOMINAL_LEVEL, spread).ok()?;
    let mut values = by_process.concat();
    let step = known
        .resolution_ns
        .and_then(|ns| step_of_values(samples, ns));
    let modes = stats::modes_on_grid(&values, step).ok()?;
    let several_within = |p: &Vec<f64>| stats::modes_on_grid(p, step).is_ok_and(|m| m.len() > 1);
    let mean = stats::mean(&values).ok()?;
    // One value has no variance; 0 keeps the column a number.
    let variance = stats::variance(&values).unwrap_or(0.0);
    values.sort_unstable_by(f64::total_cmp);
    Some(Summary {
        metric,
        samples: u32::try_from(values.len()).unwrap_or(u32::MAX),
        processes: u32::try_from(by_process.len()).unwrap_or(u32::MAX),
        median: interval,
        min: *values.first()?,
        max: *values.last()?,
        mean,
        variance,
        p25: quantile_sorted(&values, 0.25)?,
        p75: quantile_sorted(&values, 0.75)?,
        p90: quantile_sorted(&values, 0.90)?,
        p99: quantile_sorted(&values, 0.99)?,
        modes: modes
            .into_iter()
            .map(|m| Mode {
                center: m.center,
                share: m.share,
            })
            .collect(),
        modes_between_processes: by_process.len() > 1 && !by_process.iter().any(several_within),
    })
}

/// Distance between neighbouring values that the clock can tell apart, ns per
/// operation; None for metrics that are not times.
fn step_of_values(samples: &[&Sample], resolution_ns: f64) -> Option<f64> {
    let ops: Vec<f64> = samples
        .iter()
        .filter(|s| s.elapsed_ns > 0.0 && s.ops > 0)
        .map(|s| s.ops as f64)
        .collect();
    median(&ops).ok().map(|ops| resolution_ns / ops)
}
