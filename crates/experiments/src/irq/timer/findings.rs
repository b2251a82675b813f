//! What the stages say: where the time goes between the interrupt and the
//! function, how late timers are, and what the wheel rounds.

use super::recording::FUNCTIONS;
use super::{ASKED, BEHIND, DEFERRED, ELSEWHERE, EMPTY, LATENESS, OVERSLEPT, ROUNDED, STEP};
use analysis::claims::Outcome;
use analysis::conclusion::Conclusion;
use analysis::sentence::{estimated, list, time};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, Unit};
use stats::{Interval, Method};

/// The way from the interrupt to the first function, and what each part is.
const WAY: [(&str, &str); 3] = [
    ("entry_to_raise", "until the softirq is raised"),
    ("raise_to_entry", "until it begins"),
    ("entry_to_expiry", "until the first function"),
];

fn of<'a>(
    table: &'a ExperimentTable,
    state: &'a str,
    stage: &'a str,
) -> impl Iterator<Item = &'a PointView> {
    let points = table.points.iter();
    points.filter(move |p| p.word("state") == state && p.word("stage") == stage)
}

/// The point of the shortest timeout, which has most passages.
fn first<'a>(table: &'a ExperimentTable, state: &'a str, stage: &'a str) -> Option<&'a PointView> {
    let measured = of(table, state, stage).filter(|p| p.primary().is_some());
    measured.min_by_key(|p| p.int("timeout"))
}

fn ms(ns: f64) -> String {
    let ms = format!("{:.1}", ns / 1e6);
    format!("{} ms", ms.strip_suffix(".0").unwrap_or(&ms))
}

fn at(state: &str) -> &'static str {
    match state {
        "idle" => "an idle CPU",
        _ => "a busy CPU",
    }
}

/// Findings of `irq/timer`: stages of an expiry by state of the CPU, lateness, CPUs
/// that ran the timers, functions that expired.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for state in super::STATES {
        all.extend(way(table, state));
        all.extend(softirqs(table, state));
        let late = of(table, state, LATENESS);
        all.extend(late.filter_map(|point| lateness(point, state)));
        all.extend(elsewhere(table, state));
    }
    all.extend(of(table, "busy", LATENESS).filter_map(rounded));
    all.extend(functions(table));
    all
}

/// Where the time goes from the interrupt to the function.
fn way(table: &ExperimentTable, state: &str) -> Option<Finding> {
    let mut parts = Vec::new();
    for (stage, what) in WAY {
        parts.push((first(table, state, stage)?.primary()?, what));
    }
    let us = time;
    let sum = |of: fn(&analysis::Summary) -> f64| parts.iter().map(|(s, _)| of(s)).sum();
    let whole = Interval {
        center: sum(|s| s.median.center),
        low: sum(|s| s.median.low),
        high: sum(|s| s.median.high),
        level: parts
            .iter()
            .map(|(s, _)| s.median.level)
            .fold(1.0, f64::min),
        method: Method::OrderStatistic,
        degrees: None,
    };
    let stages = parts.iter();
    let stages = stages.map(|(s, what)| format!("{} {what}", us(s.median.center)));
    let text = format!(
        "On {} {} pass from the timer's interrupt to the first timer's function (sum of medians): {}",
        at(state),
        us(whole.center),
        list(stages, ", ")
    );
    let key = format!("interrupt_to_function_{state}");
    Some(estimated(key, Unit::Nanoseconds, whole, text))
}

/// How many softirqs came late by a switch, and how many for nothing.
fn softirqs(table: &ExperimentTable, state: &str) -> Option<Finding> {
    let raised = first(table, state, "raise_to_entry")?;
    let deferred = raised.summary(DEFERRED)?.mean;
    let empty = first(table, state, "softirq")?.summary(EMPTY)?.mean;
    let text = format!(
        "On {} {:.0} % of the timers' softirqs begin only after another task was switched in \
         (ksoftirqd), and {:.0} % find no timer that is due",
        at(state),
        deferred * 100.0,
        empty * 100.0
    );
    let key = format!("softirqs_{state}");
    Some(Conclusion::on(&key).say(text))
}

fn asked(point: &PointView) -> f64 {
    point.int("timeout").unwrap_or(0) as f64
}

fn lateness(point: &PointView, state: &str) -> Option<Finding> {
    let late = point.primary()?;
    let overslept = point.summary(OVERSLEPT).map_or_else(String::new, |s| {
        format!("; {} later than asked for", ms(s.median.center))
    });
    let text = format!(
        "On {} a timer of {} runs {} behind its bucket in the median, {} at worst of {}{overslept}",
        at(state),
        ms(asked(point)),
        time(late.median.center),
        time(late.max),
        late.samples
    );
    let key = format!("lateness_{state}_{}", ms(asked(point))).replace([' ', '.'], "_");
    Some(estimated(key, Unit::Nanoseconds, late.median, text))
}

/// What the wheel adds by the width of its buckets.
fn rounded(point: &PointView) -> Option<Finding> {
    let (rounded, step) = (point.summary(ROUNDED)?, point.summary(STEP)?.median.center);
    let asked = point.summary(ASKED)?.median.center;
    let (least, most) = (ms(rounded.min), ms(rounded.max));
    let after = match least == most {
        true => least,
        false => format!("{least} to {most}"),
    };
    let text = format!(
        "The wheel puts timers of {} into buckets {} wide: they come due {after} after the time \
         asked for, {:.0} % of it at most",
        ms(asked),
        ms(step),
        rounded.max / asked.max(1.0) * 100.0
    );
    let key = format!("rounded_{}", ms(asked)).replace([' ', '.'], "_");
    Some(estimated(key, Unit::Nanoseconds, rounded.median, text))
}

/// Timers that another CPU took over.
fn elsewhere(table: &ExperimentTable, state: &str) -> Option<Finding> {
    let of = of(table, state, LATENESS).filter_map(|p| p.summary(ELSEWHERE));
    let (mut moved, mut all) = (0.0, 0.0);
    for s in of {
        moved += s.mean * f64::from(s.samples);
        all += f64::from(s.samples);
    }
    let text = format!(
        "{moved:.0} of {all:.0} timers started on {} expired on another CPU",
        at(state)
    );
    let key = format!("elsewhere_{state}");
    (moved > 0.0).then(|| Conclusion::on(&key).say(text))
}

/// Whose timers they were.
fn functions(table: &ExperimentTable) -> Option<Finding> {
    let point = first(table, "busy", "expiry")?;
    let mut notes = point.head.notes.iter();
    let functions = notes.find_map(|note| note.strip_prefix(FUNCTIONS))?;
    let text = format!("Functions of the timers that expired: {functions}");
    Some(Conclusion::on("functions").say(text))
}

/// Claims of `irq/timer`: no timer expires early.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "no timer expires before the tick at which its bucket is due",
    check: |table| {
        let late = table.points.iter().filter(|p| p.word("stage") == LATENESS);
        let behind: Vec<_> = late.filter_map(|p| p.summary(BEHIND)).collect();
        let least = behind.iter().map(|s| s.min).reduce(f64::min)?;
        let count: u64 = behind.iter().map(|s| u64::from(s.samples)).sum();
        let evidence = format!("of {count} timers the earliest was {least:.0} ticks behind");
        Some(Outcome::exactly(least >= 0.0, evidence))
    },
}];
