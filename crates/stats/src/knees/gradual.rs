//! One bend drawn out over octaves, where cutting sees several.
//!
//! A fixed cost and a rate add up to y = x / (a + b x): on log-log axes a line
//! less ln(1 + x / k), k = a / b, without a corner anywhere. Cut into straight
//! pieces it has two or three bends, none of them at k. So a run of bends the
//! same way is taken for one where v = line - c ln(1 + x / k) fits as well.

use crate::segment::{Piece, Spot};

/// Fewest pieces that may be one bend: two are one already.
const FEWEST_PIECES: usize = 3;
/// Places of k tried between two spots.
const TRIES: usize = 4;

/// A line that gives way to another round `u`.
struct Bend {
    /// v = height + slope u before, in the limit.
    height: f64,
    slope: f64,
    /// Slope lost behind u.
    lost: f64,
    u: f64,
    residual: f64,
}

/// Replaces runs of bends by one bend each where that costs less; `unit` is
/// the price of a parameter.
pub(super) fn merge(
    spots: &[Spot],
    mut pieces: Vec<Piece>,
    unit: f64,
    joins: impl Fn(&Piece, &Piece) -> bool,
) -> Vec<Piece> {
    let mut length = pieces.len();
    // Longest runs first: a part of a bend would fit as well.
    while length >= FEWEST_PIECES {
        let run = (0..=pieces.len().saturating_sub(length)).find_map(|i| {
            let run = pieces.get(i..i + length)?;
            let one = one_way(run) && run.windows(2).all(|w| joins(&w[0], &w[1]));
            Some((i, one.then(|| as_bend(spots, run, unit)).flatten()?))
        });
        match run {
            Some((i, two)) => {
                pieces.splice(i..i + length, two);
                length = length.min(pieces.len());
            }
            None => length -= 1,
        }
    }
    pieces
}

fn one_way(run: &[Piece]) -> bool {
    let falls = |w: &[Piece]| w[1].slope < w[0].slope;
    run.windows(2).all(falls) || !run.windows(2).any(falls)
}

/// The two lines of the bend that replaces a run; None where it fits worse.
fn as_bend(spots: &[Spot], run: &[Piece], unit: f64) -> Option<[Piece; 2]> {
    let (first, last) = (run.first()?, run.last()?);
    let inside = &spots[first.start..last.end];
    let best = (first.end - 1..last.start)
        .flat_map(|i| (0..TRIES).map(move |t| (i, t as f64 / TRIES as f64)))
        .map(|(i, share)| spots[i].u + share * (spots[i + 1].u - spots[i].u))
        .filter_map(|u| fit(inside, u))
        .min_by(|a, b| a.residual.total_cmp(&b.residual))?;
    let cut: f64 = run.iter().map(|p| residual(spots, p)).sum();
    // A bend has four parameters, a piece with its cut three.
    if best.residual + 4.0 * unit > cut + 3.0 * unit * run.len() as f64 {
        return None;
    }
    let border = first.start + inside.partition_point(|s| s.u <= best.u);
    let height = |u: f64, behind: bool| {
        let lost = if behind {
            best.lost * (u - best.u)
        } else {
            0.0
        };
        best.height + best.slope * u - lost
    };
    let line = |from: &Piece, start: usize, end: usize, behind: bool| Piece {
        start,
        end,
        slope: best.slope - if behind { best.lost } else { 0.0 },
        slope_error: from.slope_error,
        first: height(spots[start].u, behind),
        last: height(spots[end - 1].u, behind),
        asymptote: None,
    };
    Some([
        line(first, first.start, border, false),
        line(last, border, last.end, true),
    ])
}

fn residual(spots: &[Spot], piece: &Piece) -> f64 {
    let start = spots[piece.start].u;
    let miss = |s: &Spot| (s.v - piece.first - piece.slope * (s.u - start)) / s.sigma;
    let inside = &spots[piece.start..piece.end];
    inside.iter().map(|s| miss(s).powi(2)).sum()
}

/// Least squares of v = height + slope u - lost ln(1 + e^(u - at)).
fn fit(spots: &[Spot], at: f64) -> Option<Bend> {
    let terms = |s: &Spot| [1.0, s.u - at, -(s.u - at).exp().ln_1p()];
    let mut rows = [[0.0; 4]; 3];
    for s in spots {
        let (weight, t) = (s.sigma.powi(-2), terms(s));
        for (row, a) in rows.iter_mut().zip(t) {
            for (sum, b) in row.iter_mut().zip([t[0], t[1], t[2], s.v]) {
                *sum += weight * a * b;
            }
        }
    }
    let [middle, slope, lost] = solve(rows)?;
    let value = |s: &Spot| {
        let t = terms(s);
        middle * t[0] + slope * t[1] + lost * t[2]
    };
    let residual: f64 = spots
        .iter()
        .map(|s| ((s.v - value(s)) / s.sigma).powi(2))
        .sum();
    residual.is_finite().then_some(Bend {
        height: middle - slope * at,
        slope,
        lost,
        u: at,
        residual,
    })
}

/// Three linear equations, right-hand sides in the last column.
fn solve(mut rows: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for i in 0..3 {
        let pivot = (i..3).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()))?;
        rows.swap(i, pivot);
        let lead = rows[i];
        if lead[i] == 0.0 || !lead[i].is_finite() {
            return None;
        }
        for (k, row) in rows.iter_mut().enumerate() {
            let share = row[i] / lead[i];
            for (value, above) in row.iter_mut().zip(lead).filter(|_| k != i) {
                *value -= share * above;
            }
        }
    }
    Some(std::array::from_fn(|i| rows[i][3] / rows[i][i]))
}
