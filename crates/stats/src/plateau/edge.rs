//! Where a level ends and the next has been reached.

use super::level::Level;
use super::{Capacity, Plateau};
use crate::curve::CurvePoint;
use crate::interval::Interval;
use crate::segment::Spot;

/// The curve has left a level when it has climbed this share of the way to
/// the next on the log axis, and has arrived when this share is left. From
/// 1 ns to 3.5 ns that is a rise by 28 %; from 10 ns to 130 ns by 67 %, where
/// one access in 18 misses.
const EDGE_SHARE: f64 = 0.2;
/// Climbs within this many standard deviations are noise.
const NOISE_SIGMAS: f64 = 3.0;

/// Public form of the levels, with their edges and without intervals.
pub(super) fn describe(points: &[CurvePoint], spots: &[Spot], levels: &[Level]) -> Vec<Plateau> {
    (0..levels.len())
        .map(|i| {
            let level = levels[i];
            let capacity = levels
                .get(i + 1)
                .map(|next| capacity(points, spots, &level, next));
            let value = level.height.exp();
            Plateau {
                from_x: points[level.arrived].x,
                to_x: capacity.map_or(points[level.end - 1].x, |c| c.at.center),
                value: Interval::resampled(value, value, value),
                slope_per_octave: level.slope,
                capacity,
            }
        })
        .collect()
}

fn capacity(points: &[CurvePoint], spots: &[Spot], level: &Level, next: &Level) -> Capacity {
    let rise = next.height - level.height;
    let last = last_on(spots, level, next, EDGE_SHARE);
    // Where a gradual edge may already have begun, as far as noise lets see.
    let first_doubt = last_on(spots, level, next, 0.0).min(last);
    let arrived = |i: &usize| spots[*i].v >= next.height - EDGE_SHARE * rise;
    let end = (last + 1..next.end).find(arrived).unwrap_or(next.end - 1);
    Capacity {
        at: Interval::resampled(points[last].x, points[first_doubt].x, points[last + 1].x),
        next_x: points[last + 1].x,
        transition_end_x: points[end].x,
        confidence: 1.0,
    }
}

/// Last spot before the curve leaves the level for good: climbs by more than
/// `share` of the way to the next and by more than noise.
fn last_on(spots: &[Spot], level: &Level, next: &Level, share: f64) -> usize {
    let rise = next.height - level.height;
    let left = |i: &usize| {
        let margin = (share * rise)
            .max(NOISE_SIGMAS * spots[*i].sigma)
            .min(rise / 2.0);
        spots[*i].v > base(spots, level, *i) + margin
    };
    // The first spot off the level that is no single wild one.
    let off = |i: &usize| left(i) && (*i..next.end.min(i + 3)).filter(left).count() >= 2;
    let first_off = (level.start + 1..next.end)
        .find(off)
        .unwrap_or(next.end - 1);
    first_off - 1
}

/// Height of the level under spot i: its line, not carried beyond its end.
fn base(spots: &[Spot], level: &Level, i: usize) -> f64 {
    let middle = (spots[level.arrived].u + spots[level.end - 1].u) / 2.0;
    let u = spots[i].u.min(spots[level.end - 1].u);
    level.height + level.slope.max(0.0) * (u - middle)
}
