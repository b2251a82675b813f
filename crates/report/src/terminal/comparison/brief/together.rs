//! What of the changes has a cause in common: the area, an experiment as a whole, the CPU, the load.

use crate::document::{Document, Text};
use crate::format::{counted, percent};
use crate::terminal::comparison::percent_change;
use analysis::compare::{Shift, ShiftOutcome, cpu_sentence, shared_sentence};
use analysis::{Comparison, Outcome, PointChange, RunView};

/// Names in a sentence; the others are counted.
const NAMED: usize = 4;
/// Columns of a label.
const LABEL: usize = 12;
/// A speed that differs at a smaller share of the values is not said.
const FELT_VALUES: f64 = 0.01;
/// A speed that differs by less is not said.
const FELT_SPEED: f64 = 0.01;
/// Shares of busy CPUs that differ by less are not said.
const FELT_LOAD: f64 = 0.1;

/// Areas are left out where the changes themselves are shown, `shown` of each side.
pub(super) fn document(c: &Comparison, runs: [&RunView; 2], shown: usize) -> Document {
    let said = [
        ("Worse in", areas(c, Outcome::Worse, shown)),
        ("Better in", areas(c, Outcome::Better, shown)),
        ("Unchanged", unchanged(c)),
        ("As a whole", shifts(c)),
        ("Speed", cpu(c)),
        ("Load", load(runs)),
    ];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty());
    let lines = said.map(|(label, text)| Text::new(text).label(0, label, LABEL));
    let mut document = Document::new();
    document.extend(lines);
    document
}

fn area(experiment: &str) -> &str {
    experiment.split('/').next().unwrap_or(experiment)
}

/// In the order of the comparison.
fn all_areas(c: &Comparison) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for e in &c.experiments {
        let area = area(&e.experiment);
        if !found.contains(&area) {
            found.push(area);
        }
    }
    found
}

fn count(c: &Comparison, of: &str, wanted: fn(Outcome) -> bool) -> usize {
    let points = c
        .points
        .iter()
        .filter(|p| p.decides && area(&p.experiment) == of);
    points.filter(|p| wanted(p.outcome)).count()
}

/// `mem (26 of 480), ipc (3 of 200)`.
fn areas(c: &Comparison, outcome: Outcome, shown: usize) -> String {
    if c.count(outcome) <= shown {
        return String::new();
    }
    let wanted: fn(Outcome) -> bool = match outcome {
        Outcome::Worse => |o| o == Outcome::Worse,
        _ => |o| o == Outcome::Better,
    };
    let of = |area: &str| (count(c, area, wanted), count(c, area, Outcome::is_judged));
    let areas = all_areas(c).into_iter().map(|a| (a, of(a)));
    let mut found: Vec<_> = areas.filter(|(_, (n, _))| *n > 0).collect();
    found.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    let said = found
        .iter()
        .map(|(a, (n, all))| format!("{a} ({n} of {all})"));
    listed(said.collect())
}

/// Areas in which nothing changed.
fn unchanged(c: &Comparison) -> String {
    let is_changed = |o: Outcome| matches!(o, Outcome::Worse | Outcome::Better);
    let still = |a: &&str| count(c, a, Outcome::is_judged) > 0 && count(c, a, is_changed) == 0;
    let found: Vec<&str> = all_areas(c).into_iter().filter(still).collect();
    found.join(", ")
}

/// Experiments that moved as a whole, those first that say most.
fn shifts(c: &Comparison) -> String {
    let mut moved = moved(c);
    moved.sort_by(|a, b| {
        let usual = |s: &Shift| s.outcome == ShiftOutcome::Usual;
        let size = |s: &Shift| s.ratio.center.ln().abs();
        (usual(a).cmp(&usual(b))).then(size(b).total_cmp(&size(a)))
    });
    listed(moved.into_iter().map(shift).collect())
}

/// Shifts that are no noise, or beyond the threshold.
pub(super) fn moved(c: &Comparison) -> Vec<&Shift> {
    let is_moved = |s: &&Shift| {
        s.outcome != ShiftOutcome::Usual || s.ratio.center.ln().abs() > c.threshold.ln_1p()
    };
    c.gate.shifts.iter().filter(is_moved).collect()
}

/// `ipc/futex +17 %`.
pub(super) fn shift(shift: &Shift) -> String {
    let name = match (shift.experiment.as_str(), shift.metric.as_str()) {
        ("", _) => "experiments with few points".to_owned(),
        (experiment, "latency" | "") => experiment.to_owned(),
        (experiment, metric) => format!("{experiment} [{metric}]"),
    };
    format!("{name} {}", percent_change(shift.ratio.center))
}

fn cpu(c: &Comparison) -> String {
    let found = |of: fn(&PointChange) -> Option<f64>, wanted: fn(f64) -> bool| -> Vec<f64> {
        let decide = c.points.iter().filter(|p| p.decides);
        decide.filter_map(of).filter(|r| wanted(*r)).collect()
    };
    let said = |ratios: Vec<f64>, sentence: fn(f64) -> String| {
        let middle = analysis::median(&ratios).ok()?;
        let is_felt = (middle - 1.0).abs() >= FELT_SPEED
            && ratios.len() as f64 >= FELT_VALUES * f64::from(c.gate.judged);
        let values = counted(ratios.len(), "value", "values");
        is_felt.then(|| format!("{} ({values})", sentence(middle)))
    };
    let parts = [
        said(found(|p| p.cycle_ratio, |_| true), cpu_sentence),
        said(found(|p| p.core_ratio, |r| r < 1.0), shared_sentence),
        said(found(|p| p.core_ratio, |r| r >= 1.0), shared_sentence),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}

/// Where CPUs were in use before one of the runs and not before the other.
fn load([a, b]: [&RunView; 2]) -> String {
    let busy = |run: &RunView| run.head.conditions.busy_before;
    match (busy(a), busy(b)) {
        (Some(a), Some(b)) if (a - b).abs() >= FELT_LOAD => {
            let (a, b) = (percent(a), percent(b));
            format!("CPUs were {a} busy before A, {b} before B")
        }
        _ => String::new(),
    }
}

/// The first of them; the others are counted.
pub(super) fn listed(names: Vec<String>) -> String {
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other", "others")),
    };
    format!("{}{more}", names[..names.len().min(NAMED)].join(", "))
}
