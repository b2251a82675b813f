//! How late threads wake, what slack and a rival add, and where the time goes.

use super::traced::LATE;
use super::{BACK, NONE_NS, STATED, WIDE_NS};
use crate::quantities::kernel::{OVERSHOOT, SAID, SLACK};
use analysis::claims::{Quoted, one};
use analysis::conclusion::Conclusion;
use analysis::inference::Answer;
use analysis::sentence::{estimated, list, time as us};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, MachineCard, Unit};
use stats::Interval;

/// What a known slack adds is so much of it, at least and at most.
const SLOPE_OFF: f64 = 0.15;

fn named(point: &PointView) -> String {
    let interval = point.int("interval").unwrap_or(0) as f64 / 1e6;
    let who = match (point.word("policy"), point.word("slack")) {
        ("fifo", _) => "a real-time thread",
        (_, "none") => "an ordinary thread without timer slack",
        (_, "wide") => "an ordinary thread of 200 us timer slack",
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

/// Findings of `sched/wakeup`: lateness by the clock, and the traced stages.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let clock = table.points.iter().filter(|p| !is_traced(p));
    let mut all: Vec<Finding> = clock.filter_map(lateness).collect();
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
    let parts = medians.iter().zip(STAGES);
    let parts = parts.map(|(stage, name)| format!("{} {name}", us(stage.median.center)));
    let level = medians.iter().map(|m| m.median.level).fold(1.0, f64::min);
    let text = format!(
        "{}, traced, parts of the lateness (medians): {}",
        capital(named(point)),
        list(parts, ", ")
    );
    let mut all = vec![Conclusion::on(key("stages", point)).sure(level).say(text)];
    let mut notes = point.head.notes.iter();
    if let Some(latest) = notes.find_map(|note| note.strip_prefix(LATE)) {
        let count = medians[0].samples;
        let text = format!("The latest of {count} traced wake-ups: {latest}");
        all.push(Conclusion::on(key("latest", point)).say(text));
    }
    all
}

fn key(what: &str, point: &PointView) -> String {
    format!("{what} {}", named(point)).replace([' ', '.', ','], "_")
}

fn lateness(point: &PointView) -> Option<Finding> {
    let late = point.primary()?;
    let tail = late
        .p99
        .map(|p99| format!(", {} at the 99th percentile", us(p99)));
    let text = format!(
        "{} wakes {} late in the median{} and {} at worst of {}",
        capital(named(point)),
        us(late.median.center),
        tail.unwrap_or_default(),
        us(late.max),
        late.samples
    );
    let (key, unit) = (key("lateness", point), Unit::Nanoseconds);
    Some(estimated(key, unit, late.median, text))
}

/// Ordinary threads of a slack with no neighbour of ours, and no tracing on their way.
fn alone<'a>(table: &'a ExperimentTable, slack: &'a str) -> impl Iterator<Item = &'a PointView> {
    let words = [
        ("policy", "other"),
        ("slack", slack),
        ("neighbour", "nothing"),
    ];
    let points = table.points.iter();
    points.filter(move |p| p.has(&words) && !is_traced(p))
}

/// The interval of cyclictest, in ns. Of a tick of 1000 Hz each wake-up has the same distance:
/// where it is within the known slack, every one comes with the tick.
const USUAL: i64 = 1_000_000;
/// One that is no multiple of any tick's period, so that the distance differs from one wake-up to the next.
const APART_FROM_TICKS: i64 = 1_130_000;

/// What the methods of timer slack say.
pub fn answers(table: &ExperimentTable, _: &MachineCard) -> Vec<Answer> {
    let at = |slack, interval| alone(table, slack).find(|p| p.int("interval") == Some(interval));
    let Some(own) = at("default", APART_FROM_TICKS).or_else(|| at("default", USUAL)) else {
        return Vec::new();
    };
    let of = |slack| own.int("interval").and_then(|interval| at(slack, interval));
    let stated = own.summary(STATED).map(|s| s.median.center);
    let stated = stated.filter(|ns| *ns > 0.0);
    let stated = stated.map(|ns| Answer::exactly(SLACK.key, SAID, ns));
    let late = |point: Option<&PointView>| point?.primary().map(|s| s.median);
    let overshoot = match (late(Some(own)), late(of("none")), late(of("wide"))) {
        (Some(own), Some(none), Some(wide)) => overshoot(&own, &none, &wide),
        _ => nothing("its points were not measured"),
    };
    stated.into_iter().chain([overshoot]).collect()
}

/// What the thread's own slack adds, in terms of what a known one adds.
fn overshoot(own: &Interval, none: &Interval, wide: &Interval) -> Answer {
    let known = (WIDE_NS - NONE_NS) as f64;
    let slope = (wide.center - none.center) / known;
    if (slope - 1.0).abs() > SLOPE_OFF {
        return nothing("a known slack does not come out in how late the thread wakes");
    }
    let added = |own: f64, none: f64| (own - none) / slope;
    let low = added(own.low, none.high);
    if low <= 0.0 || own.is_none() || none.is_none() {
        return nothing("what it adds is within the noise");
    }
    let value = added(own.center, none.center);
    Answer::between(SLACK.key, OVERSHOOT, value, low, added(own.high, none.low))
}

fn nothing(why: &str) -> Answer {
    Answer::nothing(SLACK.key, OVERSHOOT, why)
}

/// Claims of `sched/wakeup`: timer slack never makes a thread wake earlier.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "an ordinary thread with timer slack wakes no earlier, in the median, than one without",
    check: |table| {
        let of = |slack| {
            let late = Quoted::latency(alone(table, slack).next()?)?;
            Some(late.map("us", |ns| ns / 1e3))
        };
        let (default, none) = (of("default")?, of("none")?);
        one(default.named("with slack").at_least(none.named("without")))
    },
}];
