//! The verdict on one point.
//!
//! A change is called when the interval of the ratio clears 1 and the ratio
//! exceeds the threshold. Where a side has one process only, its share of the
//! interval is an assumption (see `scatter`), and the whole interval has to
//! lie beyond the threshold.

use super::scatter::Scatter;
use super::{Outcome, Pair, PointChange, Side};
use crate::view::{ContaminationLevel, ExperimentTable, Mode, PointView, Summary};
use record::{MetricHead, PointState};
use stats::Interval;
use stats::interval::NOMINAL_LEVEL;
use stats::order::FEWEST_FOR_95;
use stats::whole_index;

/// Several modes may differ by this much in their shares and still be the
/// same picture.
const SHARE_TOLERATED: f64 = 0.2;

/// What applies to all points of a comparison.
pub(super) struct Setting {
    pub threshold: f64,
    /// Why no point is comparable.
    pub obstacle: Option<String>,
}

/// Every metric of a pair of points; one entry where neither has samples.
pub(super) fn changes(pair: &Pair<'_>, setting: &Setting, scatter: Scatter) -> Vec<PointChange> {
    // A pair has at least one side.
    let Some((table, point)) = pair.a.or(pair.b) else {
        return Vec::new();
    };
    let measured = |index: u16| summary(pair.a, index).or(summary(pair.b, index)).is_some();
    (0u16..)
        .zip(&table.head.metrics)
        .filter(|(index, _)| *index == 0 || measured(*index))
        .map(|(index, metric)| {
            let judgement = judged(pair, index, metric, setting, scatter);
            PointChange {
                experiment: table.head.id.clone(),
                settings: point.head.settings.clone(),
                metric: metric.name.clone(),
                unit: metric.unit,
                lower_is_better: metric.lower_is_better,
                a: side(pair.a, index),
                b: side(pair.b, index),
                ratio: judgement.ratio,
                outcome: judgement.outcome,
                reason: judgement.reason,
            }
        })
        .collect()
}

pub(crate) type SideOf<'a> = Option<(&'a ExperimentTable, &'a PointView)>;

fn summary<'a>(side: SideOf<'a>, metric: u16) -> Option<&'a Summary> {
    side.and_then(|(_, point)| point.summary(metric))
}

fn side(of: SideOf<'_>, metric: u16) -> Option<Side> {
    let (_, point) = of?;
    let summary = point.summary(metric)?;
    Some(Side {
        median: summary.median,
        samples: summary.samples,
        processes: summary.processes,
        contamination: point.contamination.as_ref().map(|c| c.level),
    })
}

struct Judgement {
    ratio: Option<Interval>,
    outcome: Outcome,
    reason: Option<String>,
}

fn judged(
    pair: &Pair<'_>,
    index: u16,
    metric: &MetricHead,
    setting: &Setting,
    scatter: Scatter,
) -> Judgement {
    let ratio = match (summary(pair.a, index), summary(pair.b, index)) {
        (Some(a), Some(b)) => ratio(a, b, scatter),
        _ => None,
    };
    let (outcome, reason) = match (obstacle(pair, index, metric, setting), ratio) {
        (Some(reason), _) => (Outcome::NotComparable, Some(reason)),
        (None, Some((ratio, single))) => weigh(&ratio, single, metric, setting.threshold),
        (None, None) => {
            let reason = "values at or below zero have no ratio".to_owned();
            (Outcome::NotComparable, Some(reason))
        }
    };
    Judgement {
        ratio: ratio.map(|(ratio, _)| ratio),
        outcome,
        reason,
    }
}

/// Why this metric of this point cannot be compared.
fn obstacle(pair: &Pair<'_>, index: u16, metric: &MetricHead, setting: &Setting) -> Option<String> {
    let a = match measured(pair.a, index) {
        Ok(found) => found,
        Err(reason) => return Some(format!("{reason} in A")),
    };
    let b = match measured(pair.b, index) {
        Ok(found) => found,
        Err(reason) => return Some(format!("{reason} in B")),
    };
    if let Some(reason) = &setting.obstacle {
        return Some(reason.clone());
    }
    if let Some(reason) = operation_differs(pair, index, metric) {
        return Some(reason);
    }
    for (name, point) in [("A", a.0), ("B", b.0)] {
        let bad = point.contamination.as_ref();
        if let Some(bad) = bad.filter(|c| c.level == ContaminationLevel::Contaminated) {
            return Some(format!("contaminated in {name}: {}", bad.reason));
        }
    }
    for (name, summary) in [("A", a.1), ("B", b.1)] {
        let count = summary.samples;
        if summary.processes < 2 && (count as usize) < FEWEST_FOR_95 {
            return Some(format!("too few samples in {name}: {count}"));
        }
        if summary.median.is_none() {
            let worth = summary.effective.floor();
            return Some(format!(
                "no interval in {name}: {count} samples are worth {worth} independent ones"
            ));
        }
    }
    // Differences between processes are what the intervals of both are about.
    if a.1.modes_between_processes && b.1.modes_between_processes {
        return None;
    }
    modes_differ(&a.1.modes, &b.1.modes, setting.threshold)
}

/// The point and its summary, or what became of it.
pub(crate) fn measured(side: SideOf<'_>, index: u16) -> Result<(&PointView, &Summary), String> {
    let (_, point) = side.ok_or("missing")?;
    match &point.head.state {
        PointState::Skipped { reason, .. } => Err(format!("skipped ({reason})")),
        PointState::Failed { reason } => Err(format!("failed ({reason})")),
        PointState::Pending => Err("not measured".to_owned()),
        PointState::Done => {
            let summary = point.summary(index).ok_or("without samples")?;
            Ok((point, summary))
        }
    }
}

/// The same words for something else: another unit, other bytes.
fn operation_differs(pair: &Pair<'_>, index: u16, metric: &MetricHead) -> Option<String> {
    let ((_, a), (table, b)) = (pair.a?, pair.b?);
    let theirs = table.head.metrics.get(usize::from(index));
    if theirs.is_none_or(|m| m.name != metric.name || m.unit != metric.unit) {
        return Some("the metric is defined differently".to_owned());
    }
    let bytes = |p: &PointView| p.head.bytes_per_op;
    (bytes(a) != bytes(b)).then(|| "an operation moves a different number of bytes".to_owned())
}

/// Different modes make the ratio of two medians a matter of chance, unless
/// all modes of one side lie beyond all modes of the other.
fn modes_differ(a: &[Mode], b: &[Mode], threshold: f64) -> Option<String> {
    let alike = a.len() == b.len()
        && (a.len() < 2
            || a.iter()
                .zip(b)
                .all(|(a, b)| (a.share - b.share).abs() <= SHARE_TOLERATED));
    let beyond = |low: &[Mode], high: &[Mode]| match (low.last(), high.first()) {
        (Some(top), Some(bottom)) => bottom.center > top.center * (1.0 + threshold),
        _ => true,
    };
    if alike || beyond(a, b) || beyond(b, a) {
        return None;
    }
    Some(format!("modes differ: {} against {}", listed(a), listed(b)))
}

/// `70 % at 25.0, 30 % at 120`.
fn listed(modes: &[Mode]) -> String {
    let one = |m: &Mode| format!("{:.0} % at {}", 100.0 * m.share, Short(m.center));
    modes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Three significant digits.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let magnitude = self.0.abs().max(1e-12).log10().floor();
        let decimals = whole_index((2.0 - magnitude).clamp(0.0, 9.0));
        write!(f, "{:.*}", decimals, self.0)
    }
}

/// B / A of a metric; None where a side is missing or not above zero.
pub(crate) fn ratio_of(pair: &Pair<'_>, index: u16, scatter: Scatter) -> Option<Interval> {
    let (a, b) = (summary(pair.a, index)?, summary(pair.b, index)?);
    ratio(a, b, scatter).map(|(ratio, _)| ratio)
}

/// Why the first metric of a pair is not the same thing on both sides.
pub(crate) fn first_metric_differs(pair: &Pair<'_>) -> Option<String> {
    let (table, _) = pair.a?;
    operation_differs(pair, 0, table.head.metrics.first()?)
}

/// B / A with everything that is known of its uncertainty, and whether a side
/// has one process only.
fn ratio(a: &Summary, b: &Summary, scatter: Scatter) -> Option<(Interval, bool)> {
    let within = stats::ratio_interval(&a.median, &b.median).ok()?;
    let single_sides = u32::from(a.processes < 2) + u32::from(b.processes < 2);
    let widened = |s: &Summary| u32::from(s.median.is_of_one_process());
    let allowance = 1.96 * scatter.sd(single_sides, widened(a) + widened(b));
    let (low, mid, high) = (within.low.ln(), within.center.ln(), within.high.ln());
    let ratio = Interval {
        low: (mid - (mid - low).hypot(allowance)).exp(),
        high: (mid + (high - mid).hypot(allowance)).exp(),
        level: NOMINAL_LEVEL,
        ..within
    };
    Some((ratio, single_sides > 0))
}

fn weigh(
    ratio: &Interval,
    single: bool,
    metric: &MetricHead,
    threshold: f64,
) -> (Outcome, Option<String>) {
    let limit = 1.0 + threshold;
    let (grew, shrank) = if single {
        (ratio.low > limit, ratio.high < 1.0 / limit)
    } else {
        (
            ratio.low > 1.0 && ratio.center > limit,
            ratio.high < 1.0 && ratio.center < 1.0 / limit,
        )
    };
    match (grew, shrank) {
        (false, false) => (Outcome::Same, hidden(ratio, threshold)),
        (grew, _) if grew == metric.lower_is_better => (Outcome::Worse, None),
        _ => (Outcome::Better, None),
    }
}

/// What a verdict of "same" could hide, where that is more than the threshold.
fn hidden(ratio: &Interval, threshold: f64) -> Option<String> {
    let limit = 1.0 + threshold;
    if ratio.low >= 1.0 / limit && ratio.high <= limit {
        return None;
    }
    Some(format!(
        "the interval is {:+.0} % to {:+.0} %; more processes narrow it",
        100.0 * (ratio.low - 1.0),
        100.0 * (ratio.high - 1.0)
    ))
}
