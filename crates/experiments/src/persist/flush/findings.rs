//! What the blocks say: the cheapest way at each place, where another becomes
//! cheaper, what a fence for each line costs, and who flushes nothing.

use analysis::compared::ratio;
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use engines::persistence::method::Place;
use engines::persistence::span::span;
use record::axis::human_bytes;
use record::{Finding, Unit};
use std::collections::BTreeMap;

const WRITE: u16 = super::EXPERIMENT.metric("write");

/// Sizes at which the cheapest way is named, where measured.
const GIVEN_SIZES: [i64; 4] = [64, 4 << 10, 64 << 10, 1 << 20];

/// The size at which a fence for each line is priced: 64 lines of 64 B.
const FENCED_SIZE: i64 = 4 << 10;

/// Share by which a point may seem faster before that says anything.
const TOLERANCE: f64 = 0.05;

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for place in ["anonymous", "dax", "file"] {
        all.extend(
            GIVEN_SIZES
                .iter()
                .filter_map(|s| cheapest(table, place, *s)),
        );
        all.extend(crossings(table, place));
    }
    all.extend(fences(table));
    all.extend(flushes_nothing(table));
    all.extend(map_sync(table));
    all.extend(faults(table));
    all
}

/// Measured points of a place with one fence for each block.
fn at<'a>(table: &'a ExperimentTable, place: &str) -> Vec<&'a PointView> {
    let points = table.points.iter();
    points
        .filter(|p| p.word("place") == place && p.word("fence") == "per_block")
        .filter(|p| p.median_ns().is_some())
        .collect()
}

fn find<'a>(
    table: &'a ExperimentTable,
    [method, place, fence]: [&str; 3],
    size: i64,
) -> Option<&'a PointView> {
    table.points.iter().find(|p| {
        p.word("method") == method
            && p.word("place") == place
            && p.word("fence") == fence
            && p.int("size") == Some(size)
            && p.median_ns().is_some()
    })
}

fn sizes(points: &[&PointView]) -> Vec<i64> {
    let mut sizes: Vec<i64> = points.iter().filter_map(|p| p.int("size")).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The ways that flush, at one size, cheapest first.
fn ranked<'a>(points: &[&'a PointView], size: i64) -> Vec<&'a PointView> {
    let flushing = |p: &&&PointView| p.int("size") == Some(size) && p.word("method") != "store";
    let mut ranked: Vec<&PointView> = points.iter().filter(flushing).copied().collect();
    let ns = |p: &PointView| p.median_ns().unwrap_or(f64::INFINITY);
    ranked.sort_by(|a, b| ns(a).total_cmp(&ns(b)));
    ranked
}

fn cheapest(table: &ExperimentTable, place: &str, size: i64) -> Option<Finding> {
    let points = at(table, place);
    let ranked = ranked(&points, size);
    let (first, second) = (ranked.first()?, ranked.get(1)?);
    let s = first.primary()?;
    let times = ratio(first, second)?;
    let bytes = human_bytes(size.unsigned_abs());
    let what = match Place::from_word(place).persists() {
        true => format!("make {bytes} persistent"),
        false => format!("bring {bytes} to memory"),
    };
    // Intervals that meet leave the order open.
    let lead = match times.low > 1.0 {
        true => format!(
            "next is {} with {:.2} times that",
            second.word("method"),
            times.center
        ),
        false => format!("{} cannot be separated from it", second.word("method")),
    };
    let text = format!(
        "Cheapest way to {what} ({place}): {}, {} ({} to {}); {lead}",
        first.word("method"),
        span(s.median.center),
        span(s.median.low),
        span(s.median.high)
    );
    let key = format!("cheapest_{place}_{size}");
    Some(
        Conclusion::on(&key)
            .estimate(Unit::Nanoseconds, s.median)
            .say(text),
    )
}

/// From which size on another way is the cheapest.
fn crossings(table: &ExperimentTable, place: &str) -> Vec<Finding> {
    let points = at(table, place);
    let mut by_size: BTreeMap<i64, Vec<&PointView>> = BTreeMap::new();
    for point in points {
        if let Some(size) = point.int("size") {
            by_size.entry(size).or_default().push(point);
        }
    }
    let winners: Vec<(i64, &str)> = by_size
        .iter()
        .filter_map(|(size, there)| Some((*size, ranked(there, *size).first()?.word("method"))))
        .collect();
    let pairs = winners.windows(2).filter(|w| w[0].1 != w[1].1);
    let priced = pairs.filter_map(|w| {
        let ((below, old), (size, new)) = (w[0], w[1]);
        let now = |method| by_size[&size].iter().find(|p| p.word("method") == method);
        let times = ratio(now(new)?, now(old)?)?;
        // A change of winners within the noise is none.
        (times.low > 1.0).then(|| {
            let text = format!(
                "At {place}, {new} is cheaper than {old} from {} on ({old} up to {}): there {old} \
                 takes {:.2} times as long",
                human_bytes(size.unsigned_abs()),
                human_bytes(below.unsigned_abs()),
                times.center
            );
            let key = format!("break_even_{place}_{old}_{new}");
            Conclusion::on(&key).estimate(Unit::Ratio, times).say(text)
        })
    });
    priced.collect()
}

/// A fence behind each line against one behind the block.
fn fences(table: &ExperimentTable) -> Vec<Finding> {
    let lined =
        |p: &&PointView| p.word("fence") == "per_line" && p.int("size") == Some(FENCED_SIZE);
    let priced = |line: &PointView| {
        let (method, place) = (line.word("method"), line.word("place"));
        let block = find(table, [method, place, "per_block"], FENCED_SIZE)?;
        let times = ratio(block, line)?;
        let text = format!(
            "A fence behind each line makes {method} of {} ({place}) {:.1} times as long as one behind \
             the block ({:.1} to {:.1})",
            human_bytes(FENCED_SIZE.unsigned_abs()),
            times.center,
            times.low,
            times.high
        );
        let key = format!("fence_{method}_{place}");
        Some(Conclusion::on(&key).estimate(Unit::Ratio, times).say(text))
    };
    table
        .points
        .iter()
        .filter(lined)
        .filter_map(priced)
        .collect()
}

/// tmpfs takes the call and does nothing.
fn flushes_nothing(table: &ExperimentTable) -> Vec<Finding> {
    let priced = |method: &str| {
        let points = at(table, "tmpfs");
        let size = sizes(&points)
            .into_iter()
            .find(|s| find(table, [method, "tmpfs", "per_block"], *s).is_some())?;
        let s = find(table, [method, "tmpfs", "per_block"], size)?.primary()?;
        let text = format!(
            "{method} on tmpfs flushes nothing: the {} for {} are the system call, and all is \
             lost with the power",
            span(s.median.center),
            human_bytes(size.unsigned_abs())
        );
        let key = format!("no_persistence_{method}");
        Some(
            Conclusion::on(&key)
                .estimate(Unit::Nanoseconds, s.median)
                .say(text),
        )
    };
    ["msync", "fdatasync"]
        .into_iter()
        .filter_map(priced)
        .collect()
}

/// What the promise of MAP_SYNC costs in the long run.
fn map_sync(table: &ExperimentTable) -> Option<Finding> {
    let size = FENCED_SIZE;
    let on_dax = |method| find(table, [method, "dax", "per_block"], size);
    let with = on_dax("map_sync")?;
    let without = on_dax("clwb").or_else(|| on_dax("dc_cvap"))?;
    let times = ratio(without, with)?;
    let text = match times.low > 1.0 + TOLERANCE || times.high < 1.0 - TOLERANCE {
        true => format!(
            "MAP_SYNC makes {} take {:.2} times as long",
            human_bytes(size.unsigned_abs()),
            times.center
        ),
        false => "MAP_SYNC costs nothing once its pages are there".to_owned(),
    };
    Some(Conclusion::on("map_sync").sure(times.level).say(text))
}

/// How much of msync's cost is the next store's page fault.
fn faults(table: &ExperimentTable) -> Vec<Finding> {
    let priced = |place: &str| {
        let size = FENCED_SIZE;
        let point = find(table, ["msync", place, "per_block"], size)?;
        let (whole, store) = (point.primary()?, point.summary(WRITE)?);
        let plain = find(table, ["store", place, "per_block"], size)?.primary()?;
        let text = format!(
            "Writing {} and msync ({place}) takes {}; {} of that are the store, which faults \
             because msync has protected its page ({} where it has not)",
            human_bytes(size.unsigned_abs()),
            span(whole.median.center),
            span(store.median.center),
            span(plain.median.center)
        );
        let key = format!("fault_{place}");
        Some(
            Conclusion::on(&key)
                .estimate(Unit::Nanoseconds, store.median)
                .say(text),
        )
    };
    ["dax", "file"].into_iter().filter_map(priced).collect()
}

pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "A plain store costs at most as much as any way that brings it to memory",
        check: store_is_cheapest,
    },
    Claim {
        text: "clflushopt, whose lines overtake each other, takes at most as long as clflush from \
               256 B on",
        check: ordered_is_slower,
    },
];

/// The pair with the least ratio, and whether even that holds.
fn least<'a>(
    pairs: impl Iterator<Item = (&'a PointView, &'a PointView)>,
) -> Option<(bool, String)> {
    let ratios = pairs.filter_map(|(cheap, costly)| Some((costly, ratio(cheap, costly)?)));
    let (costly, times) = ratios.min_by(|a, b| a.1.center.total_cmp(&b.1.center))?;
    let evidence = format!(
        "least: {} takes {:.2} times as long ({:.2} to {:.2})",
        costly.head.label(),
        times.center,
        times.low,
        times.high
    );
    Some((times.high >= 1.0 - TOLERANCE, evidence))
}

fn store_is_cheapest(table: &ExperimentTable) -> Option<(bool, String)> {
    // Non-temporal stores are spared the reading of the line, so a block larger
    // than the caches may be cheaper by them.
    let flushing = at(table, "anonymous").into_iter();
    let flushing = flushing.filter(|p| !matches!(p.word("method"), "store" | "ntstore"));
    least(flushing.filter_map(|p| {
        let store = find(table, ["store", "anonymous", "per_block"], p.int("size")?)?;
        Some((store, p))
    }))
}

fn ordered_is_slower(table: &ExperimentTable) -> Option<(bool, String)> {
    let all = at(table, "anonymous").into_iter();
    let ordered = all.filter(|p| p.word("method") == "clflush" && p.int("size") >= Some(256));
    least(ordered.filter_map(|p| {
        let free = find(
            table,
            ["clflushopt", "anonymous", "per_block"],
            p.int("size")?,
        )?;
        Some((free, p))
    }))
}

#[cfg(test)]
mod tests;
