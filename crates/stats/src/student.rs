//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// With so many degrees of freedom it is the normal distribution.
const NORMAL: f64 = 1e5;

/// Two-sided quantile of Student's t: P(|T| <= q) = level.
pub(crate) fn student_t(level: f64, degrees: f64) -> f64 {
    if degrees >= NORMAL {
        return Normal::new(0.0, 1.0).map_or(f64::INFINITY, |n| n.inverse_cdf(0.5 + level / 2.0));
    }
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + level / 2.0))
}

/// P(|T| >= distance), both tails.
pub(crate) fn student_tails(distance: f64, degrees: f64) -> f64 {
    let below = |at: f64| match degrees < NORMAL {
        true => StudentsT::new(0.0, 1.0, degrees).map_or(0.5, |t| t.cdf(at)),
        false => Normal::new(0.0, 1.0).map_or(0.5, |n| n.cdf(at)),
    };
    (2.0 * below(-distance.abs())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::{student_t, student_tails};

    #[test]
    fn student_quantiles_match_the_tables() {
        assert!((student_tails(-1.96, f64::INFINITY) - 0.05).abs() < 1e-4);
        for (degrees, want) in [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (4.0, 2.776)] {
            assert!((student_t(0.95, degrees) - want).abs() < 1e-3, "{degrees}");
            assert!(
                (student_tails(want, degrees) - 0.05).abs() < 1e-4,
                "{degrees}"
            );
        }
    }
}
