//! `pontage trace timers`: from the interrupt to the function, and one timer's
//! life.

use super::arguments::Timers;
use super::columns::{Columns, time, time_of};
use super::{ended, lacks, losses, open};
use crate::arguments::TextOrJson;
use crate::failure::{Failure, Outcome};
use crate::output;
use ::trace::Capture;
use ::trace::analyse::explain::sleeper;
use ::trace::analyse::sleeps::SleepSums;
use ::trace::analyse::summary::Summary;
use ::trace::analyse::timers::{ChainSums, Life, LifeEvent, Stage, Step, WheelSums};
use ::trace::analyse::{Distribution, Known, Pass, Symbols};
use report::format::time_ns;
use report::terminal::wrapped;
use serde_json::json;

/// # Errors
/// A file that is no trace, or holds no timers.
pub fn timers(arguments: &Timers) -> Outcome {
    let capture = open(&arguments.trace)?;
    if arguments.timer.is_some() || arguments.function.is_some() {
        return life(arguments, &capture);
    }
    let s = Summary::of(&capture);
    if s.wheel.starts
        + s.wheel.expiries
        + s.chains.interrupts
        + s.chains.softirqs
        + s.chains.hrtimer_expiries
        == 0
    {
        return Err(lacks(
            "show timers",
            &arguments.trace.file,
            "timer, irq or local_timer events",
            "pontage trace record -e 'timer:*' -e 'irq:*' -e 'irq_vectors:local_timer_*'",
        ));
    }
    let written = match arguments.format {
        TextOrJson::Json => output::json(&json!({
            "capture": s.pass, "chain": s.chains, "timers": s.wheel, "ticks": s.ticks,
            "sleeps": s.sleeps,
        })),
        TextOrJson::Text => {
            let text = losses(&s.pass, s.lost_by_kernel)
                + &chain(&s.chains)
                + &functions(&s.wheel)
                + &sleepers(&s.sleeps);
            output::data(&text)
        }
    };
    ended(written, &s.pass)
}

fn chain(c: &ChainSums) -> String {
    let mut table = Columns::new(2, &["stage", "what", "count", "median", "p99", "max"]);
    let rows = [
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
    for (name, what, stage) in rows {
        let d = &c.stages[stage];
        table.row(vec![
            name.to_owned(),
            what.to_owned(),
            d.count.to_string(),
            time_of(d.count, d.quantile(0.5)),
            time_of(d.count, d.quantile(0.99)),
            time_of(d.count, d.max),
        ]);
    }
    let mut text = table.text();
    text += &format!(
        "{} timer interrupts; {} raises ({} inside one), {} softirqs: {} without a timer, {} only after a switch\n",
        c.interrupts,
        c.raises,
        c.raises_in_interrupt,
        c.softirqs,
        c.softirqs_empty,
        c.softirqs_deferred
    );
    if c.dropped > 0 {
        text += &format!("{} stages were cut by gaps\n", c.dropped);
    }
    text
}

fn functions(w: &WheelSums) -> String {
    if w.functions.is_empty() {
        return String::new();
    }
    let heads = [
        "function",
        "starts",
        "anew",
        "cancelled",
        "expired",
        "mean",
        "max",
        "late: jiffies",
        "most",
        "median",
        "most",
    ];
    let mut table = Columns::new(1, &heads);
    let signed = |ns: Option<i64>| ns.map_or("-".to_owned(), |ns| time_ns(ns as f64, 3));
    for f in &w.functions {
        table.row(vec![
            f.function.clone(),
            f.starts.to_string(),
            f.rearms.to_string(),
            f.cancels.to_string(),
            f.expiries.to_string(),
            time_of(f.took.count, f.took.mean() as u64),
            time_of(f.took.count, f.took.max),
            f.late_jiffies_mean
                .map_or("-".to_owned(), |mean| format!("{mean:.2}")),
            f.late_jiffies_max
                .map_or("-".to_owned(), |max| max.to_string()),
            signed(f.late_ns_median),
            signed(f.late_ns_max),
        ]);
    }
    let against = if w.against_bucket {
        "the wheel's bucket"
    } else {
        "the time asked for (this kernel does not tell the bucket)"
    };
    let hz =
        w.hz.map_or("unknown: no lateness in time".to_owned(), |hz| {
            hz.to_string()
        });
    format!(
        "\n{}lateness in jiffies is against {against}; in time from start to function, less the time asked for. HZ {hz}\n{} detached from the wheel to expire: no cancellations\n",
        table.text(),
        w.detaches
    )
}

fn sleepers(s: &SleepSums) -> String {
    if s.late.count == 0 {
        return String::new();
    }
    let mut table = Columns::new(1, &["sleeper's lateness", "count", "median", "p99", "max"]);
    let mut row = |what: &str, d: &Distribution| {
        table.row(vec![
            what.to_owned(),
            d.count.to_string(),
            time_of(d.count, d.quantile(0.5)),
            time_of(d.count, d.quantile(0.99)),
            time_of(d.count, d.max),
        ]);
    };
    let stages = [
        "slack: allowed by the thread",
        "timer: until its function",
        "wake: until sched_waking",
        "queue: until it runs",
    ];
    for (what, sum) in stages.iter().zip(&s.stages) {
        row(what, sum);
    }
    row("asked for -> runs", &s.late);
    let mut text = format!("\n{}", table.text());
    for sleep in s.latest.iter().take(3) {
        text += &wrapped(&sleeper(sleep), output::width(), "  - ", "    ");
    }
    text
}

fn life(arguments: &Timers, capture: &Capture) -> Outcome {
    let symbols = Symbols::parse(&capture.head.kallsyms);
    let mut life = Life::new(arguments.timer, arguments.function.as_deref(), &symbols);
    let known = Known::of(capture);
    let pass = Pass::over(capture, &known, &mut [&mut life]);
    if life.events.is_empty() {
        return Err(Failure::new(format!(
            "cannot show the timer's life in {}: no event of the trace is about it",
            arguments.trace.file.display()
        ))
        .hint(format!(
            "functions that have timers: pontage trace timers {}",
            arguments.trace.file.display()
        )));
    }
    let written = match arguments.format {
        TextOrJson::Json => output::json(
            &json!({"capture": pass, "events": life.events, "left_off": life.left_off}),
        ),
        TextOrJson::Text => {
            let mut text = steps(&life.events, capture, pass.begin_ns);
            if life.left_off > 0 {
                text += &format!("{} more\n", life.left_off);
            }
            output::data(&(text + &losses(&pass, None)))
        }
    };
    ended(written, &pass)
}

fn steps(events: &[LifeEvent], capture: &Capture, begin_ns: u64) -> String {
    let mut table = Columns::new(6, &["after", "timer", "CPU", "task", "step", "function"]);
    for event in events {
        let step = match &event.step {
            Step::Init => "init".to_owned(),
            Step::Start {
                timeout: Some(jiffies),
                ..
            } => format!("start, {jiffies} jiffies"),
            Step::Start { expires, .. } => format!("start, expires {expires}"),
            Step::Cancel => "leaves the wheel".to_owned(),
            Step::Expire { jiffies } => format!("expires at {jiffies}"),
            Step::Return => "returns".to_owned(),
        };
        let task = capture.task_name(event.pid).unwrap_or("?");
        table.row(vec![
            time(event.at_ns.saturating_sub(begin_ns)),
            format!("{:#x}", event.timer),
            event.cpu.to_string(),
            format!("{task} [{}]", event.pid),
            step,
            event.function.clone().unwrap_or_default(),
        ]);
    }
    table.text()
}
