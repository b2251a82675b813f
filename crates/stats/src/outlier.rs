//! Values far from the bulk: flagged and counted, never dropped.

use crate::error::{StatsError, sorted};
use crate::quantile::quantile_sorted;
use serde::{Deserialize, Serialize};

/// Tukey's outer fences: this many interquartile ranges beyond the quartiles.
/// Outside lie 2 values in a million of normal data and 1 in 100 of
/// exponential data, so a flag there is worth a look.
pub const FENCE: f64 = 3.0;

/// Which values lie outside the outer fences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// Below the lower fence.
    pub low: u32,
    /// Above the upper fence.
    pub high: u32,
    pub lower_fence: f64,
    pub upper_fence: f64,
    /// One flag for each value, in the order given.
    pub flags: Vec<bool>,
}

impl Outliers {
    /// Flagged values on both sides.
    pub fn count(&self) -> u32 {
        self.low + self.high
    }
}

/// Flags values beyond Tukey's outer fences. With an interquartile range of
/// zero (a coarse clock) every value that differs is outside.
///
/// # Errors
/// Empty or non-finite values.
pub fn outliers(values: &[f64]) -> Result<Outliers, StatsError> {
    let ordered = sorted("outliers", values)?;
    let quartile = |p| quantile_sorted(&ordered, p).unwrap_or(f64::NAN);
    let (q1, q3) = (quartile(0.25), quartile(0.75));
    let reach = FENCE * (q3 - q1);
    let (lower_fence, upper_fence) = (q1 - reach, q3 + reach);
    let count = |outside: &dyn Fn(f64) -> bool| {
        u32::try_from(values.iter().filter(|v| outside(**v)).count()).unwrap_or(u32::MAX)
    };
    Ok(Outliers {
        low: count(&|v| v < lower_fence),
        high: count(&|v| v > upper_fence),
        lower_fence,
        upper_fence,
        flags: values
            .iter()
            .map(|v| *v < lower_fence || *v > upper_fence)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_keep_the_order_of_the_values() {
        let found = outliers(&[10.0, 900.0, 11.0, 12.0, 9.0, 10.5, -300.0]).expect("finite");
        assert_eq!((found.low, found.high, found.count()), (1, 1, 2));
        assert_eq!(found.flags, [false, true, false, false, false, false, true]);
    }

    #[test]
    fn equal_values_have_none() {
        assert_eq!(outliers(&[4.0; 9]).map(|o| o.count()), Ok(0));
    }
}
