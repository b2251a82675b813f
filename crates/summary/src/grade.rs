//! How far a run is to be trusted: a letter, and what lowered it.
//!
//! Each check costs 0, 1 or 2 points, by thresholds that are stated here and nowhere else. A clock
//! that is not invariant, and an emulated processor, end in D whatever else is good.

mod at_best;

use analysis::numbers::{counted, percent, relative_half_width, significant};
use analysis::view::ContaminationLevel;
use analysis::{PointView, RunView};
use record::{ClaimState, PointState, RunHead, SelfTestVerdict};
use serde::Serialize;

/// The grade of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Letter {
    A,
    B,
    C,
    D,
}

/// How far a run is to be trusted, and why no further.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grade {
    pub letter: Letter,
    /// The smallest ratio of two typical values whose intervals part, rounded up to a step that
    /// people say; None where no value has an interval.
    pub parts_from: Option<f64>,
    pub checks: Vec<Check>,
}

/// One thing that trust rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// `stolen time`.
    pub name: &'static str,
    /// Points that it costs, 0 to 2; more where it decides the grade.
    pub cost: u8,
    /// What was found: `0.14 % of the time stolen by the host`.
    pub found: String,
}

/// Processes from which differences between them are known well.
const PROCESSES_WANTED: u32 = 5;
/// The grade is D whatever else is good.
const DECIDES: u8 = 6;
/// Up to the first a check costs nothing, up to the second one point.
const INTERVAL_SHARE: (f64, f64) = (0.05, 0.20);
const STOLEN_SHARE: (f64, f64) = (0.001, 0.01);
const FAILED_SHARE: (f64, f64) = (0.0, 0.05);
const BUSY_SHARE: (f64, f64) = (0.01, 0.10);
const DRIFT_PPM: (f64, f64) = (1.0, 10.0);
const CONTAMINATED_SHARE: (f64, f64) = (0.01, 0.05);
/// Ratios that people say.
const STEPS: [f64; 12] = [
    1.01, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0,
];

impl Letter {
    /// `A`.
    pub fn name(self) -> &'static str {
        match self {
            Letter::A => "A",
            Letter::B => "B",
            Letter::C => "C",
            Letter::D => "D",
        }
    }

    fn of(points: u8) -> Letter {
        match points {
            0 => Letter::A,
            1 | 2 => Letter::B,
            3..=5 => Letter::C,
            _ => Letter::D,
        }
    }
}

impl Grade {
    /// The grade of a run, by its own points.
    pub fn of(view: &RunView) -> Grade {
        let measured: Vec<&PointView> = measured(view).collect();
        let typical = typical_half_width(&measured);
        let head = &view.head;
        let checks: Vec<Check> = [
            emulated(head),
            state(head),
            processes(&measured),
            intervals(typical),
            stolen(head),
            self_checks(head),
            load(head),
            clock(head),
            contaminated(&measured),
        ]
        .into_iter()
        .flatten()
        .collect();
        let points = checks.iter().map(|c| c.cost).fold(0, u8::saturating_add);
        let ratio = typical
            .filter(|share| *share < 1.0)
            .map(|w| (1.0 + w) / (1.0 - w));
        let step = |ratio: f64| STEPS.into_iter().find(|step| *step >= ratio);
        Grade {
            letter: Letter::of(points),
            parts_from: ratio.and_then(step),
            checks,
        }
    }

    /// What lowered it, the costliest first.
    pub fn lowered_by(&self) -> Vec<&Check> {
        let mut found: Vec<&Check> = self.checks.iter().filter(|c| c.cost > 0).collect();
        found.sort_by_key(|check| std::cmp::Reverse(check.cost));
        found
    }

    /// What is as good as it can be, by name.
    pub fn good(&self) -> Vec<&'static str> {
        let good = self.checks.iter().filter(|check| check.cost == 0);
        good.map(|check| check.name).collect()
    }

    /// What it is good for: `good for ratios above 1.5`.
    pub fn good_for(&self) -> String {
        match (self.letter, self.parts_from) {
            (_, None) => "no value has an interval that ratios could rest on".to_owned(),
            (Letter::D, Some(ratio)) => {
                let ratio = step_text(ratio);
                format!("for a first look; typical intervals part from a ratio of {ratio} on")
            }
            (_, Some(ratio)) => format!("good for ratios above {}", step_text(ratio)),
        }
    }
}

/// A step as it is said: `1.5`, `2`, `1.05`.
fn step_text(step: f64) -> String {
    step.to_string()
}

fn measured(view: &RunView) -> impl Iterator<Item = &PointView> {
    let points = view.tables.iter().flat_map(|table| &table.points);
    points.filter(|p| p.head.state == PointState::Done && p.primary().is_some())
}

/// Median over the points of the half-width of their interval, relative to the value. One
/// without an interval counts as unknown entirely.
pub fn typical_half_width(points: &[&PointView]) -> Option<f64> {
    let widths = points.iter().filter_map(|p| p.primary());
    let share = |s: &analysis::Summary| match has_interval(s) {
        false => f64::INFINITY,
        true => relative_half_width(&s.median).map_or(f64::INFINITY, f64::abs),
    };
    let mut widths: Vec<f64> = widths.map(share).collect();
    widths.sort_by(f64::total_cmp);
    let middle = widths.get(widths.len() / 2).copied();
    middle.filter(|share| share.is_finite())
}

/// One sample has no interval, nor have samples that depend on each other.
pub fn has_interval(s: &analysis::Summary) -> bool {
    s.samples > 1 && !s.median.is_none() && s.median.level > 0.0
}

/// Points that a value costs.
fn cost(value: f64, (free, one): (f64, f64)) -> u8 {
    match value {
        v if v <= free => 0,
        v if v <= one => 1,
        // What is no number is not known to be good.
        _ => 2,
    }
}

fn check(name: &'static str, cost: u8, found: String) -> Option<Check> {
    Some(Check { name, cost, found })
}

fn emulated(head: &RunHead) -> Option<Check> {
    let emulated = head.machine.is_emulated();
    emulated.then(|| Check {
        name: "processor",
        cost: DECIDES,
        found: "an emulated processor: its times mean nothing outside this guest".to_owned(),
    })
}

fn state(head: &RunHead) -> Option<Check> {
    let total = head.points.len();
    let pending = head.points.iter();
    let pending = pending.filter(|p| p.state == PointState::Pending).count();
    (pending > 0).then(|| Check {
        name: "completeness",
        cost: if pending * 10 > total { 2 } else { 1 },
        found: format!("{pending} of {total} points not reached"),
    })
}

fn processes(points: &[&PointView]) -> Option<Check> {
    let mut each: Vec<u32> = points
        .iter()
        .filter_map(|p| p.primary())
        .map(|s| s.processes)
        .collect();
    each.sort_unstable();
    let usual = *each.get(each.len() / 2)?;
    let cost = match usual {
        0 | 1 => 2,
        few if few < PROCESSES_WANTED => 1,
        _ => 0,
    };
    let number = counted(usual, "process", "processes");
    let wanted = match cost {
        0 => String::new(),
        _ => format!(" ({PROCESSES_WANTED} for A)"),
    };
    check("processes", cost, format!("{number}{wanted}"))
}

fn intervals(typical: Option<f64>) -> Option<Check> {
    let found = match typical {
        Some(share) => format!("intervals typically ±{}", percent(share)),
        None => "no intervals".to_owned(),
    };
    let cost = cost(typical.unwrap_or(f64::NAN), INTERVAL_SHARE);
    check("intervals", cost, found)
}

fn stolen(head: &RunHead) -> Option<Check> {
    match head.conditions.steal_share {
        Some(share) => {
            let found = format!("{} of the time stolen by the host", percent(share));
            check("stolen time", cost(share, STOLEN_SHARE), found)
        }
        // A guest whose host does not say.
        None if head.machine.hypervisor.is_some() => {
            check("stolen time", 1, "stolen time not known".to_owned())
        }
        None => None,
    }
}

/// Claims that were tested, and what the last self-test of the instrument planted.
fn self_checks(head: &RunHead) -> Option<Check> {
    let states: Vec<ClaimState> = head.claims.iter().map(|c| c.state()).collect();
    let of = |wanted: ClaimState| states.iter().filter(|s| **s == wanted).count();
    let rows = head.instrument.self_test.iter().flat_map(|test| &test.rows);
    let rows: Vec<SelfTestVerdict> = rows.map(|row| row.verdict).collect();
    let ended = |wanted: SelfTestVerdict| rows.iter().filter(|v| **v == wanted).count();
    let failed = of(ClaimState::Broken) + ended(SelfTestVerdict::Failed);
    let tested = failed + of(ClaimState::Held) + ended(SelfTestVerdict::Passed);
    if tested == 0 {
        return None;
    }
    let found = match failed {
        0 => format!("all {tested} self-checks held"),
        _ => format!("{failed} of {tested} self-checks failed"),
    };
    let share = failed as f64 / tested as f64;
    check("self-checks", cost(share, FAILED_SHARE), found)
}

fn load(head: &RunHead) -> Option<Check> {
    let Some(busy) = head.conditions.busy_before else {
        return check("other load", 1, "other load not known".to_owned());
    };
    let found = format!("CPUs {} busy before the run", percent(busy));
    check("other load", cost(busy, BUSY_SHARE), found)
}

fn clock(head: &RunHead) -> Option<Check> {
    let instrument = &head.instrument;
    if instrument.clock_hz == 0.0 {
        // Imported or recorded: the harness did not measure.
        return check("clock", 1, "clock not tested".to_owned());
    }
    if !instrument.invariant {
        return check("clock", DECIDES, "the clock is not invariant".to_owned());
    }
    let drift = instrument.drift_ppm.abs();
    let found = format!("the clock drifts by {} ppm", significant(drift, 2));
    check("clock", cost(drift, DRIFT_PPM), found)
}

fn contaminated(points: &[&PointView]) -> Option<Check> {
    let watched: Vec<ContaminationLevel> = points
        .iter()
        .filter_map(|p| p.contamination.as_ref())
        .map(|c| c.level)
        .collect();
    if points.is_empty() {
        return None;
    }
    if watched.is_empty() {
        let found = "disturbances not watched".to_owned();
        return check("contamination", 1, found);
    }
    let is_bad = |level: &&ContaminationLevel| **level == ContaminationLevel::Contaminated;
    let bad = watched.iter().filter(is_bad).count();
    let found = match bad {
        0 => "no contaminated point".to_owned(),
        _ => format!("{bad} of {} points contaminated", watched.len()),
    };
    let share = bad as f64 / watched.len() as f64;
    check("contamination", cost(share, CONTAMINATED_SHARE), found)
}
