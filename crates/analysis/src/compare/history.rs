//! How runs of one machine differ, from other runs of the same recipe.

use super::{PointChange, conditions_differ, machines_differ};
use crate::contamination::judge_run;
use crate::view::{ContaminationLevel, RunView};
use record::{RunHead, RunState, Setting};
use stats::{Deviation, SpreadPrior};
use std::collections::BTreeMap;

/// Runs, A included, that say how runs differ: two hardly know their spread.
pub const FEWEST_RUNS: usize = 3;

type Key = (String, String, Vec<Setting>);

/// Logarithms of the medians of runs that were made alike.
#[derive(Debug, Default)]
pub struct History {
    /// By metric of a point: one value for each run, NaN where a run lacks it.
    medians: BTreeMap<Key, Vec<f64>>,
    runs: usize,
    /// Of single points, as far as many of them know: how runs differ beyond their shift.
    points: BTreeMap<Key, Deviation>,
}

/// Whether `run` says how runs such as `a` differ.
///
/// # Errors
/// Why not.
pub fn fits(a: &RunHead, run: &RunHead) -> Result<(), String> {
    if run.recipe.name != a.recipe.name || run.recipe.text != a.recipe.text {
        return Err("another recipe".to_owned());
    }
    if run.state != RunState::Complete {
        return Err("not complete".to_owned());
    }
    let mut differences = machines_differ(&a.machine, &run.machine);
    differences.extend(conditions_differ(a, run));
    if let Some(differs) = differences.iter().find(|d| d.matters) {
        return Err(format!("different {}", differs.field));
    }
    let around = judge_run(&run.conditions);
    match around.level {
        ContaminationLevel::Contaminated => Err(format!("contaminated: {}", around.reason)),
        _ => Ok(()),
    }
}

impl History {
    /// From runs that fit, A among them.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a RunView>) -> History {
        let runs: Vec<&RunView> = runs.into_iter().collect();
        if runs.len() < FEWEST_RUNS {
            return History::default();
        }
        let mut medians: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            for (key, log) in logs(run) {
                let row = medians
                    .entry(key)
                    .or_insert_with(|| vec![f64::NAN; runs.len()]);
                row[at] = log;
            }
        }
        // Of rows that every run has.
        medians.retain(|_, row| row.iter().all(|v| v.is_finite()));
        let mut history = History {
            medians,
            runs: runs.len(),
            points: BTreeMap::new(),
        };
        history.points = history.beyond_shifts();
        history
    }

    /// How many runs it is of; 0 for too few.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// How a run of these points differs from another as a whole, and from how many runs that is
    /// known.
    pub(super) fn of_runs(&self, points: &[&PointChange]) -> Option<(Deviation, u32)> {
        let rows: Vec<&Vec<f64>> = points.iter().filter_map(|p| self.row(p)).collect();
        if rows.is_empty() {
            return None;
        }
        let variance = stats::variance(&self.shifts(&rows)).ok()?;
        let deviation = Deviation {
            variance,
            degrees: self.runs as f64 - 1.0,
        };
        Some((deviation, u32::try_from(self.runs).unwrap_or(u32::MAX)))
    }

    /// How this point differs between runs beyond what its like have in common.
    pub(super) fn of_point(&self, point: &PointChange) -> Option<Deviation> {
        self.points.get(&key(point)).copied()
    }

    fn row(&self, point: &PointChange) -> Option<&Vec<f64>> {
        self.medians.get(&key(point))
    }

    /// Of each run: the middle of how far the rows are from their own mean.
    fn shifts(&self, rows: &[&Vec<f64>]) -> Vec<f64> {
        let shift = |run: usize| {
            let away = rows.iter().map(|row| row[run] - mean(row));
            stats::median(&away.collect::<Vec<f64>>()).unwrap_or(0.0)
        };
        (0..self.runs).map(shift).collect()
    }

    fn beyond_shifts(&self) -> BTreeMap<Key, Deviation> {
        let mut metrics: BTreeMap<(&str, &str), Vec<&Key>> = BTreeMap::new();
        for key in self.medians.keys() {
            metrics.entry((&*key.0, &*key.1)).or_default().push(key);
        }
        let mut all = BTreeMap::new();
        for keys in metrics.into_values() {
            let rows: Vec<&Vec<f64>> = keys.iter().map(|k| &self.medians[*k]).collect();
            // Runs take the place of processes.
            let shifts = self.shifts(&rows);
            let left: Vec<Vec<Vec<f64>>> = rows
                .iter()
                .map(|row| {
                    let left = row.iter().zip(&shifts).map(|(v, s)| vec![(v - s).exp()]);
                    left.collect()
                })
                .collect();
            let Some(prior) = SpreadPrior::fit(&left) else {
                continue;
            };
            let known = keys.into_iter().zip(&left);
            all.extend(known.filter_map(|(k, row)| Some((k.clone(), prior.of(row)?))));
        }
        all
    }
}

fn mean(row: &[f64]) -> f64 {
    stats::mean(row).unwrap_or(0.0)
}

fn key(point: &PointChange) -> Key {
    keyed(&point.experiment, &point.metric, &point.settings)
}

fn keyed(experiment: &str, metric: &str, settings: &[Setting]) -> Key {
    let mut settings = settings.to_vec();
    settings.sort_by(|a, b| a.axis.cmp(&b.axis));
    (experiment.to_owned(), metric.to_owned(), settings)
}

/// Of all points that have a positive median.
fn logs(run: &RunView) -> impl Iterator<Item = (Key, f64)> {
    run.tables.iter().flat_map(|table| {
        table.points.iter().flat_map(move |point| {
            point.summaries.iter().filter_map(move |summary| {
                let metric = table.head.metrics.get(usize::from(summary.metric));
                let metric = metric.filter(|m| m.is_result())?;
                let log = summary.median.center.ln();
                let key = keyed(&table.head.id, &metric.name, &point.head.settings);
                log.is_finite().then_some((key, log))
            })
        })
    })
}
