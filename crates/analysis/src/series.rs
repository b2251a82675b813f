//! Values of one metric of a point as they were taken, and what points that are measured
//! alike say of each other.

use record::Sample;
use stats::interval::NOMINAL_LEVEL;
use stats::{Dependence, DependencePrior, Interval, SpreadPrior, StatsError};
use std::collections::BTreeMap;

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
        let series = |processes: BTreeMap<u16, Vec<f64>>| {
            let processes: Vec<Vec<f64>> = processes.into_values().collect();
            let each = processes.iter().map(|p| stats::dependence(p));
            Series {
                dependence: each.collect::<Result<_, _>>().unwrap_or_default(),
                processes,
            }
        };
        found.into_iter().map(|(m, of)| (m, series(of))).collect()
    }

    /// How many independent samples these are worth, all processes together.
    pub fn worth(&self, likes: &Likes) -> f64 {
        let worth = |one: &Dependence| match &likes.dependence {
            Some(prior) => prior.effective(one),
            None => one.effective(),
        };
        self.dependence.iter().map(worth).sum()
    }

    /// Median with its interval: of one process from what its samples are worth, of
    /// several from how their medians differ.
    ///
    /// # Errors
    /// No values, or some that are no numbers.
    pub fn interval(&self, likes: &Likes) -> Result<Interval, StatsError> {
        match self.processes.as_slice() {
            [only] => stats::effective_interval(only, NOMINAL_LEVEL, self.worth(likes)),
            several => stats::moderated_interval(several, NOMINAL_LEVEL, likes.spread.as_ref()),
        }
    }
}

/// How points that are measured alike differ: from process to process, and from sample
/// to sample.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Likes {
    spread: Option<SpreadPrior>,
    dependence: Option<DependencePrior>,
}

impl Likes {
    /// Of points of one metric. Neither is known of fewer than eight.
    pub fn of(series: &[&Series]) -> Likes {
        let dependence: Vec<Dependence> =
            series.iter().flat_map(|s| &s.dependence).copied().collect();
        Likes {
            spread: SpreadPrior::fit(series.iter().map(|s| &s.processes)),
            dependence: DependencePrior::fit(&dependence),
        }
    }

    /// What is not known, from those of `other`.
    #[must_use]
    pub fn or(self, other: &Likes) -> Likes {
        Likes {
            spread: self.spread.or(other.spread),
            dependence: self.dependence.or(other.dependence),
        }
    }
}
