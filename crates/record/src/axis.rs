//! Axes: what is varied, in which unit, and one value of it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Unit of an axis or a metric. Names follow the vocabulary: sizes are powers
/// of two in KiB/MiB, rates are GB/s = 10^9 bytes per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain count (processes, ways, depth).
    Count,
    Bytes,
    Nanoseconds,
    /// Whole seconds of a clock: a part of a moment, not an amount.
    ClockSeconds,
    /// What the clock shows beyond its whole seconds, in nanoseconds.
    ClockNanoseconds,
    /// 10^9 bytes per second, bytes counted once.
    GigabytesPerSecond,
    Megahertz,
    Cycles,
    /// A dimensionless ratio.
    Ratio,
    /// A word from a fixed list (method, placement).
    Word,
}

impl Unit {
    /// Suffix of the column that holds a value in this unit (`_bytes`, `_ns`).
    pub fn suffix(self) -> &'static str {
        self.written().0
    }

    /// A part of a moment: it says when, so there is nothing to summarise or
    /// compare.
    pub fn is_moment(self) -> bool {
        matches!(self, Unit::ClockSeconds | Unit::ClockNanoseconds)
    }

    /// Symbol as printed behind a number.
    pub fn symbol(self) -> &'static str {
        self.written().1
    }

    /// Behind the name of a column, and behind a number.
    fn written(self) -> (&'static str, &'static str) {
        match self {
            Unit::Count | Unit::Word => ("", ""),
            Unit::Bytes => ("_bytes", "B"),
            Unit::Nanoseconds | Unit::ClockNanoseconds => ("_ns", "ns"),
            Unit::ClockSeconds => ("_s", "s"),
            Unit::GigabytesPerSecond => ("_gb_per_s", "GB/s"),
            Unit::Megahertz => ("_mhz", "MHz"),
            Unit::Cycles => ("_cycles", "cycles"),
            Unit::Ratio => ("_ratio", ""),
        }
    }
}

/// One value of one axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisValue {
    Int(i64),
    Word(String),
}

impl AxisValue {
    /// The number; None of a word.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            AxisValue::Int(v) => Some(*v),
            AxisValue::Word(_) => None,
        }
    }

    /// The word; None of a number.
    pub fn as_word(&self) -> Option<&str> {
        match self {
            AxisValue::Int(_) => None,
            AxisValue::Word(w) => Some(w),
        }
    }
}

impl From<i64> for AxisValue {
    fn from(v: i64) -> Self {
        AxisValue::Int(v)
    }
}

impl From<&str> for AxisValue {
    fn from(v: &str) -> Self {
        AxisValue::Word(v.to_owned())
    }
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AxisValue::Int(v) => write!(f, "{v}"),
            AxisValue::Word(w) => f.write_str(w),
        }
    }
}

/// One axis set to one value: `size=4096`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Setting {
    pub axis: String,
    pub value: AxisValue,
}

/// Axes whose words are names of the kernel: `copy_to_user` has no blanks.
const SYMBOLS: [&str; 3] = ["function", "caller", "operation"];

/// A word of an axis as it is read: `same cpu`, `2 threads`; what is a name outside this program
/// stays.
pub fn word_as_read(axis: &str, word: &str) -> String {
    if SYMBOLS.contains(&axis) {
        return word.to_owned();
    }
    let noun = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &word[..word.len() - noun.len()];
    let noun = noun.replace('_', " ");
    match !number.is_empty() && COUNTED.iter().any(|counted| noun.starts_with(counted)) {
        true => format!("{number} {noun}"),
        false => format!("{number}{noun}"),
    }
}

/// What words of axes count.
const COUNTED: [&str; 2] = ["thread", "process"];

/// Size in bytes as people write it: `64 B`, `4 KiB`, `1.5 MiB`.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("TiB", 1 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
    ];
    match UNITS.iter().find(|(_, scale)| bytes >= *scale) {
        None => format!("{bytes} B"),
        Some((name, scale)) if bytes.is_multiple_of(*scale) => format!("{} {name}", bytes / scale),
        Some((name, scale)) => format!("{:.1} {name}", bytes as f64 / *scale as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::word_as_read;

    #[test]
    fn words_read_as_words_and_names_of_the_kernel_stay() {
        assert_eq!(word_as_read("placement", "same_cpu"), "same cpu");
        assert_eq!(word_as_read("mode", "2threads"), "2 threads");
        assert_eq!(word_as_read("mode", "1thread"), "1 thread");
        assert_eq!(word_as_read("page", "4k"), "4k");
        assert_eq!(word_as_read("function", "vfs_write"), "vfs_write");
        assert_eq!(
            word_as_read("operation", "__copy_to_user"),
            "__copy_to_user"
        );
    }
}
