//! What each source says of the tick, and why the counter of interrupts is another number.

use super::{EXPLAINED, NOT_TICKS, RATE};
use crate::quantities::kernel::{GAPS, STATEMENT, TICK};
use analysis::claims::{Quoted, one};
use analysis::conclusion::Conclusion;
use analysis::inference::{Answer, Method};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, MachineCard, PointState};
use std::ops::RangeInclusive;

fn find<'a>(table: &'a ExperimentTable, state: &str, source: &str) -> Option<&'a PointView> {
    table.point(&[("state", state), ("source", source)])
}

/// By second.
fn rate(point: &PointView) -> Option<f64> {
    Some(point.summary(RATE)?.median.center)
}

/// Findings of `irq/tick`: trace against counters, rate of an idle CPU.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let all = [apart(table), resting(table)];
    all.into_iter().flatten().collect()
}

/// Below this share of what was due, or seen, a period is not that of the tick.
const BORNE_OUT: f64 = 0.6;
/// What a kernel may state to be its tick, ns.
const STATED_NS: RangeInclusive<f64> = 5e5..=2e7;

/// What each source says of the tick of a busy CPU. Never the count of interrupts: the same
/// timer serves every sleeper with a fine timer, and in 20 ms a tick of 4 ms comes four to six
/// times.
pub fn answers(table: &ExperimentTable, _: &MachineCard) -> Vec<Answer> {
    let methods = TICK.methods.iter();
    let of = |method: &Method| Some(answer(method.name, longest(table, method.name)?));
    methods.filter_map(of).collect()
}

/// In the longest windows: more ticks.
fn longest<'a>(table: &'a ExperimentTable, source: &str) -> Option<&'a PointView> {
    let busy = table.points.iter().filter(|p| p.word("state") == "busy");
    let of = busy.filter(|p| p.word("source") == source);
    of.max_by_key(|p| p.int("window"))
}

fn answer(source: &'static str, point: &PointView) -> Answer {
    let nothing = |why: &str| Answer::nothing(TICK.key, source, why);
    if let PointState::Skipped { reason, .. } | PointState::Failed { reason } = &point.head.state {
        return nothing(reason);
    }
    let Some(period) = point.primary().map(|s| s.median) else {
        return nothing("it was not measured");
    };
    let explained = point.summary(EXPLAINED).map(|s| s.median.center);
    if explained.is_some_and(|share| share < BORNE_OUT) {
        return nothing(match source {
            GAPS => "gaps in the loop come at no rate that kernels are built with",
            _ => "the coarse clock does not move on in one period",
        });
    }
    match (source, period.center) {
        (STATEMENT, stated) if STATED_NS.contains(&stated) => {
            Answer::exactly(TICK.key, source, stated)
        }
        (STATEMENT, _) => nothing("no tick is as long as the step that the kernel states"),
        _ if period.is_none() => nothing("too few were seen"),
        _ if period.high > TICK.widest * period.low => {
            nothing("what was seen leaves too much open")
        }
        (_, ns) => Answer::between(TICK.key, source, ns, period.low, period.high),
    }
}

/// Why the count of interrupts and the tick are not the same.
fn apart(table: &ExperimentTable) -> Option<Finding> {
    let counted = rate(find(table, "busy", "interrupts")?)?;
    let traced = find(table, "busy", "trace")?;
    let (ticks, others) = (rate(traced)?, traced.summary(NOT_TICKS)?.median.center);
    let fine = format!(
        "{others:.0} per second were traced without a tick: wake-ups by high-resolution \
                 timers"
    );
    let why = match counted > ticks * 1.02 {
        true => &fine,
        false => "on this busy CPU nearly all of them are ticks",
    };
    let text = format!(
        "/proc/interrupts counts {counted:.0} timer interrupts per second on a busy CPU, of which \
         {ticks:.0} are ticks: {why}"
    );
    Some(Conclusion::on("interrupts_are_not_ticks").say(text))
}

fn resting(table: &ExperimentTable) -> Option<Finding> {
    let of = |state| {
        let traced = find(table, state, "trace").and_then(rate);
        traced.or_else(|| find(table, state, "interrupts").and_then(rate))
    };
    let (busy, idle) = (of("busy")?, of("idle")?);
    let text = match idle < 0.9 * busy {
        true => format!(
            "An idle CPU ticks {idle:.0} times per second instead of {busy:.0}: the kernel \
             switches its tick off (CONFIG_NO_HZ_IDLE)"
        ),
        false => format!(
            "An idle CPU ticks {idle:.0} times per second, a busy one {busy:.0}: either the \
             kernel does not switch its tick off, or the CPU was not idle"
        ),
    };
    Some(Conclusion::on("tick_at_rest").say(text))
}

/// Claims of `irq/tick`: an idle CPU ticks at most as often as a busy one.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "an idle CPU ticks at most 5 % more often than a busy one",
    check: |table| {
        let of = |state| Quoted::count(find(table, state, "trace")?, RATE, "Hz");
        let (busy, idle) = (of("busy")?.named("busy"), of("idle")?.named("idle"));
        one(idle.at_most(busy).allowing(0.05))
    },
}];
