//! What the copies say: from which size DMA beats the CPU, in time and in CPU
//! time, and where a copy by DMA spends its time.

mod break_even;

use super::{PHASED, PHASES, TALLIES};
use analysis::claims::{Outcome, Quoted, all};
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::Finding;
use std::collections::BTreeMap;

const DIRECTIONS: [&str; 2] = ["from_user", "to_user"];
const POLICIES: [&str; 2] = ["exclusive", "shared"];
const PAGES: [&str; 2] = ["pinned", "pin_per_copy"];
const CACHES: [&str; 2] = ["warm", "flushed"];

/// The size whose phases are given, bytes, or the measured one next to it.
const PHASES_BYTES: i64 = 64 << 10;

/// Share by which something may seem faster before that says anything.
const TOLERANCE: f64 = 0.05;

/// Break-even sizes of time and of CPU time, and the phases of a DMA copy, by
/// direction.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for direction in DIRECTIONS {
        for cache in CACHES {
            all.extend(break_even::of_time(table, direction, cache));
        }
        all.extend(break_even::of_cpu_time(table, direction));
        let ways = ways(direction);
        all.extend(ways.iter().filter_map(|dma| breakdown(table, dma)));
    }
    all
}

/// Every way to copy in this direction by DMA.
fn ways(direction: &str) -> Vec<Dma<'_>> {
    let of_policy = |policy| {
        PAGES.map(|pages| Dma {
            direction,
            policy,
            pages,
        })
    };
    POLICIES.into_iter().flat_map(of_policy).collect()
}

/// One way to copy by DMA.
struct Dma<'a> {
    direction: &'a str,
    policy: &'a str,
    pages: &'a str,
}

impl Dma<'_> {
    fn way(&self) -> String {
        let pages = match self.pages {
            "pinned" => "pages pinned beforehand",
            _ => "pages pinned for each copy",
        };
        format!("{}, {pages}", self.policy)
    }

    fn words(&self) -> String {
        format!("copy_{} by DMA ({})", self.direction, self.way())
    }

    fn key(&self, what: &str) -> String {
        format!("{what}_{}_{}_{}", self.direction, self.policy, self.pages)
    }
}

/// Values of the axes that are separated nowhere here.
fn surroundings(point: &PointView) -> [&str; 3] {
    ["wait", "memory", "kernel_buffer"].map(|axis| point.word(axis))
}

/// Measured points, all of the surroundings that most of them have.
fn points<'a>(
    table: &'a ExperimentTable,
    direction: &str,
    context: &str,
    pages: Option<&str>,
    cache: &str,
) -> Vec<&'a PointView> {
    let fits = |p: &&PointView| {
        p.has(&[
            ("direction", direction),
            ("context", context),
            ("cache", cache),
        ]) && pages.is_none_or(|pages| p.word("pages") == pages)
    };
    let mut found: Vec<&PointView> = table.measured([]).filter(fits).collect();
    let mut often: BTreeMap<[&str; 3], usize> = BTreeMap::new();
    for point in &found {
        *often.entry(surroundings(point)).or_default() += 1;
    }
    let most = often.into_iter().max_by_key(|(_, times)| *times);
    if let Some((usual, _)) = most {
        found.retain(|p| surroundings(p) == usual);
    }
    found.sort_by_key(|p| p.int("size"));
    found
}

fn by_cpu<'a>(table: &'a ExperimentTable, direction: &str, cache: &str) -> Vec<&'a PointView> {
    points(table, direction, "cpu", None, cache)
}

fn by_dma<'a>(table: &'a ExperimentTable, dma: &Dma<'_>, cache: &str) -> Vec<&'a PointView> {
    points(table, dma.direction, dma.policy, Some(dma.pages), cache)
}

/// Metric of a phase.
fn metric_of(phase: &str) -> Option<u16> {
    let first_tally = u16::try_from(super::PARTS.len()).ok()?;
    let place = TALLIES.iter().position(|t| t.name == phase)?;
    Some(first_tally + u16::try_from(place).ok()?)
}

/// What part of a copy is what, at 64 KiB or the size next to it.
fn breakdown(table: &ExperimentTable, dma: &Dma<'_>) -> Option<Finding> {
    let distance = |p: &&PointView| {
        let size = p.int("size").filter(|size| *size > 0).unwrap_or(1);
        stats::whole((size as f64 / PHASES_BYTES as f64).ln().abs() * 1e6)
    };
    // The policies differ in the gate only, which their times show.
    let exclusive = points(table, dma.direction, "exclusive", None, "warm");
    if dma.policy == "shared" && !exclusive.is_empty() {
        return None;
    }
    let points = by_dma(table, dma, "warm").into_iter();
    let point = points.min_by_key(distance)?;
    let whole = point.summary(PHASED)?;
    let spent = |phases: &[&str]| -> f64 {
        let of = |phase: &&str| Some(point.summary(metric_of(phase)?)?.median.center);
        phases.iter().filter_map(of).sum()
    };
    let known: Vec<&str> = PHASES.iter().map(|phase| phase.name).collect();
    if whole.median.center <= 0.0 || spent(&known) <= 0.0 {
        return None;
    }
    let share = |phases: &[&str]| 100.0 * spent(phases) / whole.median.center;
    let rest = (100.0 - share(&known)).max(0.0);
    let text = format!(
        "{} of {}: {:.0} % is pinning and unpinning, {:.0} % mapping and unmapping, {:.0} % \
         submitting, {:.0} % waiting for the engine, {:.0} % copying by the CPU, {:.0} % the \
         policy's gate, {rest:.0} % everything else",
        dma.words(),
        point.bytes("size"),
        share(&["pin", "unpin"]),
        share(&["map", "unmap"]),
        share(&["submit"]),
        share(&["wait"]),
        share(&["cpu_copy"]),
        share(&["gate"]),
    );
    let phases = Conclusion::on(dma.key("phases"));
    Some(phases.sure(whole.median.level).say(text))
}

/// Claims of `offload/latency`: pinning and flushed caches never save time.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "a copy that pins its pages takes at least as long as one whose pages are pinned",
        check: |table| pairs_hold(pinned_and_not(table)),
    },
    Claim {
        text: "a copy by the CPU takes at least as long with flushed caches as with warm ones",
        check: |table| pairs_hold(warm_and_flushed(table)),
    },
];

type Pair<'a> = (&'a PointView, &'a PointView);

fn of_equal_size<'a>(cheap: &[&'a PointView], costly: &[&'a PointView]) -> Vec<Pair<'a>> {
    let partner = |p: &&'a PointView| costly.iter().find(|d| d.int("size") == p.int("size"));
    let pairs = cheap.iter().filter_map(|p| Some((*p, *partner(p)?)));
    pairs.collect()
}

fn pinned_and_not(table: &ExperimentTable) -> Vec<Pair<'_>> {
    let mut all = Vec::new();
    for direction in DIRECTIONS {
        for policy in POLICIES {
            let of = |pages| points(table, direction, policy, Some(pages), "warm");
            all.extend(of_equal_size(&of("pinned"), &of("pin_per_copy")));
        }
    }
    all
}

fn warm_and_flushed(table: &ExperimentTable) -> Vec<Pair<'_>> {
    let of = |direction, cache| by_cpu(table, direction, cache);
    let pairs = DIRECTIONS.map(|d| of_equal_size(&of(d, "warm"), &of(d, "flushed")));
    pairs.concat()
}

/// The second of each pair takes at least as long as the first.
fn pairs_hold(pairs: Vec<Pair<'_>>) -> Option<Outcome> {
    all(pairs.into_iter().filter_map(|(cheap, costly)| {
        let (cheap, costly) = (Quoted::latency(cheap)?, Quoted::latency(costly)?);
        Some(cheap.at_most(costly).allowing(TOLERANCE))
    }))
}
