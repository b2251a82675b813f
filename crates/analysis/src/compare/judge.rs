//! What one point says before the family is judged: its ratio, or why there is none.

use super::cpu::Accounted;
use super::evidence::Evidence;
use super::group::Row;
use super::scatter::Scatter;
use super::{Outcome, Pair, PointChange, Side};
use crate::speed::{BURST_TOLERATED, RESOLVED};
use crate::view::{ContaminationLevel, ExperimentTable, PointView, Summary};
use record::{MetricHead, PointState, Unit};
use stats::interval::NOMINAL_LEVEL;
use stats::order::FEWEST_FOR_95;
use stats::whole_index;
use stats::{Deviation, Interval};

/// What applies to all points of a comparison.
pub(super) struct Setting<'a> {
    /// Why no point is comparable.
    pub obstacle: Option<String>,
    /// Metrics that are counts of the processor.
    pub counters: Vec<&'a str>,
}

/// What the kernel accounts by its clock ticks: 1 to 10 ms at once. Older records do not say
/// that such times explain.
const BY_TICKS: [&str; 2] = ["user_time", "system_time"];

impl Setting<'_> {
    /// Whether a change of this metric is one for the better or the worse: of what an operation
    /// costs, and of what the processor counts over it. How often the kernel was interrupted or
    /// switched in the meantime explains a cost, and differs between runs for many reasons.
    fn decides(&self, metric: &MetricHead) -> bool {
        let name = metric.name.as_str();
        let counted = metric.unit == Unit::Count && !self.counters.contains(&name);
        !(metric.explains || counted || BY_TICKS.contains(&name))
    }
}

/// Every metric of a pair of points; one entry where neither has samples.
pub(super) fn rows(pair: &Pair<'_>, setting: &Setting<'_>, scatter: Scatter) -> Vec<Row> {
    // A pair has at least one side.
    let Some((table, point)) = pair.a.or(pair.b) else {
        return Vec::new();
    };
    let measured = |index: u16| summary(pair.a, index).or(summary(pair.b, index)).is_some();
    (0u16..)
        .zip(&table.head.metrics)
        .filter(|(index, metric)| *index == 0 || (metric.is_result() && measured(*index)))
        .map(|(index, metric)| {
            let judgement = judged(pair, index, metric, setting, scatter);
            let change = PointChange {
                experiment: table.head.id.clone(),
                settings: point.head.settings.clone(),
                metric: metric.name.clone(),
                unit: metric.unit,
                lower_is_better: metric.lower_is_better,
                a: side(pair.a, index),
                b: side(pair.b, index),
                ratio: judgement.ratio,
                cycle_ratio: cycle_ratio(pair),
                core_ratio: core_ratio(pair),
                adjusted_p: None,
                decides: setting.decides(metric),
                outcome: judgement.outcome,
                reason: judgement.reason,
            };
            Row {
                change,
                evidence: judgement.evidence,
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
        cycles: point.cycles.filter(|_| metric == 0).map(|c| c.center),
    })
}

/// Before the family is judged.
struct Judgement {
    ratio: Option<Interval>,
    evidence: Option<Evidence>,
    outcome: Outcome,
    reason: Option<String>,
}

fn judged(
    pair: &Pair<'_>,
    index: u16,
    metric: &MetricHead,
    setting: &Setting<'_>,
    scatter: Scatter,
) -> Judgement {
    let both = summary(pair.a, index).zip(summary(pair.b, index));
    let cpu = Accounted::of([cycle_ratio(pair), core_ratio(pair)], metric);
    let evidence = both.and_then(|(a, b)| Evidence::of(a, b, scatter));
    let evidence = evidence.map(|e| Evidence { cpu, ..e });
    let ratio = evidence.map(|e| e.interval(0.0, Deviation::NONE));
    let refused = |reason: String| match skipped(pair) {
        Some(reason) => (Outcome::Skipped, Some(reason)),
        None => (Outcome::NotComparable, Some(reason)),
    };
    let obstacle = obstacle(pair, index, metric, setting);
    let usable = obstacle.is_none();
    let (outcome, reason) = match (obstacle, both) {
        (Some(reason), _) => refused(reason),
        (None, Some((a, b))) if evidence.is_none() => without_ratio(a, b, metric),
        (None, _) => (Outcome::Same, None),
    };
    Judgement {
        ratio,
        evidence: evidence.filter(|_| usable),
        outcome,
        reason,
    }
}

/// Values that reach zero have no ratio; they may still show that nothing changed.
fn without_ratio(a: &Summary, b: &Summary, metric: &MetricHead) -> (Outcome, Option<String>) {
    let (a, b) = (&a.median, &b.median);
    let sides = format!("{} in A, {} in B", Short(a.center), Short(b.center));
    if a.low <= b.high && b.low <= a.high {
        let reason = format!("no ratio, for {} reaches zero: {sides}", metric.name);
        return (Outcome::Same, (a != b).then_some(reason));
    }
    let reason = "values at or below zero have no ratio, and these differ";
    (Outcome::NotComparable, Some(format!("{reason}: {sides}")))
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
    None
}

/// Why neither side could measure a point: the machine, not the comparison, lacks it.
fn skipped(pair: &Pair<'_>) -> Option<String> {
    let reason = |side: SideOf<'_>| match &side?.1.head.state {
        PointState::Skipped { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    let (a, b) = (reason(pair.a)?, reason(pair.b)?);
    Some(match a == b {
        true => format!("skipped on both sides ({a})"),
        false => format!("skipped on both sides ({a} in A, {b} in B)"),
    })
}

/// Of a point that the other run did not plan.
pub(super) const MISSING: &str = "missing";

/// The point and its summary, or what became of it.
pub(crate) fn measured(side: SideOf<'_>, index: u16) -> Result<(&PointView, &Summary), String> {
    let (_, point) = side.ok_or(MISSING)?;
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
    ratio(a, b, scatter)
}

/// Why the first metric of a pair is not the same thing on both sides.
pub(crate) fn first_metric_differs(pair: &Pair<'_>) -> Option<String> {
    let (table, _) = pair.a?;
    operation_differs(pair, 0, table.head.metrics.first()?)
}

/// B / A with everything that is known of its uncertainty.
fn ratio(a: &Summary, b: &Summary, scatter: Scatter) -> Option<Interval> {
    let within = stats::ratio_interval(&a.median, &b.median).ok()?;
    let single_sides = u32::from(a.processes < 2) + u32::from(b.processes < 2);
    let widened = |s: &Summary| u32::from(s.median.is_of_one_process());
    let allowance = 1.96 * scatter.sd(single_sides, widened(a) + widened(b));
    let (low, mid, high) = (within.low.ln(), within.center.ln(), within.high.ln());
    Some(Interval {
        low: (mid - (mid - low).hypot(allowance)).exp(),
        high: (mid + (high - mid).hypot(allowance)).exp(),
        level: NOMINAL_LEVEL,
        ..within
    })
}

/// A cycle of B over one of A while a point was measured; None where a side does not know it, or
/// the two differ by less than the yardstick resolves.
fn cycle_ratio(pair: &Pair<'_>) -> Option<f64> {
    let ratio = readings(pair, |point| point.link_ns)?;
    ((ratio - 1.0).abs() >= RESOLVED).then_some(ratio)
}

/// Additions side by side of B over those of A, where they differ in cycles as much as another
/// thread of the core makes them.
fn core_ratio(pair: &Pair<'_>) -> Option<f64> {
    let (link, burst) = (|p: &PointView| p.link_ns, |p: &PointView| p.burst_ns);
    let (cycle, ratio) = (readings(pair, link)?, readings(pair, burst)?);
    let in_cycles = (ratio / cycle).ln().abs();
    (in_cycles >= BURST_TOLERATED.ln_1p()).then_some(ratio)
}

/// B over A of what the yardstick read.
fn readings(pair: &Pair<'_>, of: fn(&PointView) -> Option<f64>) -> Option<f64> {
    let read = |side: SideOf<'_>| side.and_then(|(_, point)| of(point));
    let ratio = read(pair.b)? / read(pair.a)?;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}
