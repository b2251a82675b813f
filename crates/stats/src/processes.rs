//! Interval of the median when several processes measured the same point.
//!
//! Samples of one process share its address layout, its page placement and
//! its luck, so they repeat each other; what varies between processes varies
//! nowhere else. Pooling them claims a precision that is not there (Kalibera
//! and Jones, ISMM 2013). Here each process counts once, by its median:
//!
//! - one process: the order-statistic interval of its samples. It cannot know
//!   how another process would have come out, and says so by its method name;
//! - two to five: Student's t on the logarithms of the process medians. The
//!   order statistics of so few values stop at 50 % to 94 %; the t interval
//!   reaches 95 % for process effects that are roughly normal, at the honest
//!   price of being wide (two processes: 9 standard deviations to each side);
//! - six and more: the order-statistic interval of the process medians.

use crate::error::{StatsError, sorted};
use crate::interval::{Interval, Method};
use crate::order::{FEWEST_FOR_95, interval_of_sorted, median_interval};
use crate::quantile::{mean, median_sorted, variance};
use crate::student::student_t;

/// Process medians that differ by this factor are not the same time with an error.
const FARTHEST: f64 = 3.0;

/// Median over all processes with an interval at `level`. Processes without
/// samples are passed over. The centre is the median of the process medians.
///
/// # Errors
/// No samples at all, non-finite ones, or a level outside 0..1.
pub fn process_interval(processes: &[Vec<f64>], level: f64) -> Result<Interval, StatsError> {
    let filled: Vec<&Vec<f64>> = processes.iter().filter(|p| !p.is_empty()).collect();
    match filled.as_slice() {
        [] => Err(StatsError::Empty {
            what: "an interval over processes",
        }),
        [only] => median_interval(only, level),
        several => {
            let mut medians = Vec::with_capacity(several.len());
            for process in several {
                medians.push(median_interval(process, level)?.center);
            }
            interval_of_medians(&medians, level)
        }
    }
}

/// Interval from the medians of at least two processes.
fn interval_of_medians(medians: &[f64], level: f64) -> Result<Interval, StatsError> {
    let medians = sorted("an interval over processes", medians)?;
    if medians.len() >= FEWEST_FOR_95 {
        return Ok(Interval {
            method: Method::ProcessMedians,
            degrees: Some(medians.len() as f64 - 1.0),
            ..interval_of_sorted(&medians, level)
        });
    }
    let (low, high) = if multiply(&medians) {
        let logs: Vec<f64> = medians.iter().map(|m| m.ln()).collect();
        let (low, high) = t_interval(&logs, level)?;
        (low.exp(), high.exp())
    } else {
        t_interval(&medians, level)?
    };
    let center = median_sorted(&medians).unwrap_or(f64::NAN);
    Ok(Interval {
        center,
        // The median lies within 0.9 standard deviations of the mean and the
        // interval is wider than that; only rounding can put it outside.
        low: low.min(center),
        high: high.max(center),
        level,
        method: Method::ProcessT,
        degrees: Some(medians.len() as f64 - 1.0),
    })
}

/// Whether errors of these sorted medians multiply, so that their logarithms may be
/// taken: times are positive and differ by a share of themselves. A difference of two
/// times may come out as 1e-9 in one process and 4 in the next; logarithms of such values
/// say that the third may be a million. Those keep their own scale, as what reaches zero.
pub(crate) fn multiply(sorted: &[f64]) -> bool {
    let ends = sorted.first().zip(sorted.last());
    ends.is_some_and(|(first, last)| *first > 0.0 && *last < FARTHEST * first)
}

/// mean -+ t s / sqrt(n).
fn t_interval(values: &[f64], level: f64) -> Result<(f64, f64), StatsError> {
    let n = values.len() as f64;
    let center = mean(values)?;
    let half = student_t(level, n - 1.0) * (variance(values)? / n).sqrt();
    Ok((center - half, center + half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::NOMINAL_LEVEL;
    use crate::rng::Rng;

    #[test]
    fn method_follows_the_number_of_processes() {
        let one = |k: usize| vec![k as f64 + 1.0; 7];
        for (count, method) in [
            (1, Method::OrderStatistic),
            (2, Method::ProcessT),
            (5, Method::ProcessT),
            (6, Method::ProcessMedians),
        ] {
            let processes: Vec<Vec<f64>> = (0..count).map(one).collect();
            let interval = process_interval(&processes, NOMINAL_LEVEL).expect("filled processes");
            assert_eq!(interval.method, method, "{count}");
        }
    }

    #[test]
    fn a_difference_near_zero_has_no_interval_of_six_decades() {
        let processes = [vec![1e-9], vec![3.86]];
        let interval = process_interval(&processes, NOMINAL_LEVEL).expect("two processes");
        assert!((interval.center - 1.93).abs() < 1e-6, "{interval:?}");
        assert!(interval.low < 0.0 && interval.high < 30.0, "{interval:?}");
        assert!(!multiply(&[1.0, 3.0]) && multiply(&[1.0, 2.9]) && !multiply(&[0.0, 1.0]));
    }

    #[test]
    fn medians_that_reach_zero_are_taken_on_their_own_scale() {
        let processes = [vec![-1.0], vec![0.0], vec![1.0]];
        let interval = process_interval(&processes, NOMINAL_LEVEL).expect("three processes");
        assert_eq!(interval.center, 0.0);
        assert!(
            (interval.high - 4.302_65 / 3f64.sqrt()).abs() < 1e-4,
            "{interval:?}"
        );
    }

    /// Process medians differ by 2 % (sd), samples inside a process by 1 %.
    fn draw(rng: &mut Rng, processes: usize) -> Vec<Vec<f64>> {
        (0..processes)
            .map(|_| {
                let shift = 0.02 * rng.normal();
                (0..30)
                    .map(|_| (shift + 0.01 * rng.normal()).exp())
                    .collect()
            })
            .collect()
    }

    fn coverage(processes: usize, pooled: bool, trials: u32) -> f64 {
        let mut rng = Rng::new(11);
        let hits = (0..trials)
            .filter(|_| {
                let data = draw(&mut rng, processes);
                let interval = if pooled {
                    median_interval(&data.concat(), NOMINAL_LEVEL)
                } else {
                    process_interval(&data, NOMINAL_LEVEL)
                };
                interval.is_ok_and(|i| i.contains(1.0))
            })
            .count();
        hits as f64 / f64::from(trials)
    }

    #[test]
    fn few_and_many_processes_keep_the_level() {
        for (processes, want) in [(2, 0.95), (3, 0.95), (5, 0.95), (6, 0.969), (10, 0.979)] {
            let got = coverage(processes, false, 600);
            assert!((got - want).abs() < 0.03, "{processes}: {got}");
        }
    }

    #[test]
    fn pooling_fails() {
        let got = coverage(10, true, 300);
        assert!(
            got < 0.5,
            "pooled samples should cover far too little: {got}"
        );
    }
}
