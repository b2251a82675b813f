//! Values of one metric of a point as they were taken, and what points that are measured
//! alike say of each other.

use record::Sample;
use stats::interval::NOMINAL_LEVEL;
use stats::{Dependence, DependencePrior, Interval, SpreadPrior, StatsError};
use std::collections::BTreeMap;

/// Standard deviation between processes on the log scale that is taken for
/// granted. Five runs each of six system-call benchmarks of lmbench and
/// `perf bench` on a virtual machine lay 3 to 6 % apart from end to end, which
/// is a standard deviation of 1.2 to 2.4 %.
pub const SINGLE_PROCESS_SD: f64 = 0.02;

/// One metric of one point, process by process.
pub struct Series {
    pub processes: Vec<Vec<f64>>,
    /// How far each process's values repeat each other; none of values that are no numbers.
    dependence: Vec<Dependence>,
}

impl Series {
    /// By metric.
    pub fn of(samples: &[Sample]) -> BTreeMap<u16, Series> {
        let mut found: BTreeMap<u16, BTreeMap<u16, Vec<f64>>> = BTreeMap::new();
        for sample in samples {
            let processes = found.entry(sample.metric).or_default();
            processes
                .entry(sample.process)
                .or_default()
                .push(sample.value);
        }
        let series = found.into_iter();
        series
            .map(|(m, of)| (m, Series::of_processes(of)))
            .collect()
    }

    /// Of one metric; None where no sample has it.
    pub fn of_metric(samples: &[Sample], metric: u16) -> Option<Series> {
        let mut processes: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
        for sample in samples.iter().filter(|s| s.metric == metric) {
            processes
                .entry(sample.process)
                .or_default()
                .push(sample.value);
        }
        (!processes.is_empty()).then(|| Series::of_processes(processes))
    }

    fn of_processes(processes: BTreeMap<u16, Vec<f64>>) -> Series {
        let processes: Vec<Vec<f64>> = processes.into_values().collect();
        let each = processes.iter().map(|p| stats::dependence(p));
        Series {
            dependence: each.collect::<Result<_, _>>().unwrap_or_default(),
            processes,
        }
    }

    /// How many independent samples these are worth, all processes together.
    pub fn worth(&self, likes: &Likes) -> f64 {
        let worth = |one: &Dependence| match &likes.dependence {
            Some(prior) => prior.effective(one),
            None => one.effective(),
        };
        self.dependence.iter().map(worth).sum()
    }

    /// Median with its interval: of one process from what its samples are worth and how
    /// processes differ, of several from how their medians differ.
    ///
    /// # Errors
    /// No values, or some that are no numbers.
    pub fn interval(&self, likes: &Likes) -> Result<Interval, StatsError> {
        match self.processes.as_slice() {
            [only] => {
                let within = stats::effective_interval(only, NOMINAL_LEVEL, self.worth(likes))?;
                // Equal values are a count of something, not a time that varies.
                let known = within.is_none() || within.low == within.high;
                Ok(match likes.between.filter(|_| !known) {
                    Some(between) => stats::one_process_interval(within, &between),
                    None => within,
                })
            }
            several => {
                let unlike = |prior: &SpreadPrior| {
                    likes.spread_is_of_run && prior.is_contradicted_by(several)
                };
                let prior = likes.spread.as_ref().filter(|prior| !unlike(prior));
                stats::moderated_interval(several, NOMINAL_LEVEL, prior)
            }
        }
    }
}

/// How points that are measured alike differ: from process to process, and from sample
/// to sample.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Likes {
    spread: Option<SpreadPrior>,
    /// That is of other experiments of the run, which a point need not be like: a period that a
    /// clock keeps is not what a neighbour slows.
    spread_is_of_run: bool,
    /// The same, or what is assumed of a time.
    between: Option<SpreadPrior>,
    dependence: Option<DependencePrior>,
}

impl Likes {
    /// Of points of one metric. Neither is known of fewer than eight.
    pub fn of(series: &[&Series]) -> Likes {
        let dependence: Vec<Dependence> =
            series.iter().flat_map(|s| &s.dependence).copied().collect();
        let spread = SpreadPrior::fit(series.iter().map(|s| &s.processes));
        Likes {
            spread,
            spread_is_of_run: false,
            between: spread,
            dependence: DependencePrior::fit(&dependence),
        }
    }

    /// Of a time: where nothing is known of how processes differ, as other times of the
    /// run do, or as is usual. Counts are not widened by what times do.
    #[must_use]
    pub fn of_time(self, of_run: &Likes) -> Likes {
        let usual = SpreadPrior {
            variance: SINGLE_PROCESS_SD * SINGLE_PROCESS_SD,
            degrees: 1e6,
        };
        Likes {
            between: self.between.or(of_run.between).or(Some(usual)),
            ..self
        }
    }

    /// What is not known, from those of `other`.
    #[must_use]
    pub fn or(self, other: &Likes) -> Likes {
        Likes {
            spread: self.spread.or(other.spread),
            spread_is_of_run: self.spread.is_none(),
            between: self.between,
            dependence: self.dependence.or(other.dependence),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Likes, Series};

    fn series(medians: [f64; 3]) -> Series {
        let dependence = Vec::new();
        let processes = medians.map(|m| vec![m; 7]).to_vec();
        Series {
            processes,
            dependence,
        }
    }

    #[test]
    fn a_period_that_a_clock_keeps_is_not_widened_by_what_a_neighbour_slows() {
        let noisy = (0..12).map(|i| {
            let ns = 10.0 + f64::from(i);
            series([ns, 0.96 * ns, 1.04 * ns])
        });
        let noisy: Vec<Series> = noisy.collect();
        let of_run = Likes::of(&noisy.iter().collect::<Vec<_>>());
        let few = |series: &Series| Likes::of(&[series]).or(&of_run);
        let width = |series: &Series| {
            let interval = series.interval(&few(series)).expect("numbers");
            interval.high / interval.low - 1.0
        };
        let kept = width(&series([4e6, 4e6 + 12.0, 4e6 - 25.0]));
        assert!(kept < 1e-4, "{kept}");
        let slowed = width(&series([4e6, 4.001e6, 3.999e6]));
        assert!(slowed > 0.02, "{slowed}");
    }
}
