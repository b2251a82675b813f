//! Whether what the batches of a point counted can be true.

use super::Counted;
use super::plan::{CounterPlan, Source};
use record::{ALARM, COUNTED_TIME, ON_COUNTERS, PROBE_EFFECT};

/// What of the counts is given, and why others are not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// Metrics that are not given, by their place in the plan.
    pub withheld: Vec<usize>,
    pub notes: Vec<String>,
    /// Places of the probe effect and of the time with counters, which the sampler makes.
    pub times: Option<[usize; 2]>,
}

/// So many batches in a hundred may make a share of more than all: chance, in single
/// operations. More, and its two events do not count the same things.
const OUTSIDE: f64 = 0.05;
/// Over so many instructions some events cannot be 0.
const INSTRUCTIONS: f64 = 1e6;
/// Events that no work of a million instructions does without. Every batch is a call that
/// returns: it stores and loads an address, it branches, and a compiled program branches once
/// in some ten instructions. Misses, refills and exceptions may well be 0, and so may requests
/// to the instruction cache, which small loops are served without.
const NEVER_ZERO: [&str; 8] = [
    "INST_RETIRED",
    "CPU_CYCLES",
    "BR_PRED",
    "BR_RETURN_SPEC",
    "LD_SPEC",
    "ST_SPEC",
    "L1D_CACHE",
    "MEM_ACCESS",
];
/// Of these any batch has some.
const ALWAYS: [&str; 2] = ["INST_RETIRED", "CPU_CYCLES"];

/// Judges the batches of a point, each with its operations.
pub(super) fn judge(plan: &CounterPlan, batches: &[(u64, &Counted)]) -> Judged {
    let mut judged = Judged {
        times: times(plan),
        ..Judged::default()
    };
    if batches.is_empty() {
        judged.notes.push(format!(
            "{ON_COUNTERS}no batch was counted: time or samples ended before a pass with \
                 counters, or the operations happened while the point was set up"
        ));
        return judged;
    }
    judged.notes.extend(as_read(plan, batches));
    let instructions = instructions(plan, batches);
    for (place, metric) in plan.metrics.iter().enumerate() {
        let why = match &metric.source {
            Source::Rate(rate) => outside(place, &rate.name, rate.aliases(), batches),
            Source::Alias(alias) => impossible(plan, (place, alias), instructions, batches),
            Source::Share | Source::Times => None,
        };
        let Some((withheld, why)) = why else { continue };
        if withheld {
            judged.withheld.push(place);
        }
        judged.notes.push(why);
    }
    // A rate stands on counts that are given.
    let gone = |alias: &str| {
        let place = plan.metrics.iter().position(|m| m.head.name == alias);
        place.is_some_and(|place| judged.withheld.contains(&place))
    };
    let on_gone = plan
        .metrics
        .iter()
        .enumerate()
        .filter_map(|(place, m)| match &m.source {
            Source::Rate(rate) if rate.aliases().iter().any(|a| gone(a)) => Some(place),
            _ => None,
        });
    let on_gone: Vec<usize> = on_gone.collect();
    judged.withheld.extend(on_gone);
    judged.withheld.sort_unstable();
    judged.withheld.dedup();
    judged
}

fn times(plan: &CounterPlan) -> Option<[usize; 2]> {
    let place = |name: &str| plan.metrics.iter().position(|m| m.head.name == name);
    Some([place(PROBE_EFFECT)?, place(COUNTED_TIME)?])
}

/// Counts of one event in each batch, as they were read.
fn gross<'a>(
    plan: &'a CounterPlan,
    (place, alias): (usize, &'a str),
    batches: &'a [(u64, &'a Counted)],
) -> impl Iterator<Item = f64> + 'a {
    let taken_off = plan.taken_off(alias).typical;
    batches.iter().filter_map(move |(ops, counted)| {
        let value = counted.values.get(place).copied().flatten()?;
        let net = value * (*ops).max(1) as f64;
        Some(if counted.own { net + taken_off } else { net })
    })
}

/// Of single operations both values: as they were read, and what of it the instrument counts.
fn as_read(plan: &CounterPlan, batches: &[(u64, &Counted)]) -> Option<String> {
    if batches
        .iter()
        .any(|(ops, counted)| *ops != 1 || !counted.own)
    {
        return None;
    }
    let of = |(place, alias): (usize, &str)| {
        let taken_off = plan.taken_off(alias).typical;
        let mut counts: Vec<f64> = gross(plan, (place, alias), batches).collect();
        counts.sort_unstable_by(f64::total_cmp);
        let read = stats::quantile::quantile_sorted(&counts, 0.5)?;
        (taken_off > 0.0).then(|| format!("{alias} {read:.0}, {taken_off:.0} of them"))
    };
    let events = plan.metrics.iter().enumerate();
    let events = events.filter_map(|(place, metric)| of((place, metric.alias()?)));
    let all: Vec<String> = events.collect();
    (!all.is_empty()).then(|| {
        format!(
            "{ON_COUNTERS}as read, and taken off as the instrument's own: {}",
            all.join("; ")
        )
    })
}

/// The instructions of all batches in which they were counted.
fn instructions(plan: &CounterPlan, batches: &[(u64, &Counted)]) -> f64 {
    let place = plan
        .metrics
        .iter()
        .position(|m| m.head.name == "INST_RETIRED");
    place.map_or(0.0, |place| {
        gross(plan, (place, "INST_RETIRED"), batches).sum()
    })
}

/// Why a count is not given.
fn impossible(
    plan: &CounterPlan,
    (place, alias): (usize, &str),
    instructions: f64,
    batches: &[(u64, &Counted)],
) -> Option<(bool, String)> {
    let mut counts: Vec<f64> = gross(plan, (place, alias), batches).collect();
    if counts.is_empty() {
        return None;
    }
    let sum: f64 = counts.iter().sum();
    let base = alias.strip_suffix("_user").unwrap_or(alias);
    let must =
        ALWAYS.contains(&base) || (NEVER_ZERO.contains(&base) && instructions >= INSTRUCTIONS);
    if sum <= 0.0 && must {
        let over = match instructions > 0.0 {
            true => format!("over {instructions:.2e} instructions"),
            false => format!("in {} batches", counts.len()),
        };
        return Some((
            true,
            format!("{ALARM}{alias} counted 0 {over}, which cannot be: it is not given"),
        ));
    }
    counts.sort_unstable_by(f64::total_cmp);
    if !batches.iter().any(|(_, counted)| counted.own) {
        return None;
    }
    let taken_off = plan.taken_off(alias);
    let net = stats::quantile::quantile_sorted(&counts, 0.5)? - taken_off.typical;
    (taken_off.scatter > 0.0 && net < taken_off.scatter).then(|| {
        (
            true,
            format!(
                "{ON_COUNTERS}{alias} is not given: a batch counts {net:.0} beyond what the instrument itself \
                 does ({:.0}), less than that scatters ({:.0})",
                taken_off.typical, taken_off.scatter
            ),
        )
    })
}

/// Why a rate is not given, or what of it.
fn outside(
    place: usize,
    name: &str,
    [a, b]: [&str; 2],
    batches: &[(u64, &Counted)],
) -> Option<(bool, String)> {
    let of = |counted: &Counted| {
        let found = counted.outside.iter().find(|(at, _)| *at == place);
        found.map(|(_, value)| *value)
    };
    let mut strange: Vec<f64> = batches.iter().filter_map(|(_, c)| of(c)).collect();
    let good = batches
        .iter()
        .filter(|(_, c)| c.values.get(place).copied().flatten().is_some());
    let all = good.count() + strange.len();
    strange.sort_unstable_by(f64::total_cmp);
    let middle = stats::quantile::quantile_sorted(&strange, 0.5)?;
    let some = strange.len();
    let why = format!("{a} and {b} make it {middle:.3} in {some} of {all} batches");
    Some(match some as f64 > OUTSIDE * all as f64 {
        true => (
            true,
            format!(
                "{ON_COUNTERS}{name} is not given: {why}, so they do not count the same things"
            ),
        ),
        false => (
            false,
            format!("{ON_COUNTERS}{name} is left out where it is no share: {why}"),
        ),
    })
}
