//! The interval of the median that decides when to stop. Used for stopping
//! only; what a report shows is computed from the record.

/// Fewer values have no interval of 95 %.
const LEAST: usize = 6;

/// Width of the distribution-free 95 % interval of the median, as a share of
/// the median. `None` with fewer than 6 values or a median that is not
/// positive.
pub fn relative_width(values: &[f64]) -> Option<f64> {
    if values.len() < LEAST {
        return None;
    }
    let interval = stats::median_interval(values, 0.95).ok()?;
    (interval.center > 0.0).then(|| (interval.high - interval.low) / interval.center)
}
