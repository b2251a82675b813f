//! Floats of a head that may be anything: JSON has no NaN or infinity and holds
//! null for them, which must not make the whole run unreadable.

use serde::{Deserialize, Deserializer};

/// A number, or NaN for null.
pub(crate) fn or_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}
