//! How far the probe is to be trusted, and what each kind of copy evicts.

use super::{
    ALONE_ALL, CONTROL_ERROR, EVICTED_ALL, EVICTED_NEAR, FRESH, KNOWN, NEAR_ERROR, NOTHING, REUSED,
};
use analysis::claims::{Quoted, all};
use analysis::conclusion::Conclusion;
use analysis::sentence::{between, list};
use analysis::{ExperimentTable, PointView, Summary};
use catalogue::Claim;
use record::{Finding, Setting, Unit, Verdict};
use std::collections::BTreeMap;

/// A probe that errs more often says little.
const GOOD: f64 = 0.01;
/// With fewer turns that count a median may be chance.
const FEWEST: u32 = 6;
/// Shares that differ by less are the same.
const ALIKE: f64 = 0.05;

/// Claims of `pollute/probe`: controls of known share, and copies that must evict
/// nothing.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "A flush of known share is measured as that share, to 0.05",
        check: |table| {
            let known = table.select(&[("method", KNOWN)]);
            all(known
                .filter_map(|p| Some(gone(p)?.within(ALIKE, share(p)?)))
                .flatten())
        },
    },
    Claim {
        text: "Copies in place that fit in the cache evict nothing, to 0.05",
        check: |table| {
            let fits = |p: &&PointView| {
                let sizes = p.int("block").zip(p.int("set"));
                p.word("method") != KNOWN && sizes.is_some_and(|(b, s)| b < s / 4)
            };
            let copies = table.select(&[("buffer", "in_place")]).filter(fits);
            all(copies
                .filter_map(gone)
                .map(|gone| gone.at_most(Quoted::limit(ALIKE, ""))))
        },
    },
];

/// What is gone from all caches, where turns enough count.
fn evicted(point: &PointView) -> Option<&Summary> {
    let counted = |s: &&Summary| s.samples >= FEWEST;
    point.summary(EVICTED_ALL).filter(counted)
}

/// The same with its interval.
fn gone(point: &PointView) -> Option<Quoted> {
    let share = Quoted::estimate(setting(point), evicted(point)?.median, "");
    Some(share.measured_at(point))
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
    format!(
        "{} of {} by {} ({}, {})",
        point.bytes("copied"),
        point.bytes("block"),
        point.word("method"),
        point.word("buffer").replace('_', " "),
        point.word("placement").replace('_', " ")
    )
}

/// Errors of the controls, samples lost to neighbours, and the share evicted by the
/// largest copies.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let all = [trust(table), disturbed(table), learned(table)];
    let evicted = largest(table).filter_map(evicts);
    all.into_iter().flatten().chain(evicted).collect()
}

/// The worst control of all points, and what nothing evicts.
fn trust(table: &ExperimentTable) -> Option<Finding> {
    let largest = |metric| {
        let all = table.points.iter();
        let medians = all.filter_map(|p| Some(p.summary(metric)?.median.center));
        medians.reduce(f64::max)
    };
    let worst = largest(CONTROL_ERROR)?;
    let nothing = table.select(&[("method", NOTHING)]).filter_map(median);
    let mut control = match nothing.reduce(f64::max) {
        Some(share) => format!("; without copies {share:.3} of a set is evicted"),
        None => String::new(),
    };
    if let Some(off) = largest(NEAR_ERROR) {
        control += &format!("; what left the near caches is known to {off:.3}");
    }
    let text = format!(
        "The probe misclassifies at most {:.2} % of known hits and misses, in the median turn of \
         its controls{control}",
        worst * 100.0
    );
    let limit = "largest error of a probe to be trusted";
    let control = Conclusion::on("control")
        .unit(Unit::Ratio)
        .bare_value(worst);
    Some(control.reference(GOOD, limit, worst < GOOD).say(text))
}

/// Points without a verdict: in too few turns did the copying alone evict.
fn disturbed(table: &ExperimentTable) -> Option<Finding> {
    let silent = table.points.iter().filter_map(|p| {
        let alone = p.summary(ALONE_ALL)?;
        let counted = p.summary(EVICTED_ALL).map_or(0, |s| s.samples);
        (counted < FEWEST && counted < alone.samples).then_some(alone.median.center)
    });
    let alone: Vec<f64> = silent.collect();
    let worst = alone.iter().copied().reduce(f64::max)?;
    let text = format!(
        "No verdict for {} of {} points: neighbours evicted lines in all but at most {} of their \
         turns, up to {worst:.2} of a set while nothing was copied. At another time, or with more \
         --processes, neighbours may be quiet",
        alone.len(),
        table.points.len(),
        FEWEST - 1
    );
    let disturbed = Conclusion::on("disturbed").unit(Unit::Ratio);
    let silent = disturbed.bare_value(worst).verdict(Verdict::Undecided);
    Some(silent.say(text))
}

/// The points than which no other of the same settings copies more.
fn largest(table: &ExperimentTable) -> impl Iterator<Item = &PointView> {
    let mut most: BTreeMap<Vec<&Setting>, Option<i64>> = BTreeMap::new();
    for point in table.points.iter().filter(|p| median(p).is_some()) {
        let known = most.entry(point.all_but(&["copied"])).or_default();
        *known = (*known).max(point.int("copied"));
    }
    table.points.iter().filter(move |point| {
        let copies = ![NOTHING, KNOWN].contains(&point.word("method"));
        let most = most.get(&point.all_but(&["copied"])).copied().flatten();
        copies && point.int("copied") == most
    })
}

fn evicts(point: &PointView) -> Option<Finding> {
    let s = evicted(point)?;
    let key = list(point.head.settings.iter().map(|s| &s.value), "_");
    let share = |s: &Summary| format!("{:.2} ({})", s.median.center, between(&s.median, 2));
    let near = point.summary(EVICTED_NEAR);
    let near = near.map(|d| match d.samples >= FEWEST {
        true => format!("; {} from the near ones", share(d)),
        false => "; neighbours hide how much of the near ones".to_owned(),
    });
    let text = format!(
        "{} evict {} of a {} set of {} from all caches{}",
        setting(point),
        share(s),
        point.word("history"),
        point.bytes("set"),
        near.unwrap_or_default()
    );
    Some(of_set(key, s).say(text))
}

/// The share of a set that was evicted.
fn of_set(key: String, s: &Summary) -> Conclusion {
    Conclusion::on(key).redrawn_value(Unit::Ratio, s.median.level, s.median)
}

/// Where the caches keep most of a set because it came back to them.
fn learned(table: &ExperimentTable) -> Option<Finding> {
    // Of points that differ in nothing the first.
    let fresh = table.points.iter().rev();
    let fresh = fresh.filter(|p| p.word("history") == FRESH);
    let fresh: BTreeMap<Vec<&Setting>, &PointView> =
        fresh.map(|p| (p.all_but(&["history"]), p)).collect();
    let fresh = |reused: &PointView| fresh.get(&reused.all_but(&["history"])).copied();
    let reused = table.select(&[("history", REUSED)]);
    let both = reused.filter_map(|r| Some((r, evicted(fresh(r)?)?, evicted(r)?)));
    let sure = both.filter(|(_, new, back)| new.median.low > back.median.high + ALIKE);
    let kept =
        |(_, new, back): &(&PointView, &Summary, &Summary)| new.median.center - back.median.center;
    let (point, new, back) = sure.max_by(|a, b| kept(a).total_cmp(&kept(b)))?;
    let text = format!(
        "The caches keep what is reused: {} evict {:.2} of a new set, and {:.2} of one that was \
         reloaded turn after turn",
        setting(point),
        new.median.center,
        back.median.center
    );
    Some(of_set("learned".to_owned(), back).say(text))
}
