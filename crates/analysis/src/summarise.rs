//! Samples of an experiment's points -> its table of summaries.

use crate::around::Around;
use crate::at_best::AtBest;
use crate::contamination::{judge_point, judge_run, may_be_stolen};
use crate::series::{Likes, Series};
use crate::speed::{self, Readings, Usual};
use crate::view::{
    BINS, ContaminationLevel, ExperimentTable, Histogram, IN_ORDER_MOST, InOrder, Mode, PointView,
    Summary,
};
use record::{
    ExperimentHead, FigureKind, Instrument, PointHead, RunHead, Sample, SamplesByPoint, Shared,
    Unit, Yardstick,
};
use stats::quantile::{median, quantile_sorted};
use stats::{Interval, whole_index};
use std::collections::BTreeMap;

/// Table of `experiment` from those of `points` that belong to it. Points
/// without samples keep their state and have no summaries.
pub fn summarise(
    experiment: &ExperimentHead,
    points: &[Shared<PointHead>],
    samples: &SamplesByPoint,
) -> ExperimentTable {
    summarise_measured(experiment, points, samples, &OfRun::default())
}

/// What is known of the run that an experiment is a part of.
#[derive(Debug, Clone, Default)]
pub struct OfRun {
    /// The steps of a coarse clock are then not taken for modes.
    pub instrument: Option<Instrument>,
    /// How processes and samples differ, for experiments with too few points to tell.
    pub likes: Likes,
    pub around: Around,
}

/// What [`OfRun`] rests on, gathered experiment by experiment: a run may have more samples than a
/// machine has memory for.
#[derive(Default)]
pub struct Gathered {
    readings: Vec<Readings>,
    /// Of the first metric of each point.
    series: Vec<Series>,
}

impl Gathered {
    /// Takes what an experiment's samples say of the run.
    pub fn take(&mut self, samples: &SamplesByPoint) {
        for taken in samples.values() {
            let readings = speed::readings(taken);
            if !readings.is_empty() {
                self.readings.push(readings);
            }
            self.series.extend(Series::of_metric(taken, 0));
        }
    }

    /// What is known of the run with this head.
    pub fn of_run(&self, head: &RunHead) -> OfRun {
        OfRun {
            instrument: Some(head.instrument.clone()),
            likes: Likes::of(&self.series.iter().collect::<Vec<_>>()),
            around: Around {
                usual: Usual::of_readings(&self.readings),
                may_be_stolen: may_be_stolen(head),
                shared: judge_run(&head.conditions).level > ContaminationLevel::Clean,
            },
        }
    }
}

impl OfRun {
    /// Of a run, by its head and the samples of each of its experiments.
    pub fn of<'a>(head: &RunHead, experiments: impl Iterator<Item = &'a SamplesByPoint>) -> OfRun {
        let mut gathered = Gathered::default();
        experiments.for_each(|samples| gathered.take(samples));
        gathered.of_run(head)
    }
}

/// `summarise` with what is known of the run.
pub fn summarise_measured(
    experiment: &ExperimentHead,
    points: &[Shared<PointHead>],
    samples: &SamplesByPoint,
    of_run: &OfRun,
) -> ExperimentTable {
    let mut series: BTreeMap<u32, BTreeMap<u16, Series>> = samples
        .iter()
        .map(|(index, taken)| (*index, Series::of(taken)))
        .collect();
    let known = Known {
        resolution_ns: of_run.instrument.as_ref().map(|i| i.resolution_ns),
        counts_cycles: of_run
            .instrument
            .as_ref()
            .and_then(|i| i.yardstick)
            .is_some_and(|y| y.counts_cycles()),
        likes: likes_by_metric(experiment, series.values(), &of_run.likes),
    };
    let mut view = |head: &Shared<PointHead>| {
        let taken = samples.get(&head.index).map_or(&[][..], Vec::as_slice);
        PointView {
            head: head.clone(),
            summaries: summaries(experiment, taken, series.remove(&head.index), &known),
            contamination: judge_point(taken, &of_run.around),
            link_ns: usual(taken, |y| y.link_ns),
            burst_ns: usual(taken, |y| y.burst_ns),
            cycles: cycles(experiment, taken, &known),
            in_order: in_order(experiment, taken),
            histogram: histogram(taken),
        }
    };
    let own = || points.iter().filter(|p| p.experiment == experiment.id);
    // A table may have 10^5 points: no room for points that never come.
    let mut views = Vec::with_capacity(own().count());
    views.extend(own().map(&mut view));
    ExperimentTable {
        head: experiment.clone(),
        points: views,
    }
}

/// Behind the upper quartile by more than so many distances of the quartiles is a tail.
const TAIL: f64 = 6.0;

/// A histogram of the first metric.
fn histogram(taken: &[Sample]) -> Option<Histogram> {
    let values = taken.iter().filter(|s| s.metric == 0).map(|s| s.value);
    let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (least, most) = (*values.first()?, *values.last()?);
    let (low, high) = (
        quantile_sorted(&values, 0.25)?,
        quantile_sorted(&values, 0.75)?,
    );
    let tail = high + TAIL * (high - low);
    let to = if tail > least { most.min(tail) } else { most };
    if least >= to {
        return None;
    }
    let mut found = Histogram {
        from: least,
        to,
        bins: vec![0; BINS],
        beyond: 0,
    };
    for value in values {
        match value > to {
            true => found.beyond += 1,
            false => {
                let place = (value - least) / (to - least) * BINS as f64;
                found.bins[whole_index(place).min(BINS - 1)] += 1;
            }
        }
    }
    Some(found)
}

/// Median of a reading of the yardstick around the samples of a point.
fn usual(taken: &[Sample], of: fn(&Yardstick) -> f64) -> Option<f64> {
    let primary = taken.iter().filter(|s| s.metric == 0);
    let readings = primary.filter_map(|s| s.yardstick.as_ref().map(of));
    median(&readings.collect::<Vec<f64>>()).ok()
}

/// The first metric in cycles. A link is one where a multiplication takes a whole number of
/// them, which the instrument's self-test says.
fn cycles(experiment: &ExperimentHead, taken: &[Sample], known: &Known) -> Option<Interval> {
    if !experiment.in_cycles || !known.counts_cycles {
        return None;
    }
    let primary = taken.iter().filter(|s| s.metric == 0);
    let in_cycles = primary.map(|s| {
        Some(Sample {
            value: s.value / s.yardstick?.link_ns,
            ..s.clone()
        })
    });
    let in_cycles: Vec<Sample> = in_cycles.collect::<Option<_>>()?;
    let likes = known.likes.get(&0).copied().unwrap_or_default();
    Series::of(&in_cycles).get(&0)?.interval(&likes).ok()
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
struct Known {
    resolution_ns: Option<f64>,
    /// The yardstick's links are cycles of the core.
    counts_cycles: bool,
    /// By metric.
    likes: BTreeMap<u16, Likes>,
}

/// How the points of an experiment differ, by metric.
fn likes_by_metric<'a>(
    experiment: &ExperimentHead,
    points: impl Iterator<Item = &'a BTreeMap<u16, Series>>,
    of_run: &Likes,
) -> BTreeMap<u16, Likes> {
    let mut by_metric: BTreeMap<u16, Vec<&Series>> = BTreeMap::new();
    for (metric, series) in points.flatten() {
        by_metric.entry(*metric).or_default().push(series);
    }
    let is_time = |metric: u16| {
        let head = experiment.metrics.get(usize::from(metric));
        head.is_some_and(|m| m.unit == Unit::Nanoseconds)
    };
    let likes = |(metric, all): (u16, Vec<&Series>)| {
        let likes = Likes::of(&all).or(of_run);
        match is_time(metric) {
            true => (metric, likes.of_time(of_run)),
            false => (metric, likes),
        }
    };
    by_metric.into_iter().map(likes).collect()
}

/// One summary for each metric that occurs, by metric index. A moment has none:
/// it says when, and the median of that means nothing.
fn summaries(
    experiment: &ExperimentHead,
    samples: &[Sample],
    series: Option<BTreeMap<u16, Series>>,
    known: &Known,
) -> Vec<Summary> {
    let is_moment = |metric: u16| {
        let head = experiment.metrics.get(usize::from(metric));
        head.is_some_and(|m| m.unit.is_moment())
    };
    let series = series.into_iter().flatten();
    let mut all: Vec<Summary> = series
        .filter(|(metric, _)| !is_moment(*metric))
        .filter_map(|(metric, of)| summary(metric, &of, samples, known))
        .collect();
    // Most points have one; room for four is taken.
    all.shrink_to_fit();
    all
}

/// None where a value is not a finite number: no median is true then, and the
/// contamination verdict says so.
fn summary(metric: u16, series: &Series, samples: &[Sample], known: &Known) -> Option<Summary> {
    let likes = known.likes.get(&metric).copied().unwrap_or_default();
    let interval = series.interval(&likes).ok()?;
    let by_process = &series.processes;
    let effective = series.worth(&likes);
    let mut values = by_process.concat();
    let step = known
        .resolution_ns
        .and_then(|ns| step_of_values(metric, samples, ns));
    let interval = match step {
        Some(step) if !interval.is_none() => interval.at_least(step / 2.0),
        _ => interval,
    };
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
        effective,
        median: interval,
        min: *values.first()?,
        max: *values.last()?,
        mean,
        variance,
        p25: quantile_sorted(&values, 0.25)?,
        p75: quantile_sorted(&values, 0.75)?,
        p90: carried(&values, effective, 0.90),
        p99: carried(&values, effective, 0.99),
        at_best: step.and_then(|_| AtBest::of(&values, effective)),
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

/// Samples beyond a quantile, of independent ones, without which it is not given: 50
/// for p90, 500 for p99. A tenth less, because what independent samples are worth is an
/// estimate, and below their number.
const FEWEST_BEYOND: f64 = 4.5;

/// Quantile `p` of sorted values that are worth `effective` independent ones.
fn carried(values: &[f64], effective: f64, p: f64) -> Option<f64> {
    let enough = effective * (1.0 - p) >= FEWEST_BEYOND;
    enough.then(|| quantile_sorted(values, p)).flatten()
}

/// Distance between neighbouring values that the clock can tell apart, ns per
/// operation; None for metrics that are not times.
fn step_of_values(metric: u16, samples: &[Sample], resolution_ns: f64) -> Option<f64> {
    let ops: Vec<f64> = samples
        .iter()
        .filter(|s| s.metric == metric && s.elapsed_ns > 0.0 && s.ops > 0)
        .map(|s| s.ops as f64)
        .collect();
    median(&ops).ok().map(|ops| resolution_ns / ops)
}
