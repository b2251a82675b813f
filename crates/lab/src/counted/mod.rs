//! What plugins of QEMU counted in a guest: kept, compared with a second boot,
//! and asked whether it is as it has to be.

pub mod table;
#[cfg(test)]
mod tests;

use table::Missing;
pub use table::{Counted, Region};

use crate::data::Scenario;
use crate::guest::life::text;
use crate::guest::qemu::{self, TESTS};
use crate::outcome::{Outcome, Verdict};
use crate::stop::{Stop, cannot};
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the table of an earlier boot of the same run is kept.
fn first(folder: &Path, plugin: &str) -> PathBuf {
    folder.join(format!("{plugin}.first.tsv"))
}

/// Nothing of an earlier run stays.
pub(crate) fn forget(folder: &Path, plugins: &[&str]) {
    for plugin in plugins {
        let _ = fs::remove_file(first(folder, plugin));
        let _ = fs::remove_file(folder.join(qemu::table(plugin)));
    }
}

/// Puts the tables of the first boot aside.
///
/// # Errors
/// As rename(2), of a plugin that wrote nothing too.
pub(crate) fn keep(folder: &Path, plugins: &[&str]) -> Result<(), Stop> {
    for plugin in plugins {
        let table = folder.join(qemu::table(plugin));
        fs::rename(&table, first(folder, plugin)).map_err(cannot("keep", &table))?;
    }
    Ok(())
}

/// Reads the tables of `folder` into the outcome, and judges them.
pub(crate) fn judge(outcome: &mut Outcome, scenario: &Scenario, folder: &Path, plugins: &[&str]) {
    let names = table::names(&text(&folder.join(TESTS)));
    for plugin in plugins {
        let name = qemu::table(plugin);
        let table_text = text(&folder.join(&name));
        if scenario.twice {
            let before = text(&first(folder, plugin));
            let cause = difference(&before, &table_text).map(|d| format!("{name}: {d}"));
            outcome.causes.extend(cause);
        }
        match table::parse(&table_text, &names) {
            Ok(counted) => outcome.counted.push(counted),
            Err(why) => outcome
                .causes
                .push(format!("cannot understand {name}: {why}")),
        }
    }
    for claim in &scenario.counted {
        let broken = check_claim(claim, &outcome.counted).err();
        outcome.causes.extend(broken.map(|e| e.to_string()));
    }
    if !outcome.causes.is_empty() {
        outcome.verdict = Verdict::Failed;
    }
}

/// The first line in which two boots differ.
fn difference(before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let at = before.lines().zip(after.lines()).position(|(a, b)| a != b);
    let Some(at) = at else {
        return Some("two boots differ in their number of rows".to_owned());
    };
    let line = |text: &str| text.lines().nth(at).unwrap_or_default().to_owned();
    Some(format!(
        "two boots differ from line {}: {:?}, then {:?}",
        at + 1,
        line(before),
        line(after)
    ))
}

/// A claim of a scenario that is not met.
#[derive(Debug, PartialEq, Eq)]
struct ClaimError {
    claim: String,
    why: Why,
}

#[derive(Debug, PartialEq, Eq)]
enum Why {
    NotAClaim,
    Unanswered(Missing),
    Fails { left: u64, right: u64 },
}

impl Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = &self.claim;
        match &self.why {
            Why::NotAClaim => write!(f, "no claim: {claim:?}"),
            Why::Unanswered(missing) => write!(f, "cannot ask {claim:?}: {missing}"),
            Why::Fails { left, right } => {
                write!(f, "does not hold: {claim}: {left} against {right}")
            }
        }
    }
}

fn check_claim(claim: &str, tables: &[Counted]) -> Result<(), ClaimError> {
    holds(claim, tables).map_err(|why| ClaimError {
        claim: claim.to_owned(),
        why,
    })
}

/// Holds a claim against the tables: `COLUMN REGION > REGION`, or with `>=`, or with a
/// factor before the second region, `10 x REGION`.
fn holds(claim: &str, tables: &[Counted]) -> Result<(), Why> {
    let words: Vec<&str> = claim.split_whitespace().collect();
    let (column, left, sign, factor, right) = match *words.as_slice() {
        [column, left, sign, right] => (column, left, sign, Some(1), right),
        [column, left, sign, factor, "x", right] => {
            (column, left, sign, factor.parse().ok(), right)
        }
        _ => return Err(Why::NotAClaim),
    };
    let (Some(factor), ">" | ">=") = (factor, sign) else {
        return Err(Why::NotAClaim);
    };
    let of = |region: &str| {
        let found = tables.iter().map(|table| table.median(column, region));
        let found = found.reduce(Result::or).unwrap_or(Err(Missing::Table));
        found.map_err(Why::Unanswered)
    };
    let (left, right) = (of(left)?, of(right)?);
    let least = right.saturating_mul(factor);
    match left > least || (sign == ">=" && left == least) {
        true => Ok(()),
        false => Err(Why::Fails { left, right }),
    }
}
