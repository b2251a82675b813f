//! A run as its readers see it: each point with its summary.

use crate::at_best::AtBest;
use crate::speed::CpuSpeed;
use record::{ExperimentHead, PointHead, RunHead, Shared};
use serde::{Deserialize, Serialize};
use stats::{Interval, Method};

/// A whole run: its head and one table for each experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    pub head: RunHead,
    pub tables: Vec<ExperimentTable>,
    /// How fast each CPU was that samples were taken on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speeds: Vec<CpuSpeed>,
}

/// One experiment of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentTable {
    pub head: ExperimentHead,
    pub points: Vec<PointView>,
}

/// One point: its place on the axes, its state, and its metrics summarised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointView {
    pub head: Shared<PointHead>,
    /// By metric index of the experiment; empty for points that failed or have no samples.
    pub summaries: Vec<Summary>,
    pub contamination: Option<Contamination>,
    /// Median of the cycle of the CPU while its samples were taken, ns; None where nothing
    /// looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_ns: Option<f64>,
    /// The same of additions side by side, which another thread of the core slows more, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_ns: Option<f64>,
    /// The first metric in cycles of the core, each sample in those of its own moment; None
    /// where the experiment is not quoted so, or a cycle is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Interval>,
    /// Values of the metrics whose single samples a figure draws.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_order: Vec<InOrder>,
    /// The first metric's samples, all processes together; None where all are alike.
    #[serde(skip)]
    pub histogram: Option<Histogram>,
}

/// Samples in [`BINS`] bins of equal width. A long tail is counted, not binned: it would leave all
/// others in one bin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    pub from: f64,
    pub to: f64,
    pub bins: Vec<u32>,
    /// Samples behind the last bin.
    pub beyond: u32,
}

/// Bins of a point's histogram.
pub const BINS: usize = 48;

/// A metric's values one after the other, as they were taken, at most
/// [`IN_ORDER_MOST`] of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InOrder {
    pub metric: u16,
    pub values: Vec<f64>,
    /// How many there are beyond these.
    pub left_out: usize,
}

/// More would not be distinguished in a figure, nor fit into a page.
pub const IN_ORDER_MOST: usize = 2000;

/// The distribution of one metric at one point, in the metric's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub metric: u16,
    /// Samples, over all processes.
    pub samples: u32,
    pub processes: u32,
    /// How many independent samples they are worth: fewer where each leans on the one
    /// before it.
    pub effective: f64,
    /// Its level is under the nominal one where there are too few samples to reach it,
    /// and 0 where they depend on each other so far that there is no interval.
    #[serde(flatten, with = "Median")]
    pub median: Interval,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Sample variance (n - 1).
    pub variance: f64,
    pub p25: f64,
    pub p75: f64,
    /// None of samples that are worth too few to carry it, as p99.
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    /// Of a time: what the machine can, where the median is what one gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_best: Option<AtBest>,
    /// One entry: one mode. More: the median alone misleads.
    pub modes: Vec<Mode>,
    /// Several processes, and none of them has several modes by itself: the
    /// modes are differences between processes, which the interval covers.
    pub modes_between_processes: bool,
}

/// A median and its interval under the names that JSON has for them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Interval")]
pub(crate) struct Median {
    #[serde(rename = "median")]
    center: f64,
    low: f64,
    high: f64,
    level: f64,
    method: Method,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    degrees: Option<f64>,
}

/// One mode of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// Median of the samples of this mode.
    pub center: f64,
    /// Share of the samples, 0..=1.
    pub share: f64,
}

/// How far the surroundings reached into a point's samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contamination {
    pub level: ContaminationLevel,
    /// Samples with at least one disturbance that this experiment does not
    /// itself cause.
    pub disturbed: u32,
    /// Samples of which it is not known whether time was stolen from them.
    #[serde(default)]
    pub unknown: u32,
    pub samples: u32,
    /// What was seen: `12 involuntary switches, 3 ms steal`.
    pub reason: String,
}

/// Whether a result stands in spite of what disturbed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContaminationLevel {
    Clean,
    /// Disturbances seen; the disturbed samples do not shift the median.
    Disturbed,
    /// The disturbed samples shift the result: do not believe it as it stands.
    Contaminated,
}

impl RunView {
    /// The table of one experiment.
    pub fn table(&self, experiment: &str) -> Option<&ExperimentTable> {
        self.tables.iter().find(|t| t.head.id == experiment)
    }
}

impl ExperimentTable {
    /// Points whose settings contain all of `only` (axis, value as text).
    pub fn select<'a>(
        &'a self,
        only: &'a [(&'a str, &'a str)],
    ) -> impl Iterator<Item = &'a PointView> {
        self.points.iter().filter(move |p| {
            only.iter()
                .all(|(axis, want)| p.head.value(axis).is_some_and(|v| v.to_string() == *want))
        })
    }

    /// The first of these points.
    pub fn point(&self, only: &[(&str, &str)]) -> Option<&PointView> {
        let is = |p: &&PointView| {
            let has = |(axis, want): &(&str, &str)| {
                p.head.value(axis).is_some_and(|v| v.to_string() == *want)
            };
            only.iter().all(has)
        };
        self.points.iter().find(is)
    }
}

impl PointView {
    /// The metric's values in order, where a figure asks for them.
    pub fn values(&self, metric: u16) -> Option<&InOrder> {
        self.in_order.iter().find(|v| v.metric == metric)
    }

    /// The metric that the experiment is about: the first.
    pub fn primary(&self) -> Option<&Summary> {
        self.summary(0)
    }

    /// The point's summary of one metric.
    pub fn summary(&self, metric: u16) -> Option<&Summary> {
        self.summaries.iter().find(|s| s.metric == metric)
    }

    /// Integer value of an axis.
    pub fn int(&self, axis: &str) -> Option<i64> {
        self.head.value(axis).and_then(record::AxisValue::as_int)
    }

    /// Word of an axis; empty where the point has none on it.
    pub fn word(&self, axis: &str) -> &str {
        let value = self.head.value(axis);
        value.and_then(record::AxisValue::as_word).unwrap_or("")
    }

    /// Median time of one operation (metric 0), ns.
    pub fn median_ns(&self) -> Option<f64> {
        self.primary().map(|s| s.median.center)
    }

    /// 10^9 bytes per second of metric 0, bytes counted once.
    pub fn bandwidth_gb_per_s(&self) -> Option<f64> {
        let bytes = self.head.bytes_per_op? as f64;
        self.median_ns().filter(|ns| *ns > 0.0).map(|ns| bytes / ns)
    }
}
