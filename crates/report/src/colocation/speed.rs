//! How the speed of a kind of work is given: as a rate where people know it as
//! one, else as the time of an operation.

use crate::format::{significant, time_ns};
use record::KindHead;

/// Stands for every command.
pub const COMMAND: &str = "cmd:";
const DIGITS: u32 = 4;

/// In which unit a kind's speed is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speed {
    /// `frames/s`: more is better.
    Rate(String),
    /// Time of this operation: less is better.
    Time(String),
}

impl Speed {
    /// As the record describes the kind; the time of an operation where it does not.
    pub fn of(kinds: &[KindHead], word: &str) -> Speed {
        let is = |kind: &&KindHead| match kind.word.as_str() {
            COMMAND => word.starts_with(COMMAND),
            known => known == word,
        };
        match kinds.iter().find(is) {
            Some(KindHead {
                rate: Some(rate), ..
            }) => Speed::Rate(rate.clone()),
            Some(kind) => Speed::Time(kind.operation.clone()),
            None => Speed::Time("operation".to_owned()),
        }
    }

    /// What a work that takes the n-th part of its time gains, as the log of 2022
    /// has it: of rates against the rate before, of times against the time before.
    pub fn gain(&self, speedup: f64) -> f64 {
        match self {
            Speed::Rate(_) => speedup - 1.0,
            Speed::Time(_) => 1.0 - 1.0 / speedup,
        }
    }

    /// Times of an operation, ns, in the unit of the kind: `74.06 frames/s`, `12.3 ms`.
    /// All with the prefix that suits the first.
    pub fn texts<const N: usize>(&self, ns: [f64; N]) -> [String; N] {
        let Speed::Rate(unit) = self else {
            return ns.map(|ns| time_ns(ns, DIGITS));
        };
        let rates = ns.map(|ns| 1e9 / ns);
        let (scale, prefix) = match rates.first().copied().unwrap_or(0.0) {
            r if r >= 1e9 => (1e9, "G"),
            r if r >= 1e6 => (1e6, "M"),
            r if r >= 1e4 => (1e3, "k"),
            _ => (1.0, ""),
        };
        rates.map(|rate| format!("{} {prefix}{unit}", significant(rate / scale, DIGITS)))
    }

    /// `frames/s`, `time of a round`.
    pub fn said(&self) -> String {
        match self {
            Speed::Rate(unit) => unit.clone(),
            Speed::Time(operation) => format!("time of one {operation}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Speed;

    fn rate() -> Speed {
        Speed::Rate("frames/s".to_owned())
    }

    fn time() -> Speed {
        Speed::Time("text".to_owned())
    }

    /// A figure of the log: before, after, its gain in percent.
    fn agrees(speed: &Speed, before_ns: f64, after_ns: f64, percent: f64) {
        let gain = speed.gain(before_ns / after_ns) * 100.0;
        assert!((gain - percent).abs() < 0.01, "{gain} {percent}");
    }

    #[test]
    fn gains_are_those_of_the_log() {
        agrees(&rate(), 1e9 / 74.06, 1e9 / 79.83, 7.79);
        agrees(&time(), 39.99e9, 43.75e9, -9.40);
        agrees(&time(), 53.40e9, 48.17e9, 9.79);
        agrees(&time(), 39.71e9, 37.38e9, 5.87);
    }

    #[test]
    fn both_speeds_have_the_unit_of_the_first() {
        let [a, b] = rate().texts([1e9 / 74.06, 1e9 / 79.83]);
        assert_eq!(
            (a.as_str(), b.as_str()),
            ("74.06 frames/s", "79.83 frames/s")
        );
        let [a, b] = rate().texts([100.0, 200.0]);
        assert_eq!(
            (a.as_str(), b.as_str()),
            ("10.00 Mframes/s", "5.000 Mframes/s")
        );
        let [a, b] = time().texts([39.99e9, 12.3e6]);
        assert_eq!((a.as_str(), b.as_str()), ("39.99 s", "12.30 ms"));
    }
}
