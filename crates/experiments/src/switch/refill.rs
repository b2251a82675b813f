//! What the ring's table says: the price of a switch, the total footprints at
//! which data is lost to the others, and what an idle CPU adds.

use super::steps::{Step, steps};
use crate::reading;
use analysis::{ExperimentTable, PointView, Summary};
use record::{Cache, Confidence, Finding, MachineCard, Unit, Verdict, axis::human_bytes};

/// Metrics of the experiment by index.
const HOP: u16 = 0;
const NET: u16 = 2;

/// A measured point of one placement.
#[derive(Clone, Copy)]
struct Measured<'a> {
    processes: i64,
    footprint: i64,
    hop: &'a Summary,
    view: &'a PointView,
}

fn measured<'a>(table: &'a ExperimentTable, placement: &str) -> Vec<Measured<'a>> {
    let mut points: Vec<Measured> = table
        .points
        .iter()
        .filter(|p| p.head.value("placement").and_then(|v| v.as_word()) == Some(placement))
        .filter_map(|view| {
            Some(Measured {
                processes: view.int("processes")?,
                footprint: view.int("footprint")?,
                hop: view.summary(HOP)?,
                view,
            })
        })
        .collect();
    points.sort_by_key(|p| (p.footprint, p.processes));
    points
}

pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let mut found: Vec<Finding> = direct_cost(table).into_iter().collect();
    found.extend(lost_to_others(table, card));
    found.extend(COMPARED.iter().filter_map(|say| ratio(table, say)));
    found
}

/// The smallest ring with the smallest footprint, pipe work taken off.
fn direct_cost(table: &ExperimentTable) -> Option<Finding> {
    let least = measured(table, "same_cpu").into_iter().next()?;
    let net = least.view.summary(NET)?;
    Some(Finding {
        experiment: table.head.id.clone(),
        key: "direct_switch".to_owned(),
        sentence: format!(
            "Switching between {} processes on one CPU costs {:.0} ns ({:.0} to {:.0}), \
             the pipe's own {:.0} ns taken off",
            least.processes,
            net.median,
            net.low,
            net.high,
            least.hop.median - net.median
        ),
        value: Some(net.median),
        low: Some(net.low),
        high: Some(net.high),
        unit: Unit::Nanoseconds,
        confidence: Confidence { share: net.level },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
    })
}

/// Cost of one KiB of footprint by total footprint (bytes), on one CPU. What a
/// hop costs without any footprint is taken off; totals that several settings
/// share are pooled, larger footprints weighing more because their cost per KiB
/// is known better.
fn cost_by_total(points: &[Measured]) -> Vec<(f64, f64)> {
    let smallest = points.first().map_or(0, |p| p.footprint);
    let floor = |processes: i64| {
        points
            .iter()
            .filter(|p| p.footprint == smallest)
            .min_by_key(|p| (p.processes - processes).abs())
            .map_or(0.0, |p| p.hop.median)
    };
    let mut pooled: Vec<(i64, f64, f64)> = Vec::new();
    for p in points.iter().filter(|p| p.footprint > smallest) {
        let total = p.processes * p.footprint;
        let cost = p.hop.median - floor(p.processes);
        let kib = (p.footprint - smallest) as f64 / 1024.0;
        match pooled.iter_mut().find(|(t, ..)| *t == total) {
            Some((_, ns, weight)) => {
                *ns += cost;
                *weight += kib;
            }
            None => pooled.push((total, cost, kib)),
        }
    }
    pooled.sort_by_key(|(total, ..)| *total);
    pooled
        .into_iter()
        .filter(|(_, ns, _)| *ns > 0.0)
        .map(|(total, ns, kib)| (total as f64, ns / kib))
        .collect()
}

/// Share of the curves with one place left out that step between the same
/// plateaus.
fn agreement(curve: &[(f64, f64)], step: &Step) -> f64 {
    let kept = (0..curve.len())
        .filter(|leave| {
            let mut fewer = curve.to_vec();
            fewer.remove(*leave);
            steps(&fewer)
                .iter()
                .any(|s| s.before < step.after && s.after > step.before)
        })
        .count();
    kept as f64 / curve.len().max(1) as f64
}

fn lost_to_others(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let curve = cost_by_total(&measured(table, "same_cpu"));
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else {
        return Vec::new();
    };
    let mut free = steps(&curve);
    let mut found = Vec::new();
    for cache in card.data_caches() {
        let capacity = cache.size_bytes as f64;
        // Both sides of the jump must have been measured.
        if capacity < first.0 || capacity >= last.0 {
            continue;
        }
        let near = free.iter().position(|step| agrees(step, capacity));
        found.push(match near {
            Some(at) => with_cache(table, &curve, &free.remove(at), cache),
            None => no_step(table, cache, first.0, last.0),
        });
    }
    found.extend(free.iter().enumerate().map(|(i, step)| Finding {
        key: format!("other_step_{}", i + 1),
        sentence: said(step),
        ..bracket(table, &curve, step)
    }));
    found
}

/// The last total on the low plateau fits (a tenth of grace), and the first one
/// beyond is at least half the capacity: the kernel, the pipes and the code use
/// the cache too.
fn agrees(step: &Step, capacity: f64) -> bool {
    step.before <= capacity * 1.1 && step.after >= capacity * 0.5
}

fn said(step: &Step) -> String {
    format!(
        "Reading a KiB of one's own after a switch rises from {:.1} to {:.1} ns when all \
         processes together pass from {} to {}",
        step.low,
        step.high,
        human_bytes(step.before as u64),
        human_bytes(step.after as u64)
    )
}

fn bracket(table: &ExperimentTable, curve: &[(f64, f64)], step: &Step) -> Finding {
    Finding {
        experiment: table.head.id.clone(),
        key: String::new(),
        sentence: String::new(),
        value: Some((step.before * step.after).sqrt()),
        low: Some(step.before),
        high: Some(step.after),
        unit: Unit::Bytes,
        confidence: Confidence {
            share: agreement(curve, step),
        },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
    }
}

fn cache_key(cache: &Cache) -> String {
    format!("l{}_total_footprint", cache.level)
}

fn with_cache(
    table: &ExperimentTable,
    curve: &[(f64, f64)],
    step: &Step,
    cache: &Cache,
) -> Finding {
    Finding {
        key: cache_key(cache),
        sentence: format!(
            "{}: the level {} cache of {} is full",
            said(step),
            cache.level,
            human_bytes(cache.size_bytes)
        ),
        reference: Some(cache.size_bytes as f64),
        reference_source: Some(source(cache)),
        verdict: Verdict::Agree,
        ..bracket(table, curve, step)
    }
}

fn source(cache: &Cache) -> String {
    format!("machine card, level {} cache", cache.level)
}

fn no_step(table: &ExperimentTable, cache: &Cache, from: f64, to: f64) -> Finding {
    Finding {
        experiment: table.head.id.clone(),
        key: cache_key(cache),
        sentence: format!(
            "Between {} and {} in all processes together no jump stands out near the level {} \
             cache of {}",
            human_bytes(from as u64),
            human_bytes(to as u64),
            cache.level,
            human_bytes(cache.size_bytes)
        ),
        value: None,
        low: None,
        high: None,
        unit: Unit::Bytes,
        confidence: Confidence { share: 0.0 },
        reference: Some(cache.size_bytes as f64),
        reference_source: Some(source(cache)),
        verdict: Verdict::Undecided,
    }
}

/// Two placements and how their ratio is said.
struct Compared {
    key: &'static str,
    dear: &'static str,
    cheap: &'static str,
    /// `<what> takes .. ns, <than> .. ns`.
    what: &'static str,
    than: &'static str,
}

const COMPARED: &[Compared] = &[
    Compared {
        key: "idle_to_awake",
        dear: "cross_cpu_idle",
        cheap: "cross_cpu_awake",
        what: "Handing over to a sleeping process on an idle CPU",
        than: "to one on another CPU that is still awake",
    },
    Compared {
        key: "idle_to_busy",
        dear: "cross_cpu_idle",
        cheap: "cross_cpu_busy",
        what: "Waking a process on an idle CPU",
        than: "on a CPU that is kept busy",
    },
    Compared {
        key: "busy_to_same_cpu",
        dear: "cross_cpu_busy",
        cheap: "same_cpu",
        what: "Waking a process on another, busy CPU",
        than: "on the same CPU",
    },
];

/// The smallest setting that both placements have.
fn common<'a>(
    table: &'a ExperimentTable,
    one: &str,
    other: &str,
) -> Option<(Measured<'a>, Measured<'a>)> {
    let others = measured(table, other);
    measured(table, one).into_iter().find_map(|a| {
        let same = |b: &&Measured| (b.processes, b.footprint) == (a.processes, a.footprint);
        others.iter().find(same).map(|b| (a, *b))
    })
}

fn ratio(table: &ExperimentTable, say: &Compared) -> Option<Finding> {
    let (a, b) = common(table, say.dear, say.cheap)?;
    let value = a.hop.median / b.hop.median;
    let (low, high) = (a.hop.low / b.hop.high, a.hop.high / b.hop.low);
    Some(Finding {
        experiment: table.head.id.clone(),
        key: say.key.to_owned(),
        sentence: format!(
            "{} takes {:.0} ns, {} {:.0} ns: {value:.1} times as long ({low:.1} to {high:.1})",
            say.what, a.hop.median, say.than, b.hop.median
        ),
        value: Some(value),
        low: Some(low),
        high: Some(high),
        unit: Unit::Ratio,
        confidence: Confidence {
            share: a.hop.level.min(b.hop.level),
        },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
    })
}

fn find<'a>(
    points: &[Measured<'a>],
    wanted: impl Fn(&Measured) -> bool,
) -> Option<&'a PointView> {
    points.iter().find(|p| wanted(p)).map(|p| p.view)
}

/// Claim: data of one's own makes a hop of a ring of two dearer.
pub fn footprint_costs(table: &ExperimentTable) -> Option<(bool, String)> {
    let points = measured(table, "same_cpu");
    reading::slower(
        find(&points, |p| p.processes == 2 && p.footprint == 16 * 1024),
        find(&points, |p| p.processes == 2 && p.footprint == 0),
    )
}

/// Claim: idle dearer than busy, busy dearer than awake.
pub fn idle_costs(table: &ExperimentTable) -> Option<(bool, String)> {
    let (idle, busy) = common(table, "cross_cpu_idle", "cross_cpu_busy")?;
    let (_, awake) = common(table, "cross_cpu_busy", "cross_cpu_awake")?;
    let [idle, busy, awake] = [idle, busy, awake].map(|p| p.hop.median);
    Some((
        idle > busy && busy > awake,
        format!("idle {idle:.0} ns, busy {busy:.0} ns, awake {awake:.0} ns"),
    ))
}

/// Claim: with the largest footprint, sixteen are slower than two.
pub fn crowd_costs(table: &ExperimentTable) -> Option<(bool, String)> {
    let points = measured(table, "same_cpu");
    let largest = points.iter().map(|p| p.footprint).max()?;
    let of = |n| find(&points, move |p| p.processes == n && p.footprint == largest);
    reading::slower(of(16), of(2))
}

#[cfg(test)]
#[path = "refill_tests.rs"]
mod tests;
