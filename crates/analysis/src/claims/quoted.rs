//! A measured figure as a claim quotes it: its name, its interval, and why it may decide nothing.

use super::Pair;
use crate::view::{ContaminationLevel, PointView, Summary};
use stats::ratio::LOWEST_LEVEL;
use stats::{Deviation, Interval, wilson};
use std::fmt::{self, Display};

/// A level above counts as this: no interval of measured values is certain.
const HIGHEST_LEVEL: f64 = 0.9999;

/// A figure with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Quoted {
    what: String,
    pub(super) value: Interval,
    unit: &'static str,
    /// Why it decides nothing whatever its interval, as a predicate: `is contaminated`.
    doubt: Option<&'static str>,
}

impl Quoted {
    /// A metric of a point, in nanoseconds: named by the point's settings.
    pub fn time(point: &PointView, metric: u16) -> Option<Quoted> {
        let quoted = Quoted::estimate(point.head.in_words(), point.summary(metric)?.median, "ns");
        Some(quoted.measured_at(point))
    }

    /// What takes `ns` by the first metric.
    pub fn latency(point: &PointView) -> Option<Quoted> {
        Quoted::time(point, 0)
    }

    /// A tally of a point. Other work on the CPU changes times, not what is counted; and
    /// samples that all counted the same need no interval.
    pub fn count(point: &PointView, metric: u16, unit: &'static str) -> Option<Quoted> {
        let of = point.summary(metric)?;
        Some(Quoted::estimate(point.head.in_words(), counted(of), unit))
    }

    /// The share of a point's samples that a tally of zeros and ones marks.
    pub fn share(point: &PointView, metric: u16) -> Option<Quoted> {
        let of = point.summary(metric)?;
        let value = wilson(of.mean, of.effective);
        Some(Quoted::estimate(point.head.in_words(), value, ""))
    }

    /// A value whose interval is known.
    pub fn estimate(what: impl Into<String>, value: Interval, unit: &'static str) -> Quoted {
        Quoted {
            what: what.into(),
            value,
            unit,
            doubt: None,
        }
    }

    /// A number that a claim names.
    pub fn limit(value: f64, unit: &'static str) -> Quoted {
        Quoted::estimate("limit", exact(value), unit)
    }

    /// The same by another name.
    #[must_use]
    pub fn named(self, what: impl Into<String>) -> Quoted {
        Quoted {
            what: what.into(),
            ..self
        }
    }

    /// `f` of it, for an `f` that only rises or only falls.
    #[must_use]
    pub fn map(self, unit: &'static str, f: impl Fn(f64) -> f64) -> Quoted {
        Quoted {
            value: self.value.map(f),
            unit,
            ..self
        }
    }

    /// The same, as doubtful as the times of this point.
    #[must_use]
    pub fn measured_at(self, point: &PointView) -> Quoted {
        let contaminated = is_contaminated(point).then_some("is contaminated");
        Quoted {
            doubt: self.doubt.or(contaminated),
            ..self
        }
    }

    /// "It is at most that."
    pub fn at_most(self, that: Quoted) -> Pair {
        Pair::of(self, that, false)
    }

    /// "It is at least that."
    pub fn at_least(self, that: Quoted) -> Pair {
        Pair::of(that, self, false).turned()
    }

    /// "It is below that."
    pub fn below(self, that: Quoted) -> Pair {
        Pair::of(self, that, true)
    }

    /// "It is above that."
    pub fn above(self, that: Quoted) -> Pair {
        Pair::of(that, self, true).turned()
    }

    /// "It is within so much of that", where `that` is a number: both sides.
    pub fn within(self, margin: f64, that: f64) -> [Pair; 2] {
        let (least, most) = (that - margin, that + margin);
        let unit = self.unit;
        [
            self.clone().at_least(Quoted::limit(least, unit)),
            self.at_most(Quoted::limit(most, unit)),
        ]
    }

    /// Its name, or `place` where that is a list of settings.
    pub(super) fn short<'a>(&'a self, place: &'a str) -> &'a str {
        match self.what.contains('=') {
            true => place,
            false => &self.what,
        }
    }

    /// The same, named by the settings alone that `other` does not have.
    pub(super) fn beyond(&self, other: &Quoted) -> Quoted {
        let theirs: Vec<&str> = other.what.split(' ').collect();
        let own = self.what.split(' ');
        let own = own.filter(|word| !word.contains('=') || !theirs.contains(word));
        let own: Vec<&str> = own.collect();
        self.clone().named(own.join(" "))
    }

    /// Why it decides nothing, as a predicate.
    pub(super) fn doubt(&self) -> Option<&'static str> {
        self.doubt.or_else(|| lacks(&self.value))
    }
}

impl Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = scaled(self.unit, self.value.center);
        let Interval {
            center, low, high, ..
        } = self.value.map(|v| v / scale);
        let places = places(center);
        let (gap, unit) = match unit {
            "" => ("", ""),
            unit => (" ", unit),
        };
        let name = match self.what.as_str() {
            "" => String::new(),
            what => format!("{what} "),
        };
        let number = format!("{center:.places$}");
        if low == high {
            let short = match places {
                0 => number.as_str(),
                _ => number.trim_end_matches('0').trim_end_matches('.'),
            };
            return write!(f, "{name}{short}{gap}{unit}");
        }
        let ends = match self.value.is_none() {
            true => "no interval".to_owned(),
            false => format!("{low:.places$} to {high:.places$}"),
        };
        write!(f, "{name}{number}{gap}{unit} ({ends})")
    }
}

/// Nanoseconds in the unit that needs few digits, and what to divide by.
fn scaled(unit: &'static str, value: f64) -> (&'static str, f64) {
    match value.abs() {
        v if unit != "ns" || v < 1e4 => (unit, 1.0),
        v if v < 1e7 => ("us", 1e3),
        v if v < 1e10 => ("ms", 1e6),
        _ => ("s", 1e9),
    }
}

/// Decimal places for four significant digits, at most four.
fn places(value: f64) -> usize {
    match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        v if v >= 1.0 => 3,
        _ => 4,
    }
}

/// Whether the disturbances of a point move its result. Those that do not
/// (`ContaminationLevel::Disturbed`) are in its interval.
pub fn is_contaminated(point: &PointView) -> bool {
    let level = point.contamination.as_ref().map(|c| c.level);
    level == Some(ContaminationLevel::Contaminated)
}

/// What an interval lacks to decide anything, as a predicate.
pub(super) fn lacks(value: &Interval) -> Option<&'static str> {
    let numbers = [value.low, value.center, value.high];
    if numbers.iter().any(|end| !end.is_finite()) {
        return Some("has no finite interval");
    }
    let enough = !value.is_none() && value.level >= LOWEST_LEVEL;
    (!enough).then_some("has too few samples for an interval")
}

/// How far an interval's centre may be wrong to below and to above.
pub(super) fn deviations(interval: &Interval) -> (Deviation, Deviation) {
    let degrees = interval.degrees.unwrap_or(f64::INFINITY);
    let one = Deviation {
        variance: 1.0,
        degrees,
    };
    let errors = one.half(interval.level.min(HIGHEST_LEVEL));
    let deviation = |distance: f64| Deviation {
        variance: (distance / errors).powi(2),
        degrees,
    };
    (
        deviation(interval.center - interval.low),
        deviation(interval.high - interval.center),
    )
}

fn exact(value: f64) -> Interval {
    Interval {
        level: 1.0,
        ..Interval::resampled(value, value, value)
    }
}

fn counted(of: &Summary) -> Interval {
    match of.min == of.max {
        true => exact(of.median.center),
        false => of.median,
    }
}
