//! Cutting a curve into pieces of one simple shape each.
//!
//! Dynamic programming over all cuts, exact for the sum of weighted squared
//! residuals plus a price for each piece (segmented least squares; the price
//! is the Bayesian information criterion's). Pieces need not join: an edge
//! between two cache levels is a jump.

mod saturating;

use saturating::Saturating;

/// A coordinate pair with the standard deviation of v.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub u: f64,
    pub v: f64,
    pub sigma: f64,
}

/// Shapes that a piece may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shapes {
    /// u and v are logarithms; constants where they do, else straight lines or
    /// saturating curves, whichever fits better.
    WorkingSet,
    Line,
}

/// A piece: spots `start..end` and its line v = at_start + slope (u - u_start).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece {
    pub start: usize,
    pub end: usize,
    pub slope: f64,
    /// Standard error of the slope.
    pub slope_error: f64,
    /// Value of the line at the first spot.
    pub first: f64,
    /// Value of the line at the last spot.
    pub last: f64,
    /// Where the piece heads for, if it saturates instead of being a line.
    pub asymptote: Option<f64>,
}

impl Piece {
    /// Number of values that it covers.
    pub fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Running sums that give the fit of any range in constant time.
struct Sums(Vec<[f64; 6]>);

impl Sums {
    fn new(spots: &[Spot]) -> Self {
        let origin = spots.first().map_or(0.0, |s| s.u);
        let mut rows = Vec::with_capacity(spots.len() + 1);
        let mut row = [0.0; 6];
        rows.push(row);
        for s in spots {
            let (w, u) = (s.sigma.powi(-2), s.u - origin);
            for (sum, term) in
                row.iter_mut()
                    .zip([w, w * u, w * s.v, w * u * u, w * u * s.v, w * s.v * s.v])
            {
                *sum += term;
            }
            rows.push(row);
        }
        Sums(rows)
    }

    fn range(&self, start: usize, end: usize) -> [f64; 6] {
        std::array::from_fn(|k| self.0[end][k] - self.0[start][k])
    }

    /// Residual of the best constant.
    fn flat(&self, start: usize, end: usize) -> f64 {
        let [w, _, v, _, _, vv] = self.range(start, end);
        (vv - v * v / w).max(0.0)
    }

    /// Slope, its error, and the residual of the best line.
    fn line(&self, start: usize, end: usize) -> (f64, f64, f64) {
        let [w, u, v, uu, uv, vv] = self.range(start, end);
        let spread = uu - u * u / w;
        if end - start < 2 || spread <= 0.0 {
            return (0.0, f64::INFINITY, self.flat(start, end));
        }
        let slope = (uv - u * v / w) / spread;
        let residual = vv - v * v / w - slope * slope * spread;
        (slope, spread.recip().sqrt(), residual.max(0.0))
    }
}

/// How a piece is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fit {
    Flat,
    Line,
    Saturating(Saturating),
}

/// Best pieces of spots ordered by u. `price` multiplies the criterion's
/// ln(n) / parameter; `shortest` is the fewest spots of a piece.
pub(crate) fn segment(spots: &[Spot], shapes: Shapes, price: f64, shortest: usize) -> Vec<Piece> {
    let n = spots.len();
    let sums = Sums::new(spots);
    let saturating: Vec<Vec<Saturating>> = match shapes {
        Shapes::WorkingSet => (0..n).map(|s| saturating::fits(&spots[s..])).collect(),
        Shapes::Line => Vec::new(),
    };
    let unit = price * (n as f64).ln();
    let cost = |start: usize, end: usize| -> (f64, Fit) {
        // A cut and a slope and a height; a constant saves the slope.
        let line = (sums.line(start, end).2 + 3.0 * unit, Fit::Line);
        if shapes == Shapes::Line {
            return line;
        }
        let flat = (sums.flat(start, end) + 2.0 * unit, Fit::Flat);
        let curve = saturating[start][end - start - 1];
        let curve = (curve.residual + 3.0 * unit, Fit::Saturating(curve));
        let cheaper = |a: (f64, Fit), b: (f64, Fit)| if b.0 < a.0 { b } else { a };
        cheaper(cheaper(flat, line), curve)
    };
    let mut best = vec![(f64::INFINITY, 0, Fit::Flat); n + 1];
    best[0].0 = 0.0;
    for end in shortest..=n {
        for start in 0..=end - shortest {
            if best[start].0.is_finite() {
                let (price, fit) = cost(start, end);
                if best[start].0 + price < best[end].0 {
                    best[end] = (best[start].0 + price, start, fit);
                }
            }
        }
    }
    let mut pieces = Vec::new();
    let mut end = n;
    while end > 0 && best[end].0.is_finite() {
        let (_, start, fit) = best[end];
        pieces.push(piece(spots, &sums, start, end, fit));
        end = start;
    }
    pieces.reverse();
    pieces
}

fn piece(spots: &[Spot], sums: &Sums, start: usize, end: usize, fit: Fit) -> Piece {
    let [w, u, v, ..] = sums.range(start, end);
    let (slope, slope_error, _) = match fit {
        Fit::Flat => (0.0, 0.0, 0.0),
        _ => sums.line(start, end),
    };
    let (middle_u, middle_v) = (u / w + spots[0].u, v / w);
    Piece {
        start,
        end,
        slope,
        slope_error,
        first: middle_v + slope * (spots[start].u - middle_u),
        last: middle_v + slope * (spots[end - 1].u - middle_u),
        asymptote: match fit {
            Fit::Saturating(curve) => Some(curve.asymptote.ln()),
            _ => None,
        },
    }
}

/// Scatter from point to point: the robust standard deviation of each spot
/// around the line between its neighbours, in units of `scale(spot)`. Edges
/// are few and do not move it.
pub(crate) fn roughness(spots: &[Spot], scale: impl Fn(&Spot) -> f64) -> f64 {
    let residuals: Vec<f64> = spots
        .windows(3)
        .map(|w| {
            let share = (w[1].u - w[0].u) / (w[2].u - w[0].u);
            let between = w[0].v * (1.0 - share) + w[2].v * share;
            let spread = (1.0 + share.powi(2) + (1.0 - share).powi(2)).sqrt();
            ((w[1].v - between) / (spread * scale(&w[1]))).abs()
        })
        .collect();
    crate::quantile::median(&residuals).map_or(0.0, |m| crate::quantile::MAD_TO_SIGMA * m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spots(values: &[f64]) -> Vec<Spot> {
        values
            .iter()
            .enumerate()
            .map(|(i, v)| Spot {
                u: i as f64,
                v: *v,
                sigma: 0.1,
            })
            .collect()
    }

    #[test]
    fn a_step_is_two_constants() {
        let pieces = segment(
            &spots(&[1.0, 1.0, 1.0, 5.0, 5.0, 5.0]),
            Shapes::WorkingSet,
            1.0,
            1,
        );
        assert_eq!(pieces.len(), 2);
        assert_eq!((pieces[0].end, pieces[1].start), (3, 3));
        assert_eq!((pieces[0].slope, pieces[1].slope), (0.0, 0.0));
        assert!((pieces[1].first - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_ramp_is_one_line() {
        let pieces = segment(
            &spots(&[0.0, 1.0, 2.0, 3.0, 4.0]),
            Shapes::WorkingSet,
            1.0,
            1,
        );
        assert_eq!(pieces.len(), 1);
        assert!((pieces[0].slope - 1.0).abs() < 1e-9);
        assert!((pieces[0].last - 4.0).abs() < 1e-9);
    }

    #[test]
    fn roughness_ignores_an_edge() {
        let mut values: Vec<f64> = (0..40)
            .map(|i| if i % 2 == 0 { 0.1 } else { -0.1 })
            .collect();
        values[20..].iter_mut().for_each(|v| *v += 10.0);
        let rough = roughness(&spots(&values), |_| 1.0);
        assert!((0.15..0.35).contains(&rough), "{rough}");
    }
}
