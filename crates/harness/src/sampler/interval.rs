//! The interval of the median that decides when to stop. Used for stopping
//! only; what a report shows is computed from the record.

/// Width of the distribution-free 95 % interval of the median, as a share of
/// the median. `None` with fewer than 6 values (no interval of that level
/// exists) or a median that is not positive.
pub fn relative_width(values: &mut [f64]) -> Option<f64> {
    let low = low_rank(values.len())?;
    values.sort_unstable_by(f64::total_cmp);
    let high = values.len() - 1 - low;
    let width = values[high] - values[low];
    let median = median_of_sorted(values);
    if median > 0.0 {
        Some(width / median)
    } else {
        None
    }
}

/// Median of any values; NaN for none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    median_of_sorted(values)
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Largest 0-based rank k with P(Binomial(n, 1/2) <= k) <= 0.025, so that
/// x(k) .. x(n-1-k) covers the median with at least 95 %.
fn low_rank(n: usize) -> Option<usize> {
    const TAIL: f64 = 0.025;
    if n > 1000 {
        // 2^-n underflows; the normal approximation is within one rank here,
        // and is rounded outwards.
        let half_width = 1.96 * (n as f64).sqrt() / 2.0;
        return Some((n as f64 / 2.0 - half_width - 1.0).floor() as usize);
    }
    let mut term = 0.5f64.powi(i32::try_from(n).ok()?);
    let mut below = term;
    if below > TAIL {
        return None;
    }
    let mut rank = 0;
    loop {
        term *= (n - rank) as f64 / (rank + 1) as f64;
        below += term;
        if below > TAIL {
            return Some(rank);
        }
        rank += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_as_in_the_published_tables() {
        // 95 % intervals of the median, 1-based: n = 6: 1..6, 10: 2..9,
        // 20: 6..15, 30: 10..21, 100: 40..61.
        for (n, rank) in [(6, 1), (10, 2), (20, 6), (30, 10), (100, 40)] {
            assert_eq!(low_rank(n), Some(rank - 1), "n = {n}");
        }
        assert_eq!(low_rank(5), None);
        assert_eq!(low_rank(0), None);
    }

    #[test]
    fn the_approximation_joins_the_exact_ranks() {
        let exact = low_rank(1000).unwrap();
        let approximate = low_rank(1001).unwrap();
        assert!(exact.abs_diff(approximate) <= 1, "{exact} {approximate}");
    }

    #[test]
    fn equal_values_have_no_width() {
        assert_eq!(relative_width(&mut [3.0; 12]), Some(0.0));
        assert_eq!(relative_width(&mut [0.0; 12]), None);
        assert_eq!(relative_width(&mut [1.0; 3]), None);
    }
}
