//! What the matrix says: the nearest and the farthest pair, whether pairs fall
//! into groups and whether the kernel knows of them, what a stream reaches.

use analysis::claims::{Outcome, Quoted, all};
use analysis::compared::{bandwidth, ratio};
use analysis::conclusion::Conclusion;
use analysis::sentence::{between, estimated, list, timed};
use analysis::{ExperimentTable, PointView};
use record::{CpuPlace, Finding, MachineCard, Placement, Unit};
use std::collections::{BTreeMap, BTreeSet};

const ALONE: u16 = super::EXPERIMENT.metric("alone");

/// Neighbours in the order of cost that are farther apart than this belong to
/// two groups: more than places in one cache differ by, less than any two levels
/// that were ever called different.
const GAP: f64 = 1.3;
/// How far the two directions of a pair may differ.
const TENTH: f64 = 1.1;

/// Findings of `mem/line_transfer`: fastest and slowest pair, groups of CPUs, jumps
/// between pairs, the stream.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let mut all = extremes(table);
    all.extend(groups(table, &card.places));
    all.extend(jumping(table));
    all.extend(stream(table));
    all
}

/// Measured points of a method.
fn of<'a>(table: &'a ExperimentTable, method: &'a str) -> impl Iterator<Item = &'a PointView> {
    let measured = table.measured([("method", method)]);
    measured.filter(|p| median(p).is_some())
}

fn median(point: &PointView) -> Option<f64> {
    point.median_ns().filter(|ns| ns.is_finite() && *ns > 0.0)
}

fn cost(point: &PointView) -> f64 {
    median(point).unwrap_or(f64::NAN)
}

fn ends(point: &PointView) -> Option<(u32, u32)> {
    let end = |axis| u32::try_from(point.int(axis)?).ok();
    Some((end("from")?, end("to")?))
}

/// `CPU 0 to CPU 5`.
fn way(point: &PointView) -> String {
    let (from, to) = ends(point).unwrap_or_default();
    format!("CPU {from} to CPU {to}")
}

fn extremes(table: &ExperimentTable) -> Vec<Finding> {
    let by_cost = |a: &&PointView, b: &&PointView| cost(a).total_cmp(&cost(b));
    let nearest = of(table, "load_store").min_by(by_cost);
    let farthest = of(table, "load_store").max_by(by_cost);
    let tell = |key: &str, what: &str, point: &PointView| {
        let v = point.primary()?.median;
        let text = format!("{what} by load and store: {}, {}", way(point), timed(&v));
        Some(estimated(key, Unit::Nanoseconds, v, text))
    };
    let (Some(nearest), Some(farthest)) = (nearest, farthest) else {
        return Vec::new();
    };
    let shortest = tell("nearest_pair", "the nearest pair of CPUs", nearest);
    // Not two names for one cost.
    let apart = ratio(nearest, farthest).is_some_and(|r| r.low > 1.0);
    let longest = apart.then(|| tell("farthest_pair", "the farthest pair of CPUs", farthest));
    shortest.into_iter().chain(longest.flatten()).collect()
}

/// A pair, both directions together.
struct Edge {
    cost: f64,
    relation: Option<Placement>,
}

/// Every pair with the mean of its directions, cheapest first.
fn edges(table: &ExperimentTable, places: &[CpuPlace]) -> Vec<Edge> {
    let mut seen: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for point in of(table, "load_store") {
        let Some((a, b)) = ends(point) else { continue };
        let costs = seen.entry((a.min(b), a.max(b))).or_default();
        costs.push(cost(point));
    }
    let edge = |((a, b), costs): ((u32, u32), Vec<f64>)| Edge {
        cost: costs.iter().sum::<f64>() / costs.len() as f64,
        relation: Placement::between(places, a, b),
    };
    let mut edges: Vec<Edge> = seen.into_iter().map(edge).collect();
    edges.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    edges
}

/// Whether pairs fall into groups by cost, compared with the groups that the kernel
/// reports. One pair has no groups.
fn groups(table: &ExperimentTable, places: &[CpuPlace]) -> Option<Finding> {
    let edges = edges(table, places);
    if edges.len() < 2 {
        return None;
    }
    let groups: Vec<&[Edge]> = edges.chunk_by(|a, b| b.cost / a.cost <= GAP).collect();
    let spans = groups
        .iter()
        .map(|g| format!("{} at {}", counted(g.len()), span(g)));
    let costs = match groups.as_slice() {
        [one] => format!(
            "all {} pairs of CPUs are at the same distance, {}",
            edges.len(),
            span(one)
        ),
        many => format!(
            "pairs of CPUs fall into {} groups: {}",
            many.len(),
            list(spans, ", ")
        ),
    };
    let known: Option<Vec<Vec<Placement>>> = groups.iter().map(|g| relations(g)).collect();
    let Some(known) = known else {
        let text = format!("{costs}; the kernel does not say where these CPUs are");
        return Some(Conclusion::on("groups").say(text));
    };
    let (agree, kernel) = against_the_kernel(&known);
    let source = "sysfs cpu*/topology and cache/index*/shared_cpu_list";
    let groups = Conclusion::on("groups").held_against(source, Some(true), Some(agree));
    Some(groups.say(format!("{costs}; {kernel}")))
}

fn counted(pairs: usize) -> String {
    match pairs {
        1 => "1 pair".to_owned(),
        n => format!("{n} pairs"),
    }
}

/// `61 to 74 ns`.
fn span(group: &[Edge]) -> String {
    let cost = |e: Option<&Edge>| e.map_or(f64::NAN, |e| e.cost);
    let (low, high) = (cost(group.first()), cost(group.last()));
    match format!("{low:.0}") == format!("{high:.0}") {
        true => format!("{low:.0} ns"),
        false => format!("{low:.0} to {high:.0} ns"),
    }
}

/// The relations in a group; None where one is not known.
fn relations(group: &[Edge]) -> Option<Vec<Placement>> {
    let relations = group.iter().map(|e| e.relation);
    let found: BTreeSet<Placement> = relations.collect::<Option<_>>()?;
    Some(found.into_iter().collect())
}

/// Whether each relation has a group of its own and each group one relation,
/// and the sentence that says so.
fn against_the_kernel(groups: &[Vec<Placement>]) -> (bool, String) {
    for relation in Placement::ALL {
        let holding = groups.iter().filter(|g| g.contains(&relation)).count();
        if holding > 1 {
            let text = format!(
                "the kernel puts {holding} of them in one class, {}: it does not know of a \
                 difference, or the host moves the CPUs",
                relation.text()
            );
            return (false, text);
        }
    }
    if let Some(mixed) = groups.iter().find(|g| g.len() > 1) {
        let names = list(mixed.iter().map(|r| r.text()), " and ");
        return (
            false,
            format!("the kernel separates {names}, and the line transfers do not"),
        );
    }
    let names = list(groups.iter().flatten().map(|r| r.text()), ", ");
    (true, format!("the kernel's topology agrees: {names}"))
}

/// Pairs without one cost: what moves them is not in the picture.
fn jumping(table: &ExperimentTable) -> Option<Finding> {
    let several = |p: &&PointView| p.primary().is_some_and(|s| s.modes.len() > 1);
    let all = of(table, "load_store").count();
    let jumping: Vec<&PointView> = of(table, "load_store").filter(several).collect();
    let first = jumping.first()?;
    let levels = first.primary()?.modes.iter();
    let levels = levels.map(|m| format!("{:.0} ns", m.center));
    let text = format!(
        "{} of {all} pairs have several levels (from {}: {}); their median depends on chance",
        jumping.len(),
        way(first),
        list(levels, ", ")
    );
    let found = Conclusion::on("several_levels").surprising();
    Some(found.say(text))
}

fn stream(table: &ExperimentTable) -> Option<Finding> {
    let best = of(table, "stream").min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
    let rate = bandwidth(best)?;
    let text = format!(
        "the fastest stream of lines: {}, {:.2} GB/s ({}), {:.1} ns per line",
        way(best),
        rate.center,
        between(&rate, 2),
        cost(best)
    );
    Some(estimated(
        "fastest_stream",
        Unit::GigabytesPerSecond,
        rate,
        text,
    ))
}

/// Claim check: the line costs more from another CPU than alone.
pub fn costs_more_than_staying(table: &ExperimentTable) -> Option<Outcome> {
    all(of(table, "load_store").filter_map(|p| {
        let (handed, alone) = (Quoted::latency(p)?, Quoted::time(p, ALONE)?);
        Some(
            handed
                .named(format!("from {}", way(p)))
                .above(alone.named("alone")),
        )
    }))
}

/// Claim check: both directions within a tenth.
pub fn symmetric(table: &ExperimentTable) -> Option<Outcome> {
    let with_ends = of(table, "load_store").filter_map(|p| Some((ends(p)?, p)));
    let points: BTreeMap<(u32, u32), &PointView> = with_ends.collect();
    let there = points.iter().filter(|((a, b), _)| a < b);
    let cost = |p| Some(Quoted::latency(p)?.named(way(p)));
    let pairs = there.filter_map(|(&(a, b), there)| {
        let (there, back) = (cost(there)?, cost(points.get(&(b, a))?)?);
        let longer = there.clone().at_most(back.clone());
        Some([longer, back.at_most(there)].map(|pair| pair.times(TENTH)))
    });
    all(pairs.flatten())
}

/// Claim check: a streamed line costs less than one handed over.
pub fn stream_overlaps(table: &ExperimentTable) -> Option<Outcome> {
    all(of(table, "stream").filter_map(|s| {
        let alike = of(table, "load_store").find(|p| ends(p) == ends(s))?;
        let streamed = Quoted::latency(s)?.named(format!("{}, streamed", way(s)));
        Some(streamed.below(Quoted::latency(alike)?.named("handed over")))
    }))
}

#[cfg(test)]
mod tests;
