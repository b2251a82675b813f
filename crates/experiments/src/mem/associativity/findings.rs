//! What lines that compete say of ways, capacities and latencies of the first two caches.

mod knees;

use crate::quantities::caches::{CAPACITIES, CONFLICT, LATENCIES, WAY_BYTES, WAYS};
use analysis::claims::{Outcome, Quoted, all};
use analysis::inference::Answer;
use analysis::staircase::Reading;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use engines::memory::card::level_name;
use knees::{Fits, Knee, Levels};
use record::MachineCard;
use stats::CurvePoint;

const SPREAD: u16 = super::EXPERIMENT.metric("spread");
const NET: u16 = super::EXPERIMENT.metric("net");

/// Two lines of one set may cost so much more than two of different sets.
const ALIKE: f64 = 1.25;

/// Claims of `mem/associativity`: two lines of one set fit.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "two lines of one set cost no more than two lines of different sets",
    check: two_lines_never_compete,
}];

/// What the methods of `mem/associativity` say.
pub fn answers(table: &ExperimentTable, _: &MachineCard) -> Vec<Answer> {
    let curves = curves(table);
    if curves.is_empty() {
        return Vec::new();
    }
    let levels = match Levels::of(&curves) {
        Ok(levels) => levels,
        Err(why) => return all_silent(&why),
    };
    let mut all = levels
        .times()
        .into_iter()
        .flat_map(time)
        .collect::<Vec<_>>();
    for level in 0..2 {
        all.extend(fits(level, &levels, &curves));
    }
    all
}

fn all_silent(why: &str) -> Vec<Answer> {
    let capacities = CAPACITIES[..2].iter().map(|q| q.key);
    let ways = WAYS.iter().map(|q| q.key);
    let keys = capacities.chain(ways);
    keys.map(|key| Answer::nothing(key, CONFLICT, why))
        .collect()
}

fn time((level, at): (usize, stats::Interval)) -> Option<Answer> {
    let key = LATENCIES.get(level)?.key;
    Some(Answer::between(key, CONFLICT, at.center, at.low, at.high))
}

/// The number that fits at each distance, and what follows from it.
fn fits(level: usize, levels: &Levels, curves: &[Curve]) -> Vec<Answer> {
    let knees: Vec<Knee> = curves
        .iter()
        .filter_map(|c| levels.knee(level, c))
        .collect();
    let (capacity, ways) = (CAPACITIES[level].key, WAYS[level].key);
    let fits = Fits::of(&knees);
    let mut all = vec![match fits.capacity_bytes() {
        Ok(bytes) => Answer::exactly(capacity, CONFLICT, bytes),
        Err(why) => Answer::nothing(capacity, CONFLICT, why),
    }];
    // Where the second cache has no more ways than the first, the riser is that of both.
    let least = match level {
        0 => 1,
        _ => levels.first_ways(curves).map_or(1, |ways| ways + 1),
    };
    match fits.ways() {
        Ok((count, way_bytes)) if count >= least => {
            all.push(Answer::exactly(ways, CONFLICT, f64::from(count)));
            all.push(Answer::exactly(WAY_BYTES[level], CONFLICT, way_bytes));
        }
        Ok(_) => {
            let why = format!("{} has no more ways than L1d", level_name(level + 1));
            all.push(Answer::nothing(ways, CONFLICT, why));
        }
        Err(why) => all.push(Answer::nothing(ways, CONFLICT, why)),
    }
    all
}

/// Time of a load among lines that compete, over their number, without translation.
struct Curve {
    points: Vec<CurvePoint>,
    stride_bytes: f64,
}

/// One curve for each distance, the smallest first; of huge pages where they were measured.
fn curves(table: &ExperimentTable) -> Vec<Curve> {
    let huge = table
        .select(&[("pages", "thp")])
        .any(|p| p.primary().is_some());
    let pages = if huge { "thp" } else { "base" };
    let mut strides: Vec<i64> = table
        .points
        .iter()
        .filter_map(|p| p.int("stride"))
        .collect();
    strides.sort_unstable();
    strides.dedup();
    let hit = hit_ns(table, pages);
    let curve = |stride: i64| {
        let mine = table.points.iter();
        let mine = mine.filter(|p| p.word("pages") == pages && p.int("stride") == Some(stride));
        let mut points: Vec<CurvePoint> =
            mine.filter_map(|p| without_translation(p, hit?)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Curve {
            points,
            stride_bytes: stride as f64,
        }
    };
    let curves = strides.into_iter().map(curve);
    curves.filter(|c| !c.points.is_empty()).collect()
}

/// What a hit in the first cache takes, ns: few lines that do not compete.
fn hit_ns(table: &ExperimentTable, pages: &str) -> Option<f64> {
    let few = table.points.iter();
    let few = few.filter(|p| p.word("pages") == pages && p.int("lines").is_some_and(|n| n <= 4));
    let times: Vec<f64> = few.filter_map(|p| Some(p.summary(SPREAD)?.p25)).collect();
    stats::median(&times).ok()
}

/// Competing less spread, on the level of the first cache: by their fastest quarters, for
/// whoever shares the caches only adds to either, or by the differences of samples taken one after
/// the other, which a clock that changes its speed does not move. What the set adds is in both, so
/// the smaller counts.
fn without_translation(point: &PointView, hit: f64) -> Option<CurvePoint> {
    let x = point.int("lines")? as f64;
    let conflict = Reading::Quarter.of(x, point.primary()?).y;
    let spread = Reading::Quarter.of(x, point.summary(SPREAD)?).y;
    let least = 0.1 * hit;
    let above = |[center, low, high]: [f64; 3]| {
        let [center, low, high] = [center, low, high].map(|added| (added + hit).max(least));
        CurvePoint::new(x, center, low, high)
    };
    let quarters = above([
        conflict.center - spread.center,
        conflict.low - spread.high,
        conflict.high - spread.low,
    ]);
    let paired = point.summary(NET).map(|net| Reading::Median.of(x, net).y);
    let paired = paired.map(|net| above([net.center, net.low, net.high]));
    let smaller = paired.filter(|paired| paired.y.center < quarters.y.center);
    Some(smaller.unwrap_or(quarters))
}

/// By the fastest quarters, which other work on the core does not move.
fn two_lines_never_compete(table: &ExperimentTable) -> Option<Outcome> {
    let hit = hit_ns(table, "thp").or_else(|| hit_ns(table, "base"))?;
    let alone = Quoted::limit(hit, "ns").named("lines of different sets");
    let curves = curves(table).into_iter();
    all(curves.filter_map(|curve| {
        let two = curve.points.into_iter().find(|p| p.x == 2.0)?;
        let name = format!("two lines, {:.0} B apart", curve.stride_bytes);
        let two = Quoted::estimate(name, two.y, "ns");
        Some(two.at_most(alone.clone()).allowing(ALIKE - 1.0))
    }))
}

#[cfg(test)]
mod tests;
