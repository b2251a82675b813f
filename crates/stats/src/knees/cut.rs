//! Cutting a curve into straight pieces, and joining those that chance or a
//! single odd point parted.

use super::{KneeOptions, gradual};
use crate::segment::{Piece, Shapes, Spot, segment};

/// Price of a piece against the information criterion's: a knee is a claim
/// about the machine, so it must pay double.
const PRICE: f64 = 2.0;
/// Fewest points of a piece. A cliff between two plateaus has two points or
/// none, so two must do; the price keeps chance pairs out.
const FEWEST_ON_PIECE: usize = 2;
/// Differences within this many standard errors are noise.
const SIGMAS: f64 = 3.0;
/// A price that no cut can pay.
const WHOLE: f64 = 1e12;

/// Straight pieces of spots (logarithms, ordered by u), never none.
pub(super) fn pieces(spots: &[Spot], options: &KneeOptions) -> Vec<Piece> {
    let mut found = segment(spots, Shapes::Line, PRICE, FEWEST_ON_PIECE);
    if found.is_empty() {
        return vec![whole(spots, 0, spots.len())];
    }
    loop {
        let weak = (1..found.len()).find(|i| !differ(spots, &found[i - 1], &found[*i], options));
        let blip = (2..found.len()).find(|i| {
            found[i - 1].len() <= FEWEST_ON_PIECE
                && found[i - 2].len() > FEWEST_ON_PIECE
                && found[*i].len() > FEWEST_ON_PIECE
                && !differ(spots, &found[i - 2], &found[*i], options)
        });
        let (from, to) = match (weak, blip) {
            (Some(i), _) => (i - 1, i),
            (None, Some(i)) => (i - 2, i),
            (None, None) => break,
        };
        let joined = whole(spots, found[from].start, found[to].end);
        found.splice(from..=to, [joined]);
    }
    let unit = PRICE * (spots.len() as f64).ln();
    let meet = |a: &Piece, b: &Piece| crossing(spots, a, b).is_some();
    gradual::merge(spots, found, unit, meet)
}

/// One line through spots `start..end`.
fn whole(spots: &[Spot], start: usize, end: usize) -> Piece {
    let one = segment(&spots[start..end], Shapes::Line, WHOLE, end - start);
    let line = one.into_iter().next();
    let level = Piece {
        start,
        end,
        slope: 0.0,
        slope_error: f64::INFINITY,
        first: spots[start].v,
        last: spots[end - 1].v,
        asymptote: None,
    };
    line.map_or(level, |p| Piece { start, end, ..p })
}

/// Whether two pieces bend or jump by more than the options ask and than
/// noise makes.
fn differ(spots: &[Spot], a: &Piece, b: &Piece, options: &KneeOptions) -> bool {
    let bend = (b.slope - a.slope).abs();
    let noise = a.slope_error.hypot(b.slope_error);
    let bends = bend > options.smallest_bend && bend > SIGMAS * noise;
    if bends {
        return true;
    }
    if crossing(spots, a, b).is_some() {
        return false;
    }
    let (left, right) = (&spots[a.end - 1], &spots[b.start]);
    let step = (right.u - left.u) * (a.slope + b.slope) / 2.0;
    let jump = (b.first - a.last - step).abs();
    jump > options.smallest_jump.ln() && jump > SIGMAS * left.sigma.hypot(right.sigma)
}

/// Where two lines cross, u; None when that is not between the pieces or at
/// most one grid step beyond.
pub(super) fn crossing(spots: &[Spot], a: &Piece, b: &Piece) -> Option<f64> {
    let (left, right) = (spots[a.end - 1].u, spots[b.start].u);
    let gap = right - left;
    let at = left + (b.first - a.last - b.slope * gap) / (a.slope - b.slope);
    (left - gap..=right + gap).contains(&at).then_some(at)
}
