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

/// Spots `start..end` that make up a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    pub start: usize,
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
    let flat = p.asymptote.is_some();
    let height = p
        .asymptote
        .unwrap_or_else(|| height(&spots[p.start..p.end]));
    Level {
        start: p.start,
        end: p.end,
        height,
        slope: if flat { 0.0 } else { p.slope },
        first: if flat { height } else { p.first },
        last: if flat { height } else { p.last },
    }
}

fn is_level(piece: &Piece, spots: &[Spot]) -> bool {
    if let Some(asymptote) = piece.asymptote {
        let (first, last) = (spots[piece.start].v.exp(), spots[piece.end - 1].v.exp());
        let reached = (last - first) / (asymptote.exp() - first);
        return reached >= SATURATED;
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
    let run = spots[b.end - 1].u - spots[a.start].u;
    Level {
        start: a.start,
        end: b.end,
        height: height(&spots[a.start..b.end]),
        slope: if run > 0.0 {
            (b.last - a.first) / run
        } else {
            0.0
        },
        first: a.first,
        last: b.last,
    }
}
