//! Findings that several experiments phrase alike.

use crate::view::PointView;
use record::{Confidence, Finding, Unit, Verdict};

/// `<what> costs 123.4 ns here (123.1 to 123.9)`, from a point's primary
/// metric. None where the point was not measured.
#[must_use]
pub fn cost(point: Option<&PointView>, key: &str, what: &str) -> Option<Finding> {
    let point = point?;
    let s = point.summary(0)?;
    Some(Finding {
        experiment: point.head.experiment.clone(),
        key: key.to_owned(),
        sentence: format!(
            "{what} costs {:.1} ns here ({:.1} to {:.1})",
            s.median, s.low, s.high
        ),
        value: Some(s.median),
        low: Some(s.low),
        high: Some(s.high),
        unit: Unit::Nanoseconds,
        confidence: Confidence { share: s.level },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
        regions: Vec::new(),
    })
}

/// Outcome of "a takes longer than b", with both figures as evidence. None
/// where either is missing.
#[must_use]
pub fn slower(a: Option<&PointView>, b: Option<&PointView>) -> Option<(bool, String)> {
    let (a, b) = (a?, b?);
    let (slow, fast) = (a.summary(0)?, b.summary(0)?);
    Some((
        slow.median > fast.median,
        format!(
            "{}: {:.1} ns, {}: {:.1} ns",
            a.head.label(),
            slow.median,
            b.head.label(),
            fast.median
        ),
    ))
}
