//! How far the probe is to be trusted, and what each kind of copy evicts.

use super::{
    ALONE_ALL, CONTROL_ERROR, EVICTED_ALL, EVICTED_NEAR, FRESH, KNOWN, NEAR_ERROR, NOTHING, REUSED,
};
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView, Summary};
use catalogue::Claim;
use record::axis::human_bytes;
use record::{Finding, Unit, Verdict};
use std::collections::BTreeMap;

/// A probe that errs more often says little.
const GOOD: f64 = 0.01;
/// Fewer turns that count do not tell a median from chance.
const FEWEST: u32 = 6;
/// Shares that differ by less are the same.
const ALIKE: f64 = 0.05;

pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "A flush of known share is seen as that share, to 0.05",
        check: |table| {
            let known = of(table, KNOWN).filter_map(|p| Some((share(p)?, median(p)?)));
            let off = |(share, seen): (f64, f64)| (seen - share).abs();
            let worst = known.max_by(|a, b| off(*a).total_cmp(&off(*b)))?;
            let counted = format!("{:.2} flushed, {:.2} seen", worst.0, worst.1);
            Some((off(worst) <= ALIKE, counted))
        },
    },
    Claim {
        text: "Copies in place that fit the cache evict nothing, to 0.05",
        check: |table| {
            let here = |p: &&PointView| {
                p.word("buffer") == "in_place"
                    && p.word("method") != KNOWN
                    && p.int("block")
                        .zip(p.int("set"))
                        .is_some_and(|(b, s)| b < s / 4)
            };
            let all = table.points.iter().filter(here);
            let worst = all.filter_map(|p| Some((p, median(p)?)));
            let (point, worst) = worst.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some((worst <= ALIKE, format!("{}: {worst:.2}", setting(point))))
        },
    },
];

fn of<'a>(table: &'a ExperimentTable, method: &'a str) -> impl Iterator<Item = &'a PointView> {
    table
        .points
        .iter()
        .filter(move |p| p.word("method") == method)
}

/// What is gone from all caches, where turns enough count.
fn evicted(point: &PointView) -> Option<&Summary> {
    let counted = |s: &&Summary| s.samples >= FEWEST;
    point.summary(EVICTED_ALL).filter(counted)
}

fn median(point: &PointView) -> Option<f64> {
    Some(evicted(point)?.median.center)
}

/// Share of the set that a flush took.
fn share(point: &PointView) -> Option<f64> {
    let (copied, set) = (point.int("copied")?, point.int("set")?);
    Some((copied as f64 / set.max(1) as f64).min(1.0))
}

fn setting(point: &PointView) -> String {
    let bytes = |axis| human_bytes(point.int(axis).unwrap_or(0).unsigned_abs());
    format!(
        "{} of {} by {} ({}, {})",
        bytes("copied"),
        bytes("block"),
        point.word("method"),
        point.word("buffer").replace('_', " "),
        point.word("placement").replace('_', " ")
    )
}

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all: Vec<Finding> = trust(table).into_iter().collect();
    all.extend(disturbed(table));
    all.extend(learned(table));
    all.extend(largest(table).filter_map(evicts));
    all
}

/// The worst control of all points, and what nothing evicts.
fn trust(table: &ExperimentTable) -> Option<Finding> {
    let error = |p: &PointView| Some(p.summary(CONTROL_ERROR)?.median.center);
    let worst = table.points.iter().filter_map(error).fold(None, larger)?;
    let nothing = of(table, NOTHING).filter_map(median).fold(None, larger);
    let mut control = match nothing {
        Some(share) => format!("; after copying nothing {share:.3} of a set is gone"),
        None => String::new(),
    };
    let off = |p: &PointView| Some(p.summary(NEAR_ERROR)?.median.center);
    if let Some(off) = table.points.iter().filter_map(off).fold(None, larger) {
        control += &format!("; what left the near caches is known to {off:.3}");
    }
    let text = format!(
        "The probe takes at most {:.2} % of known hits and misses for the other kind, in the \
         middle turn of its controls{control}",
        worst * 100.0
    );
    let limit = "largest error of a probe to be trusted";
    let control = Conclusion::on("control")
        .unit(Unit::Ratio)
        .bare_value(worst);
    Some(control.reference(GOOD, limit, worst < GOOD).say(text))
}

/// Points of which nothing is said: in hardly a turn was it the copying alone that evicts.
fn disturbed(table: &ExperimentTable) -> Option<Finding> {
    let silent = table.points.iter().filter_map(|p| {
        let alone = p.summary(ALONE_ALL)?;
        let counted = p.summary(EVICTED_ALL).map_or(0, |s| s.samples);
        (counted < FEWEST && counted < alone.samples).then_some(alone.median.center)
    });
    let alone: Vec<f64> = silent.collect();
    let worst = alone.iter().copied().fold(None, larger)?;
    let text = format!(
        "Points of which nothing is said: {} of {}. Neighbours evicted beside all but {} of \
         their turns at most, up to {worst:.2} of a set while nothing was copied; at another \
         time, or with more --processes, they may leave it alone",
        alone.len(),
        table.points.len(),
        FEWEST - 1
    );
    let disturbed = Conclusion::on("disturbed").unit(Unit::Ratio);
    let silent = disturbed.bare_value(worst).verdict(Verdict::Undecided);
    Some(silent.say(text))
}

fn larger(sofar: Option<f64>, next: f64) -> Option<f64> {
    Some(sofar.map_or(next, |v| v.max(next)))
}

/// Settings that are equal but for one axis.
fn all_but(point: &PointView, axis: &str) -> Vec<String> {
    let settings = point.head.settings.iter().filter(|s| s.axis != axis);
    settings
        .map(|s| format!("{}={}", s.axis, s.value))
        .collect()
}

/// The points than which no other of the same settings copies more.
fn largest(table: &ExperimentTable) -> impl Iterator<Item = &PointView> {
    let mut most: BTreeMap<Vec<String>, Option<i64>> = BTreeMap::new();
    for point in table.points.iter().filter(|p| median(p).is_some()) {
        let known = most.entry(all_but(point, "copied")).or_default();
        *known = (*known).max(point.int("copied"));
    }
    table.points.iter().filter(move |point| {
        let copies = ![NOTHING, KNOWN].contains(&point.word("method"));
        let most = most.get(&all_but(point, "copied")).copied().flatten();
        copies && point.int("copied") == most
    })
}

fn evicts(point: &PointView) -> Option<Finding> {
    let s = evicted(point)?;
    let settings = point.head.settings.iter();
    let key: Vec<String> = settings.map(|s| s.value.to_string()).collect();
    let set = human_bytes(point.int("set")?.unsigned_abs());
    let near = point.summary(EVICTED_NEAR).map_or_else(String::new, |d| {
        format!(
            "; {:.2} ({:.2} to {:.2}) from the near ones",
            d.median.center, d.median.low, d.median.high
        )
    });
    Some(
        Conclusion::on(key.join("_"))
            .unit(Unit::Ratio)
            .redrawn(s.median.level)
            .value(s.median)
            .say(format!(
                "{} evict {:.2} ({:.2} to {:.2}) of a {} set of {set} from all caches{near}",
                setting(point),
                s.median.center,
                s.median.low,
                s.median.high,
                point.word("history")
            )),
    )
}

fn of_history<'a>(
    table: &'a ExperimentTable,
    history: &'a str,
) -> impl DoubleEndedIterator<Item = &'a PointView> {
    let points = table.points.iter();
    points.filter(move |p| p.word("history") == history)
}

/// Where the caches keep most of a set because it came back to them.
fn learned(table: &ExperimentTable) -> Option<Finding> {
    // Of points that differ in nothing the first.
    let fresh: BTreeMap<Vec<String>, &PointView> = of_history(table, FRESH)
        .rev()
        .map(|p| (all_but(p, "history"), p))
        .collect();
    let fresh = |reused: &PointView| fresh.get(&all_but(reused, "history")).copied();
    let both =
        of_history(table, REUSED).filter_map(|r| Some((r, evicted(fresh(r)?)?, evicted(r)?)));
    let sure = both.filter(|(_, new, back)| new.median.low > back.median.high + ALIKE);
    let kept =
        |(_, new, back): &(&PointView, &Summary, &Summary)| new.median.center - back.median.center;
    let (point, new, back) = sure.max_by(|a, b| kept(a).total_cmp(&kept(b)))?;
    Some(
        Conclusion::on("learned")
            .unit(Unit::Ratio)
            .redrawn(back.median.level)
            .value(back.median)
            .say(format!(
                "The caches keep what comes back: {} evict {:.2} of a set that is new, and {:.2} \
                 of one that came back turn after turn",
                setting(point),
                new.median.center,
                back.median.center
            )),
    )
}
