//! What a set of numbers can be unfit for.

use thiserror::Error;

/// Why a statistic of these numbers does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum StatsError {
    #[error("cannot compute {what}: no values")]
    Empty { what: &'static str },
    #[error("cannot compute {what}: value {index} is {value}, not a finite number")]
    NotFinite {
        what: &'static str,
        index: usize,
        value: f64,
    },
    #[error("cannot compute {what}: {have} values, at least {need} are needed")]
    TooFew {
        what: &'static str,
        have: usize,
        need: usize,
    },
    #[error("cannot compute {what}: {value} lies outside its range")]
    OutOfRange { what: &'static str, value: f64 },
}

/// Accepts only non-empty slices of finite numbers.
pub(crate) fn check(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    if values.is_empty() {
        return Err(StatsError::Empty { what });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(StatsError::NotFinite {
            what,
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}

/// A sorted copy of values that `check` accepts.
pub(crate) fn sorted(what: &'static str, values: &[f64]) -> Result<Vec<f64>, StatsError> {
    check(what, values)?;
    let mut copy = values.to_vec();
    copy.sort_unstable_by(f64::total_cmp);
    Ok(copy)
}
