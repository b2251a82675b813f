//! What the notes of a point and the head of a run say of what was counted.

use crate::format::counted;
use crate::grouped::tallied;
use analysis::{ExperimentTable, PointView};
use record::{ALARM, CounterHead, CountersHead, ON_COUNTERS, PROBE_EFFECT, RunHead, Unit};

/// What forbids to take the counts of a point as they stand.
pub fn alarms(table: &ExperimentTable, point: &PointView) -> Vec<String> {
    let notes = point.head.notes.iter();
    let noted = notes.filter_map(|note| note.strip_prefix(ALARM));
    let noted = noted.map(str::to_owned);
    noted
        .chain(analysis::probe_effect::alarm(table, point))
        .collect()
}

/// Whose the counts of a point are, and which are not given.
pub fn remarks(point: &PointView) -> impl Iterator<Item = &str> {
    let notes = point.head.notes.iter();
    notes.filter_map(|note| note.strip_prefix(ON_COUNTERS))
}

/// `alarm at 2 points: BR_PRED counted 0 ...`: each kind once.
pub fn alarmed<'a>(
    table: &ExperimentTable,
    points: impl Iterator<Item = &'a PointView>,
) -> Vec<String> {
    // Numbers differ from point to point: the first of a kind stands for all.
    let mut kinds: Vec<(String, usize)> = Vec::new();
    let kind = |alarm: &str| alarm.split(' ').next().map(str::to_owned);
    for alarm in points.flat_map(|p| alarms(table, p)) {
        match kinds
            .iter_mut()
            .find(|(known, _)| kind(known) == kind(&alarm))
        {
            Some((_, n)) => *n += 1,
            None => kinds.push((alarm, 1)),
        }
    }
    let said = kinds.into_iter().map(|(alarm, n)| {
        let points = counted(n, "point", "points");
        format!("alarm at {points}: {alarm}")
    });
    said.collect()
}

/// What a figure of this metric has to say of its counts: that there are none and why, at which
/// points there are none, which are alarmed; of a time, whether it was taken with counters.
pub fn of_figure(
    run: &RunHead,
    table: &ExperimentTable,
    name: &str,
    points: &[&PointView],
) -> Vec<String> {
    if let Some(why) = absent(run, table, name) {
        return vec![why];
    }
    let Some(counters) = &run.conditions.counters else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    let is_counted = counters.metrics.iter().any(|m| m == name);
    if is_counted {
        notes.extend(missing(table, name, points));
        notes.extend(alarmed(table, points.iter().copied()));
    }
    let metric = table.head.metrics.iter().find(|m| m.name == name);
    let is_time = metric.is_some_and(|m| m.unit == Unit::Nanoseconds) && !is_counted;
    if is_time && was_slowed(counters) {
        notes.push(
            "times were taken with counters running, which may have slowed them: this run has no \
             passes without"
                .to_owned(),
        );
    }
    notes
}

/// Of a run in which counters ran around the batches that were timed.
fn was_slowed(counters: &CountersHead) -> bool {
    !counters.alternating && counters.metrics.iter().any(|m| m != PROBE_EFFECT)
}

/// Measured points that have no value of it, by reason.
fn missing(table: &ExperimentTable, name: &str, points: &[&PointView]) -> Vec<String> {
    let metric = table.head.metrics.iter().position(|m| m.name == name);
    let Some(metric) = metric.and_then(|m| u16::try_from(m).ok()) else {
        return Vec::new();
    };
    let measured = points.iter().filter(|p| p.primary().is_some());
    let without = measured.filter(|p| p.summary(metric).is_none());
    let reasons = tallied(without.map(|p| {
        let mut all = alarms(table, p);
        all.extend(remarks(p).map(str::to_owned));
        let named = all.iter().find(|why| why.starts_with(name)).cloned();
        let why = named.or(all.into_iter().next());
        why.unwrap_or_else(|| "it was counted in no batch".to_owned())
    }));
    let said = reasons.into_iter().map(|(why, n)| {
        let points = counted(n, "point", "points");
        format!("{points} without {name}: {why}")
    });
    said.collect()
}

/// Why there is no such metric, where it comes from counters.
fn absent(run: &RunHead, table: &ExperimentTable, name: &str) -> Option<String> {
    if name == "bandwidth" || table.head.metrics.iter().any(|m| m.name == name) {
        return None;
    }
    let counters = run.conditions.counters.as_ref();
    let absent = counters.and_then(|c| absent_event(c, name));
    let absent = absent.and_then(|e| e.absent.as_ref());
    Some(match (absent, counters) {
        (Some(absent), _) => format!("SKIP: no {name}: {} ({})", absent.reason, absent.remedy),
        (None, Some(counters)) if counters.metrics.iter().any(|m| m == base(name)) => {
            format!("SKIP: no {name}: its events could not be counted together")
        }
        _ => format!("SKIP: no {name}: the run did not count it (--counters GROUP)"),
    })
}

/// The absent event that a metric is made of; else any.
fn absent_event<'a>(counters: &'a CountersHead, name: &str) -> Option<&'a CounterHead> {
    let absent = || counters.events.iter().filter(|e| e.absent.is_some());
    let own = absent().find(|e| e.alias.starts_with(base(name)));
    own.or_else(|| absent().next())
}

/// How the names of the events begin that a rate is made of.
fn base(name: &str) -> &str {
    match name {
        "cycles_per_instruction" => "CPU_CYCLES",
        name if name.starts_with("br_pred_rate") => "BR_PRED",
        name if name.starts_with("l1d_cache") => "L1D_CACHE",
        name if name.starts_with("l2d_cache") => "L2D_CACHE",
        name if name.starts_with("l1i_cache") => "L1I_CACHE",
        name => name,
    }
}
