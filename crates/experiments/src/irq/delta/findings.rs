//! What each activity brings beyond what comes to a CPU that rests.

use super::{TURNS, metric};
use analysis::claims::{Quoted, one};
use analysis::conclusion::Conclusion;
use analysis::sentence::list;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use engines::interrupts::{InterruptSource, KINDS};
use record::Finding;

/// Kinds that a sentence names.
const MOST: usize = 4;
/// Fewer a second, or a smaller share of what comes at rest, is the machine's own.
const LEAST: f64 = 20.0;
const LEAST_SHARE: f64 = 0.2;

fn find<'a>(table: &'a ExperimentTable, activity: &str) -> Option<&'a PointView> {
    table.point(&[("activity", activity)])
}

fn rate(point: &PointView, tally: usize) -> Option<f64> {
    Some(point.summary(metric(tally))?.median.center)
}

/// What is done, and what one turn of it is called.
fn words(activity: &str) -> (&'static str, &'static str) {
    match activity {
        "compute" => ("Computing", ""),
        "sleep" => ("Sleeping in steps of 1 ms", "sleeps"),
        "pipe" => (
            "Passing a byte to another CPU and back over a pipe",
            "turns",
        ),
        "loopback" => ("Passing a byte to another CPU and back over TCP", "turns"),
        "files" => ("Writing 4 KiB with fdatasync", "writes"),
        _ => ("Unmapping on two CPUs at once", "mappings"),
    }
}

/// Findings of `irq/delta`: interrupts of a resting CPU, and what each activity adds.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let rest = find(table, "rest");
    let others = table.points.iter().filter(|p| p.word("activity") != "rest");
    let mut all: Vec<Finding> = rest.and_then(resting).into_iter().collect();
    all.extend(others.filter_map(|point| brings(point, rest)));
    all
}

fn per_second(count: f64) -> String {
    match count < 10.0 {
        true => format!("{count:.1}"),
        false => format!("{count:.0}"),
    }
}

/// Kinds by what comes beyond `rest`, most first.
fn beyond(point: &PointView, rest: Option<&PointView>) -> Vec<(f64, &'static str)> {
    let more = |(at, kind): (usize, &InterruptSource)| {
        let at_rest = rest.and_then(|p| rate(p, at)).unwrap_or(0.0);
        let more = rate(point, at).unwrap_or(0.0) - at_rest;
        (more >= LEAST && more >= at_rest * LEAST_SHARE).then_some((more, kind.plural))
    };
    let mut found: Vec<_> = KINDS.iter().enumerate().filter_map(more).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST);
    found
}

fn resting(point: &PointView) -> Option<Finding> {
    let period = point.primary()?;
    let kinds = beyond(point, None).into_iter();
    let kinds = kinds.map(|(count, plural)| format!("{} {plural}", per_second(count)));
    let most = match list(kinds, ", ") {
        none if none.is_empty() => none,
        kinds => format!("; a second come {kinds}"),
    };
    let text = format!(
        "An idle CPU is interrupted every {:.1} ms{most}",
        period.median.center / 1e6
    );
    Some(Conclusion::on("rest").sure(period.median.level).say(text))
}

fn brings(point: &PointView, rest: Option<&PointView>) -> Option<Finding> {
    let level = point.primary()?.median.level;
    let activity = point.word("activity");
    let (what, each) = words(activity);
    let turns = rate(point, TURNS).filter(|turns| *turns > 0.0);
    let done = turns.map_or_else(String::new, |turns| {
        format!(", {} {each} a second,", per_second(turns))
    });
    let named = |(count, plural): (f64, &str)| {
        let for_each = turns.map(|turns| format!(" ({:.2} for each)", count / turns));
        format!(
            "{} {plural}{}",
            per_second(count),
            for_each.unwrap_or_default()
        )
    };
    let brought = list(beyond(point, rest).into_iter().map(named), ", ");
    let beyond = match rest {
        Some(_) => "beyond the rate of an idle CPU",
        None => "a second",
    };
    let text = match brought.is_empty() {
        true => format!("{what}{done} causes no more interrupts than idling"),
        false => format!("{what}{done} causes, {beyond}: {brought}"),
    };
    Some(Conclusion::on(activity).sure(level).say(text))
}

/// Claims of `irq/delta`: short sleeps add timer interrupts.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "sleeping in steps of 1 ms causes more timer interrupts than idling",
    check: |table| {
        let of = |activity| {
            let timers = Quoted::count(find(table, activity)?, metric(0), "per second")?;
            Some(timers.named(activity))
        };
        one(of("sleep")?.above(of("rest")?))
    },
}];
