//! Where a level ends and the next has been reached.

use super::level::Level;
use super::{Capacity, Plateau};
use crate::curve::CurvePoint;
use crate::segment::Spot;

/// The curve has left a level when it has climbed this share of the way to
/// the next on the log axis, and has arrived when this share is left. From
/// 1 ns to 3.5 ns that is a rise by a fifth; from 10 ns to 130 ns by half,
/// where 1 access in 25 misses.
const EDGE_SHARE: f64 = 0.15;
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
                from_x: points[level.start].x,
                to_x: capacity.map_or(points[level.end - 1].x, |c| c.x),
                value,
                value_low: value,
                value_high: value,
                slope_per_octave: level.slope,
                capacity,
            }
        })
        .collect()
}

fn capacity(points: &[CurvePoint], spots: &[Spot], level: &Level, next: &Level) -> Capacity {
    let rise = next.height - level.height;
    let left = |i: &usize| {
        let margin = (EDGE_SHARE * rise)
            .max(NOISE_SIGMAS * spots[*i].sigma)
            .min(rise / 2.0);
        spots[*i].v > base(spots, level, *i) + margin
    };
    // The first spot off the level that is no single wild one.
    let off = |i: &usize| left(i) && (*i..next.end.min(i + 3)).filter(left).count() >= 2;
    let first_off = (level.start + 1..next.end).find(off).unwrap_or(next.start);
    let last_on = first_off - 1;
    let arrived = |i: &usize| spots[*i].v >= next.height - EDGE_SHARE * rise;
    let end = (last_on + 1..next.end).find(arrived).unwrap_or(next.start);
    Capacity {
        x: points[last_on].x,
        next_x: points[last_on + 1].x,
        transition_end_x: points[end].x,
        low: points[last_on].x,
        high: points[last_on + 1].x,
        confidence: 1.0,
    }
}

/// Height of the level under spot i: its line, not carried beyond its end.
fn base(spots: &[Spot], level: &Level, i: usize) -> f64 {
    let middle = (spots[level.start].u + spots[level.end - 1].u) / 2.0;
    let u = spots[i].u.min(spots[level.end - 1].u);
    level.height + level.slope.max(0.0) * (u - middle)
}
