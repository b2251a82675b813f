//! Location and spread.

use crate::error::{StatsError, check, sorted};
use crate::whole::whole_index;

/// Factor that makes the median absolute deviation estimate the standard
/// deviation of normal data: 1 / (the 75 % point of the standard normal).
pub const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;

/// Quantile `p` of sorted values by linear interpolation between the two
/// nearest order statistics, at position `(n - 1) p` counted from 0
/// (definition 7 of Hyndman and Fan 1996; the default of R and NumPy).
///
/// None for an empty slice or `p` outside 0..=1.
pub fn quantile_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    if sorted.is_empty() || !(0.0..=1.0).contains(&p) {
        return None;
    }
    let position = (sorted.len() - 1) as f64 * p;
    let below = whole_index(position);
    let above = (below + 1).min(sorted.len() - 1);
    let weight = position - below as f64;
    // Weighted sum rather than `a + w (b - a)`: no overflow for far ends.
    Some(sorted[below] * (1.0 - weight) + sorted[above] * weight)
}

/// Quantile `p` (definition 7 of Hyndman and Fan).
///
/// # Errors
/// Empty or non-finite values, or `p` outside 0..=1.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, StatsError> {
    let values = sorted("a quantile", values)?;
    quantile_sorted(&values, p).ok_or(StatsError::OutOfRange {
        what: "a quantile",
        value: p,
    })
}

/// Middle value; mean of the two middle ones for even counts.
///
/// # Errors
/// Empty or non-finite values.
pub fn median(values: &[f64]) -> Result<f64, StatsError> {
    quantile(values, 0.5)
}

/// Median of sorted values; None when empty.
pub fn median_sorted(sorted: &[f64]) -> Option<f64> {
    quantile_sorted(sorted, 0.5)
}

/// Median of the distances from the median, unscaled.
///
/// # Errors
/// Empty or non-finite values.
pub fn median_absolute_deviation(values: &[f64]) -> Result<f64, StatsError> {
    let center = median(values)?;
    let distances: Vec<f64> = values.iter().map(|v| (v - center).abs()).collect();
    median(&distances)
}

/// Arithmetic mean.
///
/// # Errors
/// Empty or non-finite values.
pub fn mean(values: &[f64]) -> Result<f64, StatsError> {
    check("a mean", values)?;
    let count = values.len() as f64;
    Ok(values.iter().map(|v| v / count).sum())
}

/// Sample variance, divided by n - 1; two passes, so that a large common
/// offset costs no digits.
///
/// # Errors
/// Fewer than two values, or non-finite ones.
pub fn variance(values: &[f64]) -> Result<f64, StatsError> {
    let center = mean(values)?;
    if values.len() < 2 {
        return Err(StatsError::TooFew {
            what: "a sample variance",
            have: values.len(),
            need: 2,
        });
    }
    let squares: f64 = values.iter().map(|v| (v - center).powi(2)).sum();
    Ok(squares / (values.len() - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_follow_definition_seven() {
        // quantile(c(1,2,4,8,16), c(.1,.25,.5,.9)) in R: 1.4 2 4 12.8
        let values = [16.0, 1.0, 8.0, 2.0, 4.0];
        for (p, want) in [
            (0.1, 1.4),
            (0.25, 2.0),
            (0.5, 4.0),
            (0.9, 12.8),
            (1.0, 16.0),
        ] {
            let got = quantile(&values, p).expect("finite values");
            assert!((got - want).abs() < 1e-12, "{p}: {got}");
        }
        assert_eq!(median(&[1.0, 3.0]), Ok(2.0));
    }

    #[test]
    fn spread_of_known_values() {
        let values = [1.0, 2.0, 3.0, 4.0, 100.0];
        assert_eq!(median_absolute_deviation(&values), Ok(1.0));
        assert_eq!(mean(&values), Ok(22.0));
        assert_eq!(variance(&values), Ok(1902.5));
    }

    #[test]
    fn variance_keeps_its_digits_under_an_offset() {
        let values = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        assert!((variance(&values).expect("four values") - 30.0).abs() < 1e-6);
    }

    #[test]
    fn unfit_values_are_named() {
        assert!(matches!(median(&[]), Err(StatsError::Empty { .. })));
        assert!(matches!(
            median(&[1.0, f64::NAN]),
            Err(StatsError::NotFinite { index: 1, .. })
        ));
        assert!(matches!(
            quantile(&[1.0], 1.5),
            Err(StatsError::OutOfRange { .. })
        ));
        assert!(matches!(variance(&[1.0]), Err(StatsError::TooFew { .. })));
    }
}
