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
    /// Where the curve is half-way between the end of the one and the begin of the other.
    pub half: f64,
    /// The measured x around it.
    pub around_half: (f64, f64),
    /// Share of redrawn curves whose rise of this number has its half within one measured x.
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
    let ends_there = |(curve, r): &&(Vec<CurvePoint>, Vec<Run>)| {
        let there = r.iter().find(|run| run.1.abs_diff(last) <= 1);
        let behind = curve.last().map_or(0.0, |end| end.y.center);
        there.is_some_and(|run| behind > options.smallest_ratio * height(curve, *run))
    };
    let part = |number: usize| FlatPart {
        from_x: points[runs[number].0].x,
        to_x: points[runs[number].1].x,
        level: level(&points, number, &runs, &redraws),
        rise: rise(&points, number, &runs, &redraws),
    };
    Ok(Treads {
        all: (0..runs.len()).map(part).collect(),
        rises_to: beyond,
        rises: share(redraws.iter().filter(ends_there).count(), redraws.len()),
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
) -> Option<Rise> {
    let (half, at) = halfway(points, runs, number)?;
    let near = |(curve, r): &&(Vec<CurvePoint>, Vec<Run>)| {
        let mut all = (0..r.len()).filter_map(|n| halfway(curve, r, n));
        all.any(|(_, other)| other.abs_diff(at) <= 1)
    };
    let end = runs[number].1;
    Some(Rise {
        begins: (points[end].x, points[end + 1].x),
        half,
        around_half: (points[at].x, points[at + 1].x),
        share: share(redraws.iter().filter(near).count(), redraws.len()),
    })
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
mod tests {
    use super::{TreadOptions, Treads, treads};
    use crate::curve::CurvePoint;

    const OPTIONS: TreadOptions = TreadOptions {
        smallest_ratio: 1.3,
        redraws: 100,
    };

    fn curve(values: &[(f64, f64)], spread: f64) -> Treads {
        let point = |(x, y): &(f64, f64)| CurvePoint::new(*x, *y, y / spread, y * spread);
        let points: Vec<CurvePoint> = values.iter().map(point).collect();
        treads(&points, OPTIONS).expect("a curve")
    }

    /// A curve as it was measured (KiB, ns): a second cache whose rise takes two octaves, a
    /// third that creeps, memory with noise.
    const MEASURED: [(f64, f64); 36] = [
        (8.0, 0.93),
        (10.0, 0.93),
        (13.0, 0.93),
        (16.0, 0.93),
        (20.0, 0.93),
        (25.0, 0.93),
        (32.0, 0.93),
        (40.0, 0.93),
        (51.0, 2.73),
        (64.0, 3.25),
        (81.0, 3.26),
        (102.0, 3.26),
        (161.0, 3.26),
        (256.0, 3.26),
        (406.0, 3.36),
        (512.0, 3.65),
        (645.0, 3.95),
        (813.0, 4.75),
        (1024.0, 6.36),
        (1290.0, 8.13),
        (1625.0, 9.71),
        (2048.0, 9.87),
        (2580.0, 10.4),
        (3251.0, 10.94),
        (4096.0, 11.5),
        (5161.0, 12.02),
        (6502.0, 13.02),
        (8192.0, 15.56),
        (10321.0, 54.72),
        (13004.0, 55.62),
        (16384.0, 80.14),
        (20643.0, 123.46),
        (26008.0, 132.46),
        (32768.0, 135.54),
        (41285.0, 140.2),
        (65536.0, 146.11),
    ];

    #[test]
    fn a_measured_staircase_is_read_as_a_reader_would() {
        for spread in [1.002, 1.02, 1.05] {
            let found = curve(&MEASURED, spread);
            let starts: Vec<f64> = found.all.iter().map(|t| t.from_x).collect();
            assert_eq!(starts, [8.0, 64.0, 1625.0, 20643.0], "{spread}");
            assert!(found.share > 0.9 && found.rises_to.is_none(), "{found:?}");
            let halves: Vec<f64> = found
                .all
                .iter()
                .filter_map(|t| Some(t.rise?.half))
                .collect();
            assert!((40.0..51.0).contains(&halves[0]), "{halves:?}");
            assert!((1024.0..1290.0).contains(&halves[1]), "{halves:?}");
            assert!((8192.0..16384.0).contains(&halves[2]), "{halves:?}");
            assert!(
                found
                    .all
                    .iter()
                    .filter_map(|t| t.rise)
                    .all(|r| r.share > 0.9)
            );
        }
    }

    /// Made after a simulated Skylake-SP (KiB, ns), with fewer sizes and a steeper end: its third
    /// cache creeps by half, memory has two points.
    const CREEPING: [(f64, f64); 20] = [
        (323.0, 4.49),
        (406.0, 4.49),
        (512.0, 4.50),
        (645.0, 4.51),
        (813.0, 4.53),
        (1024.0, 4.60),
        (1290.0, 19.86),
        (1625.0, 19.77),
        (2048.0, 21.31),
        (2580.0, 21.75),
        (3251.0, 24.46),
        (4096.0, 25.48),
        (6502.0, 26.89),
        (10321.0, 28.19),
        (16384.0, 29.08),
        (26008.0, 34.76),
        (32768.0, 60.65),
        (52016.0, 71.39),
        (65536.0, 84.62),
        (131072.0, 85.49),
    ];

    #[test]
    fn a_tread_that_creeps_is_one_and_the_last_may_have_two_points() {
        for spread in [1.002, 1.02, 1.04] {
            let found = curve(&CREEPING, spread);
            let starts: Vec<f64> = found.all.iter().map(|t| t.from_x).collect();
            assert_eq!(starts, [323.0, 1290.0, 65536.0], "{spread}");
            assert!(found.share > 0.9 && found.rises_to.is_none(), "{found:?}");
        }
    }

    #[test]
    fn one_wild_point_is_no_riser() {
        let mut wild = MEASURED;
        wild[12].1 = 9.0;
        let found = curve(&wild, 1.002);
        assert_eq!(found.all.len(), 4, "{found:?}");
    }

    #[test]
    fn noise_in_memory_does_not_take_the_first_cache_away() {
        let points: Vec<CurvePoint> = MEASURED
            .iter()
            .map(|(x, y)| {
                let spread = if *x > 8000.0 { 1.6 } else { 1.005 };
                CurvePoint::new(*x, *y, y / spread, y * spread)
            })
            .collect();
        let found = treads(&points, OPTIONS).expect("a curve");
        let first = found.all[0].rise.expect("a rise");
        let last = found.all[2].rise.map_or(0.0, |r| r.share);
        assert!(
            first.share == 1.0 && found.share < 0.9 && last < 0.9,
            "{found:?}"
        );
    }

    #[test]
    fn a_curve_that_ends_on_its_way_up_says_so() {
        let found = curve(&MEASURED[..20], 1.002);
        assert!(
            found.rises_to.is_some() && found.all.len() == 2,
            "{found:?}"
        );
        let flat: Vec<(f64, f64)> = (1..9).map(|i| (f64::from(1 << i), 3.0)).collect();
        let found = curve(&flat, 1.01);
        assert!(found.all.len() == 1 && found.rises_to.is_none() && found.all[0].rise.is_none());
    }

    #[test]
    fn noise_makes_a_tread_of_a_part_of_a_rise_and_takes_none_away() {
        let counts = |values, spread| curve(values, spread).counts;
        for spread in [1.002, 1.03, 1.1] {
            assert_eq!(counts(&MEASURED, spread), [4, 4], "{spread}");
            assert_eq!(counts(&CREEPING, spread), [3, 3], "{spread}");
            // What it rises to is the third.
            assert_eq!(counts(&MEASURED[..20], spread), [3, 3], "{spread}");
        }
        for spread in [1.2, 1.4] {
            let [fewest, most] = counts(&MEASURED, spread);
            assert!(fewest == 4 && most > 4, "{spread}: up to {most}");
            assert_eq!(counts(&CREEPING, spread), [3, 4], "{spread}");
        }
    }

    #[test]
    fn a_rise_stays_where_it_is_though_noise_makes_more_treads() {
        // Two treads, and a climb of ten points that are known to a third.
        let climb = |i: i32| match i {
            ..6 => 1.0,
            6..12 => 2.7,
            _ => 2.7 * 1.35f64.powi(i - 11),
        };
        let point = |i: i32| {
            let (x, y) = (2f64.powf(f64::from(i) / 2.0), climb(i));
            let spread = if i < 12 { 1.01 } else { 1.5 };
            CurvePoint::new(x, y, y / spread, y * spread)
        };
        let points: Vec<CurvePoint> = (0..22).map(point).collect();
        let found = treads(&points, OPTIONS).expect("a curve");
        assert!(found.rises > 0.9 && found.share < 0.6, "{found:?}");
        // So does one before which more treads are seen.
        let found = curve(&MEASURED, 1.3);
        let last = found.all[2].rise.expect("a rise");
        assert!(last.share > 0.9 && found.counts[1] > 4, "{found:?}");
    }

    #[test]
    fn too_few_points_are_refused() {
        let point = CurvePoint::new(1.0, 1.0, 1.0, 1.0);
        assert!(treads(&[point; 3], OPTIONS).is_err());
    }
}
