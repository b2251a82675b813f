//! Where the slope of a piecewise straight curve changes: the footprint at
//! which switching starts to cost cache misses, the size at which a copy falls
//! into another path.

use crate::curve::{CurvePoint, Scale, central_95, redrawn, to_cut};
use crate::error::StatsError;
use crate::interval::Interval;
use crate::rng::Rng;
use crate::segment::{Piece, Shapes, Spot, roughness, segment};
use serde::{Deserialize, Serialize};

/// Misfits of this share of the value are not worth a break.
const STRAIGHTNESS: f64 = 0.01;
/// Price of a piece against the information criterion's: a break is a claim
/// about the machine, so it must pay double.
const PRICE: f64 = 2.0;
/// Fewest points of a straight piece: two always lie on a line.
const FEWEST_ON_LINE: usize = 3;
/// Slopes must differ by this share of the steeper one.
const SMALLEST_CHANGE: f64 = 0.25;
/// ... and by this many of their standard errors.
const SMALLEST_CHANGE_SIGMAS: f64 = 3.0;
/// Fewest points of a curve.
pub const FEWEST_POINTS: usize = 2 * FEWEST_ON_LINE;
const REDRAWS: u32 = 200;

/// Straight pieces of a curve y(x) on linear axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlopeBreaks {
    /// One more than there are breaks.
    pub lines: Vec<StraightLine>,
    pub breaks: Vec<SlopeBreak>,
    /// Share of redrawn curves with as many breaks.
    pub confidence: f64,
}

/// y = intercept + slope x on from_x..=to_x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StraightLine {
    pub from_x: f64,
    pub to_x: f64,
    pub intercept: f64,
    pub slope: f64,
    pub slope_error: f64,
}

/// A change of slope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SlopeBreak {
    /// Where the lines cross, or halfway between their nearest points where
    /// they cross elsewhere (the curve jumps).
    ///
    /// Central 95 % over the redrawn curves, stretched to the neighbouring
    /// measured x on both sides.
    pub at: Interval,
    pub slope_before: f64,
    pub slope_after: f64,
    /// Step of y at the break, from the line before to the line after.
    pub jump: f64,
    /// Share of redrawn curves with a break inside `at`.
    pub confidence: f64,
}

/// Finds the breaks of a piecewise straight curve. y may have any sign.
///
/// # Errors
/// Fewer than six points, numbers that are not finite, an x that occurs
/// twice, an interval that misses its median.
pub fn slope_breaks(points: &[CurvePoint]) -> Result<SlopeBreaks, StatsError> {
    let points = to_cut("slope breaks", points, FEWEST_POINTS, Scale::Linear)?;
    let (lines, mut breaks) = once(&points);
    let mut rng = Rng::new(0x534c_4f50);
    let redraws: Vec<Vec<SlopeBreak>> = (0..REDRAWS)
        .map(|_| once(&redrawn(&points, Scale::Linear, &mut rng)).1)
        .collect();
    let same = redraws.iter().filter(|r| r.len() == breaks.len()).count();
    for found in &mut breaks {
        qualify(&points, found, &redraws);
    }
    Ok(SlopeBreaks {
        lines,
        breaks,
        confidence: same as f64 / f64::from(REDRAWS),
    })
}

fn once(points: &[CurvePoint]) -> (Vec<StraightLine>, Vec<SlopeBreak>) {
    let mut spots: Vec<Spot> = points
        .iter()
        .map(|p| Spot {
            u: p.x,
            v: p.y.center,
            sigma: p.sigma(),
        })
        .collect();
    // A typical size of y keeps the scale finite where y passes zero.
    let sizes: Vec<f64> = spots.iter().map(|s| s.v.abs()).collect();
    let typical = crate::quantile::median(&sizes)
        .unwrap_or(0.0)
        .max(f64::MIN_POSITIVE);
    let size = |s: &Spot| s.v.abs().max(0.1 * typical);
    let rough = roughness(&spots, size);
    for spot in &mut spots {
        let floor = size(spot) * rough.hypot(STRAIGHTNESS);
        spot.sigma = spot.sigma.max(floor);
    }
    let mut pieces = segment(&spots, Shapes::Line, PRICE, FEWEST_ON_LINE);
    while let Some(weakest) = weakest_join(&spots, &pieces) {
        let (a, b) = (pieces[weakest], pieces[weakest + 1]);
        let joined = segment(&spots[a.start..b.end], Shapes::Line, 1e6, FEWEST_ON_LINE);
        let moved = joined.into_iter().map(|p| Piece {
            start: a.start,
            end: b.end,
            ..p
        });
        pieces.splice(weakest..=weakest + 1, moved);
    }
    let lines: Vec<StraightLine> = pieces.iter().map(|p| line(&spots, p)).collect();
    let breaks = lines.windows(2).map(|w| between(&w[0], &w[1])).collect();
    (lines, breaks)
}

/// Index of a piece whose border with the next is no change of slope and no
/// jump.
fn weakest_join(spots: &[Spot], pieces: &[Piece]) -> Option<usize> {
    (0..pieces.len().saturating_sub(1)).find(|i| {
        let (a, b) = (&pieces[*i], &pieces[i + 1]);
        let change = (b.slope - a.slope).abs();
        let noise = a.slope_error.hypot(b.slope_error);
        let bends = change > SMALLEST_CHANGE * a.slope.abs().max(b.slope.abs())
            && change > SMALLEST_CHANGE_SIGMAS * noise;
        let (left, right) = (&spots[a.end - 1], &spots[b.start]);
        let jump = b.first - a.last - (right.u - left.u) * (a.slope + b.slope) / 2.0;
        let jumps = jump.abs() > SMALLEST_CHANGE * a.last.abs().max(b.first.abs());
        !bends && !jumps
    })
}

fn line(spots: &[Spot], piece: &Piece) -> StraightLine {
    let from_x = spots[piece.start].u;
    StraightLine {
        from_x,
        to_x: spots[piece.end - 1].u,
        intercept: piece.first - piece.slope * from_x,
        slope: piece.slope,
        slope_error: piece.slope_error,
    }
}

fn between(before: &StraightLine, after: &StraightLine) -> SlopeBreak {
    let (left, right) = (before.to_x, after.from_x);
    let gap = right - left;
    let crossing = (before.intercept - after.intercept) / (after.slope - before.slope);
    let x = if (left - gap..=right + gap).contains(&crossing) {
        crossing
    } else {
        f64::midpoint(left, right)
    };
    let height = |l: &StraightLine| l.intercept + l.slope * x;
    SlopeBreak {
        at: Interval::resampled(x, left.min(x), right.max(x)),
        slope_before: before.slope,
        slope_after: after.slope,
        jump: height(after) - height(before),
        confidence: 1.0,
    }
}

fn qualify(points: &[CurvePoint], found: &mut SlopeBreak, redraws: &[Vec<SlopeBreak>]) {
    let at = &mut found.at;
    let x = at.center;
    let distance = |b: &&SlopeBreak| (b.at.center - x).abs();
    let seen: Vec<f64> = redraws
        .iter()
        .filter_map(|r| r.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))))
        .map(|b| b.at.center)
        .collect();
    if let Some((low, high)) = central_95(seen.clone()) {
        let below = points.iter().rev().find(|p| p.x < low.min(x));
        let above = points.iter().find(|p| p.x > high.max(x));
        at.low = below.map_or(at.low.min(low), |p| p.x);
        at.high = above.map_or(at.high.max(high), |p| p.x);
    }
    let inside = seen.iter().filter(|x| at.contains(**x)).count();
    found.confidence = inside as f64 / f64::from(REDRAWS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(y: impl Fn(f64) -> f64, xs: &[f64], noise: f64, seed: u64) -> Vec<CurvePoint> {
        let mut rng = Rng::new(seed);
        xs.iter()
            .map(|x| {
                let median = y(*x) * (1.0 + noise * rng.normal());
                let half = 1.96 * noise * y(*x);
                CurvePoint::new(*x, median, median - half, median + half)
            })
            .collect()
    }

    fn grid(n: u32, step: f64) -> Vec<f64> {
        (1..=n).map(|i| f64::from(i) * step).collect()
    }

    #[test]
    fn a_straight_line_has_no_break() {
        let broken = (0..40)
            .filter(|seed| {
                let points = curve(|x| 5.0 + 2.0 * x, &grid(30, 4.0), 0.03, *seed);
                !once(&points).1.is_empty()
            })
            .count();
        assert!(broken <= 1, "{broken} of 40");
    }

    #[test]
    fn two_breaks_of_a_switching_curve() {
        // Flat until 32 KiB, then 10 ns per KiB, then 40 beyond 256 KiB.
        let y = |x: f64| 1500.0 + 10.0 * (x - 32.0).max(0.0) + 30.0 * (x - 256.0).max(0.0);
        let found = slope_breaks(&curve(y, &grid(60, 8.0), 0.01, 1)).expect("valid curve");
        assert_eq!(found.breaks.len(), 2, "{found:?}");
        assert!((found.breaks[0].at.center - 32.0).abs() < 12.0, "{found:?}");
        assert!(
            (found.breaks[1].at.center - 256.0).abs() < 24.0,
            "{found:?}"
        );
        for (b, truth) in found.breaks.iter().zip([32.0, 256.0]) {
            assert!(
                b.at.low <= truth && truth <= b.at.high && b.confidence > 0.8,
                "{b:?}"
            );
        }
        assert!((found.lines[2].slope - 40.0).abs() < 2.0, "{found:?}");
    }

    #[test]
    fn a_jump_is_a_break() {
        let y = |x: f64| 100.0 + x + if x > 50.0 { 200.0 } else { 0.0 };
        let found = slope_breaks(&curve(y, &grid(30, 4.0), 0.01, 2)).expect("valid curve");
        assert_eq!(found.breaks.len(), 1, "{found:?}");
        assert!(
            (48.0..=52.0).contains(&found.breaks[0].at.center),
            "{found:?}"
        );
        assert!((found.breaks[0].jump - 200.0).abs() < 15.0, "{found:?}");
    }

    #[test]
    fn values_may_pass_zero() {
        let points: Vec<CurvePoint> = grid(12, 1.0)
            .into_iter()
            .map(|x| CurvePoint::new(x, x - 6.0, x - 6.1, x - 5.9))
            .collect();
        assert_eq!(slope_breaks(&points).map(|s| s.breaks.len()), Ok(0));
    }

    #[test]
    fn few_points_are_refused() {
        let points = curve(|x| x, &grid(5, 1.0), 0.0, 0);
        assert!(matches!(
            slope_breaks(&points),
            Err(StatsError::TooFew { .. })
        ));
    }

    /// Known to one percent.
    fn exact(y: impl Fn(f64) -> f64, xs: &[f64]) -> SlopeBreaks {
        slope_breaks(&curve(y, xs, 0.0, 1)).expect("a valid curve")
    }

    #[test]
    fn a_step_of_a_quarter_of_the_upper_value_is_none() {
        let with = |upper: f64| exact(|x| if x > 50.0 { upper } else { 100.0 }, &grid(30, 4.0));
        assert_eq!(with(133.0).breaks, []);
        let found = with(134.0);
        let [jump] = found.breaks[..] else {
            panic!("{found:?}");
        };
        assert!(
            (jump.jump - 34.0).abs() < 1e-9 && jump.at.center == 50.0,
            "{jump:?}"
        );
        assert_eq!((jump.at.low, jump.at.high), (48.0, 52.0));
        assert_eq!((found.confidence, jump.confidence), (1.0, 1.0));
        let down = exact(|x| if x > 50.0 { 100.0 } else { 134.0 }, &grid(30, 4.0));
        assert!((down.breaks[0].jump + 34.0).abs() < 1e-9);
    }

    /// What the line itself rises between the two points is no jump.
    #[test]
    fn a_rise_that_goes_on_is_no_jump() {
        let with = |jump: f64| {
            let y = |x: f64| 100.0 + 10.0 * x + if x > 50.0 { jump } else { 0.0 };
            exact(y, &grid(30, 4.0)).breaks
        };
        // At 52 the lower line would be at 620: a quarter of the upper one is 206.7.
        assert_eq!(with(200.0), []);
        let [found] = with(212.0)[..] else {
            panic!("no jump of 212");
        };
        assert!((found.jump - 212.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_slope_that_changes_by_less_than_a_quarter_goes_on() {
        let y = |after: f64| {
            move |x: f64| {
                100.0 + 10.0 * (x - 100.0).clamp(0.0, 300.0) + after * (x - 400.0).max(0.0)
            }
        };
        let xs = grid(100, 10.0);
        let joined = exact(y(12.0), &xs);
        let [flat, rising] = joined.lines[..] else {
            panic!("{joined:?}");
        };
        assert_eq!((flat.from_x, flat.slope.abs() < 1e-9), (10.0, true));
        assert_eq!((rising.from_x - flat.to_x, rising.to_x), (10.0, 1000.0));
        assert!((10.0..12.0).contains(&rising.slope), "{rising:?}");
        let parted = exact(y(15.0), &xs);
        let xs: Vec<f64> = parted.breaks.iter().map(|b| b.at.center.round()).collect();
        assert_eq!(xs, [100.0, 400.0], "{parted:?}");
        let slopes: Vec<f64> = parted.lines.iter().map(|l| l.slope.round()).collect();
        assert_eq!(slopes, [0.0, 10.0, 15.0]);
        let last = parted.lines[2];
        assert!(
            (last.intercept + 15.0 * 400.0 - 3100.0).abs() < 1e-6,
            "{last:?}"
        );
        let bend = parted.breaks[1];
        assert!((bend.slope_before - 10.0).abs() < 1e-9, "{bend:?}");
        assert!((bend.slope_after - 15.0).abs() < 1e-9 && bend.jump.abs() < 1e-6);
        assert!(bend.at.low < 400.0 && bend.at.high >= 400.0, "{bend:?}");
    }

    /// The error of least squares: sigma / sqrt(sum (x - mean)^2).
    #[test]
    fn the_slopes_error_is_that_of_least_squares() {
        let points: Vec<CurvePoint> = grid(10, 1.0)
            .into_iter()
            .map(|x| {
                CurvePoint::new(
                    x,
                    1000.0 + 5.0 * x,
                    1000.0 + 5.0 * x - 196.0,
                    1000.0 + 5.0 * x + 196.0,
                )
            })
            .collect();
        let found = slope_breaks(&points).expect("a valid curve");
        let [line] = found.lines[..] else {
            panic!("{found:?}");
        };
        assert!(
            (line.slope_error - 100.0 / 82.5f64.sqrt()).abs() < 1e-9,
            "{line:?}"
        );
        assert!((line.intercept - 1000.0).abs() < 1e-6 && (line.slope - 5.0).abs() < 1e-9);
    }
}
