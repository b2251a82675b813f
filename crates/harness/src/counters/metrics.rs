//! The metrics that counters add to every experiment.

use super::plan::{CounterMetric, Pass, Source};
use probe::counters::derived::{Rate, rates};
use probe::counters::{Event, EventKind};
use record::{COUNTED_TIME, MetricHead, PROBE_EFFECT, Unit};

/// Name of the metric that distinguishes scaled values from counted ones.
const SHARE: &str = "counted_share";

/// In the order of the record: the events of each group and their rates, the share, the
/// kernel's own events, then what counting itself costs.
pub(super) fn metrics(
    passes: &[Pass],
    software: (&[Event], &str),
    branches_include_mispredicted: bool,
) -> Vec<CounterMetric> {
    let mut found: Vec<CounterMetric> = Vec::new();
    let mut derived = Vec::new();
    for (number, pass) in passes.iter().enumerate() {
        let new = pass.events.iter();
        // The first group that has an event gives it.
        let new: Vec<&Event> = new.filter(|e| !has(&found, &e.alias)).collect();
        found.extend(new.iter().map(|e| counted(e, &pass.scope, Some(number))));
        let aliases: Vec<&str> = pass.events.iter().map(|e| e.alias.as_str()).collect();
        for rate in rates(&aliases, pass.suffix(), branches_include_mispredicted) {
            if !has(&derived, &rate.name) {
                derived.push(of_rate(rate, number));
            }
        }
    }
    found.extend(derived);
    if !passes.is_empty() {
        found.push(share());
    }
    let (events, scope) = software;
    found.extend(events.iter().map(|e| counted(e, scope, None)));
    if !found.is_empty() {
        found.extend(costs());
    }
    found
}

fn has(found: &[CounterMetric], name: &str) -> bool {
    found.iter().any(|m| m.head.name == name)
}

fn counted(event: &Event, scope: &str, pass: Option<usize>) -> CounterMetric {
    let unit = match (event.alias.as_str(), event.kind) {
        (alias, _) if alias.starts_with("CPU_CYCLES") => Unit::Cycles,
        ("task_clock", EventKind::Software) => Unit::Nanoseconds,
        _ => Unit::Count,
    };
    let mut doc = format!("{} in one operation, {scope}", event.real());
    if !event.note.is_empty() {
        doc.push_str("; ");
        doc.push_str(&event.note);
    }
    let source = Source::Alias(event.alias.clone());
    metric((&event.alias, unit, doc, true), source, pass)
}

fn of_rate(rate: Rate, pass: usize) -> CounterMetric {
    let (name, doc, lower) = (
        rate.name.clone(),
        rate.formula.clone(),
        rate.lower_is_better(),
    );
    metric(
        (&name, Unit::Ratio, doc, lower),
        Source::Rate(rate),
        Some(pass),
    )
}

fn share() -> CounterMetric {
    let doc = "share of the batch during which the group was counted; below 1 its counts are \
               scaled up, at 0 there are none";
    metric(
        (SHARE, Unit::Ratio, doc.to_owned(), false),
        Source::Share,
        None,
    )
}

/// What the sampler makes of the times of both kinds of passes, in this order.
fn costs() -> [CounterMetric; 2] {
    let effect = "time with counters over time without, of passes that alternate (A B B A): 1.05 \
                  is 5 % slower with counters";
    let time = "time of an operation in passes with counters: no result, what probe_effect is made \
                of";
    [
        metric(
            (PROBE_EFFECT, Unit::Ratio, effect.to_owned(), true),
            Source::Times,
            None,
        ),
        metric(
            (COUNTED_TIME, Unit::Nanoseconds, time.to_owned(), true),
            Source::Times,
            None,
        ),
    ]
}

fn metric(
    (name, unit, doc, lower_is_better): (&str, Unit, String, bool),
    source: Source,
    pass: Option<usize>,
) -> CounterMetric {
    let head = MetricHead {
        name: name.to_owned(),
        unit,
        doc,
        lower_is_better,
        explains: false,
    };
    CounterMetric { head, source, pass }
}
