//! Medians and spreads of a handful of turns.

/// Median; the mean of the middle two of an even number. NaN of none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// Median of `times` short measurements. A peer that prints one mean over its
/// whole run is run briefly and often: one preemption then spoils one of them,
/// not all, and what is compared with our median is a median.
pub fn median_of(times: usize, measure: impl Fn() -> Result<f64, String>) -> Result<f64, String> {
    let values: Vec<f64> = (0..times).map(|_| measure()).collect::<Result<_, _>>()?;
    Ok(median(&values))
}

/// From the smallest to the largest.
pub fn range(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    largest - smallest
}

/// The range / median.
pub fn spread(values: &[f64]) -> f64 {
    range(values) / median(values)
}

/// Median absolute deviation / median.
pub fn scatter(values: &[f64]) -> f64 {
    let middle = median(values);
    let distances: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    median(&distances) / middle
}

/// `109.1 ns (5 turns, spread 2.3 %)`.
pub fn summary(values: &[f64], unit: &str) -> String {
    format!(
        "{:.2} {unit} ({} turns, spread {:.1} %)",
        median(values),
        values.len(),
        spread(values) * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::{median, median_of, scatter, spread};

    #[test]
    fn of_known_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
        assert_eq!(median_of(3, || Ok(2.0)), Ok(2.0));
        assert!(median_of(3, || Err(String::new())).is_err());
        assert_eq!(scatter(&[9.0, 10.0, 10.0, 12.0, 30.0]), 0.1);
        assert_eq!(spread(&[9.0, 10.0, 12.0]), 0.3);
    }
}
