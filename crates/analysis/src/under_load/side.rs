//! One point in one run: where its times lie, and how far its tail reaches.

use super::taken::{Taken, Timed};
use crate::compare::{Pair, judge};
use crate::view::{ContaminationLevel, Median, Summary};
use serde::Serialize;
use stats::interval::NOMINAL_LEVEL;
use stats::{Interval, Tail};

/// Fewest samples for a quantile p: one sample in a thousand needs a thousand. They have
/// to be worth half as many independent ones, at least.
const FEWEST: [(TailAt, u32); 2] = [(TailAt::P999, 1000), (TailAt::P99, 100)];

/// Which end of the distribution the samples of both runs suffice for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TailAt {
    P999,
    P99,
    /// Fewer than a hundred samples: the largest of them.
    Max,
}

impl TailAt {
    /// `p99.9`.
    pub fn name(self) -> &'static str {
        match self {
            TailAt::P999 => "p99.9",
            TailAt::P99 => "p99",
            TailAt::Max => "max",
        }
    }

    /// The same for both runs, or their tails could not be compared.
    fn for_both(a: &Summary, b: &Summary) -> TailAt {
        let (samples, worth) = (a.samples.min(b.samples), a.effective.min(b.effective));
        let carry = |fewest: u32| samples >= fewest && worth >= f64::from(fewest) / 2.0;
        let enough = FEWEST.iter().find(|(_, fewest)| carry(*fewest));
        enough.map_or(TailAt::Max, |(at, _)| *at)
    }

    fn share(self) -> Option<f64> {
        match self {
            TailAt::P999 => Some(0.999),
            TailAt::P99 => Some(0.99),
            TailAt::Max => None,
        }
    }
}

/// A path in one of the runs; times in the unit of the metric, nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    pub samples: u32,
    pub processes: u32,
    /// Operations that a sample averages over, in the median: single late ones
    /// among them do not show.
    pub operations: f64,
    #[serde(flatten, with = "Median")]
    pub median: Interval,
    pub p25: f64,
    pub p75: f64,
    /// Standard deviation over mean.
    pub variation: f64,
    /// All processes together. None where only the largest sample is known.
    pub tail: Option<Tail>,
    pub tail_at: TailAt,
    pub max: f64,
    pub contamination: Option<ContaminationLevel>,
}

impl Side {
    /// The time that `tail_at` names.
    pub fn tail(&self) -> f64 {
        self.tail.map_or(self.max, |t| t.value.center)
    }

    /// Tail over median: 1 is a path without one.
    pub fn span(&self) -> f64 {
        self.tail() / self.median.center
    }

    /// Distance of the quartiles over the median.
    pub fn middle(&self) -> f64 {
        (self.p75 - self.p25) / self.median.center
    }

    fn of(summary: &Summary, timed: &[Timed], tail_at: TailAt) -> Option<Side> {
        let values: Vec<f64> = timed.iter().map(|t| t.value).collect();
        let tail = match tail_at.share() {
            Some(p) => {
                let tail = stats::tail_interval(&values, p, NOMINAL_LEVEL, summary.effective);
                Some(tail.ok()?)
            }
            None => None,
        };
        let operations: Vec<f64> = timed.iter().map(|t| t.ops as f64).collect();
        Some(Side {
            samples: summary.samples,
            processes: summary.processes,
            operations: stats::median(&operations).ok()?,
            median: summary.median,
            p25: summary.p25,
            p75: summary.p75,
            variation: summary.variance.sqrt() / summary.mean,
            tail,
            tail_at,
            max: summary.max,
            contamination: None,
        })
    }

    /// Tail over median without the samples that the hypervisor interrupted;
    /// None where there are none such, or too few others.
    fn span_undisturbed(&self, timed: &[Timed]) -> Option<f64> {
        let own: Vec<f64> = timed
            .iter()
            .filter(|t| !t.stolen)
            .map(|t| t.value)
            .collect();
        if own.len() == timed.len() || own.len() < super::FEWEST_SAMPLES {
            return None;
        }
        let tail = stats::quantile(&own, self.tail_at.share().unwrap_or(1.0)).ok()?;
        Some(tail / stats::median(&own).ok()?)
    }
}

/// Both sides of a pair, and what their tails are without stolen samples.
pub(super) struct Both {
    pub light: Side,
    pub heavy: Side,
    pub own_spans: (Option<f64>, Option<f64>),
}

/// The two sides of a pair.
///
/// # Errors
/// What became of the point in the run that has no samples of it.
pub(super) fn both(pair: &Pair<'_>, light: &Taken, heavy: &Taken) -> Result<Both, String> {
    let found = |side, run: &str, lacks: &str| {
        judge::measured(side, 0).map_err(|reason| match reason.as_str() {
            "missing" => format!("only in {lacks}"),
            _ => format!("{reason} in {run}"),
        })
    };
    let a = found(pair.a, "the light run", "the heavy run")?;
    let b = found(pair.b, "the heavy run", "the light run")?;
    let timed = |point: &crate::PointView, taken: &'_ Taken| -> Vec<Timed> {
        taken.of(&point.head.experiment, point.head.index).to_vec()
    };
    let (of_light, of_heavy) = (timed(a.0, light), timed(b.0, heavy));
    let at = TailAt::for_both(a.1, b.1);
    let side = |of: (&crate::PointView, &Summary), timed: &[Timed], run: &str| {
        let mut side =
            Side::of(of.1, timed, at).ok_or_else(|| format!("without samples in {run}"))?;
        side.contamination = of.0.contamination.as_ref().map(|c| c.level);
        Ok::<Side, String>(side)
    };
    let light = side(a, &of_light, "the light run")?;
    let heavy = side(b, &of_heavy, "the heavy run")?;
    Ok(Both {
        own_spans: (
            light.span_undisturbed(&of_light),
            heavy.span_undisturbed(&of_heavy),
        ),
        light,
        heavy,
    })
}
