//! A moment of a trace, as people write it.

use crate::width::narrow;
use std::str::FromStr;

/// Absolute, in the clock of the trace, or counted from its begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A stamp, in ns.
    At(u64),
    /// Nanoseconds behind the first event.
    After(u64),
}

impl Moment {
    /// The stamp in ns, of a trace that begins at `begin_ns`.
    pub fn at_ns(self, begin_ns: u64) -> u64 {
        match self {
            Moment::At(ns) => ns,
            Moment::After(ns) => begin_ns.saturating_add(ns),
        }
    }
}

/// A text that is no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a time: 12.5 is a timestamp in seconds; +1.5s and 250ms are relative to the \
     start (h, m, s, ms, us, ns)"
)]
pub struct MomentError(String);

/// `12.000000345` is a stamp in seconds as events are printed; with a unit
/// (`250ms`) or a plus (`+1.5`, `+3us`) it counts from the begin.
impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Moment, MomentError> {
        let wrong = || MomentError(text.to_owned());
        let (plus, rest) = match text.strip_prefix('+') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, unit) = rest.split_at(unit_at.unwrap_or(rest.len()));
        let (digits, times) = match unit {
            "h" => (9, 3600),
            "m" | "min" => (9, 60),
            "s" | "" => (9, 1),
            "ms" => (6, 1),
            "us" | "µs" => (3, 1),
            "ns" => (0, 1),
            _ => return Err(wrong()),
        };
        let ns = scaled(number, digits).and_then(|ns| ns.checked_mul(times));
        let ns = ns.ok_or_else(wrong)?;
        match plus || !unit.is_empty() {
            true => Ok(Moment::After(ns)),
            false => Ok(Moment::At(ns)),
        }
    }
}

/// Exact: a stamp in seconds has more digits than a float.
fn scaled(number: &str, digits: u32) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let value = |text: &str| match text.is_empty() {
        true => Some(0u64),
        false => text.parse().ok(),
    };
    // Digits below a nanosecond are cut.
    let part = &part[..part.len().min(digits as usize)];
    let missing = digits.saturating_sub(narrow(part.len()));
    let below = value(part)?.checked_mul(10u64.pow(missing))?;
    value(whole)?
        .checked_mul(10u64.pow(digits))?
        .checked_add(below)
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn stamps_and_distances() {
        for (text, wanted) in [
            ("12.000000345", Moment::At(12_000_000_345)),
            ("5", Moment::At(5_000_000_000)),
            ("+1.5", Moment::After(1_500_000_000)),
            ("+1.5s", Moment::After(1_500_000_000)),
            ("250ms", Moment::After(250_000_000)),
            (".5us", Moment::After(500)),
            ("7ns", Moment::After(7)),
            ("1.5m", Moment::After(90_000_000_000)),
            ("1h", Moment::After(3_600_000_000_000)),
        ] {
            assert_eq!(text.parse(), Ok(wanted), "{text}");
        }
        assert_eq!(Moment::After(4).at_ns(10), 14);
        assert_eq!(Moment::At(4).at_ns(10), 4);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "+",
            "ms",
            "1.2.3",
            "-4",
            "9d",
            "99999999999h",
            "99999999999999999999",
            ".",
        ] {
            let error = text.parse::<Moment>().unwrap_err().to_string();
            assert!(error.contains("is not a time"), "{text}: {error}");
        }
    }
}
