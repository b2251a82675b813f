//! Numbers inside sentences.

use std::fmt;

/// A sum that stays at the most there is: a damaged capture's times may be any.
pub fn sum_ns(all: impl Iterator<Item = u64>) -> u64 {
    all.fold(0, u64::saturating_add)
}

/// A time: `3.99 ms`.
#[derive(Debug, Clone, Copy)]
pub struct Time(pub f64);

impl Time {
    /// Of a whole number of ns.
    pub fn ns(ns: u64) -> Time {
        Time(ns as f64)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0.abs() {
            a if a >= 0.9995e9 => (1e9, "s"),
            a if a >= 0.9995e6 => (1e6, "ms"),
            a if a >= 0.9995e3 => (1e3, "µs"),
            _ => (1.0, "ns"),
        };
        let value = self.0 / scale;
        let decimals = match value.abs() {
            v if unit == "ns" || v >= 99.95 => 0,
            v if v >= 9.995 => 1,
            _ => 2,
        };
        write!(f, "{value:.decimals$} {unit}")
    }
}

/// A share as a percentage.
#[derive(Debug, Clone, Copy)]
pub struct Share(pub f64);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 * 100.0 {
            p if p != 0.0 && p < 0.05 => f.write_str("<0.1 %"),
            p if p < 9.95 => write!(f, "{p:.1} %"),
            p => write!(f, "{p:.0} %"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Share, Time};

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 999.0, 3_990_000.0, 12_340.0, 2.5e9].map(|ns| Time(ns).to_string());
        assert_eq!(texts, ["0 ns", "999 ns", "3.99 ms", "12.3 µs", "2.50 s"]);
        assert_eq!(
            [0.0, 0.0001, 0.031, 0.5].map(|s| Share(s).to_string()),
            ["0.0 %", "<0.1 %", "3.1 %", "50 %"]
        );
    }
}
