//! The curve of a cache that is outgrown by a random walk.
//!
//! Of a working set x beyond the capacity C the share C / x still hits, so the
//! time is y = beyond - (beyond - within) C / x: a straight line over 1 / x
//! that heads for the next level and may never reach it before the level
//! after that sets in.

use super::Spot;

/// Fewest spots that distinguish such a curve from a line.
const FEWEST_SPOTS: usize = 4;

/// y = asymptote - depth * first x / x over some spots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Saturating {
    /// Sum of weighted squared residuals; infinite where no such curve fits.
    pub residual: f64,
    pub asymptote: f64,
}

const NONE: Saturating = Saturating {
    residual: f64::INFINITY,
    asymptote: f64::NAN,
};

/// Fits over the first 1, 2, 3 ... spots; u is log2 x and v is ln y.
pub(super) fn fits(spots: &[Spot]) -> Vec<Saturating> {
    // Scaled by the first spot, so that the sums keep their digits wherever
    // on the curve they start.
    let Some(first) = spots.first() else {
        return Vec::new();
    };
    let (mut w, mut t, mut y, mut tt, mut ty, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let mut found = Vec::with_capacity(spots.len());
    for (i, spot) in spots.iter().enumerate() {
        let (at, height) = ((first.u - spot.u).exp2(), (spot.v - first.v).exp());
        let weight = (spot.sigma * height).powi(-2);
        w += weight;
        t += weight * at;
        y += weight * height;
        tt += weight * at * at;
        ty += weight * at * height;
        yy += weight * height * height;
        found.push(if i + 1 < FEWEST_SPOTS {
            NONE
        } else {
            solve([w, t, y, tt, ty, yy], first.v.exp())
        });
    }
    found
}

fn solve([w, t, y, tt, ty, yy]: [f64; 6], unit: f64) -> Saturating {
    let spread = tt - t * t / w;
    let slope = (ty - t * y / w) / spread;
    // Only curves that rise.
    if !(spread > 0.0 && slope < 0.0) {
        return NONE;
    }
    let residual = yy - y * y / w - slope * slope * spread;
    Saturating {
        residual: residual.max(0.0),
        asymptote: unit * (y - slope * t) / w,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spots(y: impl Fn(f64) -> f64) -> Vec<Spot> {
        (0..12)
            .map(|i| {
                let u = 20.0 + f64::from(i) / 4.0;
                Spot {
                    u,
                    v: y(u.exp2()).ln(),
                    sigma: 0.01,
                }
            })
            .collect()
    }

    #[test]
    fn finds_the_level_that_is_headed_for() {
        let capacity = 20f64.exp2();
        let found = fits(&spots(|x| 12.0 - 9.0 * capacity / x));
        let whole = found.last().expect("twelve spots");
        assert!(
            (whole.asymptote - 12.0).abs() < 1e-6 && whole.residual < 1e-6,
            "{whole:?}"
        );
        assert_eq!(
            found[2].residual,
            f64::INFINITY,
            "three spots could be anything"
        );
    }

    #[test]
    fn falling_curves_are_none() {
        assert!(
            fits(&spots(|x| 1e6 / x))
                .iter()
                .all(|f| f.residual.is_infinite())
        );
    }
}
