//! Which pieces of a curve are levels.

use crate::quantile::median;
use crate::segment::{Piece, Shapes, Spot, segment};

/// A piece that rises by less than this (natural log) for each doubling of x
/// is a level that slopes: translation misses grow slowly inside a level.
const LEVEL_SLOPE: f64 = 0.15;
/// A short piece may be steeper, for noise tilts it ...
const SHORT_SLOPE: f64 = 0.35;
/// ... if it rises by no more than this altogether.
const SHORT_RISE: f64 = 0.18;
/// The end of the curve may be steeper still: beyond the last cache the
/// latency keeps creeping up.
const LAST_SLOPE: f64 = 0.5;
/// Fewest points of a level.
const FEWEST_ON_LEVEL: usize = 3;
/// Price of a piece against the information criterion's.
const PRICE: f64 = 1.0;

/// A sloping piece that begins where its neighbour ends belongs to it, if it
/// rises by less than this altogether (a factor 3: less than any next level of
/// memory).
const CREEP: f64 = 1.1;

/// A saturating piece is a level if it comes this share of the way to where it
/// heads for; otherwise the level is a guess.
const SATURATED: f64 = 0.7;
/// Where the curve ends there is no later piece to be mistaken for it.
const SATURATED_AT_END: f64 = 0.5;
/// Spots within this of a saturating piece's height (log scale) are on it.
const CLIMB: f64 = 0.15;

/// Spots `start..end` that make up a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    pub start: usize,
    /// First spot that has arrived on the level; before it lies the climb.
    pub arrived: usize,
    pub end: usize,
    /// Median of v.
    pub height: f64,
    /// Per unit of u.
    pub slope: f64,
    /// Line of the first and of the last piece at its outer end.
    first: f64,
    last: f64,
}

/// Levels in order; neighbours rise by at least `smallest_rise`.
pub(super) fn find(spots: &[Spot], smallest_rise: f64) -> Vec<Level> {
    let pieces = segment(spots, Shapes::WorkingSet, PRICE, 1);
    let levels: Vec<Level> = pieces
        .iter()
        .filter(|p| is_level(p, spots))
        .map(|p| level(p, spots))
        .collect();
    merged(spots, levels, smallest_rise)
}

fn level(p: &Piece, spots: &[Spot]) -> Level {
    let saturates = p.asymptote.is_some();
    let height = p
        .asymptote
        .unwrap_or_else(|| height(&spots[p.start..p.end]));
    let climbed = |i: &usize| spots[*i].v >= height - CLIMB;
    Level {
        start: p.start,
        arrived: (p.start..p.end)
            .find(climbed)
            .filter(|_| saturates)
            .unwrap_or(p.start),
        end: p.end,
        height,
        slope: if saturates { 0.0 } else { p.slope },
        first: if saturates { height } else { p.first },
        last: if saturates { height } else { p.last },
    }
}

fn is_level(piece: &Piece, spots: &[Spot]) -> bool {
    if let Some(asymptote) = piece.asymptote {
        let (first, last) = (spots[piece.start].v.exp(), spots[piece.end - 1].v.exp());
        let reached = (last - first) / (asymptote.exp() - first);
        let at_end = piece.end == spots.len();
        return reached >= if at_end { SATURATED_AT_END } else { SATURATED };
    }
    let steepness = piece.slope.abs();
    let rise = (piece.last - piece.first).abs();
    let at_end = piece.end == spots.len();
    piece.len() >= FEWEST_ON_LEVEL
        && (steepness <= LEVEL_SLOPE
            || (steepness <= SHORT_SLOPE && rise <= SHORT_RISE)
            || (at_end && steepness <= LAST_SLOPE))
}

fn height(spots: &[Spot]) -> f64 {
    let heights: Vec<f64> = spots.iter().map(|s| s.v).collect();
    median(&heights).unwrap_or(f64::NAN)
}

/// Joins neighbours until each rises over the one before: small steps, bumps
/// that come down again, and creeping on are part of their level.
fn merged(spots: &[Spot], mut levels: Vec<Level>, smallest_rise: f64) -> Vec<Level> {
    loop {
        let rise = |i: &usize| step(&levels[*i], &levels[i + 1]);
        let least = (0..levels.len().saturating_sub(1)).min_by(|a, b| rise(a).total_cmp(&rise(b)));
        match least {
            Some(i) if rise(&i) < smallest_rise => {
                let joined = join(spots, &levels[i], &levels[i + 1]);
                levels.splice(i..=i + 1, [joined]);
            }
            _ => return levels,
        }
    }
}

/// How far `next` stands above `level`.
fn step(level: &Level, next: &Level) -> f64 {
    let heights = next.height - level.height;
    let creeps = level.end == next.start && next.last - level.height < CREEP;
    if creeps {
        heights.min(next.first - level.last)
    } else {
        heights
    }
}

fn join(spots: &[Spot], a: &Level, b: &Level) -> Level {
    let run = spots[b.end - 1].u - spots[a.arrived].u;
    Level {
        start: a.start,
        arrived: a.arrived,
        end: b.end,
        height: height(&spots[a.arrived..b.end]),
        slope: if run > 0.0 {
            (b.last - a.first) / run
        } else {
            0.0
        },
        first: a.first,
        last: b.last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPOTS: usize = 12;

    fn spots() -> Vec<Spot> {
        let spot = |u| Spot {
            u: f64::from(u),
            v: 0.0,
            sigma: 0.1,
        };
        (0..SPOTS as i32).map(spot).collect()
    }

    /// `len` spots from `start` on.
    fn line(start: usize, len: usize, slope: f64, rise: f64) -> Piece {
        Piece {
            start,
            end: start + len,
            slope,
            slope_error: 0.0,
            first: 1.0,
            last: 1.0 + rise,
            asymptote: None,
        }
    }

    fn is(piece: Piece) -> bool {
        is_level(&piece, &spots())
    }

    #[test]
    fn a_level_is_flat_or_short_or_the_last() {
        // Inside the curve, long.
        assert!(is(line(0, 6, 0.15, 0.75)) && is(line(0, 6, -0.15, -0.75)));
        assert!(!is(line(0, 6, 0.16, 0.8)) && !is(line(0, 6, -0.16, -0.8)));
        // Short.
        assert!(is(line(0, 3, 0.35, 0.18)) && is(line(0, 3, -0.35, -0.179)));
        assert!(!is(line(0, 3, 0.36, 0.18)) && !is(line(0, 3, 0.35, 0.19)));
        // At the end.
        assert!(is(line(6, 6, 0.5, 2.5)) && is(line(6, 6, -0.5, -2.5)));
        assert!(!is(line(6, 6, 0.51, 2.5)) && !is(line(5, 6, 0.5, 2.5)));
    }

    #[test]
    fn two_spots_are_no_level() {
        assert!(is(line(0, 3, 0.0, 0.0)));
        assert!(!is(line(0, 2, 0.0, 0.0)) && !is(line(10, 2, 0.0, 0.0)));
    }

    /// From 1 on the way to 11, `reached` of it.
    fn saturating(start: usize, end: usize, reached: f64) -> bool {
        let mut spots = spots();
        spots[end - 1].v = (1.0 + 10.0 * reached).ln();
        let piece = Piece {
            asymptote: Some(11f64.ln()),
            ..line(start, end - start, 0.0, 0.0)
        };
        is_level(&piece, &spots)
    }

    #[test]
    fn a_saturating_piece_must_have_come_most_of_the_way() {
        assert!(saturating(0, 6, 0.701) && !saturating(0, 6, 0.699));
        assert!(saturating(6, SPOTS, 0.501) && !saturating(6, SPOTS, 0.499));
    }

    fn at(start: usize, end: usize, height: f64, first: f64, last: f64) -> Level {
        Level {
            start,
            arrived: start,
            end,
            height,
            slope: 0.0,
            first,
            last,
        }
    }

    #[test]
    fn what_creeps_on_from_a_level_rises_by_its_own_step_only() {
        let level = at(0, 4, 1.0, 1.0, 1.2);
        // It begins where the level ends, and ends 1.0 above it.
        let creeping = at(4, 8, 1.8, 1.25, 2.0);
        assert!((step(&level, &creeping) - 0.05).abs() < 1e-12);
        let apart = at(5, 8, 1.8, 1.25, 2.0);
        assert!((step(&level, &apart) - 0.8).abs() < 1e-12);
        let far = at(4, 8, 1.8, 1.25, 2.1);
        assert!((step(&level, &far) - 0.8).abs() < 1e-12, "1.1 is too far");
        let lower = at(4, 8, 0.9, 1.9, 2.0);
        assert!((step(&level, &lower) + 0.1).abs() < 1e-12);
    }

    #[test]
    fn levels_are_joined_least_step_first() {
        let mut spots = spots();
        for (spot, v) in spots
            .iter_mut()
            .zip([0.0, 0.0, 0.0, 0.1, 0.1, 0.1, 2.0, 2.0, 2.0, 2.2, 2.2, 2.2])
        {
            spot.v = v;
        }
        let flat = |start: usize, v: f64| at(start, start + 3, v, v, v);
        let levels = vec![flat(0, 0.0), flat(3, 0.1), flat(6, 2.0), flat(9, 2.2)];
        let heights = |smallest: f64| -> Vec<f64> {
            let merged = merged(&spots, levels.clone(), smallest);
            merged.iter().map(|l| l.height).collect()
        };
        assert_eq!(
            heights(0.1),
            [0.0, 0.1, 2.0, 2.2],
            "a rise of just that counts"
        );
        assert_eq!(heights(0.15), [0.05, 2.0, 2.2]);
        assert_eq!(heights(0.25), [0.05, 2.1]);
        assert_eq!(heights(9.0), [1.05]);
        let joined = join(&spots, &levels[0], &levels[1]);
        assert_eq!((joined.start, joined.arrived, joined.end), (0, 0, 6));
        assert_eq!((joined.first, joined.last), (0.0, 0.1));
        assert!((joined.slope - 0.1 / 5.0).abs() < 1e-12);
    }
}
