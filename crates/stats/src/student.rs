//! Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Two-sided quantile of Student's t: P(|T| <= q) = level.
pub(crate) fn student_t(level: f64, degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + level / 2.0))
}

#[cfg(test)]
mod tests {
    use super::student_t;

    #[test]
    fn student_quantiles_match_the_tables() {
        for (degrees, want) in [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (4.0, 2.776)] {
            assert!((student_t(0.95, degrees) - want).abs() < 1e-3, "{degrees}");
        }
    }
}
