//! What the points of a metric have in common between two runs, and what that means.

use super::PointChange;
use super::group::{Group, Row};
use serde::{Deserialize, Serialize};
use stats::interval::NOMINAL_LEVEL;
use stats::{Interval, Method};

/// The part of the family's error that is spent on what points have in common.
pub(super) const SHIFT_ERROR: f64 = 0.01;

/// A shift within so many standard deviations of what is known of runs is theirs.
const USUAL: f64 = 2.0;

/// What the points of a metric have in common between two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// The experiment; empty for all experiments with too few points.
    pub experiment: String,
    pub metric: String,
    pub points: u32,
    /// The median of B / A, with the interval that how runs differ leaves it.
    pub ratio: Interval,
    pub outcome: ShiftOutcome,
    /// Standard deviation of a run on the log scale that it was judged by.
    pub run_sd: f64,
    /// Runs that it comes from; 0 where it is assumed.
    pub runs: u32,
    /// Whether a larger value is worse.
    pub lower_is_better: bool,
}

/// What a shift means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShiftOutcome {
    /// Below the threshold, or as processes of these runs or other runs of this machine differ.
    Usual,
    /// More than runs differ.
    Worse,
    Better,
    /// Beyond the threshold, and how runs differ is not known well enough to tell.
    Unknown,
}

impl ShiftOutcome {
    pub(super) fn is_change(self) -> bool {
        matches!(self, ShiftOutcome::Worse | ShiftOutcome::Better)
    }
}

/// One for each group that has a shift.
pub(super) fn shifts(groups: &[Group], rows: &[Row], limit: f64) -> Vec<Option<Shift>> {
    let deviation = |g: &Group| g.run.plus(g.blur).plus(g.together);
    let probabilities: Vec<f64> = groups
        .iter()
        .filter_map(|g| Some(deviation(g).p(g.beyond_cpu(rows, g.shift?))))
        .collect();
    let level = 1.0 - SHIFT_ERROR / probabilities.len().max(1) as f64;
    let mut adjusted = stats::holm(&probabilities).into_iter();
    let one = |group: &Group| {
        let shift = group.shift?;
        let p = adjusted.next()?;
        let deviation = deviation(group);
        let half = deviation.half(level);
        let known = group.runs > 0;
        let own = group.beyond_cpu(rows, shift);
        let real = match known {
            true => p <= SHIFT_ERROR && own.abs() > limit,
            // What is assumed must leave no doubt.
            false => own.abs() - half > limit,
        };
        let usual = USUAL * deviation.error();
        let of_processes = group.blur.plus(group.together).half(NOMINAL_LEVEL);
        let outcome = match (real, own > 0.0) {
            (true, true) => ShiftOutcome::Worse,
            (true, false) => ShiftOutcome::Better,
            _ if own.abs() <= limit.max(of_processes) => ShiftOutcome::Usual,
            _ if known && own.abs() <= usual => ShiftOutcome::Usual,
            _ => ShiftOutcome::Unknown,
        };
        Some(group.shift_of(rows, shift, half, level, outcome))
    };
    groups.iter().map(one).collect()
}

impl Group {
    fn shift_of(
        &self,
        rows: &[Row],
        cost: f64,
        half: f64,
        level: f64,
        outcome: ShiftOutcome,
    ) -> Shift {
        let first = &rows[self.rows[0]].change;
        let same = |of: fn(&PointChange) -> &str| {
            let all_same = self
                .rows
                .iter()
                .all(|at| of(&rows[*at].change) == of(first));
            if all_same { of(first) } else { "" }.to_owned()
        };
        let metric = same(|c| &c.metric);
        // A mixture of times and rates counts as a time.
        let falls = !metric.is_empty() && !first.lower_is_better;
        let log = if falls { -cost } else { cost };
        Shift {
            experiment: same(|c| &c.experiment),
            metric,
            points: u32::try_from(self.rows.len()).unwrap_or(u32::MAX),
            ratio: Interval {
                center: log.exp(),
                low: (log - half).exp(),
                high: (log + half).exp(),
                level,
                method: Method::Mover,
                degrees: None,
            },
            outcome,
            run_sd: self.run.error() / 2f64.sqrt(),
            runs: self.runs,
            lower_is_better: !falls,
        }
    }
}
