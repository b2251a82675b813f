//! Shares of a whole.

use crate::interval::{Interval, Method};

const SIGMAS_OF_95: f64 = 1.96;

/// The 95 % interval of a share seen in so many independent samples (Wilson 1927): right for few
/// samples and near 0 and 1, where that of the normal distribution leaves the range.
pub fn wilson(share: f64, samples: f64) -> Interval {
    let n = samples.max(1.0);
    let z2 = SIGMAS_OF_95 * SIGMAS_OF_95 / n;
    let middle = share + z2 / 2.0;
    let half = SIGMAS_OF_95 * (share * (1.0 - share) / n + z2 / (4.0 * n)).max(0.0).sqrt();
    let end = |value: f64| (value / (1.0 + z2)).clamp(0.0, 1.0);
    Interval {
        method: Method::OrderStatistic,
        ..Interval::resampled(share, end(middle - half), end(middle + half))
    }
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn the_interval_is_that_of_the_book_and_stays_between_none_and_all() {
        let ten = wilson(0.5, 10.0);
        assert!((ten.low - 0.2366).abs() < 1e-3 && (ten.high - 0.7634).abs() < 1e-3);
        let all = wilson(1.0, 20.0);
        assert!((all.low - 0.8389).abs() < 1e-3 && (0.999..=1.0).contains(&all.high));
        assert!((0.0..0.001).contains(&wilson(0.0, 20.0).low));
    }
}
