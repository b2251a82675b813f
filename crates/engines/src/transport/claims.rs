//! Claims of the transports' theories, checked against a table: each holds only where every
//! pair of points that it is about holds.

use crate::placement::near_measured;
use analysis::claims::{Outcome, Pair, Quoted, all, is_contaminated, one};
use analysis::{ExperimentTable, PointView, Summary};
use catalogue::Claim;
use record::Setting;
use record::axis::human_bytes;
use stats::interval::NOMINAL_LEVEL;
use stats::tail::fewest_for_upper_end;

const PAGE_BYTES: i64 = 4 << 10;
/// Counts of a whole point: a batch may cut a message's calls off at its ends.
const ENDS_SHARE: f64 = 0.05;

/// Up to a page the call outweighs the bytes.
pub const FLAT: Claim = Claim {
    text: "Between two threads on two CPUs a message of one page takes at most twice as long as \
           the smallest",
    check: flat_to_a_page,
};
/// A sleeping partner costs a wake-up.
pub const WAKING: Claim = Claim {
    text: "A round trip takes longer with a sleeping partner than with one that polls",
    check: |table| waking(table, 1.0),
};
/// A partner that polls needs no call.
pub const NO_CALLS_AWAKE: Claim = Claim {
    text: "A round trip with a partner that polls needs no system call",
    check: no_calls_awake,
};
/// One message at a time makes each side sleep.
pub const EACH_SLEEPS: Claim = Claim {
    text: "Every streamed message blocks one side: the slot holds only one",
    check: |table| sleeps(table, 1.0, |_| true),
};
/// A message is one call for each side.
pub const ONE_CALL: Claim = Claim {
    text: "A streamed message takes one call of the sender and one of the receiver",
    check: |table| one_call(table, i64::MAX),
};

/// Measured points between two tasks.
fn of(table: &ExperimentTable, stream: bool) -> impl Iterator<Item = &PointView> {
    let wanted = move |p: &&PointView| {
        (p.word("pattern") == "stream") == stream
            && p.word("mode") != "1thread"
            && ns(p).is_some_and(|ns| ns > 0.0)
    };
    table.points.iter().filter(wanted)
}

/// Streams between two threads on the representative pair of CPUs, smallest
/// message first: the points of the toll map.
fn row(table: &ExperimentTable) -> Vec<&PointView> {
    let near = near_measured(table).unwrap_or_default();
    let here = |p: &&PointView| {
        (p.word("mode"), p.word("placement")) == ("2threads", near)
            && p.int("buffer") == Some(0)
            && p.int("total").unwrap_or(0) == 0
    };
    let mut found: Vec<&PointView> = of(table, true).filter(here).collect();
    found.sort_by_key(|p| size(p));
    found
}

fn ns(point: &PointView) -> Option<f64> {
    point.median_ns()
}

fn size(point: &PointView) -> i64 {
    point.int("size").unwrap_or(0)
}

/// A count for one operation.
fn count(
    table: &ExperimentTable,
    point: &PointView,
    name: &str,
    unit: &'static str,
) -> Option<Quoted> {
    Quoted::count(point, metric(table, name)?, unit)
}

/// The number of a metric in the table, by its name.
pub(super) fn metric(table: &ExperimentTable, name: &str) -> Option<u16> {
    let at = table.head.metrics.iter().position(|m| m.name == name)?;
    u16::try_from(at).ok()
}

/// Whether two points differ in one axis only.
pub fn alike_but(axis: &str, a: &PointView, b: &PointView) -> bool {
    let but = |s: &&Setting| s.axis != axis;
    let (of_a, of_b) = (a.head.settings.iter(), b.head.settings.iter());
    a.head.value(axis) != b.head.value(axis) && of_a.filter(but).eq(of_b.filter(but))
}

/// Each point of `to` behind its fellow of `from` that differs by `axis`.
pub fn fellows<'a>(
    axis: &str,
    from: &[&'a PointView],
    to: &[&'a PointView],
) -> Vec<(&'a PointView, &'a PointView)> {
    let fellow = |b: &&'a PointView| Some((*from.iter().find(|a| alike_but(axis, a, b))?, *b));
    to.iter().filter_map(fellow).collect()
}

/// The second of each pair takes more than `least` times as long as the first.
pub fn slower(pairs: Vec<(&PointView, &PointView)>, least: f64) -> Option<Outcome> {
    let pair = |(a, b)| Some(Quoted::latency(b)?.above(Quoted::latency(a)?).times(least));
    all(pairs.into_iter().filter_map(pair))
}

fn flat_to_a_page(table: &ExperimentTable) -> Option<Outcome> {
    let row = row(table);
    let smallest = *row.first().filter(|p| size(p) < PAGE_BYTES)?;
    let page = *row.iter().find(|p| size(p) == PAGE_BYTES)?;
    let (smallest, page) = (Quoted::latency(smallest)?, Quoted::latency(page)?);
    one(page.at_most(smallest).times(2.0))
}

/// A round trip with a sleeping partner takes more than `least` times that with
/// one that is awake.
pub fn waking(table: &ExperimentTable, least: f64) -> Option<Outcome> {
    let with = |partner: &str| -> Vec<&PointView> {
        let trips = of(table, false);
        trips.filter(|p| p.word("partner") == partner).collect()
    };
    slower(fellows("partner", &with("awake"), &with("idle")), least)
}

/// What both sides of these points call is below `most`, each by itself.
fn calls_stay_below<'a>(
    table: &ExperimentTable,
    points: impl Iterator<Item = &'a PointView>,
    most: f64,
) -> Option<Outcome> {
    const SIDES: [(&str, &str); 2] = [
        ("sender_calls", "calls of the sender"),
        ("receiver_calls", "calls of the receiver"),
    ];
    let pairs = points.flat_map(|p| {
        let below = |(name, unit)| -> Option<Pair> {
            Some(count(table, p, name, unit)?.below(Quoted::limit(most, "")))
        };
        SIDES.into_iter().filter_map(below)
    });
    all(pairs)
}

fn no_calls_awake(table: &ExperimentTable) -> Option<Outcome> {
    let awake = of(table, false).filter(|p| p.word("partner") == "awake");
    calls_stay_below(table, awake, ENDS_SHARE)
}

/// Streams of `wanted` points sleep at least `fewest` times a message.
pub fn sleeps(
    table: &ExperimentTable,
    fewest: f64,
    wanted: impl Fn(&PointView) -> bool,
) -> Option<Outcome> {
    let streams = of(table, true).filter(|p| wanted(p));
    let enough = Quoted::limit(fewest * (1.0 - ENDS_SHARE), "");
    let sleeps = streams.filter_map(|p| count(table, p, "voluntary_switches", "sleeps"));
    all(sleeps.map(|sleeps| sleeps.at_least(enough.clone())))
}

/// Streams of messages larger than what `capacity` finds in the notes sleep.
pub fn sleeps_beyond(
    table: &ExperimentTable,
    capacity: fn(&PointView) -> Option<u64>,
) -> Option<Outcome> {
    let larger = |p: &PointView| capacity(p).is_some_and(|c| size(p).unsigned_abs() > c);
    sleeps(table, 1.0, larger)
}

/// On one CPU a stream of the largest messages sleeps more often than one of the
/// smallest.
pub fn large_ones_sleep_more(table: &ExperimentTable) -> Option<Outcome> {
    let here: Vec<&PointView> = of(table, true)
        .filter(|p| p.word("placement") == "same_cpu")
        .collect();
    let largest = here.iter().map(|p| size(p)).max()?;
    let smallest = here.iter().map(|p| size(p)).min()?;
    let of_size = |wanted: i64| -> Vec<&PointView> {
        let all = here.iter().filter(|p| size(p) == wanted);
        all.copied().collect()
    };
    let sleeps = |p| count(table, p, "voluntary_switches", "sleeps");
    let pairs = fellows("size", &of_size(smallest), &of_size(largest));
    all(pairs
        .into_iter()
        .filter_map(|(small, large)| Some(sleeps(large)?.above(sleeps(small)?))))
}

/// Streams of messages up to `largest` bytes make one call on each side.
pub fn one_call(table: &ExperimentTable, largest: i64) -> Option<Outcome> {
    let streams = of(table, true).filter(|p| size(p) <= largest);
    calls_stay_below(table, streams, 1.0 + 2.0 * ENDS_SHARE)
}

/// One side makes at least `fewest` calls in each stream or round trip.
pub fn calls(table: &ExperimentTable, stream: bool, name: &str, fewest: f64) -> Option<Outcome> {
    let enough = Quoted::limit(fewest * (1.0 - ENDS_SHARE), "");
    let calls = of(table, stream).filter_map(|p| count(table, p, name, "calls"));
    all(calls.map(|calls| calls.at_least(enough.clone())))
}

/// The round trip of the smallest message, to an awake partner on the representative
/// CPU, takes less than `most_ns`.
pub fn small_trip_awake(table: &ExperimentTable, most_ns: f64) -> Option<Outcome> {
    let place = near_measured(table)?;
    let near = |p: &&PointView| {
        (p.word("partner"), p.word("placement")) == ("awake", place) && size(p) <= 64
    };
    let trips = of(table, false).filter(near).filter_map(Quoted::latency);
    all(trips.map(|trip| trip.below(Quoted::limit(most_ns, "ns"))))
}

/// Samples of which a tenth over a limit is no chance, if a hundredth is.
const FEWEST_FOR_A_TENTH: f64 = 20.0;

/// 99 of 100 round trips take less than `most_ns`: of as many as that takes none takes longer.
/// Broken where one in ten does at some point.
pub fn no_trip_takes(table: &ExperimentTable, most_ns: f64) -> Option<Outcome> {
    let trips: Vec<(&Summary, &PointView)> = of(table, false)
        .filter_map(|p| Some((p.primary()?, p)))
        .collect();
    let (longest, point) = trips.iter().max_by(|a, b| a.0.max.total_cmp(&b.0.max))?;
    let at = |p: &PointView| p.head.in_words();
    let late = trips.iter().find(|(trip, p)| {
        let tenth = trip.p90.is_some_and(|p90| p90 >= most_ns);
        tenth && trip.effective >= FEWEST_FOR_A_TENTH && !is_contaminated(p)
    });
    if let Some((_, point)) = late {
        let text = format!(
            "1 of 10 takes {:.0} ms or more at {}",
            most_ns / 1e6,
            at(point)
        );
        return Some(Outcome::exactly(false, text));
    }
    let seen: f64 = trips.iter().map(|(trip, _)| trip.effective).sum();
    let needed = fewest_for_upper_end(0.99, NOMINAL_LEVEL);
    let longest = longest.max;
    let text = format!(
        "the longest of {seen:.0} took {:.1} ms, at {}",
        longest / 1e6,
        at(point)
    );
    Some(if longest >= most_ns {
        Outcome::unclear(format!("{text}; how many do is not known"))
    } else if seen >= needed as f64 {
        Outcome::exactly(true, text)
    } else {
        Outcome::unclear(format!("{text}; {needed} are needed to know 99 of 100"))
    })
}

/// Bandwidth of the first message beyond what `buffer` finds in the notes is at
/// least half of that of the last one below.
pub fn no_cliff(table: &ExperimentTable, buffer: fn(&PointView) -> Option<u64>) -> Option<Outcome> {
    let row = row(table);
    let limit = row.iter().find_map(|p| buffer(p))?;
    let beyond = |p: &&&PointView| size(p).unsigned_abs() > limit;
    let below = *row.iter().rev().find(|p| !beyond(p))?;
    let above = *row.iter().find(beyond)?;
    let rate = |p: &PointView| {
        let bytes = size(p) as f64;
        let rate = Quoted::latency(p)?.named(human_bytes(size(p).unsigned_abs()));
        Some(rate.map("GB/s", |ns| bytes / ns))
    };
    // Half of that before is at most that behind.
    one(rate(below)?.at_most(rate(above)?).times(2.0))
}

/// Streams of messages from 64 KiB on take longer with a buffer of `bytes` than
/// with the default.
pub fn small_buffer_costs(table: &ExperimentTable, bytes: i64) -> Option<Outcome> {
    let with = |buffer: i64| -> Vec<&PointView> {
        let large = of(table, true).filter(|p| size(p) >= 64 << 10);
        large.filter(|p| p.int("buffer") == Some(buffer)).collect()
    };
    slower(fellows("buffer", &with(0), &with(bytes)), 1.0)
}

/// A byte of the largest message costs more than a byte of one of a page.
pub fn largest_byte_costs_more(table: &ExperimentTable) -> Option<Outcome> {
    let per_byte = |p: &PointView| {
        let bytes = size(p) as f64;
        let time = Quoted::latency(p)?.named(human_bytes(size(p).unsigned_abs()));
        Some(time.map("ns per byte", |ns| ns / bytes))
    };
    let measured = || table.points.iter().filter(|p| ns(p).is_some());
    let page = measured().find(|p| size(p) == PAGE_BYTES)?;
    let largest = measured().filter(|p| size(p) >= 16 << 20);
    let largest = largest.max_by_key(|p| size(p))?;
    one(per_byte(largest)?.above(per_byte(page)?))
}

#[cfg(test)]
mod tests;
