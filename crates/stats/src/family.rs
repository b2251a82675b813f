//! Judging many differences together.
//!
//! Of 84 points that did not change, four lie outside their 95 % intervals. So a family is judged
//! with one error for all of it: Holm's step-down procedure, which holds whatever the points have
//! in common (S. Holm, "A simple sequentially rejective multiple test procedure", 1979). That
//! asks for small probabilities, which the end of a 95 % interval does not give: an estimate's
//! standard error is kept with its degrees of freedom.

use crate::quantile::median;
use crate::student::{student_t, student_tails};

/// How far an estimate may be wrong: a variance, and how well that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// In the square of the estimate's unit.
    pub variance: f64,
    /// Degrees of freedom of the variance; infinite where it is known.
    pub degrees: f64,
}

impl Deviation {
    /// Not wrong at all.
    pub const NONE: Deviation = Deviation::known(0.0);

    /// Of a standard deviation that is known.
    pub const fn known(sd: f64) -> Deviation {
        Deviation {
            variance: sd * sd,
            degrees: f64::INFINITY,
        }
    }

    /// Of independent errors that add: the degrees of freedom after Satterthwaite (1946).
    #[must_use]
    pub fn plus(self, other: Deviation) -> Deviation {
        let variance = self.variance + other.variance;
        let share = |one: Deviation| one.variance * one.variance / one.degrees;
        let shares = share(self) + share(other);
        Deviation {
            variance,
            degrees: match shares > 0.0 {
                true => variance * variance / shares,
                false => f64::INFINITY,
            },
        }
    }

    /// Of the estimate times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Deviation {
        Deviation {
            variance: self.variance * factor * factor,
            ..self
        }
    }

    /// The one with the larger variance.
    #[must_use]
    pub fn or_larger(self, other: Deviation) -> Deviation {
        match other.variance > self.variance {
            true => other,
            false => self,
        }
    }

    /// Standard error.
    pub fn error(self) -> f64 {
        self.variance.sqrt()
    }

    /// Half the width of the interval at `level`, by Student's t.
    pub fn half(self, level: f64) -> f64 {
        match self.variance > 0.0 {
            true => student_t(level, self.degrees) * self.error(),
            false => 0.0,
        }
    }

    /// How probable an estimate at least so far from the truth is, both sides together.
    pub fn p(self, distance: f64) -> f64 {
        match (distance == 0.0, self.variance > 0.0) {
            (true, _) => 1.0,
            (false, true) => student_tails(distance / self.error(), self.degrees),
            (false, false) => 0.0,
        }
    }
}

/// Adjusted probabilities, in the order given: those at most alpha are rejected, and the chance of
/// any false rejection among all is at most alpha.
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut adjusted = vec![1.0; probabilities.len()];
    let mut least: f64 = 0.0;
    for (rank, place) in order.iter().enumerate() {
        let left = (probabilities.len() - rank) as f64;
        least = least.max((left * probabilities[*place]).min(1.0));
        adjusted[*place] = least;
    }
    adjusted
}

/// What differences vary by beyond their own deviations: the variance that brings the median of
/// the squared standardised differences to what chance gives. A few true changes among many points
/// hardly move a median. The sum of both variances is what is seen, so that is what has the degrees
/// of freedom of a median of squares: 37 % of as many normal values (its efficiency against the mean
/// of squares).
pub fn between(differences: &[(f64, Deviation)]) -> Deviation {
    let expected: Vec<f64> = differences
        .iter()
        .map(|(_, own)| student_t(0.5, own.degrees.max(1.0)).powi(2))
        .collect();
    let excess = |extra: f64| {
        let squares: Vec<f64> = differences
            .iter()
            .zip(&expected)
            .map(|((d, own), expected)| d * d / ((own.variance + extra) * expected).max(TINY))
            .collect();
        median(&squares).unwrap_or(0.0) > 1.0
    };
    if !excess(0.0) {
        return Deviation::NONE;
    }
    let largest = differences.iter().map(|(d, _)| d * d).fold(TINY, f64::max);
    let (mut low, mut high) = (0.0, 4.0 * largest);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if excess(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let own: Vec<f64> = differences.iter().map(|(_, own)| own.variance).collect();
    let share = high / (high + median(&own).unwrap_or(0.0));
    Deviation {
        variance: high,
        degrees: (EFFICIENCY * differences.len() as f64).max(1.0) * share * share,
    }
}

/// Keeps quotients finite.
const TINY: f64 = 1e-300;

/// Of the median absolute deviation against the standard deviation, for normal values.
const EFFICIENCY: f64 = 0.37;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn holm_multiplies_by_how_many_are_left() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, want) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - want).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn a_family_without_a_change_is_rejected_in_five_percent() {
        let mut rng = Rng::new(4);
        let own = Deviation::known(1.0);
        let hits = (0..2000)
            .filter(|_| {
                let p: Vec<f64> = (0..84).map(|_| own.p(rng.normal())).collect();
                holm(&p).iter().any(|p| *p <= 0.05)
            })
            .count();
        assert!((70..=130).contains(&hits), "{hits} of 2000");
    }

    #[test]
    fn degrees_follow_the_larger_variance() {
        let few = Deviation {
            variance: 4.0,
            degrees: 3.0,
        };
        let both = few.plus(Deviation::known(0.1));
        assert!((both.degrees - 3.0).abs() < 0.1, "{both:?}");
        assert_eq!(few.plus(few).degrees, 6.0);
        assert!((few.half(0.95) - 2.0 * 3.182_446).abs() < 1e-3);
        assert!((few.p(2.0 * 3.182_446) - 0.05).abs() < 1e-4);
        assert_eq!(few.times(3.0).variance, 36.0);
        assert_eq!((Deviation::NONE.p(0.0), Deviation::NONE.p(1.0)), (1.0, 0.0));
    }

    #[test]
    fn what_runs_differ_by_is_seen_beyond_what_points_vary_by() {
        let mut rng = Rng::new(5);
        let own = Deviation::known(0.01);
        let mut draw = |sd: f64, changed: usize| -> f64 {
            let one = |at: usize, rng: &mut Rng| {
                let change = if at < changed { 0.3 } else { 0.0 };
                (change + sd * rng.normal() + 0.01 * rng.normal(), own)
            };
            let of: Vec<(f64, Deviation)> = (0..400).map(|at| one(at, &mut rng)).collect();
            between(&of).error()
        };
        assert!(draw(0.0, 0) < 0.004);
        let found = draw(0.03, 0);
        assert!((0.026..0.034).contains(&found), "{found}");
        let found = draw(0.03, 40);
        assert!((0.027..0.040).contains(&found), "{found}");
        assert_eq!(between(&[]), Deviation::NONE);
    }
}
