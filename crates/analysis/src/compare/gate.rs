//! One answer for all of a comparison: whether B got worse.

use super::family::{FAMILY_ERROR, FEWEST_TOGETHER, Judged};
use super::judge::MISSING;
use super::shift::{Shift, ShiftOutcome};
use super::{Comparison, Outcome, PointChange};
use crate::contamination::judge_run;
use crate::view::{ContaminationLevel, RunView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Below this share of comparable rows nothing is passed.
pub const FEWEST_COMPARED: f64 = 0.5;
/// Points that are named first.
const NAMED: usize = 3;

/// What a comparison says to a machine that asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub verdict: Verdict,
    /// Why there is no verdict, or what failed.
    pub reasons: Vec<String>,
    /// Places in the comparison's points of those that matter, the worst first.
    pub worst: Vec<usize>,
    /// Metrics of points that were judged, and that both runs planned.
    pub judged: u32,
    pub rows: u32,
    /// The chance of a false failure of the whole family.
    pub family_error: f64,
    /// Runs that say how runs of this machine differ, A among them; 0 where that is assumed.
    pub history: u32,
    pub shifts: Vec<Shift>,
}

/// Passed, failed, or not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing got worse, as far as these runs show.
    Passed,
    /// Something got worse by more than runs of this machine differ: a lone point only where
    /// other runs tell how far that is.
    Failed,
    /// These runs cannot say.
    Unknown,
}

/// Why a run as a whole is no measure of anything.
pub(super) fn contaminated(runs: [(&str, &RunView); 2]) -> Vec<String> {
    let judged = runs.map(|(name, run)| (name, judge_run(&run.head.conditions)));
    let bad = judged
        .iter()
        .filter(|(_, c)| c.level == ContaminationLevel::Contaminated);
    bad.map(|(name, c)| format!("run {name} is contaminated as a whole: {}", c.reason))
        .collect()
}

impl Default for Gate {
    fn default() -> Gate {
        Gate {
            verdict: Verdict::Unknown,
            reasons: Vec::new(),
            worst: Vec::new(),
            judged: 0,
            rows: 0,
            family_error: FAMILY_ERROR,
            history: 0,
            shifts: Vec::new(),
        }
    }
}

impl Gate {
    pub(super) fn of(
        comparison: &Comparison,
        judged: Judged,
        contaminated: Vec<String>,
        history: usize,
    ) -> Gate {
        let Judged { shifts, withheld } = judged;
        let (rows, judged) = counted(comparison);
        let worst = worst(comparison);
        let mut reasons = contaminated;
        if let Some(obstacle) = &comparison.obstacle {
            reasons.push(obstacle.clone());
        } else if rows == 0 {
            reasons.push("the runs have no point in common".to_owned());
        } else if (judged as f64) < FEWEST_COMPARED * rows as f64 {
            reasons.push(format!("only {judged} of {rows} points can be compared"));
        }
        let mut verdict = Verdict::Unknown;
        if reasons.is_empty() {
            let known = history > 0 || together(comparison);
            let worse = comparison.regressions();
            (verdict, reasons) = decided(&shifts, worse, withheld, known);
        }
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Gate {
            verdict,
            reasons,
            worst,
            judged: count(judged),
            rows: count(rows),
            family_error: FAMILY_ERROR,
            history: count(history),
            shifts,
        }
    }
}

/// The verdict on what was judged, and why: `worse` points stand out, `withheld` would if their
/// experiment had not moved, and other runs of the machine are known or not.
fn decided(shifts: &[Shift], worse: usize, withheld: usize, known: bool) -> (Verdict, Vec<String>) {
    let moved = shifts.iter().filter(|s| s.outcome == ShiftOutcome::Worse);
    let moved: Vec<String> = moved.map(Shift::sentence).collect();
    if !moved.is_empty() || (known && worse > 0) {
        return (Verdict::Failed, moved);
    }
    // A shift for the better matters where a point that got worse may hide in it.
    let of_all = shifts
        .iter()
        .filter(|s| s.outcome == ShiftOutcome::Unknown && (withheld > 0 || s.grew_worse()));
    let mut unknown: Vec<String> = of_all.map(Shift::sentence).collect();
    if withheld > 0 {
        unknown.push(format!(
            "{} became worse if that was the machine, and did not if it was the change",
            counted_points(withheld)
        ));
    }
    if worse > 0 {
        unknown.push(lone(worse));
    }
    match unknown.is_empty() {
        true => (Verdict::Passed, unknown),
        false => (Verdict::Unknown, unknown),
    }
}

/// Whether so many points of one metric became worse, and so few better, that they are no lone
/// points. Those keep to other pages, or another guest as a neighbour, from one run to the next;
/// how far that moves them only other runs tell.
fn together(comparison: &Comparison) -> bool {
    let mut found: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for point in comparison.points.iter().filter(|p| p.decides) {
        let of = found.entry((&point.experiment, &point.metric)).or_default();
        of.0 += usize::from(point.outcome == Outcome::Worse);
        of.1 += usize::from(point.outcome == Outcome::Better);
    }
    let clear = |(worse, better): &(usize, usize)| *worse >= FEWEST_TOGETHER && *worse > 2 * better;
    found.values().any(clear)
}

/// Of points that became worse by more than their processes differ.
fn lone(points: usize) -> String {
    format!(
        "{} became worse by more than processes of these runs differ; whether runs of this \
         machine differ so much is not known",
        counted_points(points)
    )
}

fn counted_points(number: usize) -> String {
    match number {
        1 => "1 point".to_owned(),
        number => format!("{number} points"),
    }
}

/// Rows that both runs planned, that one of them could measure, and that decide; and how many of
/// them were judged.
fn counted(comparison: &Comparison) -> (usize, usize) {
    let planned = |p: &&PointChange| {
        let reason = p.reason.as_deref().unwrap_or_default();
        let missing = p.outcome == Outcome::NotComparable && reason.starts_with(MISSING);
        p.decides && !missing && p.outcome != Outcome::Skipped
    };
    let rows = comparison.points.iter().filter(planned);
    rows.fold((0, 0), |(rows, judged), row| {
        (rows + 1, judged + usize::from(row.outcome.is_judged()))
    })
}

/// Worse points, those first whose change is largest at least.
fn worst(comparison: &Comparison) -> Vec<usize> {
    let points = comparison.points.iter().enumerate();
    let mut worse: Vec<(usize, f64)> = points
        .filter(|(_, p)| p.outcome == Outcome::Worse)
        .map(|(at, p)| (at, p.ratio.map_or(0.0, |r| least(p, r.low, r.high))))
        .collect();
    worse.sort_by(|a, b| b.1.total_cmp(&a.1));
    worse.into_iter().take(NAMED).map(|(at, _)| at).collect()
}

/// By how much it is worse at least, as a logarithm.
fn least(point: &PointChange, low: f64, high: f64) -> f64 {
    match point.lower_is_better {
        true => low.ln(),
        false => -high.ln(),
    }
}

impl Shift {
    /// Whether it points to the worse side.
    pub fn grew_worse(&self) -> bool {
        (self.ratio.center > 1.0) == self.lower_is_better
    }

    /// `mem/latency moved by +7.0 % as a whole (84 points), ...`
    pub fn sentence(&self) -> String {
        let what = match (self.experiment.as_str(), self.metric.as_str()) {
            ("", _) => "the experiments with few points".to_owned(),
            (experiment, "latency" | "") => experiment.to_owned(),
            (experiment, metric) => format!("{experiment} [{metric}]"),
        };
        let (moved, sd) = (100.0 * (self.ratio.center - 1.0), 100.0 * self.run_sd);
        let known = match self.runs {
            0 => format!("runs are assumed to differ by {sd:.1} %: no other run is known"),
            runs => format!("{runs} runs differ by {sd:.1} %"),
        };
        let meaning = match self.outcome {
            ShiftOutcome::Usual => "as runs of this machine differ",
            ShiftOutcome::Worse | ShiftOutcome::Better => "more than runs of this machine differ",
            ShiftOutcome::Unknown => "which this comparison cannot tell from the machine",
        };
        let points = self.points;
        format!("{what} moved by {moved:+.1} % as a whole ({points} points), {meaning} ({known})")
    }
}
