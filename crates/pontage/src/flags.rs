//! Flags and values that several commands take.

use clap::ValueEnum;
use clap::builder::PossibleValue;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    /// For an issue or a wiki
    Markdown,
    Json,
}

/// The words of `--placement`, as on the axis.
pub fn placements() -> impl Iterator<Item = PossibleValue> {
    let value = |p: record::Placement| PossibleValue::new(p.word()).help(p.text());
    record::Placement::ALL.into_iter().map(value)
}

/// A size as the axes spell it.
pub fn bytes(text: &str) -> Result<u64, String> {
    let size = catalogue::axis_text::parse_bytes(text)?;
    u64::try_from(size)
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| "must be at least 1".to_owned())
}
