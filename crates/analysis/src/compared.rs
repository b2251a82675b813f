//! Measured points side by side: ratios with their intervals, curves for the
//! statistics, and the findings they end in.

use crate::view::{PointView, Summary};
use record::{Confidence, Finding, Unit, Verdict};
use stats::{CurvePoint, Interval, Method};

/// Differences below this share are not worth a sentence, however certain.
pub const PRACTICAL_SHARE: f64 = 0.02;

/// The word that a point has on an axis; empty where it has none.
#[must_use]
pub fn word<'a>(point: &'a PointView, axis: &str) -> &'a str {
    let value = point.head.value(axis);
    value.and_then(record::AxisValue::as_word).unwrap_or("")
}

/// The interval of a summary as the statistics want it.
#[must_use]
pub fn interval(s: &Summary) -> Interval {
    Interval {
        center: s.median,
        low: s.low,
        high: s.high,
        level: s.level,
        // Where it came from does not matter to a ratio.
        method: Method::OrderStatistic,
    }
}

/// Time of `b` over time of `a`, with its interval. None where either was not
/// measured or has too few samples for an interval.
#[must_use]
pub fn ratio(a: &PointView, b: &PointView) -> Option<Interval> {
    let (a, b) = (a.summary(0)?, b.summary(0)?);
    stats::ratio_interval(&interval(a), &interval(b)).ok()
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
        (x > 0 && s.low > 0.0).then_some(CurvePoint {
            x: x as f64,
            median: s.median,
            low: s.low,
            high: s.high,
        })
    };
    points.into_iter().filter_map(place).collect()
}

/// A finding that states a value with its interval.
#[must_use]
pub fn stated(
    experiment: &str,
    key: &str,
    unit: Unit,
    value: Interval,
    sentence: String,
) -> Finding {
    Finding {
        experiment: experiment.to_owned(),
        key: key.to_owned(),
        sentence,
        value: Some(value.center),
        low: Some(value.low),
        high: Some(value.high),
        unit,
        confidence: Confidence { share: value.level },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
        regions: Vec::new(),
    }
}

/// A finding in words only.
#[must_use]
pub fn said(experiment: &str, key: &str, verdict: Verdict, share: f64, text: String) -> Finding {
    Finding {
        experiment: experiment.to_owned(),
        key: key.to_owned(),
        sentence: text,
        value: None,
        low: None,
        high: None,
        unit: Unit::Word,
        confidence: Confidence { share },
        reference: None,
        reference_source: None,
        verdict,
        regions: Vec::new(),
    }
}
