//! What a plugin wrote: a comment that says what it is, a head, a row for each
//! time a region was passed.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// What a plugin counted, by region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// What counted it: "simulated cache: ...".
    pub label: String,
    /// Names of the numbers of each region.
    pub columns: Vec<String>,
    /// In the order of their numbers.
    pub regions: Vec<Region>,
}

/// What was counted in one region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Region {
    /// As the test called it, else its number.
    pub name: String,
    pub times: usize,
    /// Of each column over all times; of an even number the lower one.
    pub medians: Vec<u64>,
}

/// Columns that say which row it is; all others are numbers.
const KEYS: [&str; 3] = ["region", "sequence", "cpu"];

/// Names that tests gave to regions: `# region NUMBER NAME`.
pub fn names(tests: &str) -> BTreeMap<u64, String> {
    let named = |line: &str| {
        let mut words = line.trim().strip_prefix("# region ")?.split_whitespace();
        Some((words.next()?.parse().ok()?, words.next()?.to_owned()))
    };
    tests.lines().filter_map(named).collect()
}

/// Why a text is not a plugin's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableError {
    NoLabel,
    OtherHead,
    /// The line that is no row.
    Row(String),
}

impl Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::NoLabel => f.write_str("its first line does not name its format"),
            TableError::OtherHead => f.write_str("its header is another one"),
            TableError::Row(line) => write!(f, "no row: {line}"),
        }
    }
}

/// What there is none of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    Table,
    Column(String),
    Region(String),
}

impl Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Table => f.write_str("no table"),
            Missing::Column(name) => write!(f, "no column {name}"),
            Missing::Region(name) => write!(f, "no region {name}"),
        }
    }
}

/// The table in `text`.
///
/// # Errors
/// The first line that is none of a table.
pub fn parse(text: &str, names: &BTreeMap<u64, String>) -> Result<Counted, TableError> {
    let mut lines = text.lines();
    let label = lines.next().and_then(|line| line.strip_prefix("# "));
    let label = label.ok_or(TableError::NoLabel)?.to_owned();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let columns = head
        .strip_prefix(&KEYS)
        .ok_or(TableError::OtherHead)?
        .iter()
        .map(|column| (*column).to_owned())
        .collect::<Vec<_>>();
    let mut regions: BTreeMap<u64, Vec<Vec<u64>>> = BTreeMap::new();
    for line in lines {
        let row: Result<Vec<u64>, _> = line.split('\t').map(str::parse).collect();
        match row {
            Ok(row) if row.len() == head.len() => {
                regions
                    .entry(row[0])
                    .or_default()
                    .push(row[KEYS.len()..].to_vec());
            }
            _ => return Err(TableError::Row(line.to_owned())),
        }
    }
    let regions = regions.into_iter().map(|(number, rows)| Region {
        name: names.get(&number).cloned().unwrap_or(number.to_string()),
        times: rows.len(),
        medians: (0..columns.len()).map(|at| median(&rows, at)).collect(),
    });
    Ok(Counted {
        label,
        regions: regions.collect(),
        columns,
    })
}

fn median(rows: &[Vec<u64>], column: usize) -> u64 {
    let mut values: Vec<u64> = rows.iter().map(|row| row[column]).collect();
    values.sort_unstable();
    values[(values.len() - 1) / 2]
}

impl Counted {
    /// The median of a column in a region.
    ///
    /// # Errors
    /// Which of both there is none of.
    pub fn median(&self, column: &str, region: &str) -> Result<u64, Missing> {
        let at = self.columns.iter().position(|c| c == column);
        let at = at.ok_or_else(|| Missing::Column(column.to_owned()))?;
        let found = self.regions.iter().find(|r| r.name == region);
        found
            .map(|region| region.medians[at])
            .ok_or_else(|| Missing::Region(region.to_owned()))
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut rows = vec![vec!["region".to_owned(), "times".to_owned()]];
        rows[0].extend(self.columns.iter().cloned());
        for region in &self.regions {
            let mut row = vec![region.name.clone(), region.times.to_string()];
            row.extend(region.medians.iter().map(u64::to_string));
            rows.push(row);
        }
        let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        let mut text = format!("{}; medians\n", self.label);
        for row in &rows {
            text.push_str(&format!("{:<1$}", row[0], widths[0]));
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                text.push_str(&format!("  {cell:>width$}"));
            }
            text.push('\n');
        }
        text
    }
}
