//! How late threads wake, what slack and a rival add, and where the time goes.

use super::BACK;
use super::traced::LATE;
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, Unit};

fn named(point: &PointView) -> String {
    let interval = point.int("interval").unwrap_or(0) as f64 / 1e6;
    let who = match (point.word("policy"), point.word("slack")) {
        ("fifo", _) => "a real-time thread",
        (_, "none") => "an ordinary thread without timer slack",
        _ => "an ordinary thread",
    };
    let neighbour = match point.word("neighbour") {
        "computing" => ", next to one that computes",
        _ => "",
    };
    format!("{who} that sleeps {interval} ms{neighbour}")
}

fn is_traced(point: &PointView) -> bool {
    point.word("source") == "trace"
}

fn us(ns: f64) -> String {
    format!("{:.1} us", ns / 1e3)
}

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let clock = table.points.iter().filter(|p| !is_traced(p));
    let mut all: Vec<Finding> = clock.filter_map(lateness).collect();
    all.extend(slack(table));
    let traced = table.points.iter().filter(|p| is_traced(p));
    all.extend(traced.flat_map(stages));
    all
}

fn capital(mut text: String) -> String {
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Where the time of a traced thread's lateness goes, and the latest one's cause.
fn stages(point: &PointView) -> Vec<Finding> {
    const STAGES: [&str; 5] = [
        "in its timer's slack",
        "until the timer's function",
        "in it",
        "in the run queue",
        "on the way back to user mode",
    ];
    let medians = (BACK - 4..=BACK).map(|stage| point.summary(stage));
    let Some(medians) = medians.collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let parts: Vec<String> = medians
        .iter()
        .zip(STAGES)
        .map(|(stage, name)| format!("{} {name}", us(stage.median.center)))
        .collect();
    let key = |what: &str| format!("{what} {}", named(point)).replace([' ', '.', ','], "_");
    let level = medians.iter().map(|m| m.median.level).fold(1.0, f64::min);
    let text = format!(
        "{}, traced, spends of its lateness (medians) {}",
        capital(named(point)),
        parts.join(", ")
    );
    let mut all = vec![Conclusion::on(key("stages")).sure(level).say(text)];
    let notes = &point.head.notes;
    if let Some(latest) = notes.iter().find_map(|note| note.strip_prefix(LATE)) {
        let text = format!(
            "The latest of {} traced wake-ups: {latest}",
            medians[0].samples
        );
        all.push(Conclusion::on(key("latest")).say(text));
    }
    all
}

fn lateness(point: &PointView) -> Option<Finding> {
    let late = point.primary()?;
    let text = format!(
        "{} wakes {} late in the median, {} at the 99th percentile and {} at worst of {}",
        capital(named(point)),
        us(late.median.center),
        us(late.p99),
        us(late.max),
        late.samples
    );
    let key = format!("lateness {}", named(point)).replace([' ', '.', ','], "_");
    Some(
        Conclusion::on(&key)
            .estimate(Unit::Nanoseconds, late.median)
            .say(text),
    )
}

/// No neighbour of ours, and no tracing on its way.
fn alone(point: &PointView) -> bool {
    point.word("neighbour") == "nothing" && !is_traced(point)
}

/// What the timer slack of an ordinary thread costs.
fn slack(table: &ExperimentTable) -> Option<Finding> {
    let of = |slack: &str| {
        let mut points = table.points.iter();
        points.find(|p| {
            p.word("policy") == "other"
                && p.word("slack") == slack
                && alone(p)
                && p.int("interval") == Some(1_000_000)
        })
    };
    let (default, none) = (of("default")?.primary()?, of("none")?.primary()?);
    let text = format!(
        "Timer slack makes an ordinary thread's wake-ups {} later in the median (the kernel's \
         default is 50 us; prctl PR_SET_TIMERSLACK)",
        us(default.median.center - none.median.center)
    );
    Some(
        Conclusion::on("timer_slack")
            .sure(default.median.level.min(none.median.level))
            .say(text),
    )
}

pub const CLAIMS: &[Claim] = &[Claim {
    text: "an ordinary thread with timer slack wakes no earlier, in the median, than one without",
    check: |table| {
        let of = |slack: &str| {
            let mut points = table.points.iter();
            let point = points
                .find(|p| p.word("policy") == "other" && p.word("slack") == slack && alone(p));
            point?.median_ns()
        };
        let (default, none) = (of("default")?, of("none")?);
        Some((default >= none, format!("{} and {}", us(default), us(none))))
    },
}];
