//! Samples of an experiment's points -> its table of summaries.

use crate::contamination::judge_point;
use crate::view::{ExperimentTable, Mode, PointView, Summary};
use record::{ExperimentHead, Instrument, PointHead, Sample};
use stats::order::NOMINAL_LEVEL;
use stats::quantile::{median, quantile_sorted};
use std::collections::BTreeMap;

/// Samples by point index, in the order of measuring.
pub type SamplesByPoint = BTreeMap<u32, Vec<Sample>>;

/// Table of `experiment` from those of `points` that belong to it. Points
/// without samples keep their state and have no summaries.
#[must_use]
pub fn summarise(
    experiment: &ExperimentHead,
    points: &[PointHead],
    samples: &SamplesByPoint,
) -> ExperimentTable {
    summarise_measured(experiment, points, samples, None)
}

/// `summarise` that also knows the instrument: the steps of a coarse clock are
/// then not taken for modes.
#[must_use]
pub fn summarise_measured(
    experiment: &ExperimentHead,
    points: &[PointHead],
    samples: &SamplesByPoint,
    instrument: Option<&Instrument>,
) -> ExperimentTable {
    let resolution_ns = instrument.map(|i| i.resolution_ns);
    let view = |head: &PointHead| {
        let taken = samples.get(&head.index).map_or(&[][..], Vec::as_slice);
        PointView {
            head: head.clone(),
            summaries: summaries(taken, resolution_ns),
            contamination: judge_point(taken),
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

/// One summary for each metric that occurs, by metric index.
fn summaries(samples: &[Sample], resolution_ns: Option<f64>) -> Vec<Summary> {
    let mut by_metric: BTreeMap<u16, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        by_metric.entry(sample.metric).or_default().push(sample);
    }
    by_metric
        .into_iter()
        .filter_map(|(metric, taken)| summary(metric, &taken, resolution_ns))
        .collect()
}

/// None where a value is not a finite number: no median is true then, and the
/// contamination verdict says so.
fn summary(metric: u16, samples: &[&Sample], resolution_ns: Option<f64>) -> Option<Summary> {
    let mut by_process: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        by_process
            .entry(sample.process)
            .or_default()
            .push(sample.value);
    }
    let by_process: Vec<Vec<f64>> = by_process.into_values().collect();
    let interval = stats::process_interval(&by_process, NOMINAL_LEVEL).ok()?;
    let mut values = by_process.concat();
    let step = resolution_ns.and_then(|ns| step_of_values(samples, ns));
    let modes = stats::modes_on_grid(&values, step).ok()?;
    let mean = stats::mean(&values).ok()?;
    // One value has no variance; 0 keeps the column a number.
    let variance = stats::variance(&values).unwrap_or(0.0);
    values.sort_unstable_by(f64::total_cmp);
    Some(Summary {
        metric,
        samples: u32::try_from(values.len()).unwrap_or(u32::MAX),
        processes: u32::try_from(by_process.len()).unwrap_or(u32::MAX),
        median: interval.center,
        low: interval.low,
        high: interval.high,
        level: interval.level,
        method: interval.method.name().to_owned(),
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
