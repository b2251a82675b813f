//! When a sample began, exactly: a double holds the nanoseconds since boot for
//! 104 days and those since 1970 not at all, so a moment is two metrics next to
//! the time: whole seconds of a clock, and the nanoseconds beyond them.

use crate::axis::Unit;
use crate::describe::MetricHead;
use crate::sample::Sample;

/// Names of the two metrics. Their samples have the index, the process and the
/// CPU of the sample whose start they hold.
pub const START_SECONDS: &str = "start_seconds";
/// Metric: nanoseconds beyond the whole seconds of [`START_SECONDS`].
pub const START_NANOSECONDS: &str = "start_nanoseconds";

const NS_PER_SECOND: u64 = 1_000_000_000;

/// The two metrics; `clock` says which clock is read: "CLOCK_BOOTTIME".
pub fn metrics(clock: &str) -> [MetricHead; 2] {
    let metric = |name: &str, unit, what: &str| MetricHead {
        name: name.to_owned(),
        unit,
        doc: format!("{what} of {clock} when the sample began: a moment, never judged"),
        lower_is_better: false,
        explains: false,
    };
    [
        metric(START_SECONDS, Unit::ClockSeconds, "whole seconds"),
        metric(
            START_NANOSECONDS,
            Unit::ClockNanoseconds,
            "nanoseconds within the second",
        ),
    ]
}

/// The values of both metrics for a moment in nanoseconds.
pub fn parts(start_ns: u64) -> [f64; 2] {
    [
        (start_ns / NS_PER_SECOND) as f64,
        (start_ns % NS_PER_SECOND) as f64,
    ]
}

/// The moment back, in nanoseconds; None where the values are none of a moment.
pub fn joined(seconds: f64, nanoseconds: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole, and below the limit"
    )]
    let whole =
        |v: f64, below: f64| (v >= 0.0 && v < below && v.fract() == 0.0).then_some(v as u64);
    whole(seconds, u64::MAX as f64)?
        .checked_mul(NS_PER_SECOND)?
        .checked_add(whole(nanoseconds, NS_PER_SECOND as f64)?)
}

/// The two samples that hold when `sample` began, given where the two metrics
/// stand among the experiment's.
pub fn samples_of(sample: &Sample, metrics: [u16; 2], start_ns: u64) -> [Sample; 2] {
    let [seconds, nanoseconds] = parts(start_ns);
    let of = |metric, value| Sample {
        metric,
        value,
        elapsed_ns: 0.0,
        floor_ns: 0.0,
        ..sample.clone()
    };
    [of(metrics[0], seconds), of(metrics[1], nanoseconds)]
}

#[cfg(test)]
mod tests {
    use super::{joined, parts};

    #[test]
    fn moments_of_both_clocks_come_back_to_the_nanosecond() {
        for ns in [0, 613_326_537_662, 1_384_270_020_290_328_601, u64::MAX] {
            let [seconds, nanoseconds] = parts(ns);
            assert_eq!(joined(seconds, nanoseconds), Some(ns));
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for (seconds, nanoseconds) in [
            (-1.0, 0.0),
            (0.5, 0.0),
            (f64::NAN, 0.0),
            (0.0, 1e9),
            (1e19, 0.0),
            (1.9e10, 0.0),
        ] {
            assert_eq!(
                joined(seconds, nanoseconds),
                None,
                "{seconds} {nanoseconds}"
            );
        }
    }
}
