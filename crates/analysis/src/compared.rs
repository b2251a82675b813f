//! Measured points compared: ratios with their intervals, curves for the
//! statistics, and what several experiments conclude alike.

use crate::claims::{self, Outcome, Quoted};
use crate::conclusion::Conclusion;
use crate::sentence::timed;
use crate::view::PointView;
use record::{Finding, Unit};
use stats::{CurvePoint, Interval};

/// Differences below this share are not worth a sentence, however certain.
pub const PRACTICAL_SHARE: f64 = 0.02;

/// Time of `b` over time of `a`, with its interval. None where either was not
/// measured or has too few samples for an interval.
pub fn ratio(a: &PointView, b: &PointView) -> Option<Interval> {
    let (a, b) = (a.primary()?, b.primary()?);
    stats::ratio_interval(&a.median, &b.median).ok()
}

/// 10^9 bytes per second of a point's operations, bytes counted once. None where it
/// was not measured or moves none.
pub fn bandwidth(point: &PointView) -> Option<Interval> {
    let (time, bytes) = (point.primary()?.median, point.head.bytes_per_op? as f64);
    Some(time.map(|ns| bytes / ns))
}

/// What each of so many steps from `a` to `b` adds, with the interval that the two
/// ends' intervals allow. None where either was not measured, or without a step.
pub fn rise(a: &PointView, b: &PointView, steps: f64) -> Option<Interval> {
    let (a, b) = (a.primary()?, b.primary()?);
    (steps != 0.0).then(|| Interval {
        center: (b.median.center - a.median.center) / steps,
        low: (b.median.low - a.median.high) / steps,
        high: (b.median.high - a.median.low) / steps,
        level: a.median.level.min(b.median.level),
        method: stats::Method::OrderStatistic,
        degrees: None,
    })
}

/// A metric of `points` over an axis, as a curve. Points without samples, and
/// values that a logarithm cannot take, stay out.
pub fn curve<'a>(
    points: impl IntoIterator<Item = &'a PointView>,
    axis: &str,
    metric: u16,
) -> Vec<CurvePoint> {
    let place = |p: &PointView| {
        let (x, s) = (p.int(axis)?, p.summary(metric)?);
        (x > 0 && s.median.low > 0.0).then_some(CurvePoint {
            x: x as f64,
            y: s.median,
        })
    };
    points.into_iter().filter_map(place).collect()
}

/// `<what>: 123 ns (122 to 124 ns)`, from a point's primary
/// metric. None where the point was not measured.
pub fn cost(point: Option<&PointView>, key: &str, what: &str) -> Option<Finding> {
    let s = point?.primary()?;
    let text = format!("{what}: {}", timed(&s.median));
    let cost = Conclusion::on(key).estimate(Unit::Nanoseconds, s.median);
    Some(cost.say(text))
}

/// Outcome of "a takes longer than b", with both figures as evidence. None
/// where either is missing.
pub fn slower(a: Option<&PointView>, b: Option<&PointView>) -> Option<Outcome> {
    let (slow, fast) = (Quoted::latency(a?)?, Quoted::latency(b?)?);
    claims::one(slow.above(fast))
}
