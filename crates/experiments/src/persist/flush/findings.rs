//! What the blocks say: the cheapest way at each place, where another becomes
//! cheaper, what a fence for each line costs, and who flushes nothing.

use analysis::claims::{Outcome, Quoted, all};
use analysis::compared::ratio;
use analysis::conclusion::Conclusion;
use analysis::pick::numbers;
use analysis::sentence::{between, estimated, time};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use engines::persistence::method::Place;
use record::axis::human_bytes;
use record::{Finding, Unit};

const WRITE: u16 = super::EXPERIMENT.metric("write");

/// Sizes at which the cheapest way is named, where measured.
const GIVEN_SIZES: [i64; 4] = [64, 4 << 10, 64 << 10, 1 << 20];

/// The size at which a fence for each line is priced: 64 lines of 64 B.
const FENCED_SIZE: i64 = 4 << 10;

/// Share by which a point may be faster without contradicting a claim.
const TOLERANCE: f64 = 0.05;

/// Findings of `persist/flush`: cheapest way by place and size, crossings, fences, an
/// empty flush, MAP_SYNC, page faults.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for place in ["anonymous", "dax", "file"] {
        let cheapest = GIVEN_SIZES.iter().map(|s| cheapest(table, place, *s));
        all.extend(cheapest.flatten());
        all.extend(crossings(table, place));
    }
    all.extend(fences(table));
    all.extend(flushes_nothing(table));
    all.extend(map_sync(table));
    all.extend(faults(table));
    all
}

/// Measured points of a place with one fence for each block.
fn at<'a>(table: &'a ExperimentTable, place: &'a str) -> impl Iterator<Item = &'a PointView> {
    table.measured([("place", place), ("fence", "per_block")])
}

/// The same of a method and a size.
fn find<'a>(
    table: &'a ExperimentTable,
    method: &str,
    place: &str,
    size: i64,
) -> Option<&'a PointView> {
    let words = [("method", method), ("place", place), ("fence", "per_block")];
    table.sized(words, size)
}

/// The ways that flush, at one size, cheapest first.
fn ranked<'a>(points: impl Iterator<Item = &'a PointView>, size: i64) -> Vec<&'a PointView> {
    let flushing = |p: &&PointView| p.int("size") == Some(size) && p.word("method") != "store";
    let mut ranked: Vec<&PointView> = points.filter(flushing).collect();
    let ns = |p: &PointView| p.median_ns().unwrap_or(f64::INFINITY);
    ranked.sort_by(|a, b| ns(a).total_cmp(&ns(b)));
    ranked
}

fn cheapest(table: &ExperimentTable, place: &str, size: i64) -> Option<Finding> {
    let ranked = ranked(at(table, place), size);
    let (first, second) = (ranked.first()?, ranked.get(1)?);
    let s = first.primary()?;
    let times = ratio(first, second)?;
    let bytes = human_bytes(size.unsigned_abs());
    let what = match Place::from_word(place).persists() {
        true => format!("make {bytes} persistent"),
        false => format!("write {bytes} back to memory"),
    };
    let next = second.word("method");
    // Intervals that meet leave the order open.
    let lead = match times.low > 1.0 {
        true => format!("next is {next} with {:.2} times that", times.center),
        false => format!("no difference to {next} shown"),
    };
    let text = format!(
        "Cheapest way to {what} ({place}): {}, {} ({} to {}); {lead}",
        first.word("method"),
        time(s.median.center),
        time(s.median.low),
        time(s.median.high)
    );
    let key = format!("cheapest_{place}_{size}");
    Some(estimated(key, Unit::Nanoseconds, s.median, text))
}

/// From which size on another way is the cheapest.
fn crossings(table: &ExperimentTable, place: &str) -> Vec<Finding> {
    let sizes = numbers(at(table, place), "size").into_iter();
    let winners = sizes.filter_map(|size| ranked(at(table, place), size).first().copied());
    let winners: Vec<&PointView> = winners.collect();
    let priced = winners.windows(2).filter_map(|w| {
        let (old, new) = (w[0].word("method"), w[1].word("method"));
        let times = ratio(w[1], find(table, old, place, w[1].int("size")?)?)?;
        let text = format!(
            "At {place}, {new} is cheaper than {old} from {} on ({old} up to {}): there {old} \
             takes {:.2} times as long",
            w[1].bytes("size"),
            w[0].bytes("size"),
            times.center
        );
        let key = format!("break_even_{place}_{old}_{new}");
        // A change of winners within the noise is none.
        let changes = old != new && times.low > 1.0;
        changes.then(|| estimated(key, Unit::Ratio, times, text))
    });
    priced.collect()
}

/// A fence behind each line against one behind the block.
fn fences(table: &ExperimentTable) -> Vec<Finding> {
    let lined = table.measured([("fence", "per_line")]);
    let priced = |line: &PointView| {
        let (method, place) = (line.word("method"), line.word("place"));
        let times = ratio(find(table, method, place, FENCED_SIZE)?, line)?;
        let text = format!(
            "With a fence after each line, {method} of {} ({place}) takes {:.1} times as long as \
             with one after the block ({})",
            line.bytes("size"),
            times.center,
            between(&times, 1)
        );
        let key = format!("fence_{method}_{place}");
        Some(estimated(key, Unit::Ratio, times, text))
    };
    lined
        .filter(|p| p.int("size") == Some(FENCED_SIZE))
        .filter_map(priced)
        .collect()
}

/// tmpfs takes the call and does nothing.
fn flushes_nothing(table: &ExperimentTable) -> Vec<Finding> {
    let priced = |method: &str| {
        let by_method = at(table, "tmpfs").filter(|p| p.word("method") == method);
        let point = by_method.min_by_key(|p| p.int("size"))?;
        let s = point.primary()?;
        let text = format!(
            "{method} on tmpfs flushes nothing: the {} for {} are the system call, and the data \
             is lost when power fails",
            time(s.median.center),
            point.bytes("size")
        );
        let key = format!("no_persistence_{method}");
        Some(estimated(key, Unit::Nanoseconds, s.median, text))
    };
    let methods = ["msync", "fdatasync"].into_iter();
    methods.filter_map(priced).collect()
}

/// What the promise of MAP_SYNC costs in the long run.
fn map_sync(table: &ExperimentTable) -> Option<Finding> {
    let on_dax = |method| find(table, method, "dax", FENCED_SIZE);
    let with = on_dax("map_sync")?;
    let without = on_dax("clwb").or_else(|| on_dax("dc_cvap"))?;
    let times = ratio(without, with)?;
    let text = match times.low > 1.0 + TOLERANCE || times.high < 1.0 - TOLERANCE {
        true => format!(
            "MAP_SYNC makes {} take {:.2} times as long",
            with.bytes("size"),
            times.center
        ),
        false => "MAP_SYNC costs nothing once its pages are mapped".to_owned(),
    };
    Some(Conclusion::on("map_sync").sure(times.level).say(text))
}

/// How much of msync's cost is the next store's page fault.
fn faults(table: &ExperimentTable) -> Vec<Finding> {
    let priced = |place: &str| {
        let point = find(table, "msync", place, FENCED_SIZE)?;
        let (whole, store) = (point.primary()?, point.summary(WRITE)?);
        let plain = find(table, "store", place, FENCED_SIZE)?.primary()?;
        let text = format!(
            "Writing {} and msync ({place}) takes {}; {} of that are the store, which faults \
             because msync has protected its page ({} where it has not)",
            point.bytes("size"),
            time(whole.median.center),
            time(store.median.center),
            time(plain.median.center)
        );
        let key = format!("fault_{place}");
        Some(estimated(key, Unit::Nanoseconds, store.median, text))
    };
    ["dax", "file"].into_iter().filter_map(priced).collect()
}

/// Claims of `persist/flush`: a plain store is cheapest, ordered flushes are not
/// faster.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "A plain store costs at most as much as any method that writes it back",
        check: store_is_cheapest,
    },
    Claim {
        text: "clflushopt, which may reorder lines, takes at most as long as clflush from 256 B on",
        check: ordered_is_slower,
    },
];

/// The first of each pair takes at most as long as the second.
fn never_costlier<'a>(
    pairs: impl Iterator<Item = (&'a PointView, &'a PointView)>,
) -> Option<Outcome> {
    all(pairs.filter_map(|(cheap, costly)| {
        let (cheap, costly) = (Quoted::latency(cheap)?, Quoted::latency(costly)?);
        Some(cheap.at_most(costly).allowing(TOLERANCE))
    }))
}

fn store_is_cheapest(table: &ExperimentTable) -> Option<Outcome> {
    // Non-temporal stores are spared the reading of the line, so a block larger
    // than the caches may be cheaper by them.
    let flushing = at(table, "anonymous");
    let flushing = flushing.filter(|p| !matches!(p.word("method"), "store" | "ntstore"));
    let store = |size| find(table, "store", "anonymous", size);
    never_costlier(flushing.filter_map(|p| Some((store(p.int("size")?)?, p))))
}

fn ordered_is_slower(table: &ExperimentTable) -> Option<Outcome> {
    let all = at(table, "anonymous");
    let ordered = all.filter(|p| p.word("method") == "clflush" && p.int("size") >= Some(256));
    let free = |size| find(table, "clflushopt", "anonymous", size);
    never_costlier(ordered.filter_map(|p| Some((free(p.int("size")?)?, p))))
}

#[cfg(test)]
mod tests;
