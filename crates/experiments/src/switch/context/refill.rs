//! What the ring's table says: the price of a switch, the total footprints at
//! which data is lost to the others, and what an idle CPU adds.

use analysis::claims::{Outcome, Quoted, all};
use analysis::compared;
use analysis::conclusion::Conclusion;
use analysis::sentence::{estimated, time, timed, times_as_long};
use analysis::steps::{Step, steps};
use analysis::{ExperimentTable, PointView, Summary};
use record::{Cache, Finding, MachineCard, Unit, Verdict, axis::human_bytes};
use stats::{Interval, Rng};
use std::collections::BTreeMap;

/// Metrics of the experiment by index.
const HOP: u16 = super::EXPERIMENT.metric("hop");
const NET: u16 = super::EXPERIMENT.metric("net");

/// Where the next process runs.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Here,
    /// On another CPU, in this state.
    Elsewhere(&'static str),
}

impl Next {
    fn is(self, point: &PointView) -> bool {
        let here = point.word("placement") == "same_cpu";
        match self {
            Next::Here => here,
            Next::Elsewhere(partner) => !here && point.word("partner") == partner,
        }
    }
}

const AWAKE: Next = Next::Elsewhere("awake");
const BUSY: Next = Next::Elsewhere("busy");
const IDLE: Next = Next::Elsewhere("idle");

/// A measured point.
#[derive(Clone, Copy)]
struct Measured<'a> {
    processes: i64,
    footprint: i64,
    hop: &'a Summary,
    view: &'a PointView,
}

fn measured(table: &ExperimentTable, next: Next) -> Vec<Measured<'_>> {
    let measured = |view| {
        let view: &PointView = view;
        Some(Measured {
            processes: view.int("processes")?,
            footprint: view.int("footprint")?,
            hop: view.summary(HOP)?,
            view,
        })
    };
    let next = table.points.iter().filter(|p| next.is(p));
    let mut points: Vec<Measured> = next.filter_map(measured).collect();
    points.sort_by_key(|p| (p.footprint, p.processes));
    points
}

/// Direct cost of a switch, cost of the refilled footprint, and ratios of compared set-
/// ups.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let ratios = COMPARED.iter().filter_map(|say| ratio(table, say));
    let found = direct_cost(table).into_iter();
    let found = found.chain(lost_to_others(table, card));
    found.chain(ratios).collect()
}

/// The smallest ring with the smallest footprint, pipe work taken off.
fn direct_cost(table: &ExperimentTable) -> Option<Finding> {
    let least = measured(table, Next::Here).into_iter().next()?;
    let net = least.view.summary(NET)?.median;
    let text = format!(
        "Switching between {} processes on one CPU costs {}, the pipe's {} subtracted",
        least.processes,
        timed(&net),
        time(least.hop.median.center - net.center)
    );
    Some(estimated("direct_switch", Unit::Nanoseconds, net, text))
}

/// Less than this no machine takes to read a KiB: a floor under costs that
/// noise has pushed to nothing or below.
const LEAST_NS_PER_KIB: f64 = 1.0;

/// Totals are pooled to this many places an octave: a sweep has hundreds, each
/// with the noise of few samples.
const PLACES_PER_OCTAVE: f64 = 4.0;

/// Settings of like total footprint, pooled.
#[derive(Default)]
struct Pool {
    largest_total: i64,
    ns: f64,
    kib: f64,
}

/// Cost of one KiB of footprint by total footprint (bytes), on one CPU, hops
/// taken as `hop` says. What a hop costs with the smallest footprint is taken
/// off; in a pool larger footprints weigh more, because their cost per KiB is
/// known better.
fn cost_by_total(points: &[Measured], mut hop: impl FnMut(&Summary) -> f64) -> Vec<(f64, f64)> {
    let smallest = points.first().map_or(0, |p| p.footprint);
    let (least, larger): (Vec<&Measured>, Vec<&Measured>) =
        points.iter().partition(|p| p.footprint == smallest);
    let floors: Vec<(i64, f64)> = least.iter().map(|p| (p.processes, hop(p.hop))).collect();
    let floor = |processes: i64| {
        let nearest = floors.iter().min_by_key(|(n, _)| (n - processes).abs());
        nearest.map_or(0.0, |(_, ns)| *ns)
    };
    let mut pools: BTreeMap<u64, Pool> = BTreeMap::new();
    for p in larger {
        let total = p.processes * p.footprint;
        let place = stats::whole((total as f64).log2() * PLACES_PER_OCTAVE);
        let pool = pools.entry(place).or_default();
        pool.largest_total = pool.largest_total.max(total);
        pool.ns += hop(p.hop) - floor(p.processes);
        pool.kib += (p.footprint - smallest) as f64 / 1024.0;
    }
    let cost = |pool: &Pool| (pool.ns / pool.kib).max(LEAST_NS_PER_KIB);
    let pools = pools.values();
    let curve = pools.map(|pool| (pool.largest_total as f64, cost(pool)));
    curve.collect()
}

/// Curves redrawn inside the intervals of their points.
const REDRAWS: usize = 200;

/// Standard deviation of a median, from its 95 % interval. Between a few
/// processes the interval is Student's, far wider than two deviations a side.
fn sigma(s: &Summary) -> f64 {
    let deviations = match s.processes {
        0 | 1 => 1.96,
        2 => 12.71,
        3 => 4.30,
        4 => 3.18,
        5 => 2.78,
        _ => 2.45,
    };
    (s.median.high - s.median.low) / (2.0 * deviations)
}

/// The steps of the measured curve, each with the share of redrawn curves that
/// step between the same plateaus.
struct Stepped {
    curve: Vec<(f64, f64)>,
    steps: Vec<(Step, f64)>,
}

fn stepped(points: &[Measured]) -> Stepped {
    let curve = cost_by_total(points, |s| s.median.center);
    let mut rng = Rng::new(0x5254_4e47);
    let redraw = |_| {
        let draw = |s: &Summary| s.median.center + rng.normal() * sigma(s);
        steps(&cost_by_total(points, draw))
    };
    let redrawn: Vec<Vec<Step>> = (0..REDRAWS).map(redraw).collect();
    let share = |step: &Step| {
        let overlaps = |s: &Step| s.before < step.after && s.after > step.before;
        let same = redrawn.iter().filter(|d| d.iter().any(overlaps)).count();
        same as f64 / REDRAWS as f64
    };
    let steps = steps(&curve).into_iter().map(|s| (s, share(&s))).collect();
    Stepped { curve, steps }
}

fn lost_to_others(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let Stepped { curve, steps } = stepped(&measured(table, Next::Here));
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else {
        return Vec::new();
    };
    let mut free = steps;
    let mut found = Vec::new();
    for cache in card.data_caches() {
        let capacity = cache.size_bytes as f64;
        // Both sides of the jump must have been measured.
        if capacity < first.0 || capacity >= last.0 {
            continue;
        }
        let near = free.iter().position(|(step, _)| agrees(step, capacity));
        found.push(match near {
            Some(at) => with_cache(&free.remove(at), cache),
            None => no_step(cache, first.0, last.0),
        });
    }
    // A step that most redrawn curves do not have is noise, not a finding.
    free.retain(|(_, share)| *share >= ENOUGH);
    let others = free.iter().enumerate();
    found.extend(others.map(|(i, step)| {
        let key = format!("other_step_{}", i + 1);
        bracket(key, step).say(rise(&step.0))
    }));
    found
}

/// The last total on the low plateau fits (a tenth of grace), and the first one
/// beyond is at least half the capacity: the kernel, the pipes and the code use
/// the cache too.
fn agrees(step: &Step, capacity: f64) -> bool {
    step.before <= capacity * 1.1 && step.after >= capacity * 0.5
}

fn rise(step: &Step) -> String {
    format!(
        "The time to read 1 KiB of own data after a switch rises from {:.1} to {:.1} ns as all \
         processes together grow from {} to {}",
        step.low,
        step.high,
        human_bytes(stats::whole(step.before)),
        human_bytes(stats::whole(step.after))
    )
}

fn bracket(key: String, (step, share): &(Step, f64)) -> Conclusion {
    let middle = (step.before * step.after).sqrt();
    let place = Conclusion::on(key).unit(Unit::Bytes).sure(*share);
    place.between(middle, step.before, step.after)
}

fn cache_key(cache: &Cache) -> String {
    format!("l{}_total_footprint", cache.level)
}

/// Redrawn curves that must show a step before it is compared with a cache.
const ENOUGH: f64 = 0.5;

fn with_cache(step: &(Step, f64), cache: &Cache) -> Finding {
    let capacity = human_bytes(cache.size_bytes);
    let (conclusion, verdict) = match step.1 < ENOUGH {
        true => ("but noise may explain this step", Verdict::Undecided),
        false => ("there they outgrow", Verdict::Agree),
    };
    let (rise, level) = (rise(&step.0), cache.level);
    let text = format!("{rise}; {conclusion} the level {level} cache of {capacity}");
    let seen = bracket(cache_key(cache), step);
    against(seen, cache, true).verdict(verdict).say(text)
}

/// What was seen, held against the card's cache.
fn against(seen: Conclusion, cache: &Cache, agrees: bool) -> Conclusion {
    let source = format!("machine card, level {} cache", cache.level);
    seen.reference(cache.size_bytes as f64, source, agrees)
}

fn no_step(cache: &Cache, from: f64, to: f64) -> Finding {
    let text = format!(
        "Between {} and {} in all processes together, no step near the level {} cache of {}",
        human_bytes(stats::whole(from)),
        human_bytes(stats::whole(to)),
        cache.level,
        human_bytes(cache.size_bytes)
    );
    let none = Conclusion::on(cache_key(cache)).unit(Unit::Bytes).sure(0.0);
    let none = against(none, cache, false);
    none.verdict(Verdict::Undecided).say(text)
}

/// Two of them, and the words for their ratio.
struct Compared {
    key: &'static str,
    slower: Next,
    faster: Next,
    /// `<what> takes .. ns, <than> .. ns`.
    what: &'static str,
    than: &'static str,
}

const COMPARED: &[Compared] = &[
    Compared {
        key: "idle_to_awake",
        slower: IDLE,
        faster: AWAKE,
        what: "Passing the token to a sleeping process on an idle CPU",
        than: "to one on another CPU that is still awake",
    },
    Compared {
        key: "idle_to_busy",
        slower: IDLE,
        faster: BUSY,
        what: "Waking a process on an idle CPU",
        than: "on a CPU that is kept busy",
    },
    Compared {
        key: "busy_to_same_cpu",
        slower: BUSY,
        faster: Next::Here,
        what: "Waking a process on another, busy CPU",
        than: "on the same CPU",
    },
];

/// The smallest setting that both have, on the same CPUs.
fn common(table: &ExperimentTable, one: Next, other: Next) -> Option<(Measured<'_>, Measured<'_>)> {
    let others = measured(table, other);
    measured(table, one).into_iter().find_map(|a| {
        let same = |b: &&Measured| {
            let apart = one != Next::Here && other != Next::Here;
            let near = a.view.word("placement") == b.view.word("placement");
            (b.processes, b.footprint) == (a.processes, a.footprint) && (near || !apart)
        };
        others.iter().find(same).map(|b| (a, *b))
    })
}

fn ratio(table: &ExperimentTable, say: &Compared) -> Option<Finding> {
    let (a, b) = common(table, say.slower, say.faster)?;
    let (a, b) = (a.hop, b.hop);
    let times = Interval {
        center: a.median.center / b.median.center,
        low: a.median.low / b.median.high,
        high: a.median.high / b.median.low,
        level: a.median.level.min(b.median.level),
        ..a.median
    };
    let (what, than, longer) = (say.what, say.than, times_as_long(&times, 1));
    let text = format!(
        "{what} takes {}, {than} {}: {longer}",
        time(a.median.center),
        time(b.median.center)
    );
    Some(estimated(say.key, Unit::Ratio, times, text))
}

/// Claim: data of one's own makes a hop of a ring of two slower.
pub fn footprint_costs(table: &ExperimentTable) -> Option<Outcome> {
    let points = measured(table, Next::Here);
    let mut pair = points.iter().filter(|p| p.processes == 2);
    let (first, last) = (pair.next()?, pair.next_back()?);
    compared::slower(Some(last.view), Some(first.view))
}

/// Claim: idle costs more than busy, busy more than awake.
pub fn idle_costs(table: &ExperimentTable) -> Option<Outcome> {
    let (idle, busy) = common(table, IDLE, BUSY)?;
    let (_, awake) = common(table, BUSY, AWAKE)?;
    let hop = |name: &str, p: Measured| Some(Quoted::time(p.view, HOP)?.named(name));
    let (idle, busy, awake) = (hop("idle", idle)?, hop("busy", busy)?, hop("awake", awake)?);
    all([idle.above(busy.clone()), busy.above(awake)])
}

/// Claim: sixteen with data of 256 KiB each are slower than two.
pub fn crowd_costs(table: &ExperimentTable) -> Option<Outcome> {
    let points = measured(table, Next::Here);
    let of = |n| {
        let wanted = |p: &&Measured| p.processes == n && p.footprint == 256 * 1024;
        points.iter().find(wanted).map(|p| p.view)
    };
    compared::slower(of(16), of(2))
}

#[cfg(test)]
mod tests;
