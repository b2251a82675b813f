//! What the bandwidths say: the best method by size, where non-temporal stores
//! begin to pay, what all CPUs together reach.

use super::points::{by_one, of_data, size, sizes};
use super::{OPERATIONS, zeros};
use analysis::compared::{PRACTICAL_SHARE, bandwidth, curve, ratio};
use analysis::conclusion::Conclusion;
use analysis::sentence::{estimated, list};
use analysis::{ExperimentTable, PointView};
use record::axis::human_bytes;
use record::{Finding, MachineCard, Unit, Verdict};
use stats::{Crossover, CurvePoint, Interval};
use std::collections::BTreeMap;

/// Findings of `mem/bandwidth`: best method by size, bandwidth of the largest set, non-
/// temporal stores, scaling over CPUs, pages of zeros.
pub fn findings(table: &ExperimentTable, _: &MachineCard) -> Vec<Finding> {
    let mut all = Vec::new();
    for operation in OPERATIONS {
        all.extend(best_method(table, operation));
        all.extend(largest_set(table, operation));
        all.extend(non_temporal(table, operation));
    }
    all.extend(scaling(table));
    all.extend(zeros::gain(table));
    all
}

/// The fastest method at one size, and those not separated from it.
pub struct Winner<'a> {
    size: i64,
    pub fastest: &'a PointView,
    methods: Vec<&'a str>,
}

/// The fastest method of one CPU at `at` bytes; `None` where that size was not
/// measured.
pub fn winner<'a>(table: &'a ExperimentTable, operation: &'a str, at: i64) -> Option<Winner<'a>> {
    let there = by_one(table, operation).filter(|p| size(p) == at);
    fastest_of(at, there.collect())
}

/// At each size, smallest first.
pub fn winners<'a>(table: &'a ExperimentTable, operation: &'a str) -> Vec<Winner<'a>> {
    let mut by_size: BTreeMap<i64, Vec<&PointView>> = BTreeMap::new();
    for point in by_one(table, operation) {
        by_size.entry(size(point)).or_default().push(point);
    }
    let by_size = by_size.into_iter();
    by_size
        .filter_map(|(at, there)| fastest_of(at, there))
        .collect()
}

fn fastest_of(at: i64, mut there: Vec<&PointView>) -> Option<Winner<'_>> {
    let ns = |p: &PointView| p.median_ns().unwrap_or(0.0);
    there.sort_by(|a, b| ns(a).total_cmp(&ns(b)));
    let fastest = *there.first()?;
    let not_slower = there.iter().filter(|p| !is_slower(fastest, p));
    Some(Winner {
        size: at,
        fastest,
        methods: not_slower.map(|p| p.word("method")).collect(),
    })
}

/// Whether `other` takes longer beyond its interval and beyond what matters.
fn is_slower(fastest: &PointView, other: &PointView) -> bool {
    ratio(fastest, other).is_some_and(|r| r.low > 1.0 && r.center > 1.0 + PRACTICAL_SHARE)
}

/// One sentence for each operation; neighbouring sizes with the same winners
/// are given as a range.
fn best_method(table: &ExperimentTable, operation: &str) -> Option<Finding> {
    let winners = winners(table, operation);
    let levels = winners
        .iter()
        .filter_map(|w| Some(w.fastest.primary()?.median.level));
    let level = levels.reduce(f64::min)?;
    let alike = winners.chunk_by(|a, b| a.methods == b.methods);
    let parts = list(alike.filter_map(tell), "; ");
    let text = format!("Fastest to {operation} with one CPU: {parts}");
    let key = format!("best_{operation}_method");
    Some(Conclusion::on(&key).sure(level).say(text))
}

/// `16 KiB to 1 MiB movsb or libc (149 GB/s down to 20.1)`.
fn tell(same: &[Winner]) -> Option<String> {
    let (first, last) = (same.first()?, same.last()?);
    let rate = |w: &Winner| three_digits(w.fastest.bandwidth_gb_per_s().unwrap_or(0.0));
    let at = |w: &Winner| human_bytes(w.size.unsigned_abs());
    let who = first.methods.join(" or ");
    let (from, rates) = (at(first), rate(first));
    Some(match first.size == last.size {
        true => format!("{from} {who} ({rates} GB/s)"),
        false => format!(
            "{from} to {} {who} ({rates} to {} GB/s)",
            at(last),
            rate(last)
        ),
    })
}

/// The number with three significant digits, or all its integer digits from 1000 on.
pub fn three_digits(value: f64) -> String {
    let places = match value {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:.places$}")
}

/// The rate of the best method at the largest working set.
fn largest_set(table: &ExperimentTable, operation: &str) -> Option<Finding> {
    let at = *sizes(table, operation).last()?;
    let best = winner(table, operation, at)?.fastest;
    let rate = bandwidth(best)?;
    let text = format!(
        "One CPU can {operation} {} at {} GB/s ({} to {}), by {}",
        human_bytes(at.unsigned_abs()),
        three_digits(rate.center),
        three_digits(rate.low),
        three_digits(rate.high),
        best.word("method")
    );
    let key = format!("largest_set_{operation}_bandwidth");
    Some(estimated(key, Unit::GigabytesPerSecond, rate, text))
}

/// Where stores around the caches become cheaper than the best way through
/// them.
fn non_temporal(table: &ExperimentTable, operation: &str) -> Option<Finding> {
    let streaming = by_one(table, operation).filter(|p| p.word("method") == "nt");
    let streaming = curve(streaming, "size", 0);
    let through = cheapest(by_one(table, operation).filter(|p| p.word("method") != "nt"));
    let found = stats::crossover(&through, &streaming).ok()?;
    let key = format!("non_temporal_{operation}_pays_from");
    let largest = human_bytes(stats::whole(
        streaming.iter().map(|p| p.x).fold(0.0, f64::max),
    ));
    let stores = format!("To {operation}, non-temporal stores");
    let (verdict, text) = match found {
        Crossover::BFrom { at, .. } => {
            let [center, low, high] =
                [at.center, at.low, at.high].map(|x| human_bytes(stats::whole(x)));
            let text = format!("{stores} pay from {center} on ({low} to {high})");
            let pays = Conclusion::on(key).estimate(Unit::Bytes, at);
            return Some(pays.break_even().say(text));
        }
        Crossover::AlwaysA if cheaper_at_the_end(&streaming, &through) => (
            Verdict::Undecided,
            format!("{stores} are faster at {largest} by less than the noise: no difference shown"),
        ),
        Crossover::AlwaysA => (
            Verdict::Stated,
            format!("{stores} do not pay at any size up to {largest}"),
        ),
        Crossover::AlwaysB => (
            Verdict::Stated,
            format!("{stores} pay at every size measured"),
        ),
        Crossover::Unclear => (
            Verdict::Undecided,
            format!(
                "The size from which non-temporal stores pay to {operation} is unknown: the \
                 curves cross more than once or are too close"
            ),
        ),
    };
    Some(Conclusion::on(&key).sure(0.95).verdict(verdict).say(text))
}

/// Whether `a` has the lower median at the largest x.
fn cheaper_at_the_end(a: &[CurvePoint], b: &[CurvePoint]) -> bool {
    let last = |curve: &[CurvePoint]| {
        let end = curve.iter().max_by(|p, q| p.x.total_cmp(&q.x));
        end.map(|p| p.y.center)
    };
    last(a) < last(b)
}

/// At each size the point of the fastest method, as one curve.
fn cheapest<'a>(points: impl Iterator<Item = &'a PointView>) -> Vec<CurvePoint> {
    let mut all = curve(points, "size", 0);
    all.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.center.total_cmp(&b.y.center)));
    all.dedup_by(|next, kept| next.x == kept.x);
    all
}

/// Copies of data by the C library on so many CPUs; of points of one size the first.
fn copied_by(table: &ExperimentTable, cores: i64) -> BTreeMap<i64, &PointView> {
    let copies = [("operation", "copy"), ("method", "libc")];
    let is = |p: &&PointView| p.has(&copies) && p.int("cores") == Some(cores) && of_data(p);
    let points = table.points.iter().rev().filter(is);
    points.map(|p| (size(p), p)).collect()
}

/// What all CPUs copy against one, by the C library, at each size.
fn scaling(table: &ExperimentTable) -> Option<Finding> {
    let most = table.points.iter().filter_map(|p| p.int("cores")).max()?;
    if most < 2 {
        return None;
    }
    let mut by_size = Vec::new();
    let mut last = None;
    let (one, all) = (copied_by(table, 1), copied_by(table, most));
    for at in sizes(table, "copy") {
        let both = one.get(&at).zip(all.get(&at));
        let Some(times) = both.and_then(|(one, all)| ratio(all, one)) else {
            continue;
        };
        // The same bytes per CPU: twice the CPUs in the same time is a factor
        // of two.
        let factor = most as f64;
        let times = Interval {
            center: factor * times.center,
            low: factor * times.low,
            high: factor * times.high,
            ..times
        };
        let at = human_bytes(at.unsigned_abs());
        by_size.push(format!("{:.2}x at {at}", times.center));
        last = Some(times);
    }
    let by_size = by_size.join(", ");
    let text = format!("Copy bandwidth of {most} CPUs over 1 (libc): {by_size}");
    Some(estimated("all_core_scaling", Unit::Ratio, last?, text))
}

#[cfg(test)]
pub mod tests;
