//! Axes of an experiment and the points that a preset visits on them.

use record::{AxisValue, Setting, Unit};

/// Sizes of grids, bytes.
pub const KIB: i64 = 1 << 10;
/// Bytes in a mebibyte.
pub const MIB: i64 = 1 << 20;
/// Times of grids, ns.
pub const MILLISECOND: i64 = 1_000_000;

/// Static description of one axis.
#[derive(Debug, Clone, Copy)]
pub struct AxisSpec {
    pub name: &'static str,
    pub unit: Unit,
    pub doc: &'static str,
    /// Words this axis accepts; empty for numbers. One that ends in a colon is open:
    /// anything may follow it.
    pub words: &'static [&'static str],
    /// Points that differ only in such axes are set up together and sampled in
    /// ABBA order: they are meant to be compared.
    pub compared: bool,
}

impl AxisSpec {
    /// An axis of numbers, whose points are not compared with each other.
    pub const fn number(name: &'static str, unit: Unit, doc: &'static str) -> AxisSpec {
        AxisSpec {
            name,
            unit,
            doc,
            words: &[],
            compared: false,
        }
    }

    /// An axis of sizes in bytes, whose points are not compared with each other.
    pub const fn bytes(name: &'static str, doc: &'static str) -> AxisSpec {
        AxisSpec::number(name, Unit::Bytes, doc)
    }

    /// An axis of times in nanoseconds, whose points are not compared with each other.
    pub const fn time(name: &'static str, doc: &'static str) -> AxisSpec {
        AxisSpec::number(name, Unit::Nanoseconds, doc)
    }

    /// An axis of words, whose points are not compared with each other.
    pub const fn word(
        name: &'static str,
        doc: &'static str,
        words: &'static [&'static str],
    ) -> AxisSpec {
        AxisSpec {
            words,
            ..AxisSpec::number(name, Unit::Word, doc)
        }
    }

    /// The same axis, with points that are compared with each other.
    pub const fn compared(self) -> AxisSpec {
        AxisSpec {
            compared: true,
            ..self
        }
    }
}

/// A Cartesian product of axis values with a time budget for each point. The
/// points of a preset are the union of its grids.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub values: Vec<(&'static str, Vec<AxisValue>)>,
    /// Time for the samples of one point, ns.
    pub budget_ns: u64,
}

impl Grid {
    /// A grid without axes; each of its points has this time budget.
    pub fn new(budget_ms: u64) -> Self {
        Grid {
            values: Vec::new(),
            budget_ns: budget_ms * 1_000_000,
        }
    }

    /// Adds a numeric axis.
    #[must_use]
    pub fn ints(mut self, axis: &'static str, values: impl IntoIterator<Item = i64>) -> Self {
        self.values
            .push((axis, values.into_iter().map(AxisValue::Int).collect()));
        self
    }

    /// Adds an axis of words.
    #[must_use]
    pub fn words(mut self, axis: &'static str, values: &[&str]) -> Self {
        self.values
            .push((axis, values.iter().map(|w| AxisValue::from(*w)).collect()));
        self
    }
}

/// One axis set to a number or a word.
pub fn setting(axis: &str, value: impl Into<AxisValue>) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: value.into(),
    }
}

/// Settings of a figure or a row, all of them words.
pub fn only(words: &[(&str, &str)]) -> Vec<Setting> {
    let one = |(axis, word): &(&str, &str)| setting(axis, *word);
    words.iter().map(one).collect()
}

/// One list behind another, where forms are compiled: `N` is the length of both.
///
/// # Panics
/// While it is compiled, where `N` is another length or the first list is empty.
pub const fn joined<T: Copy, const N: usize>(first: &[T], second: &[T]) -> [T; N] {
    assert!(first.len() + second.len() == N, "N is the length of both");
    let (mut all, mut at) = ([first[0]; N], 0);
    while at < N {
        all[at] = match at < first.len() {
            true => first[at],
            false => second[at - first.len()],
        };
        at += 1;
    }
    all
}

/// Powers of two from `low` to `high`, both included where they are on the grid.
pub fn doubling(low: i64, high: i64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(low), |v| v.checked_mul(2)).take_while(move |v| *v <= high)
}

/// Sizes from `low` to `high` with `steps` points per octave, rounded to
/// multiples of `round`, without repeats.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float becomes an integer only by a cast; grids have few points, of sizes below 2^63"
)]
pub fn geometric(low: i64, high: i64, steps: u32, round: i64) -> Vec<i64> {
    let octaves = (high as f64 / low as f64).log2();
    let count = (octaves * f64::from(steps)).round() as u32;
    let mut values: Vec<i64> = (0..=count)
        .map(|i| {
            let exact = low as f64 * 2f64.powf(f64::from(i) / f64::from(steps));
            ((exact / round as f64).round() as i64 * round).max(round)
        })
        .collect();
    values.dedup();
    values
}
