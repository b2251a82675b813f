//! What findings and evidence say of intervals, in the same words everywhere.

use crate::conclusion::Conclusion;
use crate::numbers::{time_ns, time_range};
use record::{Finding, Unit};
use stats::Interval;
use std::fmt::Display;

/// `1.20 to 1.30`, with so many places.
pub fn between(interval: &Interval, places: usize) -> String {
    if interval.is_none() {
        return "no interval".to_owned();
    }
    format!("{:.places$} to {:.places$}", interval.low, interval.high)
}

/// `204 ns (162 to 255 ns)`.
pub fn timed(interval: &Interval) -> String {
    let center = time_ns(interval.center, 3);
    match interval.is_none() {
        true => format!("{center} (no interval)"),
        false => {
            let range = time_range(interval.low, interval.high, 3);
            format!("{center} ({range})")
        }
    }
}

/// `1.25 times as long (1.20 to 1.30)`, with so many places.
pub fn times_as_long(times: &Interval, places: usize) -> String {
    let range = between(times, places);
    format!("{:.places$} times as long ({range})", times.center)
}

/// Texts one behind another, with something between them.
pub fn list(texts: impl IntoIterator<Item = impl Display>, between: &str) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| text.to_string()).collect();
    texts.join(between)
}

/// `1.50 µs`, in the unit that keeps it short.
pub fn time(ns: f64) -> String {
    time_ns(ns, 3)
}

/// A value with its interval, as sure as the interval's level, and its sentence.
pub fn estimated(
    key: impl Into<String>,
    unit: Unit,
    value: Interval,
    text: impl Into<String>,
) -> Finding {
    Conclusion::on(key).estimate(unit, value).say(text)
}

impl Conclusion {
    /// A value with its interval, seen in this share of the redrawn curves.
    #[must_use]
    pub fn redrawn_value(self, unit: Unit, share: f64, value: Interval) -> Self {
        self.unit(unit).redrawn(share).value(value)
    }

    /// A value of steps that has no bounds of its own, seen in this share of the
    /// redrawn curves.
    #[must_use]
    pub fn redrawn_step(self, unit: Unit, share: f64, value: f64) -> Self {
        self.redrawn_value(unit, share, Interval::resampled(value, value, value))
    }
}
