//! Cache levels, their capacities and latencies, and memory behind them.

use super::LinesCurve;
use analysis::conclusion::Conclusion;
use analysis::staircase::{Staircase, Tread};
use engines::memory::card::{card_cache, level_key, level_name, source_of};
use record::axis::human_bytes;
use record::{Cache, Finding, MachineCard, Unit};

/// The card's capacity agrees when it is on the riser, stretched by this
/// share of a step.
const CAPACITY_SLACK: f64 = 0.1;

/// The largest set must exceed the last cache by this factor for the last
/// tread to be memory.
const WELL_BEYOND: f64 = 1.5;

/// Number of cache levels, then size and latency of each, compared with the machine
/// card.
pub fn findings(stairs: &Staircase, lines: &LinesCurve, card: &MachineCard) -> Vec<Finding> {
    let memory = reaches_memory(stairs, lines, card);
    let caches = stairs.treads.len() - usize::from(memory);
    let mut found = vec![count(stairs, caches, memory, card)];
    // With a level more or less than the card, deeper treads cannot be assigned
    // apart by number, and only the first is compared.
    let known = match caches == card.data_caches().len() {
        true => caches,
        false => 1,
    };
    for (level, tread) in (1..).zip(&stairs.treads[..caches]) {
        let cache = card_cache(card, level).filter(|_| level <= known);
        found.extend(capacity(level, tread, lines, cache));
        found.push(latency(level, tread));
    }
    found.push(match (memory, stairs.treads.last()) {
        (true, Some(last)) => dram(last, lines),
        _ => no_dram(lines),
    });
    found
}

/// Whether the last tread is behind all caches: the set is far larger than
/// the last of them, or there are more treads than the card has caches.
fn reaches_memory(stairs: &Staircase, lines: &LinesCurve, card: &MachineCard) -> bool {
    let top = lines.medians.last().map_or(0.0, |p| p.x);
    let known = card.data_caches();
    let last = known.last();
    let beyond = last.is_none_or(|c| top >= WELL_BEYOND * c.size_bytes as f64);
    stairs.treads.len() > 1 && (beyond || stairs.treads.len() > known.len())
}

fn count(stairs: &Staircase, caches: usize, memory: bool, card: &MachineCard) -> Finding {
    let known = card.data_caches().len();
    let on_card = (known > 0).then_some(known as f64);
    let c = Conclusion::on("cache_levels")
        .redrawn_step(Unit::Count, stairs.share, caches as f64)
        .against(on_card, "machine card, data caches", 0.0);
    let behind = match memory {
        true => ", and memory behind them",
        false => "",
    };
    let remark = match (c.disagrees(), known) {
        (true, k) if caches < k => {
            "; levels of similar latency, or one larger than the largest set, show as one"
        }
        (true, _) => "; one step more than the card may be the reach of a TLB",
        _ => "",
    };
    c.say(format!(
        "the staircase shows {}{behind}; the card has {known}{remark}",
        plural(caches, "cache level")
    ))
}

fn capacity(
    level: usize,
    tread: &Tread,
    lines: &LinesCurve,
    cache: Option<&Cache>,
) -> Option<Finding> {
    let riser = tread.riser?;
    let name = level_name(level);
    let value = riser.halfway();
    let size = cache.map(|c| c.size_bytes as f64);
    let c = Conclusion::on(format!("{}_capacity", level_key(level)))
        .redrawn_value(Unit::Bytes, riser.share, value)
        .against(size, &source_of(cache, "size"), CAPACITY_SLACK);
    let on_card = cache.map_or(String::new(), |c| {
        format!("; the card says {}", human_bytes(c.size_bytes))
    });
    let why = match (c.disagrees(), cache) {
        (true, Some(cache)) => {
            why_capacity_differs(cache.size_bytes as f64 > riser.last_on.high, lines)
        }
        _ => "",
    };
    Some(c.say(format!(
        "{name} holds sets of {}; half of the loads miss it at {}, all of them from \
         {}{on_card}{why}",
        bytes(riser.last_on.center),
        bytes(riser.half),
        bytes(riser.arrived)
    )))
}

fn why_capacity_differs(less_than_card: bool, lines: &LinesCurve) -> &'static str {
    match (less_than_card, lines.huge_pages) {
        (true, true) => {
            "; the rest is used by others who share it, or is not granted to this guest"
        }
        (true, false) => {
            "; the rest is used by others who share it, or lost because base pages fall on the \
             same sets"
        }
        (false, _) => "; an exclusive cache adds the capacity of the cache in front of it",
    }
}

fn latency(level: usize, tread: &Tread) -> Finding {
    let (ns, name) = (tread.level.center, level_name(level));
    let text = format!("a dependent load takes {ns:.1} ns from {name}");
    load(format!("{}_latency", level_key(level)), tread, text)
}

/// What a load takes on a tread.
fn load(key: impl Into<String>, tread: &Tread, text: String) -> Finding {
    Conclusion::on(key)
        .redrawn_value(Unit::Nanoseconds, tread.share, tread.level)
        .say(text)
}

fn dram(last: &Tread, lines: &LinesCurve) -> Finding {
    let top = lines.medians.last().map_or(last.start, |p| p.x);
    let pages = lines.pages();
    let mut sentence = format!(
        "a dependent load takes {:.0} ns from memory (sets of {} and more, {pages})",
        last.level.center,
        bytes(last.start)
    );
    let end = lines.medians.last();
    if let Some(p) = end.filter(|p| p.y.center > 1.15 * last.level.center) {
        sentence += &format!(
            "; {:.0} ns at {}, translation included",
            p.y.center,
            bytes(top)
        );
    }
    load("dram_latency", last, sentence)
}

fn no_dram(lines: &LinesCurve) -> Finding {
    let why = format!(
        "sets of up to {} do not exceed the last cache; measure larger ones with --full or --axis \
         size=..",
        bytes(lines.medians.last().map_or(0.0, |p| p.x))
    );
    Conclusion::undecided("dram_latency", Unit::Nanoseconds, why)
}

fn bytes(x: f64) -> String {
    human_bytes(stats::whole(x))
}

fn plural(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
