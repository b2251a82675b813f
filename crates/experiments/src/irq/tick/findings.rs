//! What the counts say: the tick compared with what was configured, and why the
//! counter of interrupts is another number.

use super::{CONFIGURED, NOT_TICKS, RATE};
use analysis::claims::{Quoted, one};
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, Unit};
use trace::analyse::ticks::rate_of_period;

fn find<'a>(table: &'a ExperimentTable, state: &str, source: &str) -> Option<&'a PointView> {
    table.point(&[("state", state), ("source", source)])
}

/// By second.
fn rate(point: &PointView) -> Option<f64> {
    Some(point.summary(RATE)?.median.center)
}

/// Findings of `irq/tick`: measured rate against CONFIG_HZ, trace against counters,
/// rate of an idle CPU.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let all = [against_configured(table), apart(table), resting(table)];
    all.into_iter().flatten().collect()
}

/// The busy CPU's tick compared with CONFIG_HZ. Never from the count of interrupts: the same
/// timer serves every sleeper with a fine timer, and in 20 ms a tick of 4 ms comes four to six
/// times.
fn against_configured(table: &ExperimentTable) -> Option<Finding> {
    let traced = find(table, "busy", "trace").filter(|p| p.median_ns().is_some());
    let Some(point) = traced else {
        find(table, "busy", "interrupts")?;
        let why = "the tick was not traced, and the count of timer interrupts says nothing of it: \
                   other timers are among them";
        return Some(Conclusion::undecided("tick_period", Unit::Nanoseconds, why));
    };
    let period = point.primary()?;
    let hz = rate_of_period(period.median.center).map_or_else(
        || "not a rate that kernels are built with".to_owned(),
        |hz| format!("HZ={hz}"),
    );
    let text = format!(
        "On a busy CPU the tick comes every {:.3} ms: {hz}",
        period.median.center / 1e6
    );
    let measured = Conclusion::on("tick_period").estimate(Unit::Nanoseconds, period.median);
    let Some(configured) = point.summary(CONFIGURED).map(|s| s.median.center) else {
        return Some(measured.say(text));
    };
    let near = (period.median.center / configured - 1.0).abs() < 0.02;
    Some(measured.reference(configured, "CONFIG_HZ", near).say(text))
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
