//! Claims of the transports' theories, checked against a table. Where several points
//! can decide, the one nearest to breaking the claim does.

use crate::placement::near_measured;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::Setting;
use record::axis::human_bytes;

/// Whether it held, and the figures that decided; None: not measured.
pub type Outcome = Option<(bool, String)>;

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
fn count(table: &ExperimentTable, point: &PointView, name: &str) -> Option<f64> {
    Some(point.summary(metric(table, name)?)?.median.center)
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

/// Each point of `to` with its fellow of `from` that differs by `axis`, and how
/// many times as long it takes.
pub fn times<'a>(
    axis: &str,
    from: &[&'a PointView],
    to: &[&'a PointView],
) -> Vec<(f64, &'a PointView, &'a PointView)> {
    let fellow = |b: &&'a PointView| {
        let a = from.iter().find(|a| alike_but(axis, a, b))?;
        Some((ns(b)? / ns(a)?, *a, *b))
    };
    to.iter().filter_map(fellow).collect()
}

/// The ratio of two points with both times, for the evidence of a claim.
pub fn compared((times, a, b): (f64, &PointView, &PointView)) -> String {
    let measured =
        |p: &PointView| format!("{:.1} ns at {}", ns(p).unwrap_or(f64::NAN), p.head.label());
    format!("{times:.2} times: {}, {}", measured(a), measured(b))
}

/// The least time against its fellow decides whether all exceed `least`.
pub fn slower(pairs: Vec<(f64, &PointView, &PointView)>, least: f64) -> Outcome {
    let worst = pairs.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((worst.0 > least, compared(worst)))
}

/// What is counted least, with its point.
fn least<'a>(
    table: &ExperimentTable,
    points: impl Iterator<Item = &'a PointView>,
    name: &str,
) -> Option<(f64, &'a PointView)> {
    let counted = points.filter_map(|p| Some((count(table, p, name)?, p)));
    counted.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// What both sides call most together, with its point.
fn most_calls<'a>(
    table: &ExperimentTable,
    points: impl Iterator<Item = &'a PointView>,
) -> Option<(f64, f64, &'a PointView)> {
    let calls = |p, name| count(table, p, name);
    points
        .filter_map(|p| Some((calls(p, "sender_calls")?, calls(p, "receiver_calls")?, p)))
        .max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)))
}

fn flat_to_a_page(table: &ExperimentTable) -> Outcome {
    let row = row(table);
    let smallest = *row.first().filter(|p| size(p) < PAGE_BYTES)?;
    let page = *row.iter().find(|p| size(p) == PAGE_BYTES)?;
    let ratio = ns(page)? / ns(smallest)?;
    Some((ratio <= 2.0, compared((ratio, smallest, page))))
}

/// A round trip with a sleeping partner takes more than `least` times that with
/// one that is awake.
pub fn waking(table: &ExperimentTable, least: f64) -> Outcome {
    let with = |partner: &str| -> Vec<&PointView> {
        let trips = of(table, false);
        trips.filter(|p| p.word("partner") == partner).collect()
    };
    slower(times("partner", &with("awake"), &with("idle")), least)
}

fn no_calls_awake(table: &ExperimentTable) -> Outcome {
    let awake = of(table, false).filter(|p| p.word("partner") == "awake");
    let (sender, receiver, point) = most_calls(table, awake)?;
    let calls = sender + receiver;
    let text = format!("at most {calls:.2} calls: {}", point.head.label());
    Some((calls < ENDS_SHARE, text))
}

/// Streams of `wanted` points sleep at least `fewest` times a message.
pub fn sleeps(
    table: &ExperimentTable,
    fewest: f64,
    wanted: impl Fn(&PointView) -> bool,
) -> Outcome {
    let streams = of(table, true).filter(|p| wanted(p));
    let (sleeps, point) = least(table, streams, "voluntary_switches")?;
    let text = format!("at least {sleeps:.2} sleeps: {}", point.head.label());
    Some((sleeps >= fewest * (1.0 - ENDS_SHARE), text))
}

/// Streams of messages larger than what `capacity` finds in the notes sleep.
pub fn sleeps_beyond(table: &ExperimentTable, capacity: fn(&PointView) -> Option<u64>) -> Outcome {
    let larger = |p: &PointView| capacity(p).is_some_and(|c| size(p).unsigned_abs() > c);
    sleeps(table, 1.0, larger)
}

/// On one CPU a stream of the largest messages sleeps more often than one of the
/// smallest.
pub fn large_ones_sleep_more(table: &ExperimentTable) -> Outcome {
    let sleeps = |p: &PointView| count(table, p, "voluntary_switches");
    let here: Vec<&PointView> = of(table, true)
        .filter(|p| p.word("placement") == "same_cpu")
        .collect();
    let largest = here.iter().map(|p| size(p)).max()?;
    let smallest = here.iter().map(|p| size(p)).min()?;
    let pair = |large: &&PointView| {
        let fellow = |p: &&&PointView| size(p) == smallest && alike_but("size", p, large);
        let small = sleeps(here.iter().find(fellow)?)?;
        Some((sleeps(large)?, small, large.head.label()))
    };
    let pairs = here.iter().filter(|p| size(p) == largest);
    let (large, small, label) = pairs
        .filter_map(pair)
        .min_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1)))?;
    let smallest = human_bytes(smallest.unsigned_abs());
    let text = format!("{large:.2} sleeps at {label}, {small:.2} with {smallest}");
    Some((large > small, text))
}

/// Streams of messages up to `largest` bytes make one call on each side.
pub fn one_call(table: &ExperimentTable, largest: i64) -> Outcome {
    let streams = of(table, true).filter(|p| size(p) <= largest);
    let (sender, receiver, point) = most_calls(table, streams)?;
    let label = point.head.label();
    let text = format!("at most {sender:.2} and {receiver:.2} calls: {label}");
    Some((sender.max(receiver) < 1.0 + 2.0 * ENDS_SHARE, text))
}

/// One side makes at least `fewest` calls in each stream or round trip.
pub fn calls(table: &ExperimentTable, stream: bool, name: &str, fewest: f64) -> Outcome {
    let (calls, point) = least(table, of(table, stream), name)?;
    let text = format!("at least {calls:.2} calls: {}", point.head.label());
    Some((calls >= fewest * (1.0 - ENDS_SHARE), text))
}

/// The round trip of the smallest message, to an awake partner on the representative
/// CPU, takes less than `most_ns`.
pub fn small_trip_awake(table: &ExperimentTable, most_ns: f64) -> Outcome {
    let place = near_measured(table)?;
    let near = |p: &&PointView| {
        (p.word("partner"), p.word("placement")) == ("awake", place) && size(p) <= 64
    };
    let time = |p: &PointView| ns(p).unwrap_or(f64::NAN);
    let slowest = of(table, false)
        .filter(near)
        .max_by(|a, b| time(a).total_cmp(&time(b)))?;
    let text = format!("{:.0} ns at {}", time(slowest), slowest.head.label());
    Some((time(slowest) < most_ns, text))
}

/// The 99th percentile of round trips is less than `most_ns`.
pub fn no_trip_takes(table: &ExperimentTable, most_ns: f64) -> Outcome {
    let tails = of(table, false).filter_map(|p| Some((p.primary()?.p99?, p)));
    let (tail, slowest) = tails.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let text = format!(
        "99 of 100 within {:.0} us at {}",
        tail / 1e3,
        slowest.head.label()
    );
    Some((tail < most_ns, text))
}

/// Bandwidth of the first message beyond what `buffer` finds in the notes is at
/// least half of that of the last one below.
pub fn no_cliff(table: &ExperimentTable, buffer: fn(&PointView) -> Option<u64>) -> Outcome {
    let row = row(table);
    let limit = row.iter().find_map(|p| buffer(p))?;
    let beyond = |p: &&&PointView| size(p).unsigned_abs() > limit;
    let below = *row.iter().rev().find(|p| !beyond(p))?;
    let above = *row.iter().find(beyond)?;
    let rate = |p: &PointView| Some(size(p) as f64 / ns(p)?);
    let (before, after) = (rate(below)?, rate(above)?);
    let text = format!(
        "{before:.2} GB/s with {}, {after:.2} GB/s with {}",
        human_bytes(size(below).unsigned_abs()),
        human_bytes(size(above).unsigned_abs())
    );
    Some((after >= before / 2.0, text))
}

/// Streams of messages from 64 KiB on take longer with a buffer of `bytes` than
/// with the default.
pub fn small_buffer_costs(table: &ExperimentTable, bytes: i64) -> Outcome {
    let with = |buffer: i64| -> Vec<&PointView> {
        let large = of(table, true).filter(|p| size(p) >= 64 << 10);
        large.filter(|p| p.int("buffer") == Some(buffer)).collect()
    };
    slower(times("buffer", &with(0), &with(bytes)), 1.0)
}

/// A byte of the largest message costs more than a byte of one of a page.
pub fn largest_byte_costs_more(table: &ExperimentTable) -> Outcome {
    let per_byte = |p: &PointView| Some(ns(p)? / size(p) as f64);
    let measured = || table.points.iter().filter(|p| ns(p).is_some());
    let page = measured().find(|p| size(p) == PAGE_BYTES)?;
    let largest = measured().filter(|p| size(p) >= 16 << 20);
    let largest = largest.max_by_key(|p| size(p))?;
    let (small, large) = (per_byte(page)?, per_byte(largest)?);
    let bytes = human_bytes(size(largest).unsigned_abs());
    let text = format!("{large:.4} ns per byte at {bytes}, {small:.4} ns per byte at 4 KiB");
    Some((large > small, text))
}

#[cfg(test)]
mod tests;
