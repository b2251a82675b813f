//! An interval and how it was come by.

use serde::{Deserialize, Serialize};

/// The confidence level used everywhere unless stated otherwise.
pub const NOMINAL_LEVEL: f64 = 0.95;

/// An estimate with the interval that goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub center: f64,
    pub low: f64,
    pub high: f64,
    /// Coverage that the construction has, 0..=1, under its assumptions. It
    /// is what was reached, not what was asked for.
    pub level: f64,
    pub method: Method,
    /// Degrees of freedom of the Student's t that the ends stand on; None where they stand on
    /// none, and are as good as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
}

/// Construction of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// There is none: the samples depend on each other so far that they are worth too
    /// few. The ends are the extremes, the level is 0.
    None,
    /// Two order statistics of the samples of one process.
    OrderStatistic,
    /// The same, widened by how processes differ: seen elsewhere in the run, or assumed.
    OneProcess,
    /// Two order statistics of the medians of the processes.
    ProcessMedians,
    /// Student's t on the logarithms of the medians of few processes.
    ProcessT,
    /// The same with a spread borrowed from the other points of the experiment.
    ProcessModeratedT,
    /// Combination of two intervals into one of their ratio.
    Mover,
    /// Quantiles over resampled data sets.
    Resampled,
    /// Student's t on a least squares fit.
    LeastSquares,
    /// Order statistics of the Walsh averages of paired differences.
    SignedRank,
    /// Student's t on few paired differences.
    PairedT,
}

impl Method {
    /// Name as stored in records.
    pub fn name(self) -> &'static str {
        match self {
            Method::None => "none",
            Method::OrderStatistic => "order-statistic",
            Method::OneProcess => "one-process",
            Method::ProcessMedians => "process-medians",
            Method::ProcessT => "process-t",
            Method::ProcessModeratedT => "process-moderated-t",
            Method::Mover => "mover",
            Method::Resampled => "resampled",
            Method::LeastSquares => "least-squares",
            Method::SignedRank => "signed-rank",
            Method::PairedT => "paired-t",
        }
    }
}

impl Interval {
    /// `center` between `low` and `high`, the central 95 % over resampled data.
    pub fn resampled(center: f64, low: f64, high: f64) -> Interval {
        Interval {
            center,
            low,
            high,
            level: NOMINAL_LEVEL,
            method: Method::Resampled,
            degrees: None,
        }
    }

    /// The interval of `f` of the value, for an `f` that only rises or only falls.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Interval {
        let (mut low, mut high) = (f(self.low), f(self.high));
        if low > high {
            (low, high) = (high, low);
        }
        Interval {
            center: f(self.center),
            low,
            high,
            ..self
        }
    }

    /// The same, reaching at least so far to each side: values that a clock rounds say no
    /// more than its step lets them.
    #[must_use]
    pub fn at_least(self, half: f64) -> Interval {
        Interval {
            low: self.low.min(self.center - half),
            high: self.high.max(self.center + half),
            ..self
        }
    }

    /// Whether there is none, and the ends are the extremes.
    pub fn is_none(&self) -> bool {
        self.method == Method::None
    }

    /// Whether how processes differ is borrowed or assumed, not seen.
    pub fn is_of_one_process(&self) -> bool {
        self.method == Method::OneProcess
    }

    /// Width against the centre, both sides together; infinite around zero.
    pub fn relative_width(&self) -> f64 {
        let width = self.high - self.low;
        if width == 0.0 {
            0.0
        } else {
            width / self.center.abs()
        }
    }

    /// Whether `value` lies in it, its ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, Method};
    use std::collections::BTreeSet;

    #[test]
    fn the_width_is_relative_to_the_centre() {
        let of = |low, center, high| Interval {
            center,
            low,
            high,
            level: 0.95,
            method: Method::OrderStatistic,
            degrees: None,
        };
        assert_eq!(of(3.0, 4.0, 6.0).relative_width(), 0.75);
        assert_eq!(of(-6.0, -4.0, -3.0).relative_width(), 0.75);
        assert_eq!(of(-1.0, 0.0, 1.0).relative_width(), f64::INFINITY);
        assert_eq!(of(0.0, 0.0, 0.0).relative_width(), 0.0);
    }

    #[test]
    fn the_ends_change_places_where_a_function_falls() {
        let time = Interval::resampled(4.0, 2.0, 5.0);
        let ends = |i: Interval| (i.low, i.center, i.high);
        assert_eq!(ends(time.map(|t| 2.0 * t)), (4.0, 8.0, 10.0));
        assert_eq!(ends(time.map(|t| 20.0 / t)), (4.0, 5.0, 10.0));
        assert_eq!(time.map(|t| t).level, time.level);
    }

    /// Records keep these.
    #[test]
    fn each_method_has_a_name_of_its_own() {
        let all = [
            Method::None,
            Method::OrderStatistic,
            Method::OneProcess,
            Method::ProcessMedians,
            Method::ProcessT,
            Method::ProcessModeratedT,
            Method::Mover,
            Method::Resampled,
            Method::LeastSquares,
            Method::SignedRank,
            Method::PairedT,
        ];
        let names: BTreeSet<&str> = all.map(Method::name).into_iter().collect();
        assert_eq!(names.len(), all.len());
        assert_eq!(Method::SignedRank.name(), "signed-rank");
        assert!(names.iter().all(|name| name.len() >= 4));
    }
}
