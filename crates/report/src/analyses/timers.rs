//! Timers: from the interrupt to the function, and one timer's life.

use super::{losses, time, time_of};
use crate::document::{Document, Table, Text};
use crate::format::time_ns;
use analysis::whole;
use serde_json::{Value, json};
use trace::Capture;
use trace::analyse::explain::sleeper;
use trace::analyse::sleeps::SleepSums;
use trace::analyse::summary::Summary;
use trace::analyse::timers::{ChainSums, FunctionTimers, Life, LifeEvent, Stage, Step, WheelSums};
use trace::analyse::{Distribution, Pass};

/// Its numbers, for programs.
pub fn json(s: &Summary) -> Value {
    json!({
        "capture": s.pass, "chain": s.chains, "timers": s.wheel, "ticks": s.ticks,
        "sleeps": s.sleeps,
    })
}

/// What is shown of the timers.
pub fn document(s: &Summary) -> Document {
    let mut head = losses(&s.pass, s.lost_by_kernel);
    head.append(chain(&s.chains));
    Document::sections([head, functions(&s.wheel), sleepers(&s.sleeps)])
}

/// Count, median, 99th percentile and longest, behind what they are of.
fn spread<const N: usize>(what: [&str; N], d: &Distribution) -> Vec<String> {
    let times = [
        d.count.to_string(),
        time_of(d, |d| d.quantile(0.5)),
        time_of(d, |d| d.quantile(0.99)),
        time_of(d, |d| d.max),
    ];
    what.map(str::to_owned).into_iter().chain(times).collect()
}

const STAGES: [(&str, &str, Stage); 7] = [
    ("1 hard interrupt", "entry -> exit", Stage::Hardirq),
    (
        "2 hrtimers in it",
        "expire_entry -> expire_exit",
        Stage::Hrtimer,
    ),
    (
        "3 softirq raised",
        "interrupt entry -> raise",
        Stage::EntryToRaise,
    ),
    ("4 softirq begins", "raise -> entry", Stage::RaiseToEntry),
    ("5 softirq TIMER", "entry -> exit", Stage::Softirq),
    (
        "6 first timer",
        "softirq entry -> function",
        Stage::EntryToExpiry,
    ),
    (
        "7 timer functions",
        "expire_entry -> expire_exit",
        Stage::Expiry,
    ),
];

fn chain(c: &ChainSums) -> Document {
    let mut table = Table::of(2, ["stage", "what", "count", "median", "p99", "max"]);
    for (name, what, stage) in STAGES {
        table.row(spread([name, what], &c.stages[stage]));
    }
    let mut part = Document::from(table);
    part.line(format!(
        "{} timer interrupts; {} raises ({} inside one), {} softirqs: {} without a timer, {} only \
         after a switch",
        c.interrupts,
        c.raises,
        c.raises_in_interrupt,
        c.softirqs,
        c.softirqs_empty,
        c.softirqs_deferred
    ));
    if c.dropped > 0 {
        part.line(format!("{} stages were cut by gaps", c.dropped));
    }
    part
}

fn functions(w: &WheelSums) -> Document {
    if w.functions.is_empty() {
        return Document::new();
    }
    let or_dash = |shown: Option<String>| shown.unwrap_or_else(|| "-".to_owned());
    let signed = |ns: Option<i64>| or_dash(ns.map(|ns| time_ns(ns as f64, 3)));
    let mean = |f: &FunctionTimers| f.late_jiffies_mean.map(|mean| format!("{mean:.2}"));
    let most = |f: &FunctionTimers| f.late_jiffies_max.map(|max| max.to_string());
    let mut part = Document::from(Table::listing(
        1,
        &w.functions,
        [
            ("function", &|f| f.function.clone()),
            ("starts", &|f| f.starts.to_string()),
            ("rearms", &|f| f.rearms.to_string()),
            ("cancelled", &|f| f.cancels.to_string()),
            ("expired", &|f| f.expiries.to_string()),
            ("mean", &|f| time_of(&f.took, |d| whole(d.mean()))),
            ("max", &|f| time_of(&f.took, |d| d.max)),
            ("late: jiffies", &|f| or_dash(mean(f))),
            ("most", &|f| or_dash(most(f))),
            ("median", &|f| signed(f.late_ns_median)),
            ("most", &|f| signed(f.late_ns_max)),
        ],
    ));
    let against = match w.against_bucket {
        true => "the wheel's bucket",
        false => "the requested time (this kernel does not report the bucket)",
    };
    let hz = w.hz.map(|hz| hz.to_string());
    let hz = hz.unwrap_or_else(|| "unknown: no lateness in time".to_owned());
    part.line(format!(
        "lateness in jiffies is relative to {against}; in time it is start to function minus the \
         requested time. HZ {hz}"
    ));
    part.line(format!(
        "{} detached from the wheel in order to expire: no cancellations",
        w.detaches
    ));
    part
}

/// How many of the latest are listed.
const LATEST: usize = 3;

fn sleepers(s: &SleepSums) -> Document {
    if s.late.count == 0 {
        return Document::new();
    }
    let mut table = Table::of(1, ["sleeper's lateness", "count", "median", "p99", "max"]);
    let stages = [
        "slack: allowed by the thread",
        "timer: until its function",
        "wake: until sched_waking",
        "queue: until it runs",
    ];
    for (what, sum) in stages.iter().zip(&s.stages) {
        table.row(spread([what], sum));
    }
    table.row(spread(["asked for -> runs"], &s.late));
    let mut part = Document::from(table);
    let latest = s.latest.iter().take(LATEST);
    let latest = latest.map(|sleep| Text::new(sleeper(sleep)).lead("  - "));
    part.list("", latest);
    part
}

/// One timer's life, or that of all with one function.
pub fn life_json(life: &Life<'_>, pass: &Pass) -> Value {
    json!({"capture": pass, "events": life.events, "left_off": life.left_off})
}

/// Step by step, from the trace's begin on.
pub fn life(life: &Life<'_>, capture: &Capture, pass: &Pass) -> Document {
    let task = |pid| capture.task_name(pid).unwrap_or("?");
    let mut document = Document::from(Table::listing(
        6,
        &life.events,
        [
            ("after", &|e| time(e.at_ns.saturating_sub(pass.begin_ns))),
            ("timer", &|e| format!("{:#x}", e.timer)),
            ("CPU", &|e| e.cpu.to_string()),
            ("task", &|e| format!("{} [{}]", task(e.pid), e.pid)),
            ("step", &|e| step(e)),
            ("function", &|e| e.function.clone().unwrap_or_default()),
        ],
    ));
    if life.left_off > 0 {
        document.line(format!("{} more", life.left_off));
    }
    document.append(losses(pass, None));
    document
}

fn step(event: &LifeEvent) -> String {
    match &event.step {
        Step::Init => "init".to_owned(),
        Step::Start {
            timeout: Some(jiffies),
            ..
        } => format!("start, {jiffies} jiffies"),
        Step::Start { expires, .. } => format!("start, expires {expires}"),
        Step::Cancel => "leaves the wheel".to_owned(),
        Step::Expire { jiffies } => format!("expires at {jiffies}"),
        Step::Return => "returns".to_owned(),
    }
}
