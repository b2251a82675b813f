//! Treads and risers of a staircase: the time of a load over sets that grow.
//!
//! On a tread a doubled x costs little, on a riser much; the border between the two is a
//! slope. Levels creep (translation, other users of a cache), so a tread may slope, and what
//! it takes is given by its middle. Whether an answer is firm is asked by redrawing the
//! points inside their intervals and looking again: each riser by itself, so that noise in
//! memory does not take the first cache away.

use crate::curve::{CurvePoint, central_95, ordered, redrawn};
use crate::error::StatsError;
use crate::interval::Interval;
use crate::quantile::median;
use crate::rising::rising;
use crate::rng::Rng;

/// A doubled x costs more than this on a riser, natural logarithm.
const STEEP: f64 = 0.4;
/// A tread is so long at least, in doublings of x, ...
const SHORTEST: f64 = 0.6;
/// ... and has so many points ...
const FEWEST: usize = 3;
/// ... or so many where the curve ends: large sets are measured at few sizes.
const FEWEST_AT_THE_END: usize = 2;
/// Fewest points of a curve: two treads.
pub const FEWEST_POINTS: usize = 2 * FEWEST;

/// What counts as two treads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreadOptions {
    /// Neighbouring treads differ by this factor at least.
    pub smallest_ratio: f64,
    /// Redrawn curves that shares and intervals rest on.
    pub redraws: u32,
}

/// Treads of a curve, lowest x first.
#[derive(Debug, Clone, PartialEq)]
pub struct Treads {
    pub all: Vec<FlatPart>,
    /// The last point, where the curve goes on to rise behind the last tread.
    pub rises_to: Option<Interval>,
    /// Share of redrawn curves with a tread that ends within one measured x of where the last one
    /// does, and a rise behind it.
    pub rises: f64,
    /// Share of redrawn curves with as many treads that go on to rise or not as this one does.
    pub share: f64,
    /// Fewest and most treads of the middle nine of ten redrawn curves, where what a curve rises
    /// to is one more.
    pub counts: [usize; 2],
}

/// A flat part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlatPart {
    /// First and last x on it.
    pub from_x: f64,
    pub to_x: f64,
    /// Median of its points, and central 95 % over the redrawn curves.
    pub level: Interval,
    /// The way up to the next; None of the last.
    pub rise: Option<Rise>,
}

/// The way up from one tread to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rise {
    /// Last measured x on the tread, and the first beyond.
    pub begins: (f64, f64),
    /// Share of redrawn curves with a tread that ends within one measured x of this one's end,
    /// and a rise behind it.
    pub begin_share: f64,
    /// Where the curve is half-way between the end of the one and the begin of the other.
    pub half: f64,
    /// The measured x around it.
    pub around_half: (f64, f64),
    /// Share of redrawn curves with a rise whose half is within one measured x of this one's.
    pub share: f64,
}

/// Places of a tread: first and last.
type Run = (usize, usize);

/// Finds the treads of a curve that rises with x.
///
/// # Errors
/// Fewer than six points, numbers that are not finite or not positive, an x that occurs
/// twice, an interval that misses its median.
pub fn treads(points: &[CurvePoint], options: TreadOptions) -> Result<Treads, StatsError> {
    let points = ordered("treads", points, FEWEST_POINTS)?;
    let points = fitted(&points);
    let runs = runs(&points, options.smallest_ratio);
    let mut random = Rng::new(0x5452_4541);
    let redraws: Vec<(Vec<CurvePoint>, Vec<Run>)> = (0..options.redraws)
        .map(|_| {
            let curve = fitted(&redrawn(&points, &mut random));
            let runs = self::runs(&curve, options.smallest_ratio);
            (curve, runs)
        })
        .collect();
    let rises_to = |curve: &[CurvePoint], runs: &[Run]| {
        let (end, last) = (curve.last()?, height(curve, *runs.last()?));
        (end.y.center > options.smallest_ratio * last).then_some(end.y)
    };
    let beyond = rises_to(&points, &runs);
    let same = redraws
        .iter()
        .filter(|(c, r)| r.len() == runs.len() && rises_to(c, r).is_some() == beyond.is_some())
        .count();
    let steps = |curve: &[CurvePoint], runs: &[Run]| {
        runs.len() + usize::from(rises_to(curve, runs).is_some())
    };
    let last = runs.last().map_or(0, |run| run.1);
    let part = |number: usize| FlatPart {
        from_x: points[runs[number].0].x,
        to_x: points[runs[number].1].x,
        level: level(&points, number, &runs, &redraws),
        rise: rise(&points, number, &runs, &redraws, options.smallest_ratio),
    };
    Ok(Treads {
        all: (0..runs.len()).map(part).collect(),
        rises_to: beyond,
        rises: begin_share(last, &redraws, options.smallest_ratio),
        share: share(same, redraws.len()),
        counts: counts(
            redraws.iter().map(|(curve, runs)| steps(curve, runs)),
            steps(&points, &runs),
        ),
    })
}

/// The middle nine of ten; `own` where there is none.
fn counts(all: impl Iterator<Item = usize>, own: usize) -> [usize; 2] {
    let mut all: Vec<usize> = all.collect();
    all.sort_unstable();
    let out = all.len() / 20;
    let at = |place: usize| all.get(place).copied().unwrap_or(own);
    [at(out), at(all.len().saturating_sub(out + 1))]
}

/// The rising curve that is nearest to the points. A curve that is redrawn from the points
/// themselves would have their noise twice.
fn fitted(points: &[CurvePoint]) -> Vec<CurvePoint> {
    let values = rising(points, &without_wild(points));
    let moved = points.iter().zip(values);
    let moved = moved.map(|(p, value)| p.map(|y| y * value / p.y.center));
    moved.collect()
}

/// The treads, each higher than the one before.
fn runs(points: &[CurvePoint], smallest_ratio: f64) -> Vec<Run> {
    let steep = |i: usize| {
        let octaves = (points[i + 1].x / points[i].x).log2();
        (points[i + 1].y.center / points[i].y.center).ln() > STEEP * octaves
    };
    let mut found: Vec<Run> = Vec::new();
    let mut start = 0;
    for end in 0..points.len() {
        if end + 1 < points.len() && !steep(end) {
            continue;
        }
        let long = (points[end].x / points[start].x).log2() >= SHORTEST;
        let fewest = if end + 1 < points.len() {
            FEWEST
        } else {
            FEWEST_AT_THE_END
        };
        if long && end + 1 >= start + fewest {
            found.push((start, end));
        }
        start = end + 1;
    }
    joined(points, found, smallest_ratio)
}

/// Values of which one that is higher or lower than both its neighbours is taken for the
/// nearer of them. The first and the last stay.
fn without_wild(points: &[CurvePoint]) -> Vec<f64> {
    let y: Vec<f64> = points.iter().map(|p| p.y.center).collect();
    let middle = |i: usize| match (i.checked_sub(1).and_then(|b| y.get(b)), y.get(i + 1)) {
        (Some(before), Some(after)) => y[i].clamp(before.min(*after), before.max(*after)),
        _ => y[i],
    };
    (0..y.len()).map(middle).collect()
}

/// Joins neighbours with a step of less than `ratio` between them, the lowest step first.
fn joined(points: &[CurvePoint], mut runs: Vec<Run>, ratio: f64) -> Vec<Run> {
    loop {
        // From the end of the one to the begin of the other: a tread that creeps is one.
        let step = |i: &usize| points[runs[i + 1].0].y.center / points[runs[*i].1].y.center;
        let least = (0..runs.len().saturating_sub(1)).min_by(|a, b| step(a).total_cmp(&step(b)));
        match least {
            Some(i) if step(&i) < ratio => {
                let both = (runs[i].0, runs[i + 1].1);
                runs.splice(i..=i + 1, [both]);
            }
            _ => return runs,
        }
    }
}

fn height(points: &[CurvePoint], (from, to): Run) -> f64 {
    let values: Vec<f64> = points[from..=to].iter().map(|p| p.y.center).collect();
    median(&values).unwrap_or(f64::NAN)
}

fn level(
    points: &[CurvePoint],
    number: usize,
    runs: &[Run],
    redraws: &[(Vec<CurvePoint>, Vec<Run>)],
) -> Interval {
    let center = height(points, runs[number]);
    let heights = redraws
        .iter()
        .filter_map(|(curve, r)| Some(height(curve, *r.get(number)?)));
    let (low, high) = central_95(heights.collect()).unwrap_or((center, center));
    Interval::resampled(center, low.min(center), high.max(center))
}

fn rise(
    points: &[CurvePoint],
    number: usize,
    runs: &[Run],
    redraws: &[(Vec<CurvePoint>, Vec<Run>)],
    smallest_ratio: f64,
) -> Option<Rise> {
    let (half, at) = halfway(points, runs, number)?;
    let near = |(curve, r): &&(Vec<CurvePoint>, Vec<Run>)| {
        let mut all = (0..r.len()).filter_map(|n| halfway(curve, r, n));
        all.any(|(_, other)| other.abs_diff(at) <= 1)
    };
    let end = runs[number].1;
    Some(Rise {
        begins: (points[end].x, points[end + 1].x),
        begin_share: begin_share(end, redraws, smallest_ratio),
        half,
        around_half: (points[at].x, points[at + 1].x),
        share: share(redraws.iter().filter(near).count(), redraws.len()),
    })
}

/// Share of redrawn curves with a tread that ends at most one place from `end`, and a last point
/// that is higher by the ratio.
fn begin_share(end: usize, redraws: &[(Vec<CurvePoint>, Vec<Run>)], ratio: f64) -> f64 {
    let ends_there = |(curve, runs): &&(Vec<CurvePoint>, Vec<Run>)| {
        let there = runs.iter().find(|run| run.1.abs_diff(end) <= 1);
        let behind = curve.last().map_or(0.0, |last| last.y.center);
        there.is_some_and(|run| behind > ratio * height(curve, *run))
    };
    share(redraws.iter().filter(ends_there).count(), redraws.len())
}

/// Where the curve is half-way from the end of a tread to the begin of the next, and the
/// place of the last point before.
fn halfway(points: &[CurvePoint], runs: &[Run], number: usize) -> Option<(f64, usize)> {
    let (from, to) = (runs.get(number)?.1, runs.get(number + 1)?.0);
    let half = f64::midpoint(points[from].y.center, points[to].y.center);
    let at = (from..to).find(|i| points[i + 1].y.center >= half)?;
    let (left, right) = (points[at], points[at + 1]);
    let climb = right.y.center - left.y.center;
    let part = match climb > 0.0 {
        true => ((half - left.y.center) / climb).clamp(0.0, 1.0),
        false => 1.0,
    };
    Some((left.x * (right.x / left.x).powf(part), at))
}

fn share(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 1.0,
        whole => part as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests;
