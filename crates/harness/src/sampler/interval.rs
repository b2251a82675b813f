//! The interval of the median that decides when to stop. Used for stopping
//! only; what a report shows is computed from the record.

/// Fewer values have no interval of 95 %.
const LEAST: usize = 6;

/// Width of the distribution-free 95 % interval of the median, as a share of
/// the median; of `values` in the order in which they were taken, which are counted for
/// what they are worth. `None` with fewer than 6 values, or worth fewer, or a median
/// that is not positive.
///
/// Samples agree best just when they lean on each other: counted one by one, a point
/// ended early because its samples said the same thing.
pub fn relative_width(values: &[f64]) -> Option<f64> {
    if values.len() < LEAST {
        return None;
    }
    let effective = stats::dependence(values).ok()?.effective();
    let interval = stats::effective_interval(values, 0.95, effective).ok()?;
    (interval.center > 0.0 && !interval.is_none())
        .then(|| (interval.high - interval.low) / interval.center)
}

#[cfg(test)]
mod tests {
    use super::relative_width;

    #[test]
    fn samples_that_lean_on_each_other_do_not_end_a_point() {
        let scattered = |i: u32| 100.0 + f64::from((i * 37) % 101) / 50.0;
        let narrow = relative_width(&(0..101).map(scattered).collect::<Vec<_>>());
        assert!(narrow.is_some_and(|w| w < 0.006), "{narrow:?}");
        // The same values in rising order, and a slow wave of the same height.
        let rising: Vec<f64> = (0..101).map(|i| 100.0 + f64::from(i) / 50.0).collect();
        assert_eq!(relative_width(&rising), None);
        let wave = |i: u32| 101.0 + (f64::from(i) / 8.0).sin();
        let wave: Vec<f64> = (0..101).map(wave).collect();
        assert!(relative_width(&wave).is_none_or(|w| w > 0.006));
        assert_eq!(relative_width(&[1.0; 5]), None);
        assert_eq!(relative_width(&[1.0; 6]), Some(0.0));
        assert_eq!(relative_width(&[-1.0; 6]), None);
    }
}
