//! Flags and values that several commands take.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use harness::counters::SIMULATED;
use probe::counters::GroupName;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    /// For an issue or a wiki
    Markdown,
    Json,
}

/// Of a command that has a table to print.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    #[default]
    Text,
    /// For an issue or a wiki
    Markdown,
    Json,
    /// A row for each line of the table, for spreadsheets and scripts
    Csv,
}

impl TableFormat {
    /// What a command takes that has no table; None for CSV.
    pub fn without_table(self) -> Option<Format> {
        match self {
            TableFormat::Text => Some(Format::Text),
            TableFormat::Markdown => Some(Format::Markdown),
            TableFormat::Json => Some(Format::Json),
            TableFormat::Csv => None,
        }
    }
}

/// A flag that takes one of these words: each with its help, and what it stands for.
pub fn one_of<T, const N: usize>(
    words: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let shown = words.map(|(word, help, _)| value(word, help));
    PossibleValuesParser::new(shown).try_map(move |typed| {
        let found = words.iter().find(|(word, ..)| *word == typed);
        found
            .map(|(.., meant)| *meant)
            .ok_or("it is not one of them")
    })
}

fn value(word: &'static str, help: &'static str) -> PossibleValue {
    PossibleValue::new(word).help(Some(help).filter(|help| !help.is_empty()))
}

/// Groups of counters, as `-P` takes them.
pub const GROUPS: [(&str, &str, GroupName); 5] = [
    (
        "arch",
        "Loads, stores, returns from exceptions and functions",
        GroupName::Arch,
    ),
    (
        "dcache",
        "Data caches, first and second level",
        GroupName::Dcache,
    ),
    (
        "instr",
        "Instruction cache, branch prediction",
        GroupName::Instr,
    ),
    ("tlbmem", "Translation, memory, bus", GroupName::Tlbmem),
    (
        "software",
        "Page faults, context switches, migrations, CPU time: on every machine",
        GroupName::Software,
    ),
];

/// What `--counters` takes: a group of events, or nothing here but in a guest's caches.
pub fn counting() -> PossibleValuesParser {
    let simulated = value(
        SIMULATED,
        "Marks for the simulated caches of lab/plugins/cache; the table is on the host. \
         Lines \"# region NUMBER POINT\" on standard error say which row is which",
    );
    let groups = GROUPS.map(|(word, help, _)| value(word, help));
    PossibleValuesParser::new(groups.into_iter().chain([simulated]))
}

/// The words of `--placement`, as on the axis.
pub fn placements() -> impl Iterator<Item = PossibleValue> {
    let value = |p: record::Placement| PossibleValue::new(p.word()).help(p.text());
    record::Placement::ALL.into_iter().map(value)
}
